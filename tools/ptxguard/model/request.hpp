// What the user requests: options, configuration and CMake variables in one struct.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/arch.hpp"
#include "model/origin.hpp"

namespace ptxguard {

// off: predictions from the tables only; auto: the build's toolkit; full: every toolkit found.
enum class ProbeMode { off, auto_, full };
const char* to_string(ProbeMode mode);

// The project in the working folder, by its build files. Nothing is run.
struct BuiltProject {
    Known<std::string> by;         // what compiles device code: "setup.py builds a CUDA extension"
    bool torch = false;            // PyTorch's extension builder, with its own list of architectures
    bool only_if_cuda = false;     // if the PyTorch that it links is a build with CUDA
    bool always = false;           // a CUDAExtension that no condition of its setup.py decides
    Known<std::string> only_with;  // "USE_CUDA in CMakeLists.txt:6": an option that is off by default
    ArchList archs;                // that its files select; empty = none
    Origin archs_origin;           // the last place; its variable is what selects them
    Known<std::string> open;       // a text that selects further ones, which only the build can decide
};

// Input from the command line, the configuration or CMake.
struct Request {
    bool only_named = false;            // do not search for toolkits that no option names
    std::vector<std::string> toolkits;  // --toolkit DIR: the build uses the first
    // Compiler that CMake uses or will use, when called from CMake; overrides every other selector.
    std::string cmake_nvcc;            // --cmake-nvcc (CMAKE_CUDA_COMPILER)
    std::string cmake_host_compiler;   // --cmake-host-compiler (CMAKE_CUDA_HOST_COMPILER)
    std::string cmake_toolkit_root;    // CUDAToolkit_ROOT, the CMake variable for find_package(CUDAToolkit)
    bool from_cmake = false;           // a CMake build: CMake's own search order decides
    std::vector<std::string> drivers;  // --driver VER or branch
    std::vector<std::string> driver_libs;  // --driver-libs DIR or file
    std::vector<std::string> gpus;         // --gpu, split
    std::string archs;                     // --arch
    std::string archs_origin;              // "--arch", "CMAKE_CUDA_ARCHITECTURES"
    std::vector<std::string> frameworks;   // --framework NAME[==VER][+cuXXX]
    std::string python;                    // --python
    bool isolated = false;                 // --isolated: files in the working folder select nothing
    std::optional<int> cxx_abi, cxx_standard;
    std::vector<std::string> require;
    bool build = false;                   // --build: judge what the toolkit here would build
    std::optional<BuiltProject> project;  // what it compiles is judged, too
    ProbeMode probe_mode = ProbeMode::auto_;
    std::map<std::string, std::string> config_origin;  // option -> "ptxguard.toml:3", for origins
};

}  // namespace ptxguard
