// Messages of whole families, as tools write them: drivers, containers, package managers.
// SPDX-License-Identifier: Apache-2.0
#include "class.hpp"

using namespace ptxguard;

TEST_CASE("machines: driver, containers") {
    check_classes({
        {"CC210 certain", "the container runtime has no GPU support",
         "docker: Error response from daemon: could not select device driver \"\" with capabilities: "
         "[[gpu]]."},
        {"CC210 certain", "the container runtime has no GPU support",
         "docker: Error response from daemon: Unknown runtime specified nvidia."},
        {"CC210 certain", "the container runtime has no GPU support",
         "docker: Error response from daemon: unknown or invalid runtime name: nvidia"},
        {"CC210 certain", "the NVIDIA driver is not installed, not load",
         "Error response from daemon: failed to create shim: OCI runtime create failed: "
         "container_linux.go:380: starting container process caused: process_linux.go:545: container init "
         "caused: Running hook #0:: error running hook: exit status 1, stdout: , stderr: "
         "nvidia-container-cli: initialization error: nvml error: driver not loaded: unknown"},
        {"CC209 certain", "libcuda and the kernel module are from diffe",
         "nvidia-container-cli: initialization error: nvml error: driver/library version mismatch: unknown"},
        {"CC210 certain", "the NVIDIA driver is not installed, not load",
         "nvidia-container-cli: initialization error: load library failed: libnvidia-ml.so.1: cannot open "
         "shared object file: no such file or directory: unknown."},
        {"CC208 certain", "the driver is too old for the CUDA runtime o",
         "nvidia-container-cli: requirement error: unsatisfied condition: cuda>=12.4, please update your "
         "driver to a newer version, or use an earlier cuda container: unknown"},
        {"CC208 likely", "the driver is too old for the CUDA runtime o",
         "nvidia-container-cli: requirement error: unsatisfied condition: brand = tesla: unknown"},
        {"CC210 likely", "the driver cannot be initialised",
         "nvidia-container-cli: ldcache error: open failed: /sbin/ldconfig.real: no such file or directory: "
         "unknown"},
        {"CC210 certain", "the container runtime may not set the device",
         "nvidia-container-cli: container error: cgroup subsystem devices not found: unknown."},
        {"CC210 possible", "the driver cannot be initialised",
         "nvidia-container-cli: detection error: nvml error: unknown error: unknown"},
        {"CC210 certain", "the container asks for a GPU that is not the",
         "Auto-detected mode as 'legacy'\nnvidia-container-cli: device error: 1: unknown device: unknown."},
        {"CC210 certain", "the image contains files of a driver, which ",
         "nvidia-container-cli: mount error: file creation failed: "
         "/var/lib/docker/overlay2/x/merged/usr/lib/x86_64-linux-gnu/libnvidia-ml.so.1: file exists: "
         "unknown."},
        {"CC218 likely", "WSL sees no GPU",
         "failed to create task for container: failed to create shim task: OCI runtime create failed: runc "
         "create failed: unable to start container process: error during container init: error running "
         "prestart hook #0: exit status 1, stdout: , stderr: Auto-detected mode as "
         "'legacy'\nnvidia-container-cli: initialization error: WSL environment detected but no adapters "
         "were found: unknown"},
        {"CC210 certain", "the container runtime finds no such GPU in i",
         "Error: setting up CDI devices: unresolvable CDI devices nvidia.com/gpu=all"},
        {"CC210 likely", "the driver does not answer", "Failed to initialize NVML: Unknown Error"},
        {"CC209 certain", "libcuda and the kernel module are from diffe",
         "Failed to initialize NVML: Driver/library version mismatch\nNVML library version: 550.120"},
        {"CC210 certain", "the NVIDIA driver is not installed, not load",
         "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that the "
         "latest NVIDIA driver is installed and running."},
        {"CC210 certain", "the NVIDIA driver is not installed, not load",
         "NVIDIA-SMI couldn't find libnvidia-ml.so library in your system. Please make sure that the NVIDIA "
         "Display Driver is properly installed and present in your system."},
        {"CC210 possible", "the driver reports no GPU", "No devices were found"},
        {"other certain", "the GPU or its connection reports a hardware",
         "NVRM: Xid (PCI:0000:01:00): 79, pid=1234, GPU has fallen off the bus."},
        {"other likely", "the GPU or its connection reports a hardware",
         "NVRM: Xid (PCI:0000:01:00): 48, Double Bit ECC Error"},
        {"CC210 certain", "this release of the driver",
         "NVRM: The NVIDIA GPU 0000:01:00.0 (PCI ID: 10de:1c82) installed in this system is not supported by "
         "the NVIDIA 570.86.10 driver release."},
        {"CC210 likely", "the driver cannot be initialised",
         "NVRM: GPU 0000:01:00.0: RmInitAdapter failed! (0x22:0x56:884)"},
        {"CC210 certain", "the running kernel has no NVIDIA module",
         "modprobe: FATAL: Module nvidia not found in directory /lib/modules/5.15.0-91-generic"},
        {"CC210 likely", "the driver reports no GPU",
         "modprobe: ERROR: could not insert 'nvidia': No such device"},
        {"CC210 certain", "the kernel refuses NVIDIA's module",
         "modprobe: ERROR: could not insert 'nvidia': Key was rejected by service"},
        {"CC210 certain", "the kernel refuses NVIDIA's module",
         "modprobe: ERROR: could not insert 'nvidia': Required key not available"},
        {"CC210 likely", "the driver's kernel module was not built",
         "modprobe: ERROR: could not insert 'nvidia': Invalid argument"},
        {"CC210 certain", "the running kernel has no NVIDIA module",
         "modprobe: FATAL: Module nvidia-uvm not found"},
        {"CC210 likely", "the driver's kernel module was not built",
         "insmod: ERROR: could not insert module nvidia.ko: Unknown symbol in module"},
        {"CC210 likely", "the driver's kernel module was not built",
         "ERROR: Unable to load the 'nvidia-drm' kernel module."},
        {"CC210 certain", "the driver's kernel module was not built",
         "ERROR: Unable to build the NVIDIA kernel module."},
        {"CC210 likely", "the driver's kernel module was not built",
         "ERROR: The kernel source path '/lib/modules/5.10/build' is invalid"},
        {"CC210 certain", "another driver holds the GPU",
         "ERROR: You appear to be running an X server; please exit X before installing."},
        {"CC210 certain", "another driver holds the GPU",
         "ERROR: The Nouveau kernel driver is currently in use by your system."},
        {"CC210 certain", "another driver holds the GPU",
         "ERROR: An NVIDIA kernel module 'nvidia-drm' appears to be already loaded in your kernel."},
        {"CC210 certain", "the driver's kernel module was not built",
         "Failed CC version check. Bailing out!"},
        {"CC210 certain", "the driver's kernel module was not built",
         "The CC version check failed:\nThe kernel was built with gcc version 12.2.0 (Debian 12.2.0-14), but "
         "the current compiler version is cc (Debian 10.2.1-6) 10.2.1 20210110."},
        {"CC210 possible", "the driver's kernel module was not built",
         "Error! Your kernel headers for kernel 6.1.0-18-amd64 cannot be found at "
         "/lib/modules/6.1.0-18-amd64/build"},
    });
}

TEST_CASE("machines: driver, containers (2)") {
    check_classes({
        {"CC210 certain", "the driver's kernel module was not built",
         "Building module:\nError! Bad return status for module build on kernel: 6.8.0-31-generic "
         "(x86_64)\nConsult /var/lib/dkms/nvidia/535.171.04/build/make.log for more information."},
        {"CC210 likely", "the driver's kernel module was not built",
         "nvidia-installer ERROR: Failed to find the kernel headers"},
        {"CC210 likely", "the driver's kernel module was not built",
         "E: Sub-process /usr/bin/dpkg returned an error code (1)\ndpkg: error processing package "
         "nvidia-dkms-535 (--configure):"},
        {"CC612 likely", "packages of NVIDIA's repository and of the d",
         "The following packages have unmet dependencies:\n cuda : Depends: cuda-12-4 (>= 12.4.0) but it is "
         "not going to be installed"},
        {"CC612 likely", "packages of NVIDIA's repository and of the d",
         "nvidia-cuda-toolkit : Depends: nvidia-cuda-dev (= 11.5.1-1ubuntu1) but it is not going to be "
         "installed"},
        {"CC210 likely", "the driver cannot be initialised",
         "nvidia-persistenced failed to initialize. Check syslog for more details."},
        {"CC210 likely", "a device file of the driver is missing",
         "nvidia-persistenced: Failed to query NVIDIA devices. Please ensure that the NVIDIA device files "
         "(/dev/nvidia*) exist"},
        {"CC210 certain", "the NVIDIA driver is not installed, not load",
         "Failed to initialize NVML: Driver Not Loaded"},
        {"CC210 certain", "the operating system blocks the access to th",
         "Failed to initialize NVML: GPU access blocked by the operating system"},
        {"CC210 certain", "the operating system blocks the access to th",
         "Failed to properly shut down NVML: GPU access blocked by the operating system"},
        {"CC210 certain", "the NVIDIA driver is not installed, not load",
         "nvmlInit_v2() failed with error code NVML_ERROR_DRIVER_NOT_LOADED"},
        {"CC210 likely", "the NVIDIA driver is not installed, not load",
         "pynvml.NVMLError_LibraryNotFound: NVML Shared Library Not Found"},
        {"CC209 certain", "libcuda and the kernel module are from diffe",
         "pynvml.nvml.NVMLError_LibRmVersionMismatch: RM has detected an NVML/RM version mismatch."},
        {"CC210 certain", "no node of the cluster offers a free GPU",
         "0/3 nodes are available: 3 Insufficient nvidia.com/gpu."},
        {"CC210 likely", "the NVIDIA driver is not installed, not load",
         "Could not load NVML library: libnvidia-ml.so.1: cannot open shared object file: No such file or "
         "directory. If this is a GPU node, did you set the docker default runtime to `nvidia`?"},
        {"CC210 likely", "no node of the cluster offers a free GPU",
         "Allocate failed due to requested number of devices unavailable for nvidia.com/gpu. Requested: 1, "
         "Available: 0, which is unexpected"},
        {"CC210 certain", "the container runtime has no GPU support",
         "Failed to start container: failed to get sandbox runtime: no runtime for \"nvidia\" is configured"},
        {"CC210 certain", "the NVIDIA driver is not installed, not load",
         "INFO:    Could not find any nv files on this host!"},
        {"CC210 likely", "no node of the cluster offers a free GPU",
         "srun: error: Unable to allocate resources: Invalid generic resource (gres) specification"},
        {"CC210 likely", "the driver reports no GPU", "slurmstepd: error: gres/gpu: No GPUs found"},
        {"CC210 likely", "the GPUs are not ready", "CUDA error: system not yet initialized"},
        {"CC210 likely", "the GPUs are not ready", "CUDA driver error: 802"},
        {"CC209 certain", "libcuda and the kernel module are from diffe",
         "CUDA error 803: system has unsupported display driver / cuda driver combination"},
        {"CC209 certain", "the libcuda of a forward compatibility packa",
         "cudaErrorCompatNotSupportedOnDevice: forward compatibility was attempted on non supported HW"},
        {"CC208 likely", "the driver is too old for the CUDA runtime o",
         "CUDA Error: CUDA driver version is insufficient for CUDA runtime version"},
        {"CC208 likely", "the driver is too old for the CUDA runtime o",
         "cudaGetDeviceCount returned 35\n-> CUDA driver version is insufficient for CUDA runtime version"},
        {"CC210 likely", "the driver reports no GPU",
         "cudaGetDeviceCount returned 100\n-> no CUDA-capable device is detected"},
        {"CC210 likely", "the driver reports no GPU",
         "cudaGetDeviceCount returned 38\n-> no CUDA-capable device is detected"},
        {"CC210 possible", "the driver cannot be initialised and gives n",
         "cudaGetDeviceCount returned 30\n-> unknown error"},
        {"CC210 possible", "the NVIDIA driver is not installed, not load", "nvidia-smi: command not found"},
        {"other certain", "a kernel of the program accesses memory that",
         "CUDA error: device-side assert triggered"},
        {"other certain", "a kernel of the program accesses memory that",
         "CUDA error: an illegal memory access was encountered"},
        {"other likely", "a kernel of the program failed while it ran",
         "CUDA error: unspecified launch failure"},
        {"other certain", "a kernel of the program accesses memory that", "CUDA error: misaligned address"},
        {"other likely", "the GPU or its connection reports a hardware",
         "CUDA error: uncorrectable ECC error encountered"},
        {"other likely", "a kernel of the program failed while it ran",
         "CUDA error: the launch timed out and was terminated"},
        {"other likely", "the GPU is used by another process, or in ex",
         "CUDA error: all CUDA-capable devices are busy or unavailable"},
        {"other likely", "the GPU is used by another process, or in ex",
         "CUDA error: CUDA-capable device(s) is/are busy or unavailable"},
        {"other likely", "the program calls CUDA with values that do n",
         "CUDA error: peer access is not supported between these two devices"},
        {"other likely", "a kernel of the program failed while it ran",
         "CUDA error: too many resources requested for launch"},
    });
}

TEST_CASE("machines: driver, containers (3)") {
    check_classes({
        {"other certain", "the program asks for a GPU number that is no",
         "CUDA error: invalid device ordinal"},
        {"other likely", "the program calls CUDA with values that do n",
         "CUDA error: operation not permitted when stream is capturing"},
        {"CC210 possible", "the driver cannot be initialised", "CUDA error: initialization error"},
        {"CC210 possible", "the driver cannot be initialised",
         "CUDA error: OS call failed or operation not supported on this OS"},
        {"CC204 likely", "a program, library or extension has no code ",
         "CUDA error: invalid device function"},
        {"CC204 likely", "a program, library or extension has no code ",
         "CUDA error: device kernel image is invalid"},
        {"CC204 possible", "a program, library or extension has no code ",
         "CUDA error: named symbol not found"},
        {"CC202 certain", "the driver is older than the compiler of thi",
         "CUDA error: the provided PTX was compiled with an unsupported toolchain."},
        {"CC217 certain", "the driver's PTX compiler libnvidia-ptxjitco",
         "CUDA error: PTX JIT compiler library not found"},
        {"CC210 likely", "the driver cannot be initialised and gives n", "CUDA error: unknown error"},
    });
}

TEST_CASE("machines: package managers") {
    check_classes({
        {"CC613 likely", "there is no build for this Python, system or",
         "ERROR: Could not find a version that satisfies the requirement torch (from versions: none)\nERROR: "
         "No matching distribution found for torch"},
        {"CC613 likely", "there is no build for this Python, system or",
         "ERROR: Could not find a version that satisfies the requirement torch==1.7.1 (from versions: 2.0.0, "
         "2.0.1, 2.1.0)"},
        {"CC603 likely", "the requested build was never released",
         "ERROR: Could not find a version that satisfies the requirement torch==2.1.0+cu117 (from versions: "
         "2.0.0, 2.1.0)"},
        {"CC613 likely", "there is no build for this Python, system or",
         "ERROR: Could not find a version that satisfies the requirement tensorflow==1.15 (from versions: "
         "2.12.0, 2.13.0)"},
        {"CC613 possible", "there is no build for this Python, system or",
         "ERROR: Could not find a version that satisfies the requirement tensorflow-gpu (from versions: "
         "none)"},
        {"CC613 likely", "there is no build for this Python, system or",
         "ERROR: Could not find a version that satisfies the requirement nvidia-cublas-cu12==12.1.3.1; "
         "platform_system == \"Linux\" and platform_machine == \"x86_64\" (from torch) (from versions: "
         "0.0.1.dev5)"},
        {"CC613 likely", "there is no build for this Python, system or",
         "ERROR: Could not find a version that satisfies the requirement triton==2.1.0 (from versions: "
         "none)"},
        {"CC613 likely", "there is no build for this Python, system or",
         "ERROR: Could not find a version that satisfies the requirement xformers==0.0.22 (from versions: "
         "0.0.28)"},
        {"other likely", "the package index has no release of a packag",
         "ERROR: Could not find a version that satisfies the requirement foo-bar==9 (from versions: none)"},
        {"CC613 certain", "there is no build for this Python, system or",
         "ERROR: Package 'vllm' requires a different Python: 3.8.10 not in '>=3.9'"},
        {"CC613 likely", "there is no build for this Python, system or",
         "ERROR: Ignored the following versions that require a different python version: 1.6.0 "
         "Requires-Python >=3.7,<3.10\nERROR: Could not find a version that satisfies the requirement "
         "torch==1.9.0"},
        {"CC613 certain", "there is no build for this Python, system or",
         "ERROR: flash_attn-2.5.6+cu122torch2.2cxx11abiFALSE-cp310-cp310-linux_x86_64.whl is not a supported "
         "wheel on this platform."},
        {"CC612 possible", "packages that must fit each other are from d",
         "ERROR: Cannot install torch==2.0.1 and torchvision==0.14.0 because these package versions have "
         "conflicting dependencies."},
        {"CC612 likely", "packages that must fit each other are from d",
         "torchvision 0.15.2+cu118 requires torch==2.0.1, but you have torch 2.1.0 which is incompatible."},
        {"CC612 likely", "packages that must fit each other are from d",
         "xformers 0.0.23 requires torch==2.1.1, but you have torch 2.2.0 which is incompatible."},
        {"CC614 certain", "the searched package index does not have thi",
         "RuntimeError: The package you are trying to install is only a placeholder project on PyPI.org "
         "repository."},
        {"CC603 certain", "the requested build was never released",
         "The \"tensorflow-gpu\" package has been removed!\nPlease install \"tensorflow\" instead."},
        {"CC613 certain", "there is no build for this Python, system or",
         "error: Distribution `torch==2.2.2 @ registry+https://pypi.org/simple` can't be installed because "
         "it doesn't have a source distribution or wheel for the current platform"},
        {"CC613 certain", "there is no build for this Python, system or",
         "hint: You require CPython 3.13 (`cp313`), but we only found wheels for `torch` (v2.4.1) with the "
         "following Python ABI tags: `cp38`, `cp39`"},
        {"CC613 certain", "there is no build for this Python, system or",
         "hint: Wheels are available for `torch` (v2.9.0) on the following platforms: "
         "`manylinux_2_28_x86_64`"},
        {"CC612 likely", "packages that must fit each other are from d",
         "Because torchvision==0.15.1 depends on torch==2.0.0 and you require torch==2.1.0, we can conclude"},
        {"CC613 likely", "there is no build for this Python, system or",
         "Unable to find installation candidates for torch (2.0.1+cu118)"},
        {"CC613 likely", "there is no build for this Python, system or",
         "Because no versions of torch match >2.0.0,<3.0.0"},
        {"CC622 likely", "the package was built in an isolated environ",
         "ModuleNotFoundError: No module named 'torch'\n[end of output]\nnote: This error originates from a "
         "subprocess, and is likely not a problem with pip.\nerror: subprocess-exited-with-error"},
        {"CC620 likely", "the package source does not have this CUDA p",
         "PackagesNotFoundError: The following packages are not available from current channels:\n\n  - "
         "cudatoolkit=11.8"},
        {"CC620 likely", "the package source does not have this CUDA p",
         "PackagesNotFoundError: The following packages are not available from current channels:\n\n  - "
         "pytorch-cuda=12.8"},
        {"CC620 likely", "the package source does not have this CUDA p",
         "ResolvePackageNotFound: \n  - cudatoolkit=10.2.89=hfd86e86_1"},
        {"CC620 certain", "the package source does not have this CUDA p",
         "E: Unable to locate package cuda-toolkit-12-4"},
        {"CC620 certain", "the package source does not have this CUDA p",
         "E: Unable to locate package nvidia-container-toolkit"},
        {"CC620 certain", "the package source does not have this CUDA p",
         "E: Package 'nvidia-docker2' has no installation candidate"},
        {"CC620 certain", "the package source does not have this CUDA p",
         "E: Version '8.9.7.29-1+cuda12.2' for 'libcudnn8' was not found"},
        {"CC620 certain", "the package source does not have this CUDA p",
         "Error: Unable to find a match: cuda-toolkit-12-3"},
        {"CC620 likely", "the package source does not have this CUDA p",
         "No match for argument: nvidia-driver"},
        {"CC612 likely", "packages that must fit each other are from d",
         "package pytorch-2.0.1-py3.10_cuda11.7_cudnn8.5.0_0 requires pytorch-cuda 11.7.*, but none of the "
         "providers can be installed"},
        {"CC616 certain", "the image does not exist under this tag",
         "docker: Error response from daemon: manifest for nvidia/cuda:11.0-base not found: manifest "
         "unknown: manifest unknown."},
        {"CC616 certain", "the image does not exist under this tag",
         "ERROR: failed to solve: nvidia/cuda:12.1.0-cudnn8-devel-ubuntu22.04: not found"},
        {"CC616 certain", "the image does not exist under this tag",
         "failed to solve: docker.io/nvidia/cuda:11.1-cudnn8-devel-ubuntu18.04: "
         "docker.io/nvidia/cuda:11.1-cudnn8-devel-ubuntu18.04: not found"},
        {"CC616 likely", "the image does not exist under this tag",
         "pull access denied for nvidia/cuda, repository does not exist or may require 'docker login'"},
        {"CC616 likely", "the image does not exist under this tag",
         "manifest for nvcr.io/nvidia/pytorch:24.13-py3 not found"},
        {"CC616 certain", "the image has no build for this processor or",
         "no matching manifest for linux/arm64/v8 in the manifest list entries"},
    });
}

TEST_CASE("machines: whole installations") {
    check_classes({
        {"other certain", "the network or a server failed",
         "CondaHTTPError: HTTP 000 CONNECTION FAILED for url <https://conda.anaconda.org/pytorch/linux-64>"},
        {"CC620 likely", "the package source does not have this CUDA p",
         "E: Failed to fetch "
         "https://developer.download.nvidia.com/compute/cuda/repos/ubuntu1604/x86_64/Packages.gz  404  Not "
         "Found"},
        {"CC620 certain", "the package source does not have this CUDA p",
         "E: The repository 'https://developer.download.nvidia.com/compute/cuda/repos/ubuntu2310/x86_64  "
         "Release' does not have a Release file."},
        {"CC210 likely", "the driver's kernel module was not built",
         "nvidia: disagrees about version of symbol module_layout"},
        {"CC210 certain", "the driver's kernel module was not built",
         "nvidia: version magic '5.15.0-91-generic SMP mod_unload modversions ' should be '5.19.0-50-generic "
         "SMP preempt mod_unload modversions '"},
        {"CC210 likely", "the driver cannot be initialised",
         "NVRM: GPU0 GSP RPC buffer; Timeout waiting for RPC from GSP!"},
        {"CC210 likely", "this release of the driver does not support ",
         "This graphics driver could not find compatible graphics hardware."},
        {"other likely", "the GPU's memory is used up", "NvMapMemAllocInternalTagged: 1075072515 error 12"},
        {"other likely", "the processor lacks an instruction that the ", "Illegal instruction (core dumped)"},
        {"other certain", "two copies of the OpenMP library are loaded",
         "OMP: Error #15: Initializing libiomp5md.dll, but found libiomp5md.dll already initialized."},
        {"CC604 certain", "this build of PyTorch contains no NCCL",
         "RuntimeError: Distributed package doesn't have NCCL built in"},
        {"CC613 likely", "there is no build for this Python, system or",
         "ERROR: Could not find a version that satisfies the requirement cudf-cu12==24.10.1 (from versions: "
         "23.8)"},
        {"other likely", "the package index has no release of a packag",
         "ERROR: Could not find a version that satisfies the requirement my-own-package==9 (from versions: "
         "none)"},
        {"other likely", "the GPU's memory is used up", "CUDA error: CUBLAS_STATUS_ALLOC_FAILED"},
    });
}
