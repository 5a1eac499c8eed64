// The CUDA release in names that people choose: of packages, files, folders, extras and environments.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "model/version.hpp"

namespace ptxguard {

// "cu121" for 12.1: the tag of a build.
std::string tag_of_cuda(const Version& cuda);
// 12 of "12" and "12x", 9.2 of "92", 12.1 of "121" and "12.1", 12.8.1 of "1281"; nothing for what is no
// release.
std::optional<Version> cuda_of_number(std::string_view number);
// "cupy-cuda11x" 11, "requirements_cu121.txt" 12.1, "conda/env-cuda11.4.yml" 11.4, "cuda-11-8" 11.8. The most
// exact one; nothing if a name has several that differ.
std::optional<Version> named_cuda(std::string_view name);
// Whether the name of a package says that it is for GPUs: "onnxruntime-gpu", "faiss-gpu-cu12",
// "cupy-cuda12x", "spconv-cu120".
bool is_named_for_gpus(std::string_view package);
// NVIDIA's Python bindings of libcuda and the run-time compilers, of the CUDA of their release.
bool is_binding_of_cuda(std::string_view package);
// Whether both can be meant: 11 and 11.8 can, 11.7 and 11.8 cannot.
bool is_same_cuda(const Version& a, const Version& b);

}  // namespace ptxguard
