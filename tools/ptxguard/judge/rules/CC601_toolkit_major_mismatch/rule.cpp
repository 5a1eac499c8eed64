// The toolkit of this build and the framework are from different CUDA majors (up to CUDA 10: different
// releases).
// SPDX-License-Identifier: Apache-2.0
#include "facts/framework_traits.hpp"
#include "facts/tool_search.hpp"
#include "judge/fitting_builds.hpp"
#include "judge/fixes.hpp"
#include "judge/framework_questions.hpp"
#include "judge/ptx_questions.hpp"
#include "judge/recipe_questions.hpp"
#include "model/ranges.hpp"

namespace ptxguard {
namespace {

// A package that compiles while it runs uses this toolkit, and its code does not include the framework's
// headers. A build that nobody named may be just that.
const Pick* compiles_on_its_own(const Scenario& scenario, const Expectation& expectation,
                                const Toolkit& toolkit) {
    if (expectation.required || expectation.declared || scenario.project.built_by) return nullptr;
    for (const Pick& pick : scenario.picks)
        if (pick.search && pick.tool == "nvcc" && pick.toolkit == toolkit.id && pick.search->when_none &&
            pick.search->compiles_against.empty())
            return &pick;
    return nullptr;
}

// Of a recipe: a package that compiles against this framework when it is first used (DeepSpeed).
const RecipePin* compiles_later(const Scenario& scenario, const Expectation& expectation,
                                const Facts& facts) {
    if (!is_recipe(scenario) || scenario.project.wanted) return nullptr;
    const auto compiles = [&](const RecipePin& pin) {
        bool any = false;
        for (const ToolSearch& search : facts.tool_searches()) {
            if (search.tool != "nvcc" || search.package != pin.package) continue;
            if (pin.version && !search.is_for(*pin.version)) continue;
            if (search.compiles_against != expectation.package) return false;
            any = true;
        }
        return any && pin.by_pip();
    };
    return first_where(scenario.recipe.pins, compiles);
}

// A framework that is only installed and not compiled against does not restrict the build; nor does a toolkit
// that no build uses.
Level level_of(const Scenario& scenario, const Expectation& expectation, const Pick* own,
               const RecipePin* later, const Facts& facts) {
    if (later) return Level::warning;
    if (!scenario.project.wanted || !is_compiled_against(expectation, scenario, facts)) return Level::note;
    return own ? Level::warning : Level::error;
}

void report(const Scenario& scenario, const Facts& facts, const Expectation& expectation,
            const Toolkit& toolkit, Findings& findings) {
    Known<Version> version = release_of(toolkit);
    bool by_minor = expectation.cuda->major() == version->major();
    const Pick* own = compiles_on_its_own(scenario, expectation, toolkit);
    const RecipePin* later = compiles_later(scenario, expectation, facts);
    Composed finding =
        add(findings, "CC601", level_of(scenario, expectation, own, later, facts), name_of(expectation),
            SAY("{} is built with CUDA {}, {} {} (CUDA {})", name_of(expectation), expectation.cuda->text,
                later                     ? SAY("{} compiles with", later->package)
                : scenario.project.wanted ? "this build uses"
                                          : "a build here would use",
                name_of(toolkit), version->release()))
            .about(scenario, expectation, toolkit)
            .found("CUDA of the toolkit", version->text, version.origin)
            .expected("CUDA of the toolkit",
                      by_minor ? expectation.cuda->release() : SAY("{}.x", expectation.cuda->major()),
                      expectation.cuda.origin)
            .because(by_minor ? "before CUDA 11 two minor releases are as incompatible as two majors"
                              : "code that is compiled against one CUDA major and a framework of another "
                                "share streams, memory and library handles, for which CUDA guarantees no "
                                "compatibility between majors");
    if (own)
        finding->because += SAY("; {}, which compiles with it, does not share its headers", own->consumer);
    if (later) {
        finding.found(evidence_of(*later));
        finding.because(
            SAY("{} compiles its kernels when they are first used, and refuses an nvcc of another CUDA major "
                "than that of {}",
                later->package, expectation.framework));
    }
    const Toolkit* other = by_minor ? toolkit_of_release(scenario, *expectation.cuda)
                                    : toolkit_of_major(scenario, expectation.cuda->major());
    if (other)
        finding.fix(choose_toolkit_fix(scenario, *other));
    else
        finding.fix(get_toolkit_fix(scenario, *expectation.cuda, facts,
                                    SAY("({} is built with it)", name_of(expectation))));
    finding.fix(build_for_toolkit_fix(expectation, *version, scenario, facts));
}

std::string option_for(const Expectation& expectation, const Facts& facts) {
    const std::string& name = framework_traits(facts, expectation.framework).named_as;
    return SAY("--framework {}", name.empty() ? SAY("{}==VERSION", expectation.package) : name);
}

// Why the CUDA release of an existing framework is not known.
std::string why_unknown(const Expectation& expectation, const Facts& facts) {
    if (!expectation.declared || !expectation.version) return " does not record which CUDA it is built with";
    const std::vector<Version> listed = facts.framework_releases(expectation.package);
    if (listed.empty() || facts.framework_release(expectation.package, *expectation.version))
        return ": its version does not determine the CUDA release";
    return SAY(" is not in the tables (newest: {})", std::max_element(listed.begin(), listed.end())->text);
}

// A framework that was named, but whose CUDA release is not known.
void say_unknown(const Scenario& scenario, const Facts& facts, const Expectation& expectation,
                 Findings& findings) {
    bool there = is_there(expectation);
    Level level = scenario.requires_("framework") ? Level::error : Level::unknown;
    std::string what = there ? why_unknown(expectation, facts) : " was asked for but not found";
    if (!expectation.trouble.empty()) what += SAY(": {}", expectation.trouble);
    Composed finding = add(findings, "CC601", level, name_of(expectation), name_of(expectation) + what)
                           .about(scenario, expectation)
                           .about(k_some_driver)
                           .because("drivers, GPUs and the toolkit are not checked against it")
                           .required()
                           .decide(SAY("the build that will be used: {}", option_for(expectation, facts)));
    if (!expectation.path.empty())
        finding.found(expectation.framework, expectation.path, expectation.cuda.origin);
    if (!there) finding.decide("the Python that has it: --python EXE or its site-packages folder");
    if (level == Level::error)
        finding.by_hand(
            SAY("install {}, or name the build: {}", expectation.package, option_for(expectation, facts)));
}

void say_none_found(Findings& findings) {
    add(findings, "CC601", Level::error, "framework", "no framework found")
        .because("a framework is required")
        .required()
        .decide("the build that will be used: --framework torch==2.5.1+cu124")
        .decide("the Python that has it: --python EXE or its site-packages folder")
        .by_hand("name the framework (--framework torch==2.5.1+cu124) or the Python that has it (--python)");
}

// The CUDA of a framework that floats. Beside a newer CUDA than that of its newest release, that floats is no
// excuse: older ones are for an older CUDA. Without an image, a machine may have other libraries: where torch
// and all that leads to the framework float, its owner has not chosen this pair.
Origin origin_of_cuda(const RecipeFacts& recipe, const Expectation& expectation, const Version& here) {
    Origin origin = expectation.cuda.origin;
    const Installed* floating = newest_of(recipe, expectation.package);
    if (!floating || expectation.cuda->major() >= here.major()) return origin;
    const std::string by = floating->required_by.substr(0, floating->required_by.find(' '));
    const bool all_float = newest_of(recipe, "torch") && (by.empty() || newest_of(recipe, by));
    origin.overridable = floating->asked.overridable || (all_float && recipe.image.name.empty());
    return origin;
}

// A framework of a recipe without CUDA libraries of its own gets those of the image, or of PyTorch beside it.
// On Windows, where their names are DLLs, CC502 reports it.
void judge_libraries(const Scenario& scenario, const Facts& facts, const Expectation& expectation,
                     Findings& findings) {
    const auto other = other_libraries(scenario, facts, expectation);
    if (!other || scenario.system == System::windows) return;
    const LibrariesHere& here = other->here;
    const std::string& wanted = other->wanted;
    add(findings, "CC601", here.complete ? Level::error : Level::warning,
        SAY("{}, libraries", name_of(expectation)),
        SAY("{} needs the libraries of CUDA {}, {} has those of CUDA {}", name_of(expectation), wanted,
            here.of, here.cuda->text))
        .about(scenario, expectation)
        .found("CUDA libraries", here.cuda->text, here.cuda.origin)
        .found(expectation.package, name_of(expectation), expectation.version.origin)
        .expected("CUDA libraries", wanted, origin_of_cuda(scenario.recipe, expectation, *here.cuda))
        .because(
            "the package contains no CUDA libraries; the loader finds none of the names that it opens "
            "(libcudart.so, libcublas.so)")
        .by_hand(
            scenario.recipe.image.name.empty()
                ? SAY("install the libraries of CUDA {}, or another release of {}", wanted,
                      expectation.package)
                : SAY("use an image with CUDA {}, or another release of {}", wanted, expectation.package));
}

// COPY --from=build of programs that are linked to libraries which the image does not have.
void judge_other_image(const Scenario& scenario, Findings& findings) {
    for (const CopiedPrograms& one : copied_programs(scenario))
        if (differs_in_names(*one.cuda, *scenario.recipe.image.cuda))
            add_copied_programs(scenario, one, "CC601", findings)
                .because(
                    "the libraries of another CUDA have other names (libcublas.so.11, libcublas.so.12): a "
                    "program that is linked to them does not start");
}

}  // namespace

PTXGUARD_RULE(CC601) {
    judge_other_image(scenario, findings);
    const Toolkit* toolkit = toolkit_that_compiles(scenario);
    bool required = scenario.requires_("framework");
    if (required && scenario.expectations.empty()) say_none_found(findings);
    for (const Expectation& expectation : scenario.expectations) {
        if (never_released(expectation) || !expectation.may_use_cuda()) continue;
        if (!needs_cuda_runtime(expectation, facts) && is_there(expectation)) continue;
        if (!expectation.cuda) {
            if (expectation.required || required) say_unknown(scenario, facts, expectation, findings);
            continue;
        }
        if (loads_libraries_here(scenario, expectation)) {
            judge_libraries(scenario, facts, expectation, findings);
            continue;
        }
        Known<Version> version = toolkit ? release_of(*toolkit) : Known<Version>{};
        if (version && differs_in_names(*expectation.cuda, *version))
            report(scenario, facts, expectation, *toolkit, findings);
    }
}

}  // namespace ptxguard
