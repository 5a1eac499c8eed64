// Messages of TensorRT and of what loads its engines.
// SPDX-License-Identifier: Apache-2.0
#include "messages/message.hpp"

namespace ptxguard {

std::vector<Message> messages_of_tensorrt() {
    return {
        // what TensorRT 8.4 to 10 removed
        {"object has no attribute 'max_workspace_size'", {{"written_for_other_tensorrt", likely}}},
        {"object has no attribute 'max_batch_size'", {{"written_for_other_tensorrt", likely}}},
        {"object has no attribute 'build_cuda_engine'", {{"written_for_other_tensorrt", likely}}},
        {"object has no attribute 'build_engine'", {{"written_for_other_tensorrt", likely}}},
        {"object has no attribute 'get_binding_shape'", {{"written_for_other_tensorrt", likely}}},
        {"object has no attribute 'num_bindings'", {{"written_for_other_tensorrt", likely}}},
        {"object has no attribute 'get_binding_index'", {{"written_for_other_tensorrt", likely}}},
        {"object has no attribute 'execute_async_v2'", {{"written_for_other_tensorrt", likely}}},
        // The file names one release, the library another.
        {"The engine plan file is not compatible with this version of TensorRT, expecting library version "
         "{plan_here:version} got {plan_built:version}",
         {{"plan_versions", certain}}},
        {"The engine plan file is not compatible with this version of TensorRT, expecting (format) library "
         "version {plan_here:version} got {plan_built:version}",
         {{"plan_versions", certain}}},
        {"engine plan file is not compatible with this version of TensorRT",
         {{"plan_of_other_tensorrt", certain}}},
        {"Version tag does not match. Note: Current Version: {format_here:number}, Serialized Engine "
         "Version: {format_built:number}",
         {{"plan_formats", certain}}},
        {"(Version tag does not match", {{"plan_of_other_tensorrt", certain}}},
        {"failed.Version tag does not match", {{"plan_of_other_tensorrt", certain}}},
        {"failed. Version tag does not match", {{"plan_of_other_tensorrt", certain}}},
        {"Serialization assertion {what:word} == {tag:word} failed", {{"plan_of_other_tensorrt", likely}}},
        {"Serialization assertion plan->header.{what:word} == ",
         {{"plan_of_other_tensorrt", likely}, {"plan_damaged", likely}}},
        {"Magic tag does not match", {{"plan_damaged", likely}, {"plan_of_other_tensorrt", likely}}},
        {"The engine plan file is generated on an incompatible device, expecting compute {arch_here:version} "
         "got compute {plan_arch:version}",
         {{"plan_of_other_gpu", certain}}},
        {"engine plan file is generated on an incompatible device", {{"plan_of_other_gpu", certain}}},
        {"Using an engine plan file across different models of devices is not recommended", Role::harmless},
        {"Platform specific tag mismatch detected", {{"plan_of_other_platform", certain}}},
        {"TensorRT plan files are only supported on the target runtime platform they were created on",
         {{"plan_of_other_platform", certain}}},
        {"This engine was built for a different platform", {{"plan_of_other_platform", certain}}},
        {"Cannot deserialize engine with lean runtime", {{"plan_of_other_tensorrt", likely}}},
        {"Serialized engine was built with TensorRT {plan_built:version}",
         {{"plan_of_other_tensorrt", likely}}},
        {"Engine deserialization failed", Role::echo},
        {"Deserialize the cuda engine failed", Role::echo},
        {"Serialization Error in verifyHeader", Role::echo},
        {"Failed to deserialize cuda engine", Role::echo},
        {"deserializeCudaEngine failed", Role::echo},
        {"object has no attribute 'create_execution_context'", {{"plan_of_other_tensorrt", possible}}},
        {"Program to be deserialized targets an incompatible Torch-TensorRT ABI",
         {{"plan_of_other_tensorrt", certain}}},

        // libraries and GPUs
        {"SM {arch:number} is not supported by this TensorRT", {{"framework_lacks_gpu", certain}}},
        {"is not supported by this TensorRT release", {{"framework_lacks_gpu", likely}}},
        {"Unsupported SM: 0x{arch_hex:word}", {{"framework_lacks_gpu", certain}}},
        {"TensorRT was linked against cuDNN {cudnn_built:version} but loaded cuDNN {cudnn_found:version}",
         {{"cudnn_versions", likely}}},
        {"TensorRT was linked against cuBLAS", {{"library_set_mixed", likely}}},
        {"Unable to load library: {library:file}", {{"library_absent", likely}}},
        {"CUDA initialization failure with error: {error:number}", {{"error_number", likely}}},
        {"[TensorRT] ERROR: CUDA initialization failure with error {error:number}",
         {{"error_number", likely}}},
        {"Could not find any implementation for node",
         {{"tensorrt_model", likely}, {"gpu_memory", possible}}},
        {"No importer registered for op:", {{"tensorrt_model", certain}}},
        {"Error Code 2: OutOfMemory", {{"gpu_memory", certain}}},
        {"pybind11::init(): factory function returned nullptr",
         {{"driver_unusable", possible}, {"gpu_memory", possible}, {"library_set_mixed", possible}}},
        {"No module named 'tensorrt_bindings'", {{"companions", likely}}},
        {"Could not find: {library:file}. Is it on your PATH", {{"library_absent", certain}}},
        {"getPluginCreator could not find plugin", {{"missing_plugin", certain}}},
        {"Plugin not found, are the plugin name, version, and namespace correct",
         {{"missing_plugin", certain}}},
        {"Cannot find plugin: {plugin:word}, version:", {{"missing_plugin", certain}}},
        {"IPluginCreator not found for Plugin: {plugin:word}", {{"missing_plugin", certain}}},
        {"TF-TRT Warning: Could not find TensorRT", Role::harmless},
        {"TF-TRT Warning: Cannot dlopen some TensorRT libraries", Role::harmless},
        {"CUDA lazy loading is not enabled", Role::harmless},
    };
}

}  // namespace ptxguard
