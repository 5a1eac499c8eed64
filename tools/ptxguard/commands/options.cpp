// One row per option, with the commands that take it.
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
        {"framework",
         by_check,
         K::each,
         "NAME[==VER][+cuXXX]",
         "framework to build for (default: those that are installed)",
         {}},
        {"toolkit", by_check, K::each, "DIR", "toolkit of this build; further ones are looked at too", {}},
        {"arch",
         by_check,
         K::one,
         "LIST",
         "architectures of the build, as CMake, torch or nvcc write them",
         {}},
        {"gpu", by_check | by_inspect, K::list, "CC|sm_XX|NAME", "GPUs that must run the result", {}},
        {"driver", by_check | by_inspect, K::list, "VER", "driver (or branch) that must run the result", {}},
        {"driver-libs",
         by_check,
         K::each,
         "DIR",
         "a driver's user-mode libraries: its JIT compiler is asked",
         {}},
        {"python",
         by_check | by_deps,
         K::one,
         "EXE|DIR",
         "interpreter, or a folder to read as site-packages",
         {}},
        {"cxx-abi", by_check, K::one, "0|1", "_GLIBCXX_USE_CXX11_ABI of the project", {"0", "1"}},
        {"cxx-standard",
         by_check,
         K::one,
         "N",
         "C++ standard of the project (14, 17, 20, 23)",
         {"98", "11", "14", "17", "20", "23", "26"}},
        {"require",
         by_check,
         K::list,
         "WHAT",
         "what must be decided: driver, gpu, framework, toolkit",
         {"driver", "gpu", "framework", "toolkit"}},
        {"entries", by_inspect, K::flag, "", "list every entry, not only the summary", {}, "", false},
        {"deep",
         by_inspect,
         K::flag,
         "",
         "look into the payloads: the CUDA release that made each cubin",
         {},
         "",
         false},
        {"extract",
         by_inspect,
         K::one,
         "SM",
         "write the code for sm_90a, compute_90 ... or all to the folder --to DIR",
         {},
         "",
         false},
        {"to", by_inspect, K::one, "DIR", "folder for --extract", {}, "", false},
        {"all", by_deps, K::flag, "", "libraries that are none of NVIDIA's, too", {}, "", false},
        {"undefined",
         by_deps,
         K::flag,
         "",
         "count the symbols that no library defines (what ldd -r would say)",
         {},
         "",
         false},
        {"host-exe",
         by_deps,
         K::one,
         "DIR",
         "folder of the program that loads the file (python.exe, an application)",
         {}},
        {"root", by_all, K::one, "DIR", "judge the unpacked tree DIR; nothing in it is run", {}},
        {"os",
         by_all,
         K::one,
         "linux|windows",
         "system of the tree under --root (default: as it looks)",
         {"linux", "windows"}},
        {"env", by_all, K::each, "K=V", "environment variable of the judged system", {}, "", false},
        {"probe",
         by_check,
         K::one,
         "auto|off|full",
         "compile test code: with the build's toolkit, not at all, with every toolkit",
         {"auto", "off", "full"}},
        {"no-cache", by_check, K::flag, "", "compile again even where nothing changed", {}},
        {"facts", by_all, K::one, "DIR", "tables that replace or add to the built-in ones", {}},
        {"config",
         by_all,
         K::one,
         "FILE",
         "configuration (default: the nearest ptxguard.toml or pyproject.toml)",
         {},
         "",
         false},
        {"isolated", by_all, K::flag, "", "read no configuration file", {}, "", false},
        {"ignore", by_all, K::each, "CODE=reason", "suppress a rule, with the reason", {}},
        {"fail-on",
         by_all,
         K::one,
         "LEVEL",
         "exit with 1 from this level on: error, warning, unknown, never",
         {"error", "warning", "unknown", "never"}},
        {"format", by_all, K::one, "FORMAT", "text or json", format_names()},
        {"output", by_all, K::one, "FILE", "write the report there; text stays on stdout", {}, "o", false},
        {"quiet", by_all, K::flag, "", "warnings, errors and the verdict alone", {}, "q"},
        {"color", by_all, K::one, "auto|always|never", "colour of the text", {"auto", "always", "never"}},
        {"only-findings", by_all, K::flag, "", "print nothing where nothing was found", {}, "", false, true},
        {"from-cmake", by_check, K::flag, "", "CMake asks: its search order decides", {}, "", false, true},
        {"cmake-nvcc", by_check, K::one, "FILE", "CMAKE_CUDA_COMPILER", {}, "", false, true},
        {"cmake-host-compiler", by_check, K::one, "FILE", "CMAKE_CUDA_HOST_COMPILER", {}, "", false, true},
        {"cmake-toolkit-root", by_check, K::one, "DIR", "CUDAToolkit_ROOT", {}, "", false, true},
        {"arch-origin", by_check, K::one, "NAME", "variable that --arch was taken from", {}, "", false, true},
    };
    return options;
}

const OptionSpec* find_option(const std::string& name) {
    for (const OptionSpec& option : option_table())
        if (name == option.name) return &option;
    return nullptr;
}

}  // namespace ptxguard
