// The named framework build was never released (torch==2.0.0+cu121).
// SPDX-License-Identifier: Apache-2.0
#include "facts/variants.hpp"
#include "judge/framework_questions.hpp"
#include "judge/ptx_questions.hpp"
#include "judge/recipe_questions.hpp"
#include "judge/rules/CC603_framework_build_missing/parts.hpp"
#include "model/ranges.hpp"

namespace ptxguard {
namespace {

// The recipe's indexes for this pin, whose build they may decide; empty = no recipe, or none.
std::vector<const RecipeIndex*> indexes_of(const Scenario& scenario, const Expectation& expectation) {
    for (const RecipePin& pin : scenario.recipe.pins)
        if (pin.package == expectation.package && pin.version &&
            (pin.version->text == expectation.version->text ||
             pin.version->text == expectation.version->without_local()))
            return indexes_of(scenario.recipe, pin);
    return {};
}

// The existing build nearest to the named one: among those that fit, one that the recipe's indexes have; same
// CUDA major as the toolkit, otherwise as the named build, otherwise the newest.
std::optional<std::string> nearest_variant(const Scenario& scenario, const Facts& facts,
                                           const Expectation& expectation) {
    const Toolkit* toolkit = toolkit_of_build(scenario);
    Known<Version> version = toolkit ? release_of(*toolkit) : Known<Version>{};
    std::optional<Version> named = cuda_of_tag(expectation.version->local());
    std::vector<std::string> fitting;
    if (version) fitting = variants_for(expectation, facts, version->major());
    if (fitting.empty() && named) fitting = variants_for(expectation, facts, named->major());
    const auto indexes = indexes_of(scenario, expectation);
    for (auto variant = fitting.rbegin(); variant != fitting.rend(); ++variant)
        if (may_serve(indexes, *variant)) return *variant;
    if (!fitting.empty()) return fitting.back();
    std::optional<std::string> newest;
    for (const std::string& variant : expectation.published_variants)
        if (cuda_of_tag(variant) && (!newest || *cuda_of_tag(*newest) < *cuda_of_tag(variant)))
            newest = variant;
    return newest;
}

// The nearest newer (otherwise older) release that has the named build.
std::optional<Version> release_with(const Facts& facts, const Expectation& expectation) {
    std::string wanted = expectation.version->local();
    std::optional<Version> before;
    for (const Version& version : facts.framework_releases(expectation.package)) {
        const FrameworkRelease* release = facts.framework_release(expectation.package, version);
        if (!release || !contains(release->variants, wanted)) continue;
        if (version > *expectation.version) return version;
        before = version;
    }
    return before;
}

// With the build that the pin selects, if a table lists it.
Fix pin(const Facts& facts, const Expectation& expectation, const std::string& package,
        const std::string& version, const std::string& variant) {
    Fix fix{FixKind::edit, SAY("{}=={}{}", package, version, variant.empty() ? "" : SAY("+{}", variant))};
    const auto number = parse_version(version);
    const FrameworkRelease* release = number ? facts.framework_release(package, *number) : nullptr;
    const auto cuda = !release || !variant.empty() ? cuda_of_tag(variant) : release->cuda;
    if (release && cuda) fix.step = build_step(expectation, *release, *cuda, variant);
    return fix;
}

// With the named build if that release has it.
Fix pin_of(const Facts& facts, const Expectation& expectation, const std::string& package,
           const std::string& release) {
    const std::string local = expectation.version->local();
    const auto version = parse_version(release);
    const FrameworkRelease* row = version ? facts.framework_release(expectation.package, *version) : nullptr;
    const bool has = row && contains(row->variants, local);
    return pin(facts, expectation, package, release, has ? local : "");
}

// A release that never existed, in a range in which all are listed.
void report_release(const Facts& facts, const Expectation& expectation, Findings& findings) {
    const std::string& package =
        expectation.named_package.empty() ? expectation.package : expectation.named_package;
    const std::string named = SAY("{}=={}", package, expectation.version->text),
                      near = list(expectation.near_releases), others = list(expectation.other_packages);
    const Composed finding =
        add(findings, "CC603", Level::error, named,
            others.empty() ? SAY("{} was never released; around it are {}", named, near)
                           : SAY("{} was never released; around it are {}; {} exists as {}", named, near,
                                 name_of(expectation), others))
            .found("release", named, expectation.version.origin)
            .expected("release", near, expectation.published.origin)
            .because("pip finds no such release and fails");
    if (!others.empty()) finding.expected("package", others, expectation.published.origin);
    std::string nearest;
    for (const std::string& release : expectation.near_releases) {
        const auto version = parse_version(release);
        if (nearest.empty() || (version && *version < *expectation.version)) nearest = release;
    }
    if (!expectation.successor.empty())
        finding.fix(pin(facts, expectation, expectation.successor, expectation.version->text, ""));
    else
        finding.fix(pin_of(facts, expectation, package, nearest));
}

// A build that does not exist, of a release that does.
void report_missing_build(const Scenario& scenario, const Facts& facts, const Expectation& expectation,
                          Findings& findings) {
    const Known<Version>& version = expectation.version;
    const std::string named = SAY("{}=={}", expectation.package, version->text);
    const std::string exists = list(expectation.published_variants);
    const Composed finding =
        add(findings, "CC603", Level::error, named,
            exists.empty()
                ? SAY("{} was never released", named)
                : SAY("{} was never released; {} exists as {}", named, release_name(expectation), exists))
            .found("build", named, version.origin)
            .expected("build", exists.empty() ? "one that exists" : exists, expectation.published.origin)
            .because(
                "pip finds no such file, and a build that falls back to another index gets another CUDA");
    if (const auto variant = nearest_variant(scenario, facts, expectation)) {
        finding.fix(pin(facts, expectation, expectation.package, version->without_local(), *variant));
        const auto indexes = indexes_of(scenario, expectation);
        if (!indexes.empty() && !may_serve(indexes, *variant))
            finding->fix.back().text += SAY(" --index-url {}", index_of_build(*variant));
    }
    if (const auto other = release_with(facts, expectation))
        finding.fix(pin(facts, expectation, expectation.package, other->text, version->local()));
}

}  // namespace

PTXGUARD_RULE(CC603) {
    if (is_recipe(scenario)) judge_conda(scenario, facts, findings);
    judge_missing_pages(scenario.recipe, facts, findings);
    judge_labels(scenario.recipe, facts, findings);
    judge_indexes(scenario.recipe, facts, findings);
    judge_failing_commands(scenario, facts, findings);
    for (const Expectation& expectation : scenario.expectations)
        if (never_released(expectation) && expectation.version) {
            if (expectation.near_releases.empty())
                report_missing_build(scenario, facts, expectation, findings);
            else
                report_release(facts, expectation, findings);
        }
}

}  // namespace ptxguard
