// CuPy as a wheel (cupy-cuda12x and the like, one package per CUDA release or major), a conda package or a
// build from source, and as a name on the command line.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "expect/expect.hpp"

namespace ptxguard::cupy {

std::vector<Expectation> read(const Host& host, const SitePlace& place);
Expectation declared(const Facts& facts, System system, const DeclaredBuild& build);

// cupy/.data/_wheel.json: {"cuda": "12.x", "packaging": "pip", "cudnn": {"version": "8.8.1", ...}, ...}.
// Invalid content is an error, and then nothing of the file is used.
void read_wheel_data(std::string_view text, const std::string& path, Expectation& expectation);
// "cupy-cuda112" 11.2, "cupy-cuda12x" 12 (any minor); nothing for "cupy" and "cupy-rocm-5-0".
std::optional<Version> cuda_of_package(std::string_view package);
// The CUDA in the name of NVRTC or cuBLAS: libnvrtc.so.11.1 11.1, libnvrtc.so.11.2 11 (the same name since
// 11.2), nvrtc64_120_0.dll 12, libcublas.so.12 12; nothing for libcublas.so.10, which two releases have.
std::optional<Version> cuda_of_name(std::string_view file);

}  // namespace ptxguard::cupy
