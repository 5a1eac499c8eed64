// CC108 host_compiler_unsupported: the host compiler that nvcc calls is newer (or older) than
// crt/host_config.h allows. An error if the header refused it in a test compile; a warning if only its limits
// are known.
// SPDX-License-Identifier: Apache-2.0
#include "judge/rule.hpp"
#include "judge/fixes.hpp"
#include "judge/toolkit_questions.hpp"

namespace ptxguard {
namespace {

std::string name_of(const HostCompiler& compiler) {
    return with_release(compiler.family.empty() ? "host compiler" : compiler.family, compiler.version);
}

std::string allowed(const HostCompilerLimits& limits, const std::string& family) {
    if (family == "gcc" && limits.gcc_max) return SAY("gcc up to {}", *limits.gcc_max);
    if (family == "clang" && limits.clang_max) return SAY("clang up to {}", *limits.clang_max);
    if (family == "msvc" && limits.msvc_ver_below)
        return SAY("_MSC_VER {} to below {}", limits.msvc_ver_min.value_or(0), *limits.msvc_ver_below);
    return "";
}

// The newest one that nvcc supports: "g++-13".
std::string newest_program(const HostCompilerLimits* limits, const std::string& family) {
    if (limits && family == "gcc" && limits->gcc_max) return "g++-" + std::to_string(*limits->gcc_max);
    if (limits && family == "clang" && limits->clang_max)
        return "clang++-" + std::to_string(*limits->clang_max);
    return "";
}

std::vector<Fix> fixes(const Scenario& scenario, const HostCompilerLimits* limits, const std::string& family,
                       bool fails_unchecked) {
    std::vector<Fix> all;
    const std::vector<std::string>& here = scenario.project.host_compiler.fitting;
    if (family == "msvc" && !here.empty())
        all = msvc_fixes(scenario);
    else if (!here.empty())
        all.push_back(choose_host_compiler(scenario, here.front()));
    const std::string program = newest_program(limits, family);
    if (here.empty() && !program.empty()) {
        Fix fix = choose_host_compiler(scenario, program);
        all.push_back(by_hand(SAY("install {}, then {}", program, fix.text)));
    } else if (family == "msvc" && here.empty())
        all.push_back(by_hand("choose a Visual Studio toolset in the range: -vcvars_ver, or -T of CMake"));
    if (fails_unchecked) return all;
    all.push_back(by_hand(is_named_by_cmake(scenario)
                              ? "at your own risk: -allow-unsupported-compiler in CMAKE_CUDA_FLAGS"
                              : "at your own risk: nvcc -allow-unsupported-compiler"));
    return all;
}

}  // namespace

PTXGUARD_RULE(CC108) {
    const Toolkit* toolkit = scenario.build_toolkit();
    if (!toolkit) return;
    const HostCompilerAnswer answer = ask_host_compiler(scenario, facts, *toolkit);
    if (answer.outcome != Outcome::refused) return;
    const HostCompiler& compiler = scenario.project.host_compiler;
    const Version* version = toolkit->version();
    const std::string nvcc = version ? SAY("nvcc {}", version->text) : "nvcc";
    const std::string name =
        compiler.path.empty() ? name_of(compiler) : SAY("{} at {}", name_of(compiler), compiler.path);
    const bool stops_later = answer.is_unchecked && !answer.refusal;
    Composed finding = add(findings, "CC108", answer.refusal ? Level::error : Level::warning,
                           compiler.path.empty() ? "host compiler" : compiler.path,
                           stops_later      ? SAY("{}: predicted: {} cannot read its headers", name, nvcc)
                           : answer.refusal ? SAY("{}: {} refuses it", name, nvcc)
                                            : SAY("{}: predicted: {} refuses it", name, nvcc));
    finding.about(scenario, *toolkit)
        .found("host compiler", name, compiler.chosen_by)
        .because(stops_later ? "-allow-unsupported-compiler only switches the check off: the STL stops with "
                               "error STL1002, or cudafe++ with an access violation"
                             : "nvcc's crt/host_config.h stops every compile with a host compiler that it "
                               "does not support")
        .fix(fixes(scenario, answer.limits, compiler.family, answer.fails_unchecked));
    if (answer.refusal)
        finding.found("crt/host_config.h", answer.refusal->first_error, answer.refusal->origin());
    if (answer.limits)
        if (const std::string range = allowed(*answer.limits, compiler.family); !range.empty())
            finding.expected("host compiler", range, answer.limits->origin);
}

}  // namespace ptxguard
