// The driver compiles PTX at every start, because it cannot cache the result. Only if a GPU of this machine
// has nothing else to run: otherwise nothing is compiled.
// SPDX-License-Identifier: Apache-2.0
#include "judge/entry_fit.hpp"
#include "judge/framework_questions.hpp"
#include "judge/ptx_questions.hpp"

namespace ptxguard {
namespace {

// "PyTorch 2.9.1 for RTX 5090 (sm_120)": software here that has only PTX for a GPU here.
std::vector<std::string> compiled_at_start(const Scenario& scenario, const Facts& facts) {
    std::vector<std::string> programs;
    for (const Gpu& gpu : scenario.gpus) {
        if (gpu.declared || !gpu.arch) continue;
        const auto add_if = [&](const std::string& name, const std::vector<Target>& code) {
            if (!code.empty() && code_fit(code, *gpu.arch, scenario, facts) == CodeFit::ptx)
                programs.push_back(SAY("{} for {}", name, name_of(gpu)));
        };
        for (const Expectation& expectation : scenario.expectations)
            if (!expectation.declared && expectation.archs && expectation.may_use_cuda())
                add_if(name_of(expectation), *expectation.archs);
        if (toolkit_of_build(scenario)) add_if("this build", scenario.project.archs.targets);
    }
    return programs;
}

}  // namespace

PTXGUARD_RULE(CC212) {
    for (const Driver& driver : scenario.drivers) {
        if (driver.declared || !driver.keeps_no_code) continue;
        const std::vector<std::string> programs = compiled_at_start(scenario, facts);
        if (programs.empty()) continue;
        const Origin& origin = driver.keeps_no_code.origin;
        Composed finding = add(findings, "CC212", Level::warning, "compute cache",
                               SAY("{} compiles the PTX of {} at every start: {}", name_of(driver), programs,
                                   *driver.keeps_no_code));
        finding.found("compute cache", *driver.keeps_no_code, origin)
            .expected("compute cache", "a folder that can be written", driver.origin)
            .because(
                "no cubin fits, so the driver compiles the PTX and keeps the result in the compute cache; "
                "without it, each process compiles again, which takes seconds to minutes");
        if (origin.variable == "CUDA_CACHE_DISABLE")
            finding.fix(unset_variable("CUDA_CACHE_DISABLE", scenario.system));
        else
            finding.by_hand("set CUDA_CACHE_PATH to a folder that this user can write and that is kept");
    }
}

}  // namespace ptxguard
