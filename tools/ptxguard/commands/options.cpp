// One row per option, with the commands that accept it.
// SPDX-License-Identifier: Apache-2.0
#include "commands/options.hpp"

#include <string_view>
#include <utility>

#include "model/ranges.hpp"
#include "report/report.hpp"

namespace ptxguard {

const char* to_string(OptionGroup group) {
    switch (group) {
        case OptionGroup::subject: return "what is checked";
        case OptionGroup::target: return "machines that run it";
        case OptionGroup::how: return "how";
        case OptionGroup::findings: return "findings";
        case OptionGroup::output: return "output";
    }
    return "";
}

namespace {

// What is checked, and for which machines.
std::vector<OptionSpec> options_of_facts() {
    using K = OptionKind;
    using G = OptionGroup;
    using Opt = OptionSpec;
    return {
        Opt(G::subject, "framework", by_check | by_plan | by_explain, K::each, "NAME[==VER][+cuXXX]",
            "check only this framework (repeatable; default: all that are installed)"),
        Opt(G::subject, "toolkit", by_check | by_inspect | by_matrix | by_explain, K::each, "DIR",
            "CUDA toolkit to check (repeatable); the first is the one that this build uses"),
        Opt(G::subject, "cuda-home", by_plan, K::one, "none",
            "no CUDA toolkit is there (the default: the builds of a plan bring their CUDA)", {"none"}, "",
            false, true),
        Opt(G::subject, "build", by_check | by_explain, K::flag, "",
            "also check what the toolkit here would build, not only what is installed"),
        Opt(G::subject, "arch", by_check | by_matrix | by_explain, K::one, "LIST",
            "architectures of the build, in the notation of CMake, torch or nvcc"),
        Opt(G::target, "gpu", by_check | by_inspect | by_matrix | by_plan | by_lint | by_explain, K::list,
            "CC|sm_XX|NAME", "GPUs that will run the result; --list-gpus prints the names"),
        Opt(G::target, "driver", by_check | by_inspect | by_matrix | by_plan | by_lint | by_explain, K::list,
            "VER", "driver version or branch that will run the result (repeatable)"),
        Opt(G::target, "node", by_plan, K::each, "[NAME=]GPU:DRIVER",
            "node type of a cluster, such as h100=H100:580.65.06; [nodes] in a configuration file"),
        Opt(G::target, "driver-libs", by_check | by_inspect | by_matrix | by_explain, K::each, "DIR",
            "folder with a driver's user-mode libraries; its JIT compiler is called"),
        Opt(G::subject, "python", by_check | by_deps | by_matrix | by_plan | by_explain, K::one,
            "EXE|DIR|VER", "Python interpreter or site-packages folder; plan: a version such as 3.12"),
        Opt(G::subject, "module", by_check | by_explain, K::each, "FILE",
            "native module that this Python imports, besides those of its packages"),
        Opt(G::subject, "cxx-abi", by_check, K::one, "0|1", "_GLIBCXX_USE_CXX11_ABI of the project",
            {"0", "1"}),
        Opt(G::subject, "cxx-standard", by_check, K::one, "N", "C++ standard of the project (14, 17, 20, 23)",
            {"98", "11", "14", "17", "20", "23", "26"}),
        Opt(G::subject, "only-named", by_matrix, K::flag, "",
            "use only what the command line names, not PATH, packages or default folders", {}, "", false),
        Opt(G::findings, "require", by_check, K::list, "WHAT",
            "must be found: driver, gpu, framework, toolkit; linked libraries: cudnn, cublas",
            {"driver", "gpu", "framework", "toolkit", "cudnn", "cublas"}),
        Opt(G::subject, "here", by_explain, K::flag, "",
            "also check this machine (or --root), and name what is wrong with it"),
        Opt(G::subject, "entries", by_inspect, K::flag, "", "list every entry, not only the summary", {}, "",
            false),
        Opt(G::subject, "deep", by_inspect, K::flag, "",
            "read the payloads too, for example the CUDA release that built each cubin", {}, "", false),
        Opt(G::subject, "compile", by_inspect, K::flag, "",
            "compile the code that the GPUs have to run, with --driver-libs and the compilers of --toolkit",
            {}, "", false),
        Opt(G::subject, "extract", by_inspect, K::one, "SM",
            "write the code for an architecture (sm_90a, compute_90 ...) or all to --to DIR", {}, "", false),
        Opt(G::subject, "to", by_inspect, K::one, "DIR", "folder for --extract", {}, "", false),
        Opt(G::subject, "all", by_deps, K::flag, "", "include libraries that are not from NVIDIA", {}, "",
            false),
        Opt(G::subject, "undefined", by_deps, K::flag, "",
            "count symbols that no library defines (as ldd -r reports them)", {}, "", false),
        Opt(G::subject, "host-exe", by_check | by_deps, K::one, "DIR",
            "program that loads the file or hosts Python (for example .NET), or its folder"),
        Opt(G::subject, "verify", by_facts, K::flag, "",
            "measure the named tools and libraries (files or folders) and compare them with the tables", {},
            "", false),
        Opt(G::subject, "root", by_all | by_explain, K::one, "DIR",
            "check the unpacked image in DIR; nothing in it is run"),
        Opt(G::subject, "os", by_all | by_plan | by_explain, K::one, "linux|windows",
            "target system (default: that of the image in --root, or this one); macos for plan only",
            {"linux", "windows", "macos"}),
        Opt(G::subject, "env", by_all | by_explain, K::each, "K=V",
            "environment variable of the checked system", {}, "", false),
        Opt(G::how, "probe", by_check | by_matrix | by_explain, K::one, "auto|off|full",
            "test compiles: auto = with this build's toolkit, off = none, full = with every toolkit",
            {"auto", "off", "full"}),
        Opt(G::how, "no-cache", by_check | by_matrix | by_explain, K::flag, "",
            "run test compiles again even if nothing changed"),
    };
}

}  // namespace

const std::vector<OptionSpec>& option_table() {
    static const std::vector<OptionSpec> options = [] {
        std::vector<OptionSpec> all = options_of_facts();
        for (const auto& more : {options_of_reports(), options_of_cmake()}) append(all, more);
        return all;
    }();
    return options;
}

bool names_a_place(const OptionSpec& option) {
    return std::string_view(option.value).find("DIR") != std::string_view::npos;
}

const OptionSpec* find_option(const std::string& name) {
    return first_where(option_table(), [&](const OptionSpec& option) { return name == option.name; });
}

// The options that decide how the tool works, which findings count, and what is written.

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

std::vector<OptionSpec> options_of_reports() {
    using K = OptionKind;
    using G = OptionGroup;
    using Opt = OptionSpec;
    return {
        Opt(G::how, "facts", by_reports | by_facts, K::one, "DIR",
            "folder with tables that replace or extend the built-in ones"),
        Opt(G::how, "config", by_reports | by_facts | by_compare, K::one, "FILE",
            "configuration file (default: the nearest .ptxguard.toml, ptxguard.toml or pyproject.toml)", {},
            "", false),
        Opt(G::how, "isolated", by_reports | by_facts | by_compare, K::flag, "",
            "read no configuration file, and no .venv of the project", {}, "", false),
        Opt(G::findings, "ignore", by_reports, K::each, "CODE=reason",
            "suppress a rule; a reason is required"),
        Opt(G::findings, "per-file-ignores", by_lint, K::each, "PATTERN:CODE=reason",
            "suppress a rule in the files that a pattern names; patterns as in .gitignore"),
        Opt(G::subject, "exclude", by_lint, K::each, "PATTERN",
            "leave these files and folders out; patterns as in .gitignore"),
        Opt(G::subject, "stdin-filename", by_lint, K::one, "FILE",
            "with '-', the file that standard input stands for; decides how it is read", {}, "", false),
        Opt(G::findings, "select", by_lint, K::list, "CODE",
            "only these rules; CC6 = all whose codes start with it"),
        Opt(G::findings, "fail-on", by_reports | by_compare, K::one, "LEVEL",
            "exit with 1 at this level or above: error, warning, unknown, never",
            {"error", "warning", "unknown", "never"}),
        Opt(G::output, "format", by_reports | by_facts | by_compare, K::one, "FORMAT", format_help(),
            format_names()),
        Opt(G::output, "output", by_reports | by_facts | by_compare, K::one, "FILE",
            "write the report to FILE; the text report is still printed", {}, "o", false),
        Opt(G::output, "write", by_reports, K::each, "FORMAT=FILE",
            "also write the report in another format (repeatable)", {}, "", false),
        Opt(G::output, "constraints", by_check | by_plan, K::one, "FILE",
            "write constraints for pip and uv that keep the frameworks and what they need through later "
            "installs",
            {}, "", false),
        Opt(G::output, "fix", by_lint, K::flag, "",
            "rewrite pins in the recipes where a finding has exactly one replacement", {}, "", false),
        Opt(G::output, "diff", by_lint, K::flag, "", "print what --fix would change, and write nothing", {},
            "", false),
        Opt(G::output, "quiet", by_reports, K::flag, "", "show only errors, warnings and the verdict", {},
            "q"),
        Opt(G::output, "verbose", by_check, K::flag, "", "show everything that was found, and all evidence",
            {}, "v"),
        Opt(G::output, "show", by_check, K::list, "WHAT",
            "also show inventory (what was found), picks (tools of each program), compiled (test compiles)",
            {"inventory", "picks", "compiled"}),
        Opt(G::output, "schema", by_reports | by_facts | by_compare, K::flag, "",
            "print the JSON schema of --format json", {}, "", false),
        Opt(G::output, "list-gpus", by_check | by_inspect | by_matrix | by_plan | by_lint, K::flag, "",
            "print the names that --gpu knows, with their architectures", {}, "", false),
        Opt(G::output, "shell", by_all, K::one, "powershell|cmd",
            "shell of Windows for which fixes are printed (default: powershell)", {"powershell", "cmd"}),
        Opt(G::output, "color", by_reports, K::one, "auto|always|never", "colour the text",
            {"auto", "always", "never"}),
    };
}

// The options with which the CMake module calls `check`; not in the help.

std::vector<OptionSpec> options_of_cmake() {
    using K = OptionKind;
    const auto row = [](const char* name, K kind, const char* value, const char* help,
                        std::vector<const char*> words = {}, unsigned taken_by = by_check) {
        return OptionSpec(OptionGroup::output, name, taken_by, kind, value, help, std::move(words), "", false,
                          true);
    };
    return {
        row("only-findings", K::flag, "", "print nothing if there is no finding", {}, by_all),
        row("from-cmake", K::flag, "", "called by CMake: use its search order"),
        row("cmake-script", K::flag, "", "print the results as a script for CMake instead of text"),
        row("component", K::each, "NAME[>=VER][?]",
            "framework or library that find_package() asks for; ? = optional"),
        row("cmake-nvcc", K::one, "FILE", "CMAKE_CUDA_COMPILER"),
        row("cmake-host-compiler", K::one, "FILE", "CMAKE_CUDA_HOST_COMPILER"),
        row("cmake-toolkit-root", K::one, "DIR", "CUDAToolkit_ROOT"),
        row("cmake-flags", K::each, "NAME=FLAGS", "flags that CMake passes to nvcc"),
        row("native-stops", K::flag, "", "CMake fails at `native`"),
        row("later", K::list, "WHAT", "what another call of this configure checks",
            {"toolkit", "host-compiler", "architectures", "driver"}),
        row("arch-place", K::each, "LIST @ FILE @ PLACE",
            "architectures or flags at a place of a CMake project"),
        row("arch-places", K::each, "FILE", "such places, one a line"),
        row("dropped-sources", K::each, "FILES @ FILE @ TARGET @ WHAT",
            "CUDA sources that a CMake project does not compile"),
        row("arch-origin", K::one, "NAME", "variable that --arch comes from"),
        row("written", K::each, "NAME=FILE:LINE", "where an option or a variable of CMake is set"),
    };
}

}  // namespace ptxguard
