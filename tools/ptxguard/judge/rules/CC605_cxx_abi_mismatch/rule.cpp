// The project and the framework use different ABIs of libstdc++'s std::string: undefined symbols at load
// time.
// SPDX-License-Identifier: Apache-2.0
#include "judge/framework_questions.hpp"

namespace ptxguard {
namespace {

const char* const k_macro = "_GLIBCXX_USE_CXX11_ABI";

std::string macro(int value) { return SAY("{}={}", k_macro, value); }

}  // namespace

PTXGUARD_RULE(CC605) {
    // Only libstdc++ has the two ABIs.
    if (scenario.system != System::linux_ || !scenario.project.cxx_abi) return;
    const Known<int>& ours = scenario.project.cxx_abi;
    for (const Expectation& expectation : scenario.expectations) {
        if (never_released(expectation) || !is_there(expectation) || !has_cxx_interface(expectation, facts))
            continue;
        if (!expectation.cxx_abi && expectation.required)
            add_unrecorded(expectation, "CC605", SAY("its C++ ABI ({})", k_macro),
                           SAY("the project's {} fits it", k_macro), findings)
                .about(k_cxx_abi)
                .about(scenario, expectation);
        if (!expectation.cxx_abi || *expectation.cxx_abi == *ours) continue;
        Composed finding =
            add(findings, "CC605", Level::error, name_of(expectation),
                SAY("{} is built with {}, this project with {}", name_of(expectation),
                    macro(*expectation.cxx_abi), macro(*ours)))
                .about(k_cxx_abi)
                .about(scenario, expectation)
                .found(k_macro, std::to_string(*ours), ours.origin)
                .expected(k_macro, std::to_string(*expectation.cxx_abi), expectation.cxx_abi.origin)
                .because(
                    "std::string and std::list have other names in the two ABIs: the framework's functions "
                    "that take them are undefined symbols for this project");
        // An option comes last on a compile line, so it also wins if flags set the macro.
        Step step{StepKind::cxx_abi};
        step.number = *expectation.cxx_abi;
        finding.fix({FixKind::edit, SAY("add_compile_options(-D{})", macro(*expectation.cxx_abi)), step});
    }
}

}  // namespace ptxguard
