// Names and values in build files: variables with the release of CUDA, architectures in flags and lists.
// Inner header of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/arch.hpp"
#include "model/version.hpp"
#include "recipes/base/recipe.hpp"

namespace ptxguard::recipes {

// CUDA_VERSION, CUDAToolkit_VERSION_MAJOR, CMAKE_CUDA_COMPILER_VERSION, a project's own NVCC_VERSION. The
// value is written like those of CMake's modules: two numbers of CUDA_VERSION, three of a compiler.
std::optional<std::string> release_in(const std::string& variable, const Version& release);

// The same in Python: cuda_version, bare_metal_major, torch.version.cuda.
std::optional<std::string> release_in_python(std::string_view path, const Version& release);
// Whether a condition with this name or text is about a toolkit or GPU, so that the release may decide it.
bool is_about_cuda(std::string_view word);
// Whether it is about some of its architectures only: detect_hopper(), SM_90.
bool is_about_some_archs(std::string_view word);

// "-gencode", "arch=compute_86,code=sm_86", "-arch=sm_86".
bool is_arch_flag(std::string_view text);
// "compute_86" and "sm_86" in flags; "86", "8.6", "90a-real", "9.0+PTX" in a variable that lists
// architectures.
std::vector<Arch> archs_in(const std::string& name, const std::string& text);

// The variable CUDA_VERSION that images of nvidia/cuda export: "12.4.1".
std::optional<Written> cuda_version_variable(const Written& image);

// "2.1.0": a release of three numbers; nothing for other words.
std::optional<Version> whole_release(const std::string& word);

// What a text of a shell does may be about packages or device code. What has no such word is of no interest.
bool chooses_packages(const std::string& shell_text);

}  // namespace ptxguard::recipes
