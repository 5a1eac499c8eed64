// One row per option, with the commands that take it.
// SPDX-License-Identifier: Apache-2.0
#include "commands/options.hpp"

#include <string_view>

#include "report/report.hpp"

namespace ptxguard {
namespace {

std::vector<const char*> format_names() {
    std::vector<const char*> names;
    for (const ReportFormat& format : report_formats()) names.push_back(format.name);
    return names;
}

const char* format_help() {
    static const std::string text = [] {
        std::string names;
        for (const ReportFormat& format : report_formats())
            names += (names.empty() ? "" : ", ") + std::string(format.name);
        return names;
    }();
    return text.c_str();
}

}  // namespace

const std::vector<OptionSpec>& option_table() {
    using K = OptionKind;
    static const std::vector<OptionSpec> options = {
        {"framework",
         by_check,
         K::each,
         "NAME[==VER][+cuXXX]",
         "framework to check, and no other (default: all that are installed)",
         {}},
        {"toolkit",
         by_check | by_matrix,
         K::each,
         "DIR",
         "toolkit that this build uses; repeat it to check others too",
         {}},
        {"build",
         by_check,
         K::flag,
         "",
         "also check what the toolkit here would build, not only what is installed",
         {}},
        {"arch",
         by_check | by_matrix,
         K::one,
         "LIST",
         "architectures of the build, in the notation of CMake, torch or nvcc",
         {}},
        {"gpu",
         by_check | by_inspect | by_matrix,
         K::list,
         "CC|sm_XX|NAME",
         "GPUs that will run the result",
         {}},
        {"driver",
         by_check | by_inspect | by_matrix,
         K::list,
         "VER",
         "driver version (or branch) that will run the result",
         {}},
        {"driver-libs",
         by_check | by_matrix,
         K::each,
         "DIR",
         "folder with a driver's user-mode libraries; its JIT compiler is called",
         {}},
        {"python",
         by_check | by_deps | by_matrix,
         K::one,
         "EXE|DIR",
         "Python interpreter, or a site-packages folder",
         {}},
        {"cxx-abi", by_check, K::one, "0|1", "_GLIBCXX_USE_CXX11_ABI of the project", {"0", "1"}},
        {"cxx-standard",
         by_check,
         K::one,
         "N",
         "C++ standard of the project (14, 17, 20, 23)",
         {"98", "11", "14", "17", "20", "23", "26"}},
        {"only-named",
         by_matrix,
         K::flag,
         "",
         "use only what the command line names, not PATH, packages or default folders",
         {},
         "",
         false},
        {"require",
         by_check,
         K::list,
         "WHAT",
         "must be found: driver, gpu, framework, toolkit; linked libraries: cudnn, cublas",
         {"driver", "gpu", "framework", "toolkit", "cudnn", "cublas"}},
        {"entries", by_inspect, K::flag, "", "list every entry, not only the summary", {}, "", false},
        {"deep",
         by_inspect,
         K::flag,
         "",
         "read the payloads too, for example the CUDA release that built each cubin",
         {},
         "",
         false},
        {"extract",
         by_inspect,
         K::one,
         "SM",
         "write the code for an architecture (sm_90a, compute_90 ...) or all to --to DIR",
         {},
         "",
         false},
        {"to", by_inspect, K::one, "DIR", "folder for --extract", {}, "", false},
        {"all", by_deps, K::flag, "", "include libraries that are not from NVIDIA", {}, "", false},
        {"undefined",
         by_deps,
         K::flag,
         "",
         "count symbols that no library defines (as ldd -r reports them)",
         {},
         "",
         false},
        {"host-exe",
         by_check | by_deps,
         K::one,
         "DIR",
         "folder of the program that loads the file or hosts Python (for example .NET)",
         {}},
        {"verify",
         by_facts,
         K::flag,
         "",
         "measure the named tools and libraries (files or folders) and compare them with the tables",
         {},
         "",
         false},
        {"root", by_all, K::one, "DIR", "check the unpacked image in DIR; nothing in it is run", {}},
        {"os",
         by_all,
         K::one,
         "linux|windows",
         "system of the image in --root (default: detected)",
         {"linux", "windows"}},
        {"env", by_all, K::each, "K=V", "environment variable of the checked system", {}, "", false},
        {"probe",
         by_check | by_matrix,
         K::one,
         "auto|off|full",
         "test compiles: auto = with this build's toolkit, off = none, full = with every toolkit",
         {"auto", "off", "full"}},
        {"no-cache",
         by_check | by_matrix,
         K::flag,
         "",
         "run test compiles again even if nothing changed",
         {}},
        {"facts",
         by_all | by_facts,
         K::one,
         "DIR",
         "folder with tables that replace or extend the built-in ones",
         {}},
        {"config",
         by_all | by_facts,
         K::one,
         "FILE",
         "configuration file (default: the nearest ptxguard.toml or pyproject.toml)",
         {},
         "",
         false},
        {"isolated",
         by_all | by_facts,
         K::flag,
         "",
         "read no configuration file, and no .venv of the project",
         {},
         "",
         false},
        {"ignore", by_all, K::each, "CODE=reason", "suppress a rule; a reason is required", {}},
        {"fail-on",
         by_all,
         K::one,
         "LEVEL",
         "exit with 1 at this level or above: error, warning, unknown, never",
         {"error", "warning", "unknown", "never"}},
        {"format", by_all | by_facts, K::one, "FORMAT", format_help(), format_names()},
        {"output",
         by_all | by_facts,
         K::one,
         "FILE",
         "write the report to FILE; the text report is still printed",
         {},
         "o",
         false},
        {"quiet", by_all, K::flag, "", "show only errors, warnings and the verdict", {}, "q"},
        {"verbose", by_check, K::flag, "", "show everything that was found, and all evidence", {}, "v"},
        {"show",
         by_check,
         K::list,
         "WHAT",
         "also show inventory (what was found), picks (tools of each program), compiled (test compiles)",
         {"inventory", "picks", "compiled"}},
        {"color", by_all, K::one, "auto|always|never", "colour the text", {"auto", "always", "never"}},
        {"only-findings", by_all, K::flag, "", "print nothing if there is no finding", {}, "", false, true},
        {"from-cmake", by_check, K::flag, "", "called by CMake: use its search order", {}, "", false, true},
        {"cmake-nvcc", by_check, K::one, "FILE", "CMAKE_CUDA_COMPILER", {}, "", false, true},
        {"cmake-host-compiler", by_check, K::one, "FILE", "CMAKE_CUDA_HOST_COMPILER", {}, "", false, true},
        {"cmake-toolkit-root", by_check, K::one, "DIR", "CUDAToolkit_ROOT", {}, "", false, true},
        {"arch-place", by_check, K::each, "LIST @ FILE @ PLACE", "architectures or flags at a place of a CMake project", {}, "", false, true},
        {"arch-origin", by_check, K::one, "NAME", "variable that --arch comes from", {}, "", false, true},
    };
    return options;
}

bool names_a_place(const OptionSpec& option) {
    return std::string_view(option.value).find("DIR") != std::string_view::npos;
}

const OptionSpec* find_option(const std::string& name) {
    for (const OptionSpec& option : option_table())
        if (name == option.name) return &option;
    return nullptr;
}

}  // namespace ptxguard
