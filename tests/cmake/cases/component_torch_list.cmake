# The architectures that torch's CMake files will compile for are checked before the files are included.
set(CudaConsistent_TOOLKIT "${REPAIRED}")
set(CudaConsistent_PYTHON "${PARTS}/torch-2.11.0-set")
set(CudaConsistent_PROBE off)
set(TORCH_CUDA_ARCH_LIST 8.0 9.0+PTX)
find_package(CudaConsistent COMPONENTS PyTorch)
set(TORCH_CUDA_ARCH_LIST Common)
find_package(CudaConsistent COMPONENTS PyTorch)
set(TORCH_CUDA_ARCH_LIST "5.0")
find_package(CudaConsistent)  # nothing here includes torch's files
message(STATUS "with the component")
find_package(CudaConsistent COMPONENTS PyTorch)
set(ENV{TORCH_CUDA_ARCH_LIST} "9.0")  # torch uses this one
find_package(CudaConsistent COMPONENTS PyTorch)
message(STATUS "torch's word in the list of this package")
set(CudaConsistent_ARCHITECTURES Common)
find_package(CudaConsistent COMPONENTS PyTorch)
