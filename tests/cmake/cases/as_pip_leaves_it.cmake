# The wheels of CUDA 13.0 without the links that the sets of the tests have: nvcc finds no runtime.
set(kit "${WORK}/${CASE}-kit/pypi-repaired-13.0.2/nvidia")
file(REMOVE_RECURSE "${WORK}/${CASE}-kit")
file(MAKE_DIRECTORY "${kit}")
execute_process(COMMAND cp -al "${repaired}" "${kit}/cu13" COMMAND_ERROR_IS_FATAL ANY)
file(REMOVE "${kit}/cu13/lib64" "${kit}/cu13/lib/libcudart.so")
set(repaired "${kit}/cu13")
