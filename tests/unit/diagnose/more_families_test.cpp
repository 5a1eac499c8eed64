// Messages of whole families, as tools write them: clauses of resolvers, devices of containers, numbers of
// the kernel's log, programs that run on GPUs.
// SPDX-License-Identifier: Apache-2.0
#include "class.hpp"
#include "model/text.hpp"

using namespace ptxguard;

TEST_CASE("clauses of resolvers, in any order") {
    check_classes({
        {"CC614 likely", "torch==2.4.0+cu121",
         "Because there is no version of torch==2.4.0+cu121 and your project depends on torch==2.4.0+cu121, "
         "we "
         "can conclude that your project's requirements are unsatisfiable."},
        {"CC614 likely", "torch==2.4.0+cu121",
         "And because you require torch==2.4.0+cu121 and there is no version of torch==2.4.0+cu121, we can "
         "conclude that your requirements are unsatisfiable."},
        {"CC613 certain", "torch==2.1.1",
         "Because torch==2.1.1 has no wheels with a matching Python version tag (e.g., `cp313`) and you "
         "require "
         "torch==2.1.1"},
        {"CC613 certain", "torch>=1.10.2",
         "And because torch>=1.10.2 has no wheels with a matching platform tag and you require torch"},
        {"CC613 certain", "processor: torch==2.1.1",
         "Because your project depends on vllm and torch==2.1.1 has no wheels with a matching platform tag"},
        {"CC613 likely", "torch==2.1.1",
         "Because torch==2.1.1 is unusable because no wheels are available with a matching Python "
         "implementation"},
        {"CC614 likely", "only PyTorch's package index",
         "uv pip install torch --index-url https://download.pytorch.org/whl/cu118\n"
         "Because wheel was not found in the package registry and you require wheel"},
        {"CC614 likely", "only PyTorch's package index",
         "Looking in indexes: https://download.pytorch.org/whl/cu121\nERROR: Could not find a version that "
         "satisfies the requirement setuptools>=40.8.0 (from versions: none)"},
        {"CC612 likely", "",
         "Because torchvision==0.20.0 depends on torch==2.5.0 and your project depends on torch==2.4.0, we "
         "can "
         "conclude"},
        {"CC210 likely", "driver",
         "UnsatisfiableError: The following specifications were found to be incompatible with your system:\n"
         "  - feature:/linux-64::__glibc==2.35=0\n  - pytorch[build=*cuda*] -> __cuda\n\n"
         "Your installed version is: 0"},
        {"CC612 likely", "",
         "├─ pytorch 2.3.0 would require\n│  └─ pytorch-cuda >=11.8,<11.9 , which conflicts with any "
         "installable "
         "versions previously reported;"},
    });
    CHECK(first_answer("Because there is no version of requests==99 and you require requests==99") == "");
    CHECK(first_answer("ERROR: Could not find a version that satisfies the requirement setuptools>=999 (from "
                       "versions: none)")
              .substr(0, 12) == "other likely");
    CHECK(first_answer("Looking in indexes: https://pypi.org/simple, https://download.pytorch.org/whl/cu121\n"
                       "ERROR: Could not find a version that satisfies the requirement setuptools>=999 (from "
                       "versions: none)")
              .substr(0, 12) == "other likely");
}

TEST_CASE("devices that container programs are asked for") {
    check_classes({
        {"CC210 certain", "CDI specifications",
         "docker: Error response from daemon: failed to discover GPU vendor from CDI: no known GPU vendor "
         "found"},
        {"CC210 likely", "CDI specifications", "INFO[0000] Found 0 CDI devices"},
        {"CC210 certain", "older than CDI", "Error: stat nvidia.com/gpu=all: no such file or directory"},
        {"CC210 certain", "older than CDI",
         "error gathering device information while adding custom device \"nvidia.com/gpu=all\": no such file "
         "or "
         "directory"},
        {"other certain", "configuration file",
         "unable to configure the Docker daemon with file /etc/docker/daemon.json: invalid character '}' "
         "looking "
         "for beginning of object key string"},
        {"CC210 certain", "no GPU support",
         "Error creating: pods \"x\" is forbidden: pod rejected: RuntimeClass \"nvidia\" not found"},
        {"CC210 certain", "cluster",
         "Allocate failed due to can't allocate unregistered device nvidia.com/gpu, which is unexpected"},
    });
    CHECK(first_answer("INFO[0000] Found 4 CDI devices") == "");
    CHECK(first_answer("Error: stat data/train.csv: no such file or directory").substr(0, 3) != "CC2");
}

TEST_CASE("numbers of Xid, and modules that the kernel refuses") {
    check_classes({
        {"other likely", "hardware", "NVRM: Xid (PCI:0000:65:00): 79, pid=1234, GPU has fallen off"},
        {"other likely", "memory that is not its own",
         "NVRM: Xid (PCI:0000:65:00): 31, pid=99, name=python, Ch 00000008, intr 00000000. MMU Fault"},
        {"CC210 likely", "cannot be initialised",
         "NVRM: Xid (PCI:0000:17:00): 119, pid=2143, Timeout after 6s of waiting for RPC response"},
        {"other possible", "hardware", "NVRM: Xid (PCI:0000:65:00): 999, pid=1"},
        {"CC210 certain", "kernel module",
         "ERROR: modpost: GPL-incompatible module nvidia.ko uses GPL-only symbol 'rcu_read_unlock_strict'"},
        {"CC210 certain", "kernel module",
         "FATAL: modpost: GPL-incompatible module nvidia-uvm.ko uses GPL-only symbol 'mutex_destroy'"},
        {"CC210 likely", "cannot be initialised",
         "| NVIDIA-SMI 545.46    Driver Version: 546.80    CUDA Version: ERR!  |"},
        {"CC218 likely", "WSL",
         "Ubuntu in WSL2\n| NVIDIA-SMI 545.46    Driver Version: 546.80    CUDA Version: ERR!  |"},
    });
    CHECK(first_answer("modpost: GPL-incompatible module zfs.ko uses GPL-only symbol 'x'") == "");
}

TEST_CASE("programs that compute on GPUs, and jobs of clusters") {
    check_classes({
        {"CC604 certain", "without CUDA",
         "ERROR: GPUs are requested but Kokkos has not been compiled for CUDA"},
        {"other likely", "options",
         "ERROR: Kokkos has been compiled with GPU-enabled backend but no GPUs are requested"},
        {"CC211 certain", "no GPU was detected",
         "CUDA enabled but no NVIDIA GPU architecture currently enabled and\nauto-detection failed."},
        {"CC204 certain", "no code for this GPU", "ERROR: GPU library not compiled for this accelerator"},
        {"CC106 likely", "no CUDA toolkit",
         "CUDA nvcc compiler not found. Install CUDA toolkit in default location."},
        {"CC204 certain", "no code for this GPU",
         "CUDA binary kernel for this graphics card compute capability (12.0) not found."},
        {"CC607 certain", "no code for this GPU",
         "Your Tesla V100 GPU (compute capability 7.0) is not supported on CUDA 13+."},
        {"CC105 likely", "toolkit",
         "error: could not find native static library `cudart_static`, perhaps an -L"},
        {"CC105 likely", "toolkit", "ld: library 'cudart' not found"},
        {"other certain", "sources are missing",
         "Could NOT find CUDNN (missing: CUDNN_LIBRARY)\nOpenCV requires enabled 'cudev' module from "
         "'opencv_contrib'"},
        {"other certain", "memory", "slurmstepd: error: Detected 1 oom_kill event in StepId=11.0."},
        {"other certain", "options",
         "srun: fatal: SLURM_MEM_PER_CPU, SLURM_MEM_PER_GPU, and SLURM_MEM_PER_NODE are mutually exclusive."},
        {"CC215 certain", "nvJitLink",
         "Dynamically loaded libnvJitLink.so.12 is too old; it is version 12.2, need at least version 12.9"},
        {"CC105 likely", "toolkit", "catastrophic error: cannot open source file \"vector_types.h\""},
        {"CC108 likely", "host compiler",
         "100 errors detected in the compilation of \"CMakeCUDACompilerId.cu\"."},
        {"CC607 likely", "GTX 1080",
         "UserWarning: Found GPU0 NVIDIA GeForce GTX 1080 which is of compute capability (CC) 6.1.\nThe "
         "following "
         "list"},
    });
    CHECK(first_answer("Found GPU0 Orin which is of compute capability (CC) 8.7.\nThe following list")
              .find("possible") != npos);
    CHECK(first_answer("error: could not find native static library `ssl`").substr(0, 2) != "CC");
}

TEST_CASE("numbers of cuBLAS and of cuInit without their texts") {
    check_classes({
        {"CC407 possible", "cuBLAS failed",
         "OSError: (External) CUBLAS error(13). \n  [Hint: Please search for the error code(13)]"},
        {"other likely", "the GPU's memory is used up", "OSError: (External) CUBLAS error(3). "},
        {"CC204 likely", "", "cuBLAS error 8 at ggml-cuda.cu:7586: the function requires a feature absent"},
        {"CC407 possible", "cuBLAS failed", "cuBLAS error 15 at /go/src/llama.cpp/ggml-cuda.cu:7586"},
        {"CC210 likely", "the driver cannot be initialised",
         "ERROR: The NVIDIA Driver is present, but CUDA failed to initialize.  GPU functionality will not be "
         "available.\n   [[ Named symbol not found (error 500) ]]"},
        {"CC210 likely", "the driver cannot be initialised",
         "failed call to cuInit: CUDA_ERROR_NOT_FOUND: named symbol not found"},
        {"CC210 likely", "the driver cannot be initialised",
         "Unable to load libcuda.so.1: cuda driver library init failure: 500"},
        {"CC210 likely", "the driver cannot be initialised",
         "NumCudaDevices() that might have already set an error? Error 500: named symbol not found"},
        {"CC204 possible", "", "cuModuleLoadData failed with error 500"},
        {"CC210 possible", "the driver cannot be initialised",
         "ERROR: The NVIDIA Driver is present, but CUDA failed to initialize.  GPU functionality will not be "
         "available."},
    });
}

TEST_CASE("device files of LXC, Proxmox and podman") {
    check_classes({
        {"CC210 likely", "a device file of the driver is missing",
         "safe_mount: 1425 No such file or directory - Failed to mount \"/dev/nvidia-modeset\" onto "
         "\"/usr/lib/x86_64-linux-gnu/lxc/rootfs/dev/nvidia-modeset\""},
        {"CC210 certain", "a device file of the driver is missing",
         "Device /dev/nvidia-caps/nvidia-cap1 does not exist"},
        {"CC210 certain", "a device file of the driver is missing",
         "Error: stat /dev/nvidia-modeset: no such file or directory"},
        {"CC210 certain", "a device file of the driver is missing",
         "error gathering device information while adding custom device \"/dev/nvidia-uvm\": no such file or "
         "directory"},
    });
}

TEST_CASE("what CUDA 13 removed from Thrust, in any compiler's words") {
    check_classes({
        {"CC601 likely", "unary_function",
         "kernels.cuh(481): error: namespace \"thrust\" has no member class \"unary_function\""},
        {"CC601 likely", "identity",
         "error: no template named 'identity' in namespace 'thrust'; did you mean 'std::identity'?"},
        {"CC601 likely", "", "error: namespace \"cub::detail\" has no member \"max\""},
    });
    for (const char* text : {"error: namespace \"project::kernels\" has no member \"run\"",
                             "error: namespace \"project\" has no member class \"Node\""})
        CHECK(first_answer(text).substr(0, 2) != "CC");
}

TEST_CASE("modules of extensions on Windows") {
    check_classes({
        {"CC619 likely", "an extension was compiled for another release",
         "from ..._C.ops import gemm_awq\nImportError: DLL load failed while importing _C: The specified "
         "procedure could not be found."},
        {"CC503 likely", "a DLL of another release is loaded first",
         "    from torch._C import *  # noqa: F403\nImportError: DLL load failed while importing _C: The "
         "specified procedure could not be found."},
        {"CC619 possible", "an extension was compiled for another release",
         "ImportError: DLL load failed while importing _fused: A dynamic link library (DLL) initialization "
         "routine failed."},
        {"other likely", "a DLL is found but does not start",
         "ImportError: DLL load failed while importing onnxruntime_pybind11_state: A dynamic link library "
         "(DLL) initialization routine failed."},
    });
}

TEST_CASE("Python's build tools are not there") {
    check_classes({
        {"other certain", "a Python package is missing: setuptools",
         "ERROR: Can not execute `setup.py` since setuptools is not available in the build environment."},
        {"other certain", "a Python package is missing: setuptools.build_meta",
         "pip._vendor.pyproject_hooks._impl.BackendUnavailable: Cannot import 'setuptools.build_meta'"},
    });
}

TEST_CASE("the tools and the NumPy that a compiler at run time needs") {
    check_classes({
        {"other certain", "", "InductorError: RuntimeError: Compiler: cl is not found."},
        {"other certain", "",
         "torch._inductor.exc.InvalidCxxCompiler: No working C++ compiler found in torch"},
        {"other likely", "windows.h", "main.c(7): fatal error C1083: windows.h: No such file or directory"},
        {"CC105 likely", "cublas_v2.h",
         "a.cpp(3): fatal error C1083: 无法打开包括文件: “cublas_v2.h”: No such file or directory"},
        {"CC105 likely", "cusparse.h",
         "a.cu(2): fatal error C1083: Impossible d'ouvrir le fichier include : 'cusparse.h' : No such file"},
        {"other possible", "Python packages do not fit",
         "TypeError: conv_fwd(): incompatible function arguments. The following argument types are "
         "supported:"},
        {"other certain", "Python packages do not fit", "ImportError: Numba needs NumPy 1.24 or less"},
        {"other certain", "Python packages do not fit",
         "ImportError: Numba needs NumPy 2.2 or less. Got 2.3."},
    });
}

TEST_CASE("a driver that is older than Numba's toolkit, and devices of clusters") {
    check_classes({
        {"CC214 likely", "newer than the driver",
         "UserWarning: CUDA Toolkit is newer than CUDA driver. Numba features will not work in this "
         "configuration."},
        {"CC214 likely", "newer than the driver",
         "UserWarning: Using CUDA toolkit version (12, 3) with CUDA driver version (12, 2) requires minor "
         "version compatibility, which is not yet supported for CUDA driver versions 12.0 and above."},
        {"CC210 likely", "",
         "Allocate failed due to no healthy devices present; cannot allocate unhealthy devices "
         "nvidia.com/mig-1g.5gb, which is unexpected"},
        {"CC210 likely", "device file",
         "error visiting device: error getting device memory info: Insufficient Permissions"},
    });
}
