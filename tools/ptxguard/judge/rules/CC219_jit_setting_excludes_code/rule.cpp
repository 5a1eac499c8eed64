// A variable lets the driver ignore cubins or PTX, and nothing else of a program runs on a GPU of this
// machine.
// SPDX-License-Identifier: Apache-2.0
#include "facts/framework_traits.hpp"
#include "judge/entry_fit.hpp"
#include "judge/framework_questions.hpp"
#include "judge/ptx_questions.hpp"

namespace ptxguard {
namespace {

struct Setting {
    const Known<std::string>& set;
    const char* ignored;  // "cubins"
    bool Target::*kind;   // what no longer counts
    const char* error;
};

struct Program {
    std::string name;
    std::vector<Target> code;
    Entity id;
};

// Without frameworks that compile at run time: the driver loads the cubins that they hand to it.
std::vector<Program> programs_here(const Scenario& scenario, const Facts& facts) {
    std::vector<Program> programs;
    for (const Expectation& expectation : scenario.expectations)
        if (expectation.archs && expectation.may_use_cuda() &&
            !framework_traits(facts, expectation.framework).compiles)
            programs.push_back({name_of(expectation), *expectation.archs, id_of(scenario, expectation)});
    if (toolkit_of_build(scenario))
        programs.push_back({"this build", scenario.project.archs.targets, k_build});
    return programs;
}

void judge(const Setting& setting, const Driver& driver, const Gpu& gpu, const Program& program,
           const Scenario& scenario, const Facts& facts, Findings& findings) {
    std::vector<Target> left = program.code;
    for (Target& target : left) target.*setting.kind = false;
    const CodeFit usual = code_fit(program.code, *gpu.arch, scenario, facts);
    if (usual != CodeFit::cubin && usual != CodeFit::ptx) return;
    if (code_fit(left, *gpu.arch, scenario, facts) != CodeFit::none) return;
    add(findings, "CC219", Level::error, SAY("{} on {}", program.name, name_of(gpu)),
        SAY("nothing of {} runs on {}: {} lets the driver ignore {}", program.name, name_of(gpu),
            *setting.set, setting.ignored))
        .about(program.id)
        .about(scenario, gpu)
        .found("device code", words_of(program.code), Origin{})
        .found("variable", *setting.set, setting.set.origin)
        .expected("device code", SAY("the code for {} is loaded", gpu.arch->sm()), driver.origin)
        .because(setting.error)
        .fix(unset_variable(setting.set.origin.variable, scenario.system));
}

}  // namespace

PTXGUARD_RULE(CC219) {
    for (const Driver& driver : scenario.drivers) {
        const Setting settings[] = {
            {driver.ignores_cubins, "cubins", &Target::real,
             "the driver then loads PTX only, and no PTX fits this GPU (CUDA error 209)"},
            {driver.ignores_ptx, "PTX", &Target::ptx,
             "the driver then compiles no PTX, and no cubin fits this GPU (CUDA error 223)"}};
        for (const Setting& setting : settings) {
            if (driver.declared || !setting.set) continue;
            for (const Gpu& gpu : scenario.gpus)
                for (const Program& program : programs_here(scenario, facts))
                    if (gpu.arch && !gpu.declared)
                        judge(setting, driver, gpu, program, scenario, facts, findings);
        }
    }
}

}  // namespace ptxguard
