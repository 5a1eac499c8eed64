// One row per option that the judging commands share.
// SPDX-License-Identifier: Apache-2.0
#include "commands/options.hpp"

#include "report/report.hpp"

namespace ptxguard {
namespace {

std::vector<const char*> format_names() {
    std::vector<const char*> names;
    for (const ReportFormat& format : report_formats()) names.push_back(format.name);
    return names;
}

}  // namespace

const std::vector<OptionSpec>& option_table() {
    using K = OptionKind;
    static const std::vector<OptionSpec> options = {
        {"framework", K::each, "NAME[==VER][+cuXXX]", "framework to build for (default: those that are installed)", {}},
        {"toolkit", K::each, "DIR", "toolkit of this build; further ones are looked at too", {}},
        {"arch", K::one, "LIST", "architectures of the build, as CMake, torch or nvcc write them", {}},
        {"gpu", K::list, "CC|sm_XX|NAME", "GPUs that must run the result", {}},
        {"driver", K::list, "VER", "driver (or branch) that must run the result", {}},
        {"driver-libs", K::each, "DIR", "a driver's user-mode libraries: its JIT compiler is asked", {}},
        {"python", K::one, "EXE|DIR", "interpreter, or a folder to read as site-packages", {}},
        {"cxx-abi", K::one, "0|1", "_GLIBCXX_USE_CXX11_ABI of the project", {"0", "1"}},
        {"cxx-standard", K::one, "N", "C++ standard of the project (14, 17, 20, 23)", {"98", "11", "14", "17", "20", "23", "26"}},
        {"require", K::list, "WHAT", "what must be decided: driver, gpu, framework, toolkit", {"driver", "gpu", "framework", "toolkit"}},
        {"root", K::one, "DIR", "judge the unpacked tree DIR; nothing in it is run", {}},
        {"os", K::one, "linux|windows", "system of the tree under --root (default: as it looks)", {"linux", "windows"}},
        {"env", K::each, "K=V", "environment variable of the judged system", {}, "", false},
        {"probe", K::one, "auto|off|full", "compile test code: with the build's toolkit, not at all, with every toolkit", {"auto", "off", "full"}},
        {"no-cache", K::flag, "", "compile again even where nothing changed", {}},
        {"facts", K::one, "DIR", "tables that replace or add to the built-in ones", {}},
        {"config", K::one, "FILE", "configuration (default: the nearest ptxguard.toml or pyproject.toml)", {}, "", false},
        {"isolated", K::flag, "", "read no configuration file", {}, "", false},
        {"ignore", K::each, "CODE=reason", "suppress a rule, with the reason", {}},
        {"fail-on", K::one, "LEVEL", "exit with 1 from this level on: error, warning, unknown, never", {"error", "warning", "unknown", "never"}},
        {"format", K::one, "FORMAT", "text or json", format_names()},
        {"output", K::one, "FILE", "write the report there; text stays on stdout", {}, "o", false},
        {"quiet", K::flag, "", "warnings, errors and the verdict alone", {}, "q"},
        {"color", K::one, "auto|always|never", "colour of the text", {"auto", "always", "never"}},
        {"from-cmake", K::flag, "", "CMake asks: its search order decides", {}, "", false, true},
        {"cmake-nvcc", K::one, "FILE", "CMAKE_CUDA_COMPILER", {}, "", false, true},
        {"cmake-host-compiler", K::one, "FILE", "CMAKE_CUDA_HOST_COMPILER", {}, "", false, true},
        {"cmake-toolkit-root", K::one, "DIR", "CUDAToolkit_ROOT", {}, "", false, true},
        {"arch-origin", K::one, "NAME", "variable that --arch was taken from", {}, "", false, true},
    };
    return options;
}

const OptionSpec* find_option(const std::string& name) {
    for (const OptionSpec& option : option_table())
        if (name == option.name) return &option;
    return nullptr;
}

}  // namespace ptxguard
