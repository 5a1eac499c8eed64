// Faults of Python programs that no toolchain causes: tensors that do not fit, files, model hubs, ports, and
// packages that do not fit each other.
// SPDX-License-Identifier: Apache-2.0
#include "messages/message.hpp"
#include "model/ranges.hpp"

namespace ptxguard {
namespace {

std::vector<Message> of_tensors() {
    return {
        {"Expected all tensors to be on the same device", {{"tensors_unfit", certain}}},
        {"Expected object of device type cuda but got device type cpu", {{"tensors_unfit", certain}}},
        {"should be the same or input should be a MKLDNN tensor", {{"tensors_unfit", certain}}},
        {"and weight type (torch.{type:word}) should be the same", {{"tensors_unfit", certain}}},
        {"mat1 and mat2 shapes cannot be multiplied", {{"tensors_unfit", certain}}},
        {"mat1 and mat2 must have the same dtype", {{"tensors_unfit", certain}}},
        {"must match the size of tensor b", {{"tensors_unfit", certain}}},
        {"expected scalar type {type:word} but found", {{"tensors_unfit", certain}}},
        {"Expected tensor for argument #{number:number}", {{"tensors_unfit", likely}}},
        {"Sizes of tensors must match except in dimension", {{"tensors_unfit", certain}}},
        {"is invalid for input of size", {{"tensors_unfit", certain}}},
        {"can't convert cuda:{number:number} device type tensor to numpy", {{"tensors_unfit", certain}}},
        {"can't convert CUDA tensor to numpy", {{"tensors_unfit", certain}}},
        {"Error(s) in loading state_dict for", {{"model_unfit", likely}}},
        {"not implemented for 'Half'", {{"number_format", likely}}},
        {"not implemented for 'BFloat16'", {{"number_format", likely}}},
        {"type fp8e4nv not supported in this architecture", {{"number_format", certain}}},
        {"Float8_e4m3fn is only supported", {{"number_format", certain}}},
        {"torch._scaled_mm is only supported on CUDA devices with compute capability",
         {{"number_format", certain}}},
        {"Assertion `index out of bounds", {{"program_bug", certain}}},
        {"Assertion `-sizes[i] <= index && index < sizes[i]", {{"program_bug", certain}}},
        {"Assertion `srcIndex < srcSelectDimSize` failed", {{"program_bug", certain}}},
        {"Assertion `t >= 0 && t < n_classes` failed", {{"program_bug", certain}}},
        {"Assertion `input_val >= zero && input_val <= one` failed", {{"program_bug", certain}}},
        {"Assertion `idx_dim >= 0 && idx_dim < index_size", {{"program_bug", certain}}},
        {"Assertion `cur_target >= 0 && cur_target < n_classes` failed", {{"program_bug", certain}}},
        {"probability tensor contains either `inf`, `nan` or element < 0", {{"values_unfit", certain}}},
        {"index out of range in self", {{"program_bug", certain}}},
    };
}

std::vector<Message> of_files() {
    return {
        {"PytorchStreamReader failed", {{"file_damaged", certain}}},
        {"UnpicklingError: invalid load key, '<'", {{"file_is_page", certain}}},
        {"UnpicklingError: invalid load key", {{"file_damaged", certain}}},
        {"UnpicklingError: pickle data was truncated", {{"file_damaged", certain}}},
        {"Error while deserializing header", {{"file_damaged", certain}}},
        {"Invalid magic number; corrupt file", {{"file_damaged", certain}}},
        {"unexpected EOF, expected {number:number} more bytes", {{"file_damaged", certain}}},
        {"INVALID_PROTOBUF", {{"file_damaged", likely}}},
        {"failed:Protobuf parsing failed", {{"file_damaged", certain}}},
        {"gguf_init_from_file: invalid magic", {{"file_damaged", certain}}},
        {": NO_SUCHFILE :", {{"file_absent", certain}}},
        {"Can't load the model for '{path}'. If you were trying to load it from",
         {{"network", possible}, {"file_absent", possible}}},
        {"Unsupported model IR version", {{"python_packages", certain}}},
        {"weights_only` argument in `torch.load` from `False` to `True`", {{"python_packages", certain}}},
        {"WeightsUnpickler error", {{"python_packages", likely}}},
    };
}

std::vector<Message> of_hubs() {
    return {
        {"GatedRepoError", {{"access_refused", certain}}},
        {"Cannot access gated repo for url", {{"access_refused", certain}}},
        {"Access to model {model:path} is restricted", {{"access_refused", certain}}},
        {"RepositoryNotFoundError", {{"access_refused", likely}}},
        {"You are trying to access a gated repo", {{"access_refused", certain}}},
        {"401 Client Error: Unauthorized for url", {{"access_refused", certain}}},
        {"403 Client Error: Forbidden for url", {{"access_refused", likely}}},
        {"is not a local folder and is not a valid model identifier", {{"access_refused", likely}}},
        {"Invalid user token", {{"access_refused", certain}}},
        {"We couldn't connect to 'https://", {{"network", certain}}},
        {"LocalEntryNotFoundError", {{"network", likely}}},
        {"Failed to establish a new connection", {{"network", certain}}},
        {"Connection reset by peer", {{"network", likely}}},
        {"Connection aborted.", {{"network", possible}}},
        {"IncompleteRead(", {{"network", certain}}},
        {"429 Client Error: Too Many Requests", {{"network", certain}}},
        {"<urlopen error", {{"network", likely}}},
        {"Address already in use", {{"port_in_use", certain}}},
        {"server socket has failed to bind to", {{"port_in_use", certain}}},
        {"server socket has failed to listen on any local network address", {{"port_in_use", certain}}},
        {"EADDRINUSE", {{"port_in_use", certain}}},
        {"DataLoader worker (pid(s) {pid}) exited unexpectedly", {{"worker_died", likely}}},
        {"A process in the process pool was terminated abruptly", {{"worker_died", likely}}},
    };
}

// "cannot import name" and the like: two packages of different releases, none of which is CUDA's.
std::vector<Message> of_packages() {
    return {
        {"A module that was compiled using NumPy 1.x cannot be run in NumPy", {{"numpy_abi", certain}}},
        {"numpy.dtype size changed, may indicate binary incompatibility", {{"numpy_abi", certain}}},
        {"numpy.ndarray size changed, may indicate binary incompatibility", {{"numpy_abi", certain}}},
        {"numpy.ufunc size changed, may indicate binary incompatibility", {{"numpy_abi", certain}}},
        {"_ARRAY_API not found", {{"numpy_abi", certain}}},
        {"RuntimeError: Numpy is not available", {{"numpy_abi", likely}}},
        {"numpy.core.multiarray failed to import", {{"numpy_abi", likely}}},
        {"module compiled against API version {one:word} but this version of numpy is",
         {{"numpy_abi", certain}}},
        {"module compiled against ABI version {one:word} but this version of numpy is",
         {{"numpy_abi", certain}}},
        // pybind11: a caller of another release, or a fault of the program
        {"(): incompatible function arguments. The following argument types are supported",
         {{"python_packages", possible}}},
        {"needs NumPy {need:version} or", {{"python_packages", certain}}},
        {"module 'numpy' has no attribute '{symbol:name}'", {{"python_packages", certain}}},
        {"module 'distutils' has no attribute 'version'", {{"python_packages", certain}}},
        {"No module named 'pkg_resources'", {{"python_packages", likely}}},
        {"Descriptors cannot be created directly", {{"python_packages", certain}}},
        {"Descriptors cannot not be created directly", {{"python_packages", certain}}},
        {"ImportError: cannot import name '{symbol:name}' from partially initialized module '{module:word}'",
         {{"import_fails", possible}}},
        {"ImportError: cannot import name '{symbol:name}' from '{module:word}'", {{"import_fails", likely}}},
        {"module '{module:word}' has no attribute '{symbol:name}'", {{"attribute_absent", likely}}},
        {"got an unexpected keyword argument '{symbol:name}'", {{"python_packages", possible}}},
        {"requires {requirement:path}, but you have {other:word} {found:version} which is incompatible",
         Role::echo},
        {"since {module:word} is not available in the build environment", {{"missing_module", certain}}},
        {"BackendUnavailable: Cannot import '{module:path}'", {{"missing_module", certain}}},
        {"error: invalid command 'bdist_wheel'", {{"missing_module", likely}}},
    };
}

}  // namespace

std::vector<Message> messages_of_python_programs() {
    std::vector<Message> all = of_tensors();
    for (const auto& some : {of_files(), of_hubs(), of_packages()}) append(all, some);
    return all;
}

}  // namespace ptxguard
