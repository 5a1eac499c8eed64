// Messages of whole families, as tools write them: PyTorch.
// SPDX-License-Identifier: Apache-2.0
#include "class.hpp"

using namespace ptxguard;

TEST_CASE("PyTorch: pytorch") {
    check_classes({
        {"CC607 certain", "the installed framework has no code for this",
         "Found GPU0 GeForce RTX 2080 Ti which requires CUDA_VERSION >= 10000 to\n     work properly, but "
         "your PyTorch was compiled\n     with CUDA_VERSION 9000. Please install the correct PyTorch binary"},
        {"CC106 likely", "no CUDA toolkit with nvcc is found",
         "UserWarning: CUDA was not found on the system, please set the CUDA_HOME or the "
         "CUDA_PATHenvironment variable or add NVCC to your system PATH. The extension compilation will "
         "fail."},
        {"CC604 likely", "the installed framework is a build without C",
         "RuntimeError: Tried to instantiate dummy base class CUDAGraph"},
        {"CC604 likely", "the installed framework is a build without C",
         "RuntimeError: Tried to instantiate dummy base class Stream"},
        {"CC604 likely", "the installed framework is a build without C",
         "AttributeError: module 'torch._C' has no attribute '_cuda_setDevice'"},
        {"CC604 likely", "the installed framework is a build without C",
         "AttributeError: module 'torch._C' has no attribute '_cuda_getCurrentRawStream'"},
        {"CC604 likely", "the installed framework is a build without C",
         "AttributeError: module 'torch._C' has no attribute '_cuda_getDeviceCount'"},
        {"CC604 likely", "the installed framework is a build without C",
         "NotImplementedError: Could not run 'aten::empty.memory_format' with arguments from the 'CUDA' "
         "backend. This could be because the operator doesn't exist for this backend"},
        {"CC612 likely", "packages that must fit each other are from d",
         "RuntimeError: Could not run 'torchvision::roi_align' with arguments from the 'CUDA' backend."},
        {"CC612 likely", "packages that must fit each other are from d",
         "RuntimeError: Couldn't load custom C++ ops. This can happen if your PyTorch and torchvision "
         "versions are incompatible"},
        {"CC210 likely", "the driver reports no GPU", "RuntimeError: No CUDA GPUs are available"},
        {"CC209 certain", "the libcuda of a forward compatibility packa",
         "RuntimeError: Unexpected error from cudaGetDeviceCount(). Error 804: forward compatibility was "
         "attempted on non supported HW"},
        {"other likely", "the GPU's memory is used up",
         "RuntimeError: CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`"},
        {"CC604 certain", "the installed framework is a build without C",
         "AssertionError: Torch not compiled with CUDA enabled"},
        {"CC604 likely", "PyTorch's CUDA library is not loaded",
         "RuntimeError: Cannot initialize CUDA without ATen_cuda library. PyTorch splits its backend into "
         "two shared libraries: a CPU library and a CUDA library; this error has occurred because you are "
         "trying to use some CUDA functionality, but the CUDA library has not been loaded by the dynamic "
         "linker for some reason."},
        {"CC601 certain", "the build uses CUDA 11.8, but the framework ",
         "RuntimeError: The detected CUDA version (11.8) mismatches the version that was used to compile "
         "PyTorch (12.1). Please make sure to use the same CUDA versions."},
        {"CC108 certain", "nvcc does not support this host compiler",
         "RuntimeError: The current installed version of g++ (13.2.0) is greater than the maximum required "
         "version by CUDA 12.1. Please make sure to use an adequate version of g++ (>=6.0.0, <13.0)."},
        {"CC108 certain", "nvcc does not support this host compiler",
         "RuntimeError: The current installed version of x86_64-linux-gnu-g++ (5.4.0) is less than the "
         "minimum required version by CUDA 11.5 (6.0.0). Please make sure to use an adequate version of "
         "x86_64-linux-gnu-g++ (>=6.0.0, <12.0)."},
        {"CC402 certain", "libnccl is loaded from another release than ",
         "ImportError: /usr/local/lib/python3.11/site-packages/torch/lib/libtorch_cuda.so: undefined symbol: "
         "ncclCommRegister"},
        {"CC402 certain", "libnvJitLink.so.12 is loaded from another re",
         "ImportError: /site-packages/torch/lib/../../nvidia/cusparse/lib/libcusparse.so.12: undefined "
         "symbol: __nvJitLinkAddData_12_1, version libnvJitLink.so.12"},
        {"CC402 certain", "libnvJitLink.so.12 is loaded from another re",
         "ImportError: libcusparse.so.12: undefined symbol: __nvJitLinkComplete_12_4, version "
         "libnvJitLink.so.12"},
        {"CC401 certain", "libcupti.so.12 is not found",
         "ImportError: libcupti.so.12: cannot open shared object file: No such file or directory"},
        {"CC401 certain", "libcusparseLt.so.0 is not found",
         "ImportError: libcusparseLt.so.0: cannot open shared object file: No such file or directory"},
        {"CC401 certain", "libnvshmem_host.so.3 is not found",
         "OSError: libnvshmem_host.so.3: cannot open shared object file: No such file or directory"},
        {"CC401 certain", "libnccl.so.2 is not found",
         "ImportError: libnccl.so.2: cannot open shared object file: No such file or directory"},
        {"CC401 certain", "libcufile.so.0 is not found",
         "ImportError: libcufile.so.0: cannot open shared object file: No such file or directory"},
        {"other likely", "a library that is not from NVIDIA is missing",
         "ImportError: libmkl_intel_lp64.so.1: cannot open shared object file: No such file or directory"},
        {"other likely", "a library that is not from NVIDIA is missing",
         "ImportError: libGL.so.1: cannot open shared object file: No such file or directory"},
        {"other likely", "a library that is not from NVIDIA is missing",
         "ImportError: libomp.so.5: cannot open shared object file: No such file or directory"},
        {"CC619 likely", "an extension was compiled for another releas",
         "ImportError: libtorch_cuda_cu.so: cannot open shared object file: No such file or directory"},
        {"CC619 likely", "an extension was compiled for another releas",
         "ImportError: libc10_cuda.so: cannot open shared object file: No such file or directory"},
        {"CC619 likely", "an extension was compiled for another releas",
         "ImportError: libtorch_python.so: cannot open shared object file: No such file or directory"},
        {"CC619 likely", "an extension was compiled for another releas",
         "ImportError: libc10_hip.so: cannot open shared object file: No such file or directory"},
        {"CC613 certain", "there is no build for this Python, system or",
         "torch-2.0.1+cu117-cp310-cp310-linux_x86_64.whl is not a supported wheel on this platform."},
        {"CC613 certain", "there is no build for this Python, system or",
         "ERROR: my_raster-0.1.0+torch260.cuda126-cp312-cp312-win_amd64.whl is not a supported wheel on this "
         "platform."},
        {"", "",
         "ERROR: my_notes-0.1.0+local.2-cp312-cp312-win_amd64.whl is not a supported wheel on this "
         "platform."},
        {"other certain", "a file is damaged, incomplete or not what it",
         "RuntimeError: PytorchStreamReader failed reading zip archive: failed finding central directory"},
        {"other certain", "a file is damaged, incomplete or not what it",
         "_pickle.UnpicklingError: invalid load key, 'v'."},
        {"other possible", "NCCL failed, and the log does not say why",
         "RuntimeError: NCCL error in: ../torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp:1269, internal "
         "error, NCCL version 2.14.3"},
        {"other possible", "NCCL failed, and the log does not say why",
         "torch.distributed.DistBackendError: NCCL error in: "
         "../torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp:1333, unhandled cuda error (run with "
         "NCCL_DEBUG=INFO for details), NCCL version 2.18.1"},
        {"other certain", "the machine's memory is used up",
         "RuntimeError: [enforce fail at alloc_cpu.cpp:114] data. DefaultCPUAllocator: can't allocate "
         "memory: you tried to allocate 19327352832 bytes. Error code 12 (Cannot allocate memory)"},
        {"other certain", "a network port is in use", "RuntimeError: Address already in use"},
    });
}

TEST_CASE("PyTorch: pytorch (2)") {
    check_classes({
        {"other certain", "a network port is in use",
         "[W socket.cpp:426] [c10d] The server socket has failed to bind to [::]:29500 (errno: 98 - Address "
         "already in use)."},
        {"other certain", "an operation of the program gets tensors tha",
         "RuntimeError: The size of tensor a (64) must match the size of tensor b (32) at non-singleton "
         "dimension 1"},
        {"other certain", "an operation of the program gets tensors tha",
         "RuntimeError: Input type (torch.cuda.FloatTensor) and weight type (torch.FloatTensor) should be "
         "the same"},
        {"other certain", "an operation of the program gets tensors tha",
         "RuntimeError: expected scalar type Half but found Float"},
        {"other likely", "the file with the model's weights does not f",
         "RuntimeError: Error(s) in loading state_dict for Net: size mismatch for fc.weight"},
        {"other certain", "the disk is full", "OSError: [Errno 28] No space left on device"},
        {"other likely", "the device does not support the program's nu",
         "RuntimeError: \"LayerNormKernelImpl\" not implemented for 'Half'"},
        {"other certain", "an operation of the program gets tensors tha",
         "RuntimeError: mat1 and mat2 must have the same dtype"},
        {"other certain", "a module was compiled for another NumPy than",
         "A module that was compiled using NumPy 1.x cannot be run in NumPy 2.0.0 as it may crash."},
        {"other certain", "a module was compiled for another NumPy than",
         "ValueError: numpy.dtype size changed, may indicate binary incompatibility. Expected 96 from C "
         "header, got 88 from PyObject"},
        {"other likely", "a module was compiled for another NumPy than",
         "RuntimeError: Numpy is not available"},
        {"other likely", "a module was compiled for another NumPy than",
         "ImportError: numpy.core.multiarray failed to import"},
        {"other likely", "Python packages do not fit each other",
         "ImportError: cannot import name 'packaging' from 'pkg_resources'"},
        {"other likely", "Python packages do not fit each other",
         "ImportError: cannot import name 'is_flash_attn_available' from 'transformers.utils'"},
        {"other certain", "Python packages do not fit each other",
         "AttributeError: module 'numpy' has no attribute 'float'."},
        {"other certain", "Python packages do not fit each other",
         "AttributeError: module 'distutils' has no attribute 'version'"},
        {"other certain", "a model or file is not accessible",
         "huggingface_hub.utils._errors.GatedRepoError: 401 Client Error."},
        {"other certain", "the network or a server failed",
         "OSError: We couldn't connect to 'https://huggingface.co' to load this file"},
        {"other certain", "a file is damaged, incomplete or not what it",
         "safetensors_rust.SafetensorError: Error while deserializing header: HeaderTooLarge"},
        {"other certain", "a kernel of the program accesses memory that",
         "Assertion `-sizes[i] <= index && index < sizes[i] && \"index out of bounds\"` failed."},
        {"other certain", "a kernel of the program accesses memory that",
         "/pytorch/aten/src/ATen/native/cuda/Indexing.cu:1231: indexSelectSmallIndex: block: [0,0,0], "
         "thread: [0,0,0] Assertion `srcIndex < srcSelectDimSize` failed."},
        {"other certain", "a kernel of the program accesses memory that",
         "../aten/src/ATen/native/cuda/Loss.cu:250: nll_loss_forward_reduce_cuda_kernel_2d: block: [0,0,0], "
         "thread: [6,0,0] Assertion `t >= 0 && t < n_classes` failed."},
        {"other certain", "a kernel of the program accesses memory that",
         "Assertion `input_val >= zero && input_val <= one` failed."},
        {"other certain", "the program's numbers are not finite",
         "Assertion `probability tensor contains either `inf`, `nan` or element < 0` failed"},
        {"other certain", "the program's numbers are not finite",
         "RuntimeError: probability tensor contains either `inf`, `nan` or element < 0"},
        {"other possible", "a file or folder that the program names does",
         "FileNotFoundError: [Errno 2] No such file or directory: 'data/train.txt'"},
        {"other certain", "the GPU's memory is used up",
         "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB"},
        {"other likely", "a worker process ended unexpectedly",
         "RuntimeError: DataLoader worker (pid(s) 1234) exited unexpectedly"},
        {"other likely", "the shared memory /dev/shm is full, too smal",
         "RuntimeError: unable to open shared memory object </torch_1234> in read-write mode"},
        {"CC607 certain", "Triton, the compiler of torch.compile, does ",
         "torch._inductor.exc.InductorError: GPUTooOldForTriton: Found Quadro P2000 which is too old to be "
         "supported by the triton GPU compiler, which is used as the backend. Triton only supports devices "
         "of CUDA Capability >= 7.0, but your device is of CUDA capability 6.1"},
        {"CC612 certain", "packages that must fit each other are from d",
         "RuntimeError: Detected that PyTorch and torch_scatter were compiled with different CUDA versions. "
         "PyTorch has CUDA version 11.7 and torch_scatter has CUDA version 11.6."},
        {"CC612 certain", "packages that must fit each other are from d",
         "RuntimeError: Detected that PyTorch and torchvision were compiled with different CUDA major "
         "versions. PyTorch has CUDA Version=12.1 and torchvision has CUDA Version=11.8."},
        {"CC612 certain", "packages that must fit each other are from d",
         "RuntimeError: Detected that PyTorch and TorchAudio were compiled with different CUDA versions. "
         "PyTorch has CUDA version 12.1 whereas TorchAudio has CUDA version 11.8. Please install the "
         "TorchAudio version that matches your PyTorch version."},
        {"CC619 likely", "an extension was compiled for another releas",
         "OSError: /usr/local/lib/python3.10/site-packages/torchaudio/lib/libtorchaudio.so: undefined "
         "symbol: _ZN3c104impl8GPUTrace13gpuTraceStateE"},
        {"CC619 likely", "an extension was compiled for another releas",
         "OSError: /site-packages/torch_sparse/_version_cpu.so: undefined symbol: "
         "_ZN3c106detail19maybe_wrap_dim_slowEllb"},
        {"CC612 certain", "packages that must fit each other are from d",
         "RuntimeError: operator torchvision::nms does not exist"},
        {"CC619 likely", "an extension was compiled for another releas",
         "undefined symbol: _ZN3c1017RegisterOperators"},
        {"CC605 likely", "the parts were compiled with different C++ s",
         "undefined reference to `c10::Error::Error(c10::SourceLocation, std::__cxx11::basic_string<char, "
         "std::char_traits<char>, std::allocator<char> >)'"},
    });
}
