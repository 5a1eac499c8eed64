// Same CUDA major, different minor: harmless by NVIDIA's minor version compatibility, so a note.
// SPDX-License-Identifier: Apache-2.0
#include "judge/fixes.hpp"
#include "judge/framework_questions.hpp"
#include "judge/ptx_questions.hpp"
#include "judge/recipe_questions.hpp"

namespace ptxguard {
namespace {

// CUDA 10 and older have no minor compatibility: CC601 reports those. A bare major ("12") has no minor to
// compare.
bool differs_by_minor(const Version& framework, const Version& toolkit) {
    return framework.major() == toolkit.major() && framework.major() > 10 && framework.numbers.size() > 1 &&
           framework.minor() != toolkit.minor();
}

// COPY --from=build of programs that are linked to newer libraries than those of the image that runs them.
void judge_older_image(const Scenario& scenario, Findings& findings) {
    for (const CopiedPrograms& one : copied_programs(scenario)) {
        const Version &with = *one.cuda, &here = *scenario.recipe.image.cuda;
        if (differs_in_names(with, here) || with.numbers.size() < 2 || here.numbers.size() < 2 ||
            here.minor() >= with.minor())
            continue;
        add_copied_programs(scenario, one, "CC602", findings)
            .because(
                "libraries of an older release lack functions that those of a newer one have: libraries of "
                "one major are compatible upwards only");
    }
}

// The project compiles against this framework and its CUDA.
bool binds_build(const Expectation& expectation, const Scenario& scenario, const Facts& facts) {
    return !never_released(expectation) && expectation.may_use_cuda() &&
           is_compiled_against(expectation, scenario, facts) && needs_cuda_runtime(expectation, facts);
}

}  // namespace

PTXGUARD_RULE(CC602) {
    judge_older_image(scenario, findings);
    const Toolkit* toolkit = toolkit_that_compiles(scenario);
    Known<Version> version = toolkit ? release_of(*toolkit) : Known<Version>{};
    if (!version) return;
    for (const Expectation& expectation : scenario.expectations) {
        if (!expectation.cuda || !binds_build(expectation, scenario, facts) ||
            !differs_by_minor(*expectation.cuda, *version))
            continue;
        const bool older = version->minor() < expectation.cuda->minor();
        const bool compiles = is_recipe(scenario) && scenario.project.wanted && older;
        const Composed finding =
            add(findings, "CC602", Level::note, name_of(expectation),
                SAY("{} is built with CUDA {}, {} the {} {}", name_of(expectation),
                    expectation.cuda->release(),
                    is_recipe(scenario) || scenario.project.wanted ? "this build uses"
                                                                   : "a build here would use",
                    older ? "older" : "newer", name_of(*toolkit)))
                .about(scenario, expectation, *toolkit)
                .found("CUDA of the toolkit", version->text, version.origin)
                .expected("CUDA of the toolkit", expectation.cuda->release(), expectation.cuda.origin)
                .because(compiles
                             ? "headers of the framework may use what an older nvcc does not know; a newer "
                               "nvcc of the same major compiles them"
                             : "releases of one CUDA major fit together; CC201, CC202, CC203 and CC605 "
                               "report real conflicts");
        if (compiles)
            finding.fix(get_toolkit_fix(scenario, *expectation.cuda, facts,
                                        SAY("({} is built with it)", name_of(expectation))));
    }
}

}  // namespace ptxguard
