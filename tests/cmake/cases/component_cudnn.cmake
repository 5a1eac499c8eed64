# A project that links cuDNN: none is installed, then the environment's packages have one for the toolkit's CUDA.
set(CudaConsistent_TOOLKIT "${REPAIRED}")
set(CudaConsistent_PROBE off)
foreach(python "${REPAIRED}" "${PARTS}/cudnn-9.12-set")
  set(CudaConsistent_PYTHON "${python}")
  unset(CudaConsistent_FINDINGS)
  find_package(CudaConsistent COMPONENTS cuDNN)
  message(STATUS "cuDNN of ${python}: ${CudaConsistent_cuDNN_FOUND}")
endforeach()
