// Rows of facts/recipes.json and facts/removed_names.json about compilers, CMake and sources.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "facts/facts.hpp"

namespace ptxguard {

// The compiler that nvcc finds on a system or runner where nothing chooses another.
struct SystemCompiler {
    std::string system;  // "ubuntu24.04", "windows-2025"
    std::string family;  // "gcc", "msvc"
    std::optional<Version> version;
    std::string studio;  // the year of the only Visual Studio of a runner
    Origin origin;
};

// Wheels of a project's release page that need a newer C library than their names say.
struct WheelGlibc {
    std::string package;
    std::optional<Version> from, glibc;
    Origin origin;
};

// The first CMake and the first toolkit with it, and the last ones.
struct BuildFeature {
    std::string feature;  // "all-major", "C++20", "nvToolsExt", "FindCUDA"
    std::optional<Version> cmake, cmake_to, cuda, cuda_to;
    std::optional<Version> cudnn_to;  // of a part of cuDNN
    std::string instead;              // of one that ended
    std::string effect;               // how a build without it ends; empty = the linker does not find it
    Origin origin;
};

// Names of one library of CUDA's that a release was the last to declare.
struct RemovedNames {
    std::string library;             // "cusparse", "cudart", "<nvToolsExt.h>"
    std::vector<std::string> names;  // "cusparseScsrmm", "cudaDeviceProp.clockRate", "<nvToolsExt.h>"
    // Instead of names: all with that beginning but for `kept` and those with the end `kept_end`.
    std::string start, kept_end;
    std::vector<std::string> kept;
    std::optional<Version> cuda_to, cudnn_to;
    std::string instead;
    Origin origin;

    bool covers(const std::string& name) const;
};

// What FindCUDA makes of a name, from a release of CUDA.
struct NamedArchsRow {
    std::string name;  // "Common", "Kepler"
    std::optional<Version> from;
    std::vector<std::string> archs;  // "8.6", "8.6+PTX"
    bool without_gpu = false;        // where there is a GPU, it is that GPU's
    Origin origin;
};

// A part of the toolkit that the sources of a program use with that option, up to one of its releases.
struct SourcePart {
    std::string program;     // "OpenCV"
    std::string repository;  // "opencv/opencv"
    std::optional<Version> from, to;
    std::string part;                  // a feature of `build_features`
    std::vector<std::string> options;  // of CMake, one of them on: "WITH_CUDA"
};

// A variable or CMake option that turns CUDA on in some releases of a program, and not in others.
struct BuildOption {
    std::string program;                    // "llama.cpp"
    std::vector<std::string> repositories;  // canonical names of those whose default branch does not read it
    std::string package;                    // on PyPI, which passes CMAKE_ARGS to its CMake; may be empty
    std::string option;                     // "LLAMA_CUBLAS"
    std::string tool;                       // "make" = only there; empty = any
    std::string instead;
    bool stops = false;  // the build ends with an error; otherwise it ignores the option
    // Releases of the package that do not read it: up to the first one, from the second one.
    std::optional<Version> unread_to, unread_from;
    Origin origin;
};

}  // namespace ptxguard
