// CC108 host_compiler_unsupported: the host compiler that nvcc calls is newer (or older) than
// crt/host_config.h allows. An error if the header refused it in a test compile; a warning if only its limits
// are known.
// SPDX-License-Identifier: Apache-2.0
#include "judge/rule.hpp"
#include "judge/toolkit_questions.hpp"

namespace ptxguard {
namespace {

std::string name_of(const HostCompiler& compiler) {
    std::string name = compiler.family.empty() ? "host compiler" : compiler.family;
    if (compiler.version) name += " " + compiler.version->text;
    return name;
}

// cl.exe 19.44 defines _MSC_VER 1944.
int msc_ver(const Version& version) { return version.major() * 100 + version.minor(); }

bool outside(const HostCompilerLimits& limits, const HostCompiler& compiler) {
    if (!compiler.version) return false;
    const Version& version = *compiler.version;
    if (compiler.family == "gcc") return limits.gcc_max && version.major() > *limits.gcc_max;
    if (compiler.family == "clang") return limits.clang_max && version.major() > *limits.clang_max;
    if (compiler.family == "msvc")
        return (limits.msvc_ver_min && msc_ver(version) < *limits.msvc_ver_min) ||
               (limits.msvc_ver_below && msc_ver(version) >= *limits.msvc_ver_below);
    return false;
}

std::string allowed(const HostCompilerLimits& limits, const std::string& family) {
    if (family == "gcc" && limits.gcc_max) return "gcc up to " + std::to_string(*limits.gcc_max);
    if (family == "clang" && limits.clang_max) return "clang up to " + std::to_string(*limits.clang_max);
    if (family == "msvc" && limits.msvc_ver_below)
        return "_MSC_VER " + std::to_string(limits.msvc_ver_min.value_or(0)) + " to below " +
               std::to_string(*limits.msvc_ver_below);
    return "";
}

// In the notation of the setting that selects it now. CUDA 13 reads NVCC_CCBIN, 12.4 and 11.8 ignore it
// (measured); all of them read the flags, where the last -ccbin wins.
Fix choose(const Scenario& scenario, const std::string& program) {
    const Selector* decider = deciding_selector(scenario);
    if (decider && decider->kind == SelectorKind::cmake)
        return {FixKind::setting, "-DCMAKE_CUDA_HOST_COMPILER=" + program};
    const std::string& chooser = scenario.project.host_compiler.chosen_by.variable;
    if (chooser == "CUDAHOSTCXX") return set_variable(chooser, program, scenario.system);
    const std::string value = "-ccbin " + program;
    if (const auto& flags = scenario.project.nvcc_flags)
        return extend_variable(flags.origin.variable, value, scenario.system);
    const bool last_word = chooser == "NVCC_APPEND_FLAGS";
    return set_variable(last_word ? chooser : "NVCC_PREPEND_FLAGS", value, scenario.system);
}

std::vector<Fix> fixes(const Scenario& scenario, const HostCompilerLimits* limits,
                       const std::string& family) {
    std::vector<Fix> all;
    const std::vector<std::string>& here = scenario.project.host_compiler.fitting;
    if (!here.empty()) all.push_back(choose(scenario, here.front()));
    std::string program;
    if (limits && family == "gcc" && limits->gcc_max) program = "g++-" + std::to_string(*limits->gcc_max);
    if (limits && family == "clang" && limits->clang_max)
        program = "clang++-" + std::to_string(*limits->clang_max);
    if (here.empty() && !program.empty()) {
        Fix fix = choose(scenario, program);
        all.push_back({FixKind::manual, "install " + program + ", then " + fix.text});
    } else if (family == "msvc")
        all.push_back(
            {FixKind::manual, "choose a Visual Studio toolset in the range: -vcvars_ver, or -T of CMake"});
    all.push_back({FixKind::manual, "at your own risk: nvcc -allow-unsupported-compiler"});
    return all;
}

bool check_is_switched_off(const Scenario& scenario) {
    const Known<std::string>& flags = scenario.project.nvcc_flags;
    return flags && flags->find("-allow-unsupported-compiler") != std::string::npos;
}

}  // namespace

PTXGUARD_RULE(CC108) {
    const Toolkit* toolkit = scenario.build_toolkit();
    const Version* version = toolkit ? toolkit->version() : nullptr;
    if (!toolkit || !toolkit->part(PartKind::nvcc) || compiled(scenario, toolkit->id)) return;
    const ProbeResult* refusal = failed_compile(scenario, toolkit->id);
    if (refusal && refusal->failure != Failure::host_compiler)
        return;  // the compile ran and failed for another reason
    const HostCompiler& compiler = scenario.project.host_compiler;
    const CudaRelease* release = version ? facts.cuda(*version) : nullptr;
    const HostCompilerLimits* limits = release ? &release->host_compilers : nullptr;
    if (!refusal && (!limits || !outside(*limits, compiler) || check_is_switched_off(scenario))) return;

    const std::string nvcc = version ? "nvcc " + version->text : "nvcc";
    const std::string said = refusal ? nvcc + " refuses it" : "predicted: " + nvcc + " refuses it";
    const std::string at = compiler.path.empty() ? "" : " at " + compiler.path;
    Finding& finding =
        add(findings, "CC108", refusal ? Level::error : Level::warning,
            compiler.path.empty() ? "host compiler" : compiler.path, name_of(compiler) + at + ": " + said);
    finding.found = {{"host compiler", name_of(compiler) + at, compiler.chosen_by}};
    if (refusal) finding.found.push_back({"crt/host_config.h", refusal->first_error, refusal->origin()});
    if (limits && !allowed(*limits, compiler.family).empty())
        finding.expected = {{"host compiler", allowed(*limits, compiler.family), limits->origin}};
    finding.because =
        "nvcc's crt/host_config.h stops every compile with a host compiler that it does not support";
    finding.fix = fixes(scenario, limits, compiler.family);
}

}  // namespace ptxguard
