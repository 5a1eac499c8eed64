// CC106 no_toolkit: no nvcc was found. Unknown, because nothing about compiling can be checked; an error if a
// toolkit is required.
// SPDX-License-Identifier: Apache-2.0

#include "judge/rule.hpp"
#include "judge/framework_questions.hpp"
#include "judge/toolkit_questions.hpp"

namespace ptxguard {
namespace {

std::vector<Evidence> places(const Scenario& scenario) {
    std::vector<Evidence> looked;
    for (const Selector& selector : scenario.selectors) {
        Evidence row = evidence_of(selector);
        const Toolkit* toolkit = scenario.toolkit(selector.toolkit);
        if (toolkit)
            row.value += " (no nvcc in it)";
        else if (selector.problem != PathProblem::none && is_set(selector))
            row.value += SAY(" ({})", problem_words(selector.problem));
        else
            continue;
        looked.push_back(row);
    }
    if (looked.empty()) {
        Origin where;
        where.text = scenario.system == System::windows
                         ? "CUDA_HOME, CUDA_PATH, PATH, C:/Program Files/NVIDIA GPU Computing Toolkit/CUDA, "
                           "site-packages"
                         : "CUDA_HOME, CUDA_PATH, PATH, /usr/local/cuda*, /opt/cuda*, site-packages";
        looked.push_back({"nvcc", "none", where});
    }
    return looked;
}

// A newer major is refused by the headers and checks of a framework that is built with another one.
std::string toolkit_to_install(const Scenario& scenario) {
    for (const Expectation& framework : scenario.expectations)
        if (framework.cuda && framework.cuda->numbers.size() > 1)
            return SAY("the CUDA toolkit {}, with which {} is built", framework.cuda->release(),
                       name_of(framework));
    return "a CUDA toolkit";
}

}  // namespace

PTXGUARD_RULE(CC106) {
    if (scenario.source != SourceKind::machine || !scenario.project.wanted) return;
    const bool compiler = any_of(
        scenario.toolkits, [](const Toolkit& toolkit) { return toolkit.part(PartKind::nvcc) != nullptr; });
    const bool required = scenario.requires_("toolkit"), asked = scenario.project.asked;
    const bool chosen = scenario.build_toolkit() != nullptr;
    if (compiler ? chosen || !required : chosen && !required && !asked) return;
    Composed finding =
        add(findings, "CC106", required || asked ? Level::error : Level::unknown, "toolkit",
            compiler ? "no CUDA toolkit is chosen for this build" : "no CUDA toolkit with nvcc found");
    finding.found(places(scenario))
        .expected("nvcc", "one that this build uses", {})
        .because(required ? "a toolkit was required (--require toolkit)"
                 : asked  ? "a build was requested (--build), and nothing here compiles it"
                          : "without nvcc, PTX, architectures and the framework's CUDA cannot be checked")
        .decide("give --toolkit DIR, or set CUDA_HOME to the folder that holds bin/nvcc");
    if (required || asked)
        finding.by_hand(SAY("install {}, or give --toolkit DIR", toolkit_to_install(scenario)));
}

}  // namespace ptxguard
