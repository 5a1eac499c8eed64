// Commands of pip that fail, whatever later ones install: a release, build or package that does not exist.
// SPDX-License-Identifier: Apache-2.0
#include "facts/index_builds.hpp"
#include "facts/recipe_tables.hpp"
#include "judge/framework_questions.hpp"
#include "judge/recipe_questions.hpp"
#include "judge/rules/CC603_framework_build_missing/parts.hpp"
#include "model/ranges.hpp"
#include "python/specifier.hpp"

namespace ptxguard {
namespace {

// The other findings of this rule are about the build that is installed at the end. One that a plan tries
// replaces the pin.
bool is_said_otherwise(const Scenario& scenario, const RefusedPin& one) {
    return any_of(scenario.expectations, [&](const Expectation& other) {
        if (other.declared) return other.package == one.package;
        return never_released(other) && other.version && other.version.origin.is_at(one.origin);
    });
}

void report_no_build(const RefusedPin& one, Findings& findings) {
    const bool archive = one.package == "libtorch";
    add(findings, "CC603", Level::error, one.pinned,
        SAY("{} has no {} build; it exists as {}", one.pinned, one.by, one.wanted))
        .of_package(one.package)
        .found("build", one.pinned, one.origin)
        .found(archive ? "archive" : "index", one.by, one.by_origin)
        .expected("build", one.wanted, one.wanted_origin)
        .because(archive ? "the download site has no such file" : "pip finds no such build, and fails")
        .by_hand(archive ? SAY("download a build that exists: {}", one.wanted)
                         : SAY("use the index of a build that exists: {}", one.wanted));
}

// What installs the requirements of a file may name an index of its own.
bool may_name_index(const RecipeFacts& recipe, const RefusedPin& one) {
    const bool of_file = recipe.kind == "requirements file" || recipe.kind == "setup.py";
    return of_file &&
           none_of(recipe.indexes, [&](const RecipeIndex& index) { return index.group == one.group; });
}

// xformers==0.0.23+cu121: of its builds only the one for CUDA 11.8 has a local version.
void report_no_local(const RecipeFacts& recipe, const RefusedPin& one, const Facts& facts,
                     Findings& findings) {
    const auto version = exact_version(one.pinned.substr(one.package.size()));
    const IndexBuilds* row = version ? index_builds(facts, one.package, *version) : nullptr;
    const bool there = row && contains(row->builds, one.by);
    const Composed finding =
        add(findings, "CC603", may_name_index(recipe, one) ? Level::warning : Level::error, one.pinned,
            there ? SAY("{} was never released: the build for CUDA {} is {}", one.pinned,
                        cuda_of_tag(one.by)->release(), one.wanted)
                  : SAY("{} was never released; it exists as {}", one.pinned, one.wanted))
            .of_package(one.package)
            .found("build", one.pinned, one.origin)
            .expected("build", one.wanted, one.wanted_origin)
            .because("its indexes have no such local version: pip finds no such file, and fails");
    if (there)
        finding.edit(SAY("{} --extra-index-url https://{}{}", one.wanted, row->index, one.by));
    else
        finding.by_hand(SAY("pin what exists: {}", one.wanted));
}

void report_no_release(const RefusedPin& one, const Facts& facts, Findings& findings) {
    const bool withdrawn = !one.by.empty();
    // PyPI forgets what was deleted; lists of all releases do not.
    const ReleaseList* list = withdrawn ? nullptr : facts.release_list(one.package);
    const auto version = list ? exact_version(one.pinned.substr(one.package.size())) : std::nullopt;
    add(findings, "CC603", withdrawn ? Level::warning : Level::error, one.pinned,
        version && list->judges(*version)
            ? SAY("{} was never released; around it are {}", one.pinned, one.wanted)
            : SAY("{} is not on {}: withdrawn, or never released; around it are {}", one.pinned,
                  withdrawn ? one.by : "PyPI", one.wanted))
        .of_package(one.package)
        .found("release", one.pinned, one.origin)
        .expected("release", one.wanted, one.wanted_origin)
        .because("pip finds no such release, and fails")
        .by_hand(SAY("pin a release that exists: {}", one.wanted));
}

// PyTorch's index replaces PyPI, and has only what torch requires.
void report_index(const RefusedPin& one, Findings& findings) {
    add(findings, "CC603", Level::error, one.package, SAY("{} does not have {}", one.by, one.pinned))
        .of_package(one.package)
        .found("pip", one.pinned, one.origin)
        .found("index", one.by, one.by_origin)
        .expected("index", "PyPI too", one.wanted_origin)
        .because("--index-url replaces PyPI: pip searches no other index, and fails")
        .by_hand(SAY("install torch with --index-url in a command of its own, or use --extra-index-url {} "
                     "and pin the builds (torch==X+cuXXX)",
                     one.by));
}

// setup.py of a project for conda, whose packages have the names that RAPIDS has on PyPI as placeholders: a
// conda environment has them already.
bool may_be_there(const RecipeFacts& recipe, const RefusedPin& one, const Facts& facts) {
    return one.why == Refusal::placeholder &&
           (recipe.kind == "setup.py" || recipe.kind == "pyproject.toml") &&
           any_of(recipe_tables(facts).cuda_suites,
                  [&](const CudaSuite& suite) { return contains(suite.packages, one.package); });
}

// A name that PyPI does not have, or that installs nothing. What another index has is not known where the
// command is not.
void report_name(const RecipeFacts& recipe, const RefusedPin& one, const Facts& facts, Findings& findings) {
    const bool absent = one.why == Refusal::no_package, other = one.why == Refusal::other_name;
    if (!one.by.empty()) return report_index(one, findings);
    const bool there = may_be_there(recipe, one, facts);
    const bool weak = other || recipe.kind == "requirements file";
    const Composed finding =
        add(findings, "CC603",
            there  ? Level::unknown
            : weak ? Level::warning
                   : Level::error,
            one.pinned,
            absent  ? SAY("PyPI has no package '{}'", one.package)
            : other ? SAY("'{}' on PyPI is another project", one.package)
                    : SAY("'{}' on PyPI is a placeholder that cannot be installed", one.package))
            .of_package(one.package)
            .found("pip", one.pinned, one.origin)
            .expected("package", one.wanted.empty() ? "one that exists" : one.wanted, one.wanted_origin)
            .because(absent  ? "pip finds no such package and ends with an error"
                     : other ? "pip installs a package that has nothing to do with GPUs"
                             : "its setup.py ends with an error that names the package that is meant");
    if (!one.wanted.empty()) finding.by_hand(SAY("use {}", one.wanted));
    if (there) finding.decide(SAY("whether conda has installed {} before: pip then keeps it", one.package));
}

}  // namespace

void judge_failing_commands(const Scenario& scenario, const Facts& facts, Findings& findings) {
    for (const RefusedPin& one : scenario.recipe.refused) switch (one.why) {
            case Refusal::no_build:
                if (!is_said_otherwise(scenario, one)) report_no_build(one, findings);
                break;
            case Refusal::no_local: report_no_local(scenario.recipe, one, facts, findings); break;
            case Refusal::no_release:
                if (!is_said_otherwise(scenario, one)) report_no_release(one, facts, findings);
                break;
            case Refusal::no_package:
            case Refusal::placeholder:
            case Refusal::other_name: report_name(scenario.recipe, one, facts, findings); break;
            default: break;  // those of CC612 and CC613
        }
}

}  // namespace ptxguard
