// What the user asks for: options, configuration and CMake variables in one struct.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ptxguard {

// off: predictions from the tables only; auto: the build's toolkit; full: every toolkit found.
enum class ProbeMode { off, auto_, full };
const char* to_string(ProbeMode mode);

// What the user said on the command line, in the configuration or through CMake.
struct Request {
    bool only_named = false;            // toolkits that no option names are not looked for
    std::vector<std::string> toolkits;  // --toolkit DIR: the first is the one that the build uses
    // Compiler that CMake uses or will use, when called from CMake; wins over every other selector.
    std::string cmake_nvcc;           // --cmake-nvcc (CMAKE_CUDA_COMPILER)
    std::string cmake_host_compiler;  // --cmake-host-compiler (CMAKE_CUDA_HOST_COMPILER)
    std::string
        cmake_toolkit_root;   // CUDAToolkit_ROOT, the CMake variable: find_package(CUDAToolkit) takes it
    bool from_cmake = false;  // the build is CMake's: CMake's own search order decides
    std::vector<std::string> drivers;      // --driver VER or branch
    std::vector<std::string> driver_libs;  // --driver-libs DIR or file
    std::vector<std::string> gpus;         // --gpu, split
    std::string archs;                     // --arch
    std::string archs_origin;              // "--arch", "CMAKE_CUDA_ARCHITECTURES"
    std::vector<std::string> frameworks;   // --framework NAME[==VER][+cuXXX]
    std::string python;                    // --python
    bool isolated = false;                 // --isolated: no file of the working folder chooses anything
    std::optional<int> cxx_abi, cxx_standard;
    std::vector<std::string> require;
    bool build = false;  // --build: judge what the toolkit here would build
    ProbeMode probe_mode = ProbeMode::auto_;
    std::map<std::string, std::string> config_origin;  // option -> "ptxguard.toml:3", for origins
};

}  // namespace ptxguard
