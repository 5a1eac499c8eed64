// Causes in the driver: its release, its kernel module, its device files, and what a container or a cluster
// passes on of them.
// SPDX-License-Identifier: Apache-2.0
#include "messages/message.hpp"
#include "rule_codes.hpp"

namespace ptxguard {
namespace {

constexpr const char *k_smi = "nvidia-smi", *k_device_files = "ls -l /dev/nvidia*";

const std::vector<Cause> k_of_releases = {
    Cause("driver_too_old", CC208, "ptxguard check[ --driver {driver}]",
          "the driver[ {driver}] is too old for the CUDA runtime of this program[ ({runtime})][: it supports "
          "CUDA {driver_api_cuda}][: it has no {entry}]",
          {"update the driver",
           "use a build for[ CUDA {driver_cuda}]@driver_cuda[ the driver's CUDA release] or older"}),
    Cause("driver_too_old_for_program", CC208, "ptxguard check[ --driver {driver}]",
          "the driver[ {driver}] is older than this program needs[: {need_driver} or newer][: it asks for "
          "NVENC {nvenc_need}, the driver has {nvenc_here}]",
          {"update the driver", "use a build of the program for the driver that is there"}),
    Cause("forward_compat", CC209, k_check,
          "the libcuda of a forward compatibility package (cuda-compat) is used on a GPU or driver that it "
          "does not support",
          {"remove the folder cuda/compat from LD_LIBRARY_PATH",
           "use an image whose CUDA release the driver supports", "update the driver of the host"}),
    Cause("driver_mismatch", CC209, k_check,
          "libcuda and the kernel module are from different driver releases[: {kernel} and {driver}]",
          {"restart the machine after a driver update",
           "remove the driver's libraries from the container or from LD_LIBRARY_PATH"}),
    Cause("driver_packages_mixed", CC209, "dpkg -l '*nvidia*'",
          "packages of two driver releases, or of two package sources, contain the same file[: {path}]",
          {"remove the packages of one of them (sudo apt purge 'libnvidia-*' 'nvidia-*'), then install the "
           "driver from one source"}),
    Cause("jit_library_missing", CC217, k_check,
          "the driver's PTX compiler libnvidia-ptxjitcompiler is missing or cannot be loaded",
          {"install all user-mode libraries of the driver; in a container set "
           "NVIDIA_DRIVER_CAPABILITIES=compute,utility"}),
    Cause("jit_disabled", CC219, k_check,
          "the driver may not compile PTX (CUDA_DISABLE_PTX_JIT or CUDA_DISABLE_JIT), and no cubin fits the "
          "GPU",
          {"unset CUDA_DISABLE_PTX_JIT CUDA_DISABLE_JIT", "compile for the GPU itself"}),
};

const std::vector<Cause> k_of_machines = {
    Cause("no_gpu_visible", CC210, k_smi, "the driver reports no GPU",
          {"unset CUDA_VISIBLE_DEVICES if it is empty or wrong", "start the container with --gpus all",
           "install the driver, or load its kernel module"}),
    Cause("no_driver", CC210, k_smi, "the NVIDIA driver is not installed, not loaded or not visible here",
          {"install the driver; in a container pass --gpus all and use the NVIDIA Container Toolkit"}),
    Cause("driver_unusable", CC210, k_smi, "the driver cannot be initialised",
          {"restart the machine; in a container compare the driver's libraries with the kernel module"}),
    // Error 999, and 30 before CUDA 10.1: most often after a suspend, or without the device file of
    // nvidia-uvm.
    Cause("driver_unknown_error", CC210, k_device_files,
          "the driver cannot be initialised and gives no reason (\"unknown error\")",
          {"load nvidia-uvm again (needed after a suspend): sudo rmmod nvidia_uvm; sudo modprobe nvidia_uvm",
           "in a container pass /dev/nvidia-uvm too", "restart the machine"}),
    Cause("fabric_manager", CC210, "systemctl status nvidia-fabricmanager",
          "the GPUs are not ready (error 802): on a machine with NVSwitch the fabric manager does not run, "
          "or is of another release than the driver",
          {"install nvidia-fabricmanager of exactly the driver's release[ ({driver})], and start it: sudo "
           "systemctl enable --now nvidia-fabricmanager",
           "in a confidential VM set the GPUs ready: nvidia-smi conf-compute -srs 1"}),
    Cause("driver_out_of_step", CC210, k_smi,
          "the driver's processes or libraries do not answer: the container starts before the driver is "
          "ready, or sees another driver",
          {"restart the container after the driver is loaded"}),
    Cause("driver_file_damaged", CC210, "ls -lL /usr/lib/x86_64-linux-gnu/libcuda.so*",
          "a library of the driver is empty or damaged[: {library}]; in an image it was written without a "
          "GPU, when the container runtime mounts the driver's files over it",
          {"remove the empty file, and start the container with --gpus all", "install the driver again"}),
    Cause("driver_part_missing", CC210, "ldconfig -p | grep -e nvidia -e nvcuvid",
          "a part of the driver[, {library},] is missing: a container gets only the parts that it asks for",
          {"in a container set NVIDIA_DRIVER_CAPABILITIES=all (or compute,utility,video,graphics)",
           "install the driver's packages for it (libnvidia-encode, libnvidia-decode, libnvidia-gl)"}),
    Cause("device_file_missing", CC210, k_device_files, "a device file of the driver is missing[: {path}]",
          {"load the kernel modules and create the files: sudo nvidia-modprobe -u -c=0",
           "in a container pass all of them: --gpus all, or --device for each"}),
    Cause("device_file_denied", CC210, k_device_files,
          "the program may not open a device file of the driver[: {path}]",
          {"add the user to the group of the file (video or render)",
           "in a container or a cluster job request the GPU, so that its device file is allowed"}),
    Cause("gpu_access_blocked", CC210, k_smi,
          "the operating system blocks the access to the GPU: in WSL its driver files do not fit, in a "
          "container the device rules forbid it",
          {"if nvidia-smi works outside of the container: set no-cgroups = false in "
           "/etc/nvidia-container-runtime/config.toml, and restart docker",
           "in WSL: update the driver in Windows, wsl --update, and remove drivers that are installed in "
           "Linux"}),
    Cause("gpu_lost_in_container", CC210, k_smi,
          "the driver does not answer; in a container: it has lost its access to the GPU (systemd reloaded "
          "its device rules)",
          {"restart the container; to prevent it pass each device file (--device=/dev/nvidia0 ...), or use "
           "native.cgroupdriver=cgroupfs",
           "restart the machine"}),
    Cause("gpu_driver_unfit", CC210, "sudo dmesg | grep NVRM",
          "this release of the driver[ ({driver})] does not support the GPU: it is too old or too new for "
          "it, or the GPU needs the open kernel modules",
          {"install the release, and the kind of kernel modules (open or proprietary), that the kernel's log "
           "names"}),
    Cause("kernel_module_refused", CC210, "mokutil --sb-state",
          "the kernel refuses NVIDIA's module: it is not signed with an enrolled key (Secure Boot)",
          {"enrol the key with which the module was signed (sudo mokutil --import FILE), or disable Secure "
           "Boot"}),
    Cause("kernel_module_missing", CC210, "dkms status",
          "the running kernel has no NVIDIA module: none was built for it",
          {"install the headers of the running kernel, then reinstall the driver (dkms builds the module)"}),
    Cause("kernel_module_build", CC210, "dkms status",
          "the driver's kernel module was not built: no headers of the running kernel, another compiler, or "
          "a kernel that is newer than the driver",
          {"install the headers of the running kernel and the compiler that built it", "use a newer driver"}),
    Cause("other_driver_in_use", CC210, "lsmod | grep -e nouveau -e nvidia",
          "another driver holds the GPU (nouveau, or a loaded module of the old driver)",
          {"blacklist nouveau, update the initramfs, restart, and install the driver again"}),
    Cause("vgpu_unlicensed", CC210, "nvidia-smi -q | grep -i license", "the vGPU has no valid licence",
          {"give the guest a licence token or server (nvidia-gridd), and restart nvidia-gridd"}),
    Cause("mig_without_instances", CC210, "nvidia-smi -L", "MIG mode is on, but no MIG device exists",
          {"create instances: sudo nvidia-smi mig -cgi PROFILE -C",
           "disable MIG mode: sudo nvidia-smi -mig 0"}),
    Cause("mig_unfit", CC210, "nvidia-smi -L",
          "the GPUs' MIG mode or MIG devices are not those that the program or the device plugin is "
          "configured for",
          {"set the MIG strategy (none, single, mixed) to what nvidia-smi -L lists, or configure all GPUs "
           "alike"}),
};

const std::vector<Cause> k_of_containers = {
    Cause("wsl_other_driver", CC218, "ldconfig -p | grep libcuda",
          "in WSL the driver is that of Windows, and another libcuda than the one in /usr/lib/wsl/lib is "
          "loaded, or the one in Windows does not answer",
          {"remove the driver that was installed in Linux: sudo apt purge 'libnvidia-*' 'nvidia-driver-*'",
           "export LD_LIBRARY_PATH=/usr/lib/wsl/lib", "update the driver in Windows, then: wsl --update"}),
    Cause("wsl_no_adapter", CC218, "wsl -l -v",
          "WSL sees no GPU: it is WSL 1, which has none, Windows is older than 21H2 (build 19044), or "
          "Windows has no driver with support for WSL",
          {"wsl --set-version DISTRIBUTION 2, then: wsl --update",
           "update Windows, then NVIDIA's driver in Windows"}),
    Cause("no_container_toolkit", CC210, "nvidia-ctk --version",
          "the container runtime has no GPU support: the NVIDIA Container Toolkit is not installed or not "
          "configured",
          {"install nvidia-container-toolkit, then sudo nvidia-ctk runtime configure --runtime=docker (or "
           "containerd, crio) and restart that service",
           "rootless docker, or docker of snap: it reads another configuration file"}),
    Cause("cdi_device_unknown", CC210, "nvidia-ctk cdi list",
          "the container runtime finds no such GPU in its CDI specifications: they are missing, outdated or "
          "in another folder[: {device}]",
          {"write them again: sudo nvidia-ctk cdi generate --output=/etc/cdi/nvidia.yaml"}),
    Cause("no_cdi_support", CC210, "podman --version; docker --version",
          "the container program does not know this way to name a GPU[ (nvidia.com/gpu={device})]: it is "
          "older than CDI (podman 4.1, docker 25), or has no option for GPUs",
          {"update podman or docker, then: sudo nvidia-ctk cdi generate --output=/etc/cdi/nvidia.yaml",
           "docker: pass --gpus all"}),
    Cause("container_gpu_absent", CC210, "nvidia-smi -L",
          "the container asks for a GPU that is not there[: {device}]",
          {"name a GPU that nvidia-smi -L lists: --gpus, device_ids or NVIDIA_VISIBLE_DEVICES"}),
    Cause("driver_files_in_image", CC210,
          "docker run --rm --entrypoint find IMAGE / -name 'libcuda.so*' -o -name 'libnvidia-*'",
          "the image contains files of a driver, which the container runtime wants to mount there[: {path}]",
          {"remove the driver's packages and files from the image (build it without a GPU)"}),
    Cause("container_cgroups", CC210, "nvidia-ctk --version",
          "the container runtime may not set the device rules of the container: rootless, or cgroup v2 with "
          "an old NVIDIA Container Toolkit",
          {"rootless: set no-cgroups = true in /etc/nvidia-container-runtime/config.toml",
           "update nvidia-container-toolkit to 1.8 or newer"}),
    Cause("container_sees_no_gpu", CC210, "docker run --rm --gpus all IMAGE nvidia-smi",
          "the container sees no driver: it was started without its GPUs",
          {"start it with --gpus all (compose: deploy.resources.reservations.devices; Kubernetes: a limit "
           "nvidia.com/gpu; Singularity: --nv)"}),
    Cause("cuda_unavailable_in_container", CC210, k_device_files,
          "the framework sees no GPU in the container: a device file (/dev/nvidia-uvm), a library of the "
          "driver or --gpus all is missing",
          {"pass all device files, /dev/nvidia-uvm too; write the CDI specification again after nvidia-uvm "
           "is loaded (nvidia-ctk cdi generate)",
           "run ptxguard check in the container: it names what is missing"}),
    Cause("no_gpu_in_cluster", CC210, "kubectl describe nodes | grep nvidia.com/gpu",
          "no node of the cluster offers a free GPU: all are in use, or the device plugin reports none",
          {"install or repair NVIDIA's device plugin (GPU operator), or request fewer GPUs"}),
};

}  // namespace

std::vector<Cause> causes_of_drivers() {
    std::vector<Cause> joined = k_of_releases;
    for (const auto* some : {&k_of_machines, &k_of_containers})
        joined.insert(joined.end(), some->begin(), some->end());
    return joined;
}

}  // namespace ptxguard
