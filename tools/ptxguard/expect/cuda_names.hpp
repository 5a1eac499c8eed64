// CUDA versions in names of files: DLL suffixes (64_110), libraries.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "model/version.hpp"

namespace ptxguard {

// TensorFlow on Windows: "64_110" 11.0, "64_112" 11.2, "64_101" 10.1, "64_8" 8 (cuDNN); plain versions are
// unchanged.
std::optional<Version> version_of_dll_suffix(std::string_view text);
// libcudart-d0da41ae.so.11.0 -> 11 (one file name for all of CUDA 11), libcudart.so.10.2 -> 10.2,
// cudart64_12.dll -> 12.
std::optional<Version> cuda_of_library(std::string_view file);
// From CUDA 11: libcublas.so.12 -> 12, cublas64_12.dll -> 12.
std::optional<Version> cuda_of_cublas(std::string_view file);
// libcudnn.so.8, libcudnn-0000.so.8.5.0, cudnn64_8.dll
std::optional<Version> cudnn_of_library(std::string_view file);
// Whether this can be a CUDA or cuDNN release. 0.7 and 9999.1 cannot.
bool plausible(const Version& version);

}  // namespace ptxguard
