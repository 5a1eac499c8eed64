// CUDA 13 reads NVCC_CCBIN, 12.4 and 11.8 ignore it; all of them read the flags, where the last -ccbin wins.
// On Windows nvcc keeps the quotes of a path with blanks in NVCC_PREPEND_FLAGS and then cannot run it.
// (Measured.)
// SPDX-License-Identifier: Apache-2.0
#include "judge/host_compiler_fixes.hpp"

#include "judge/toolkit_questions.hpp"

namespace ptxguard {
namespace {

constexpr const char* k_msvc_below = "/VC/Tools/MSVC/";

// .../2022/BuildTools/VC/Tools/MSVC/14.38.33130/bin/Hostx64/x64/cl.exe: "14.38"
std::string toolset_of(const std::string& compiler) {
    const std::size_t at = compiler.find(k_msvc_below) + std::string(k_msvc_below).size();
    return compiler.substr(at, compiler.find('.', compiler.find('.', at) + 1) - at);
}

Fix prompt_fix(const std::string& compiler) {
    const std::string installation = compiler.substr(0, compiler.find(k_msvc_below));
    return {FixKind::manual, "work in the developer prompt of Visual Studio: \"" + installation +
                                 "/VC/Auxiliary/Build/vcvars64.bat\" -vcvars_ver=" + toolset_of(compiler) +
                                 " in cmd, or the x64 Native Tools prompt of the Start menu"};
}

Fix install_fix(const Scenario& scenario) {
    const std::vector<std::string>& unfit = scenario.project.host_compiler.unfit;
    if (unfit.empty())
        return {FixKind::manual,
                "install the Build Tools of Visual Studio with \"Desktop development with C++\", and work in "
                "their x64 Native Tools prompt"};
    return {FixKind::manual,
            "add an older toolset (MSVC v143) in the Visual Studio Installer, or use a CUDA "
            "release that supports " +
                unfit.front()};
}

}  // namespace

bool is_outside_developer_prompt(const Scenario& scenario) {
    const HostCompiler& host = scenario.project.host_compiler;
    return scenario.system == System::windows && !host.trouble.empty() && host.chosen_by.variable == "PATH";
}

// Those of CMake come behind CMAKE_CUDA_HOST_COMPILER.
std::string flags_that_choose_host_compiler(const Scenario& scenario) {
    const Origin& by = scenario.project.host_compiler.chosen_by;
    const bool flags = by.kind == OriginKind::option && by.variable != "CMAKE_CUDA_HOST_COMPILER";
    return flags ? by.variable : std::string();
}

Fix choose_host_compiler(const Scenario& scenario, const std::string& program) {
    const std::string& chooser = scenario.project.host_compiler.chosen_by.variable;
    if (const std::string flags = flags_that_choose_host_compiler(scenario); !flags.empty())
        return {FixKind::manual, "name " + program + " in " + flags + " instead"};
    if (is_named_by_cmake(scenario)) return {FixKind::setting, "-DCMAKE_CUDA_HOST_COMPILER=" + program};
    if (chooser == "CUDAHOSTCXX") return set_variable(chooser, program, scenario.system);
    if (scenario.system == System::windows && program.find(' ') != std::string::npos) {
        const Toolkit* toolkit = scenario.build_toolkit();
        const Version* version = toolkit ? toolkit->version() : nullptr;
        if (version && version->major() >= 13 && chooser == "PATH")
            return set_variable("NVCC_CCBIN", program, scenario.system);
        return {FixKind::manual, "pass nvcc -ccbin \"" + program + "\""};
    }
    const std::string value = "-ccbin " + program;
    if (const auto& flags = scenario.project.nvcc_flags)
        return extend_variable(flags.origin.variable, value, scenario.system);
    const bool last_word = chooser == "NVCC_APPEND_FLAGS";
    return set_variable(last_word ? chooser : "NVCC_PREPEND_FLAGS", value, scenario.system);
}

bool needs_developer_prompt(const Scenario& scenario) {
    const Project& project = scenario.project;
    return project.requested && !(project.torch_builds && !project.host_compiler.fitting.empty());
}

std::vector<Fix> msvc_fixes(const Scenario& scenario) {
    const std::vector<std::string>& fitting = scenario.project.host_compiler.fitting;
    if (fitting.empty()) return {install_fix(scenario)};
    return {choose_host_compiler(scenario, fitting.front()), prompt_fix(fitting.front())};
}

}  // namespace ptxguard
