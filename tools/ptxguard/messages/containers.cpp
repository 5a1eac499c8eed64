// Messages of container runtimes, Kubernetes, Slurm, MIG and vGPU about GPUs.
// SPDX-License-Identifier: Apache-2.0
#include "messages/message.hpp"

namespace ptxguard {
namespace {

std::vector<Message> of_containers() {
    return {
        // Docker, containerd, CRI-O
        {"could not select device driver '{vendor}' with capabilities:", {{"no_container_toolkit", certain}}},
        {"unknown or invalid runtime name: nvidia", {{"no_container_toolkit", certain}}},
        {"Unknown runtime specified nvidia", {{"no_container_toolkit", certain}}},
        {"no runtime for 'nvidia' is configured", {{"no_container_toolkit", certain}}},
        {"RuntimeHandler 'nvidia' not supported", {{"no_container_toolkit", certain}}},
        {"failed to find runtime handler nvidia", {{"no_container_toolkit", certain}}},
        {"nvidia-container-runtime: no such file or directory", {{"no_container_toolkit", certain}}},
        {"nvidia-container-cli: no such file or directory", {{"no_container_toolkit", certain}}},
        {"exec: '{tool:word}': executable file not found in $PATH", {{"tool_absent_in_container", certain}}},
        {"exec: '{tool:word}': executable file not found in %PATH%", {{"tool_absent_in_container", certain}}},
        {"crun: executable file '{tool:word}' not found in $PATH", {{"tool_absent_in_container", certain}}},
        {"nvidia-docker: command not found", {{"no_container_toolkit", certain}}},
        {"unresolvable CDI devices {device:path}", {{"cdi_device_unknown", certain}}},
        {"failed to stat CDI host device '{path:path}'", {{"device_file_missing", certain}}},
        {"could not select device driver 'cdi' with capabilities", {{"cdi_device_unknown", certain}}},
        {"failed to generate CDI spec", {{"cdi_device_unknown", likely}}},
        {"invoking the NVIDIA Container Runtime Hook directly (e.g. specifying the docker --gpus flag) is "
         "not supported",
         {{"no_container_toolkit", likely}}},
        {"nvidia-container-cli: device error: {device:word}: unknown device",
         {{"container_gpu_absent", certain}}},
        {"nvidia-container-cli: device error: unknown device id: {device:word}",
         {{"container_gpu_absent", certain}}},
        {"nvidia-container-cli: device error: {rest}", {{"container_gpu_absent", likely}}},
        {"nvidia-container-cli: mount error: {rest}{path:path}: file exists",
         {{"driver_files_in_image", certain}}},
        {"nvidia-container-cli: mount error: file creation failed: {path:path}: file exists",
         {{"driver_files_in_image", certain}}},
        {"nvidia-container-cli: mount error: failed to add device rules", {{"container_cgroups", certain}}},
        {"nvidia-container-cli: container error: cgroup subsystem devices not found",
         {{"container_cgroups", certain}}},
        {"bpf_prog_query(BPF_CGROUP_DEVICE) failed", {{"container_cgroups", certain}}},
        {"nvidia-container-cli: mount error: open failed: {path:path}: permission denied",
         {{"container_cgroups", likely}}},
        {"nvidia-container-cli: mount error: stat failed: {path:path}: no such file or directory",
         {{"device_file_missing", likely}}},
        {"nvidia-container-cli: detection error: open failed: {path:path}: no such file or directory",
         {{"device_file_missing", certain}}},
        {"failed to discover GPU vendor from CDI", {{"cdi_device_unknown", certain}}},
        {"Found 0 CDI devices", {{"cdi_device_unknown", likely}}},
        {"stat nvidia.com/gpu={device:word}: no such file or directory", {{"no_cdi_support", certain}}},
        {"custom device 'nvidia.com/gpu={device:word}': no such file or directory",
         {{"no_cdi_support", certain}}},
        {"unknown flag: --gpus", {{"no_cdi_support", likely}}},
        {"unable to load config for runtime {runtime:word}: invalid character",
         {{"config_unreadable", certain}}},
        {"unable to configure the Docker daemon with file {path:path}: invalid character",
         {{"config_unreadable", certain}}},
        {"unable to configure the Docker daemon with file", {{"config_unreadable", likely}}},
        {"unsupported CDI device", {{"cdi_device_unknown", likely}}},
        {"failed to inject CDI devices", {{"cdi_device_unknown", certain}}},
        {"no NVIDIA device nodes found", {{"device_file_missing", certain}}},
        {"nvidia-container-cli: initialization error: nvml error: insufficient permissions",
         {{"device_file_denied", certain}}},
        {"nvidia-container-cli: initialization error: nvml error: {rest}", {{"driver_unusable", likely}}},
        {"nvidia-container-cli: initialization error: cuda error: {rest}", {{"driver_unusable", likely}}},
        {"nvidia-container-cli: initialization error: driver error: {rest}", {{"driver_unusable", likely}}},
        {"WSL environment detected but no adapters were found", {{"wsl_no_adapter", likely}}},
        {"nvidia-container-cli: {rest}", {{"driver_unusable", possible}}},
        {"Could not find any nv files on this host", {{"no_driver", certain}}},
        {"Could not find any NVIDIA libraries on this host", {{"no_driver", likely}}},
        {"Could not find any NVIDIA binaries on this host", {{"no_driver", likely}}},
        {"NVIDIA Driver is present, but CUDA failed to initialize", {{"driver_unusable", possible}}},
        {"WARNING: The NVIDIA Driver was not detected. GPU functionality will not be available",
         {{"container_sees_no_gpu", likely}}},
        {"Use the NVIDIA Container Toolkit to start this container with GPU support",
         {{"container_sees_no_gpu", likely}}},
        {"error gathering device information while adding custom device '/dev/nvidia{file:path}'",
         {{"device_file_missing", certain}}},
        {"error stat'ing file '/dev/nvidia{file:path}': No such file", {{"device_file_missing", certain}}},
        {"'/dev/nvidia{file:path}': No such file or directory", {{"device_file_missing", certain}}},
        {"stat /dev/nvidia{file:name}: no such file", {{"device_file_missing", certain}}},
        {"/dev/nvidia{file:path} not found", {{"device_file_missing", certain}}},
        {"/dev/nvidia{file:path} does not exist", {{"device_file_missing", certain}}},
        // LXC: also if the file of the container cannot be created
        {"Failed to mount '/dev/nvidia{file:path}' onto", {{"device_file_missing", likely}}},
        {"/dev/nvidiactl: Permission denied", {{"device_file_denied", certain}}},
        {"/dev/nvidia-uvm: Permission denied", {{"device_file_denied", certain}}},
        {"/dev/nvidia0: Permission denied", {{"device_file_denied", certain}}},
        {"Failed to open /dev/nvidia{file:name}", {{"device_file_denied", possible}}},
        {"NvRmMemInitNvmap failed with Permission denied", {{"device_file_denied", certain}}},
        {"cdiVersion: {cdi:word}", Role::fact},

        // Kubernetes
        {"Insufficient nvidia.com/gpu", {{"no_gpu_in_cluster", certain}}},
        {"Insufficient nvidia.com/mig-{profile:word}", {{"no_gpu_in_cluster", certain}}},
        {"did you set the docker default runtime to 'nvidia'", {{"no_container_toolkit", likely}}},
        {"If this is a GPU node, did you configure the NVIDIA Container Toolkit",
         {{"no_container_toolkit", likely}}},
        {"Failed to initialize NVML: could not load NVML library", {{"container_sees_no_gpu", likely}}},
        {"Failed to initialize NVML: ERROR_LIBRARY_NOT_FOUND", {{"container_sees_no_gpu", likely}}},
        {"nvml init failed: ERROR_LIBRARY_NOT_FOUND", {{"container_sees_no_gpu", likely}}},
        {"Incompatible strategy detected auto", {{"container_sees_no_gpu", likely}}},
        {"Incompatible platform detected", Role::echo},
        {"invalid device discovery strategy", {{"container_sees_no_gpu", likely}}},
        {"Allocate failed due to requested number of devices unavailable for nvidia.com/",
         {{"no_gpu_in_cluster", likely}}},
        {"Allocate failed due to no healthy devices present; cannot allocate unhealthy devices nvidia.com/",
         {{"no_gpu_in_cluster", likely}}},
        {"failed to create shim task: OCI runtime create failed: unable to retrieve OCI runtime error",
         {{"no_container_toolkit", possible}}},
        {"RuntimeClass 'nvidia' not found", {{"no_container_toolkit", certain}}},
        {"cannot allocate unregistered device nvidia.com/", {{"no_gpu_in_cluster", certain}}},
        {"can't allocate unregistered device nvidia.com/", {{"no_gpu_in_cluster", certain}}},
        {"chroot: failed to run command 'nvidia-smi': No such file or directory", {{"no_driver", likely}}},
        {"No devices found. Waiting indefinitely", {{"no_gpu_visible", likely}}},
    };
}

std::vector<Message> of_clusters_and_slices() {
    return {
        {"NVML doesn't exist on this system", {{"no_driver", likely}}},
        // MIG
        {"MIG mode is enabled, but no MIG devices were found", {{"mig_without_instances", certain}}},
        {"No MIG devices associated with GPU", {{"mig_without_instances", certain}}},
        {"No MIG devices found", {{"mig_without_instances", likely}}},
        {"No MIG-enabled devices found", {{"mig_unfit", likely}}},
        {"No GPU instances found", {{"mig_without_instances", possible}}},
        {"MIG is enabled but no instances", {{"mig_without_instances", certain}}},
        {"all devices on the node must be configured with the same migEnabled value",
         {{"mig_unfit", certain}}},
        {"more than one MIG device type present on node", {{"mig_unfit", certain}}},
        {"At least one device with migEnabled=true was not configured correctly",
         {{"mig_without_instances", certain}}},
        {"Unable to create a GPU instance on GPU", {{"mig_unfit", likely}}},
        {"invalid literal for int() with base 10: 'MIG-", {{"api_misuse", certain}}},
        // Slurm
        {"Invalid generic resource (gres) specification", {{"no_gpu_in_cluster", likely}}},
        {"oom_kill event", {{"host_memory", certain}}},
        {"oom-kill event", {{"host_memory", certain}}},
        {"task {number:number}: Out Of Memory", {{"host_memory", certain}}},
        {"SLURM_MEM_PER_NODE are mutually exclusive", {{"command_refused", certain}}},
        {"srun: unrecognized option", {{"command_refused", certain}}},
        {"sbatch: unrecognized option", {{"command_refused", certain}}},
        {"gres/gpu: No GPUs found", {{"no_gpu_visible", likely}}},
        {"can't stat gres.conf file {path:path}", {{"device_file_missing", certain}}},
        {"fatal: We were configured with nvml functionality, but that lib wasn't found",
         {{"no_driver", likely}}},
        {"We were configured to autodetect nvml functionality, but we weren't able to find that lib",
         {{"no_driver", likely}}},
        // vGPU
        {"nvidia-gridd: {rest}Failed to acquire", {{"vgpu_unlicensed", certain}}},
        {"nvidia-gridd: Invalid feature type configured", {{"vgpu_unlicensed", likely}}},
        {"Valid GRID license not found", {{"vgpu_unlicensed", certain}}},
    };
}

}  // namespace

std::vector<Message> messages_of_containers() {
    std::vector<Message> all = of_containers();
    for (const Message& one : of_clusters_and_slices()) all.push_back(one);
    return all;
}

}  // namespace ptxguard
