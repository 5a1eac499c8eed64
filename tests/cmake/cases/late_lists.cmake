# The architectures of every place are judged against every declared driver and GPU, and no others: lists that the project sets after
# find_package replace what the call saw.
include("${CASES}/late/configure.cmake")
set(machine "-DCMAKE_CUDA_COMPILER=${t124}/bin/nvcc" "-DCudaConsistent_DRIVER_LIBS=${d535}" "-DCudaConsistent_GPUS=A100\\;H100")
set(a100 "-DCMAKE_CUDA_COMPILER=${t124}/bin/nvcc" "-DCudaConsistent_DRIVER_LIBS=${d535}" -DCudaConsistent_GPUS=A100)
set(real "set(CMAKE_CUDA_ARCHITECTURES 80-real 90-real)")

# Good: PTX 8.4 would be refused by driver 535, but nothing makes any.
configure(good ENABLED "${real}" OPTIONS ${machine})
configure(good_enabled ENABLED "${real}" OPTIONS ${machine} -DENABLED=ON)
configure(good_late LATE "${real}" OPTIONS ${machine})
configure(good_property TARGET "set_property(TARGET x PROPERTY CUDA_ARCHITECTURES 80-real 90-real)" OPTIONS ${machine})
configure(good_replaced TARGET "set_property(TARGET x PROPERTY CUDA_ARCHITECTURES 80-real)" OPTIONS ${a100} -DCMAKE_CUDA_ARCHITECTURES=80-virtual)

# Bad, though the list at the call is fine.
set(refuses "error.CC202.: driver 535[^\n]* refuses the PTX 8.4 of this build .")
set(list -DCMAKE_CUDA_ARCHITECTURES=80-real)
configure(property OPTIONS ${a100} ${list} TARGET "set_property(TARGET x PROPERTY CUDA_ARCHITECTURES 80-virtual)"
  STOPS "${refuses}CUDA_ARCHITECTURES of target x" HAS "Unsupported .version 8.4; current version is '8.2'")
configure(variable OPTIONS ${a100} ${list} ENABLED "set(CMAKE_CUDA_ARCHITECTURES 80-virtual)" STOPS "${refuses}CMAKE_CUDA_ARCHITECTURES of the top folder")
configure(variable_make OPTIONS ${a100} ${list} ENABLED "set(CMAKE_CUDA_ARCHITECTURES 80-virtual)" STOPS "${refuses}" GENERATOR "Unix Makefiles")
configure(variable_multi OPTIONS ${a100} ${list} ENABLED "set(CMAKE_CUDA_ARCHITECTURES 80-virtual)" STOPS "${refuses}" GENERATOR "Ninja Multi-Config")
configure(options OPTIONS ${a100} ${list} TARGET "set_property(TARGET x PROPERTY CUDA_ARCHITECTURES OFF)
target_compile_options(x PRIVATE -gencode=arch=compute_80,code=compute_80)" STOPS "${refuses}COMPILE_OPTIONS of target x")
configure(expression OPTIONS ${a100} ${list} TARGET "set_property(TARGET x PROPERTY CUDA_ARCHITECTURES OFF)
target_compile_options(x PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:-gencode=arch=compute_80,code=compute_80>)" STOPS "${refuses}COMPILE_OPTIONS of target x")
configure(directory OPTIONS ${a100} -DCMAKE_CUDA_ARCHITECTURES=OFF
  ENABLED "set_property(DIRECTORY PROPERTY COMPILE_OPTIONS -gencode=arch=compute_80,code=compute_80)" STOPS "${refuses}COMPILE_OPTIONS of target x")
configure(flags OPTIONS ${a100} -DCMAKE_CUDA_ARCHITECTURES=OFF
  ENABLED "set(CMAKE_CUDA_FLAGS \"-gencode arch=compute_80,code=compute_80\")" STOPS "${refuses}CMAKE_CUDA_FLAGS of the top folder")
configure(other_gpu OPTIONS "-DCMAKE_CUDA_COMPILER=${t124}/bin/nvcc" -DCudaConsistent_GPUS=H100 -DCMAKE_CUDA_ARCHITECTURES=90-real
  TARGET "set_property(TARGET x PROPERTY CUDA_ARCHITECTURES 80-real)" STOPS "error.CC204.: nothing of this build .CUDA_ARCHITECTURES of target x. runs on H100")
