// The framework's headers need a newer C++ standard than the project sets.
// SPDX-License-Identifier: Apache-2.0
#include "judge/framework_questions.hpp"

namespace ptxguard {
namespace {

std::string two_digits(int standard) { return (standard < 10 ? "0" : "") + std::to_string(standard); }

}  // namespace

PTXGUARD_RULE(CC606) {
    const Known<int>& ours = scenario.project.cxx_standard;
    if (!ours) return;
    for (const Expectation& expectation : scenario.expectations) {
        if (never_released(expectation) || !is_there(expectation) || !has_cxx_interface(expectation, facts))
            continue;
        if (!expectation.cxx_standard && expectation.required)
            add_unrecorded(expectation, "CC606", "which C++ standard its headers need",
                           "the project's C++ standard is enough", findings)
                .about(k_cxx_standard)
                .about(scenario, expectation);
        if (!expectation.cxx_standard || is_standard_enough(*ours, *expectation.cxx_standard)) continue;
        std::string wanted = two_digits(*expectation.cxx_standard);
        Composed finding =
            add(findings, "CC606", Level::error, name_of(expectation),
                SAY("{} needs C++{}, this project asks for C++{}", name_of(expectation), wanted,
                    two_digits(*ours)))
                .about(k_cxx_standard)
                .about(scenario, expectation)
                .found("C++ standard", two_digits(*ours), ours.origin)
                .expected("C++ standard", SAY(">= {}", wanted), expectation.cxx_standard.origin)
                .because("its headers stop with an error, or fail on language that the older standard lacks");
        Step step{StepKind::cxx_standard};
        step.number = *expectation.cxx_standard;
        finding.fix({FixKind::edit, SAY("set(CMAKE_CXX_STANDARD {})", wanted), step});
    }
}

}  // namespace ptxguard
