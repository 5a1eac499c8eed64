// The named framework build was never released (torch==2.0.0+cu121).
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "facts/recipe_tables.hpp"
#include "facts/variants.hpp"
#include "judge/framework_questions.hpp"
#include "judge/ptx_questions.hpp"
#include "judge/recipe_questions.hpp"
#include "judge/rules/CC603_framework_build_missing/parts.hpp"
#include "model/ranges.hpp"
#include "python/specifier.hpp"

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
    for (const std::string& variant : expectation.published_variants) {
        if (!cuda_of_tag(variant)) continue;
        if (!newest || *cuda_of_tag(*newest) < *cuda_of_tag(variant)) newest = variant;
    }
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
    Fix fix{FixKind::edit, package + "==" + version + (variant.empty() ? "" : "+" + variant)};
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
    const std::string named = package + "==" + expectation.version->text;
    const std::string others =
        expectation.other_packages.empty()
            ? ""
            : "; " + name_of(expectation) + " exists as " + list(expectation.other_packages);
    Finding& finding =
        add(findings, "CC603", Level::error, named,
            named + " was never released; around it are " + list(expectation.near_releases) + others);
    finding.found.push_back({"release", named, expectation.version.origin});
    finding.expected.push_back({"release", list(expectation.near_releases), expectation.published.origin});
    if (!others.empty())
        finding.expected.push_back(
            {"package", list(expectation.other_packages), expectation.published.origin});
    finding.because = "pip finds no such release and fails";
    std::string nearest;
    for (const std::string& release : expectation.near_releases) {
        const auto version = parse_version(release);
        if (nearest.empty() || (version && *version < *expectation.version)) nearest = release;
    }
    if (!expectation.successor.empty())
        finding.fix.push_back(pin(facts, expectation, expectation.successor, expectation.version->text, ""));
    else
        finding.fix.push_back(pin_of(facts, expectation, package, nearest));
}

// PyTorch's builds in the tables: "cu118" ... "cu132".
std::vector<std::string> published_tags(const Facts& facts) {
    std::vector<std::string> tags;
    for (const Version& version : facts.framework_releases("torch"))
        if (const FrameworkRelease* release = facts.framework_release("torch", version))
            for (const std::string& variant : release->variants)
                if (cuda_of_tag(variant)) add_once(tags, variant);
    return tags;
}

// Those of one CUDA major, ascending; the newest of all, if it has none.
std::vector<std::string> tags_near(const std::vector<std::string>& tags, int major) {
    const auto is_older = [](const std::string& a, const std::string& b) {
        return *cuda_of_tag(a) < *cuda_of_tag(b);
    };
    std::vector<std::string> near;
    for (const std::string& tag : tags)
        if (cuda_of_tag(tag)->major() == major) near.push_back(tag);
    if (near.empty()) near = {*std::max_element(tags.begin(), tags.end(), is_older)};
    std::sort(near.begin(), near.end(), is_older);
    return near;
}

constexpr const char* k_nothing_there =
    "pip finds no file there and ends with 'No matching distribution found'";
constexpr const char* k_pypi_instead = "pip finds nothing there and takes PyPI's build instead";

// A page of PyTorch's that no release has builds for: cu134, computed from an image's CUDA.
void judge_index(const RecipeFacts& recipe, const RecipePin& pin, const Facts& facts, Findings& findings) {
    if (pin.package != "torch" || !pin.by_pip() || (pin.version && !pin.version->local().empty()) || pin.pre)
        return;
    const std::vector<std::string> tags = published_tags(facts);
    for (const RecipeIndex* index : indexes_of(recipe, pin)) {
        const auto cuda = cuda_of_tag(index->build);
        const bool own = index->url.find("download.pytorch.org/whl/") != std::string::npos &&
                         index->url.find("/nightly") == std::string::npos &&
                         index->url.find("/test") == std::string::npos;
        if (!cuda || !own || tags.empty() || contains(tags, index->build)) continue;
        const std::vector<std::string> near = tags_near(tags, cuda->major());
        Finding& finding =
            add(findings, "CC603", index->use == IndexUse::only ? Level::error : Level::warning, index->build,
                "PyTorch has no builds for CUDA " + cuda->release() + ": " + index->build +
                    " is no index; of CUDA " + std::to_string(cuda_of_tag(near.front())->major()) +
                    " there are " + list(near));
        finding.found = {{"index", index->url, index->origin}};
        finding.expected = {{"index", list(near), Origin::from_table("facts/frameworks/torch.json")}};
        finding.because = index->use == IndexUse::only ? k_nothing_there : k_pypi_instead;
        finding.fix = {{FixKind::edit, index_of_build(near.back())}};
    }
}

// whl/nightly/cu121: what the newest release is not built for has no nightly builds any more either.
void judge_ended_channel(const RecipeFacts& recipe, const RecipePin& pin, const Facts& facts,
                         Findings& findings) {
    if (pin.package != "torch" || !pin.by_pip() || pin.source) return;
    if (!pin.specifier.empty() && pin.specifier[0] != '>') return;
    const FrameworkRelease* newest = nullptr;
    for (const Version& version : facts.framework_releases("torch"))
        if (const FrameworkRelease* one = facts.framework_release("torch", version))
            if (!one->variants.empty()) newest = one;
    for (const RecipeIndex* index : indexes_of(recipe, pin)) {
        const bool nightly = index->url.find("download.pytorch.org/whl/nightly") != std::string::npos;
        const bool test = index->url.find("download.pytorch.org/whl/test") != std::string::npos;
        const auto cuda = nightly || test ? cuda_of_tag(index->build) : std::nullopt;
        const auto last = cuda ? newest_with_build(facts, "torch", "", index->build) : std::nullopt;
        if (!last || !newest || contains(newest->variants, index->build)) continue;
        std::vector<std::string> builds;  // for CUDA
        for (const std::string& one : newest->variants)
            if (cuda_of_tag(one)) builds.push_back(one);
        const std::string kind = nightly ? "nightly builds" : "release candidates";
        Finding& finding = add(findings, "CC603", Level::warning, index->url,
                               "PyTorch's " + kind + " for CUDA " + cuda->release() + " ended: torch " +
                                   last->text + " is the last release with " + index->build);
        finding.found = {{"index", index->url, index->origin}};
        finding.expected = {{"index", list(builds), newest->origin}};
        finding.because = "pip finds only old builds there, or none that fit each other";
        finding.package = pin.package;
        finding.fix = {{FixKind::manual, "use the index of a build of the newest release: " + list(builds)}};
    }
}

// "cu12.1", "cu1206", "cuda121", "cu": not the form of PyTorch's folders, "cu121"; empty = it is one, or
// something else.
std::string misspelt_tag(const std::string& url) {
    static const std::string k_whl = "download.pytorch.org/whl/";
    const std::size_t at = url.find(k_whl);
    if (at == std::string::npos) return "";
    for (const std::string& part : split(url.substr(at + k_whl.size()), "/")) {
        if (part.compare(0, 2, "cu") != 0) continue;
        const std::size_t digits = part.compare(0, 4, "cuda") == 0 ? 4 : 2;
        const bool numbers = part.find_first_not_of("0123456789.-_", digits) == std::string::npos;
        // cu92, cu124
        const std::size_t count = part.size() - digits;
        const bool well_formed = digits == 2 && (count == 3 || (count == 2 && part[2] > '1')) &&
                                 part.find_first_not_of("0123456789", 2) == std::string::npos;
        return numbers && !well_formed ? part : "";
    }
    return "";
}

// 12.1 of "cu12.1", "cu1206", "cuda121", "cu12"; nothing of "cu".
std::optional<Version> meant_by(const std::string& tag) {
    std::string digits;
    for (const char c : tag)
        if (is_digit(c)) digits += c;
    if (digits.size() == 4 && digits[2] == '0') digits.erase(2, 1);
    if (digits.size() < 3) return digits.empty() ? std::nullopt : parse_version(digits);
    return parse_version(digits.substr(0, 2) + "." + digits.substr(2));
}

void judge_misspelt_index(const RecipeFacts& recipe, const RecipePin& pin, const Facts& facts,
                          Findings& findings) {
    if (pin.package != "torch" || !pin.by_pip() || (pin.version && !pin.version->local().empty())) return;
    const std::vector<std::string> tags = published_tags(facts);
    for (const RecipeIndex* index : indexes_of(recipe, pin)) {
        const std::string tag = misspelt_tag(index->url);
        if (tag.empty() || tags.empty()) continue;
        const auto meant = meant_by(tag);
        std::vector<std::string> near = tags_near(tags, meant ? meant->major() : 0);
        for (const std::string& one : near)
            if (meant && same_release(*cuda_of_tag(one), *meant)) {
                near = {one};
                break;
            }
        const bool only = index->use == IndexUse::only && !index->origin.overridable;
        Finding& finding =
            add(findings, "CC603", only ? Level::error : Level::warning, tag,
                (tag == "cu" ? "'cu' without a release" : "'" + tag + "'") +
                    " is no index of PyTorch; there " + (near.size() == 1 ? "is " : "are ") + list(near));
        finding.found = {{"index", index->url, index->origin}};
        finding.expected = {{"index", list(near), Origin::from_table("facts/frameworks/torch.json")}};
        finding.because = index->use == IndexUse::only ? k_nothing_there : k_pypi_instead;
        finding.fix = {{FixKind::edit, index_of_build(near.back())}};
    }
}

// A command that fails, whatever later ones install.
void report_refused(const Scenario& scenario, const RefusedPin& one, const Facts& facts, Findings& findings) {
    const bool build = one.why == Refusal::no_build;
    // The other findings of this rule are about the build that is installed at the end. One that a plan tries
    // replaces the pin.
    const auto is_said_of = [&](const Expectation& other) {
        if (other.declared) return other.package == one.package;
        return never_released(other) && other.version && other.version.origin.is_at(one.origin);
    };
    const bool known = any_of(scenario.expectations, is_said_of);
    if (known) return;
    const bool withdrawn = !build && !one.by.empty();
    // PyPI forgets what was deleted; lists of all releases do not.
    const ReleaseList* list = withdrawn ? nullptr : facts.release_list(one.package);
    const auto version = list ? exact_version(one.pinned.substr(one.package.size())) : std::nullopt;
    const bool recorded = version && list->judges(*version);
    const std::string why = build      ? " has no " + one.by + " build; it exists as " + one.wanted
                            : recorded ? " was never released; around it are " + one.wanted
                                       : " is not on " + (withdrawn ? one.by : "PyPI") +
                                             ": withdrawn, or never released; around it are " + one.wanted;
    Finding& finding =
        add(findings, "CC603", withdrawn ? Level::warning : Level::error, one.pinned, one.pinned + why);
    finding.found = {{build ? "build" : "release", one.pinned, one.origin}};
    if (build)
        finding.found.push_back({one.package == "libtorch" ? "archive" : "index", one.by, one.by_origin});
    finding.expected = {{build ? "build" : "release", one.wanted, one.wanted_origin}};
    const bool archive = one.package == "libtorch";
    finding.because = archive
                          ? "the download site has no such file"
                          : std::string("pip finds no such ") + (build ? "build" : "release") + ", and fails";
    finding.package = one.package;
    finding.fix = {{FixKind::manual, (archive ? "download a build that exists: "
                                      : build ? "use the index of a build that exists: "
                                              : "pin a release that exists: ") +
                                         one.wanted}};
}

// PyTorch's index replaces PyPI, and has only what torch requires.
void report_index(const RefusedPin& one, Findings& findings) {
    Finding& finding =
        add(findings, "CC603", Level::error, one.package, one.by + " does not have " + one.pinned);
    finding.found = {{"pip", one.pinned, one.origin}, {"index", one.by, one.by_origin}};
    finding.expected = {{"index", "PyPI too", one.wanted_origin}};
    finding.because = "--index-url replaces PyPI: pip searches no other index, and fails";
    finding.package = one.package;
    finding.fix = {{FixKind::manual,
                    "install torch with --index-url in a command of its own, or use --extra-index-url " +
                        one.by + " and pin the builds (torch==X+cuXXX)"}};
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
    Finding& finding =
        add(findings, "CC603",
            there  ? Level::unknown
            : weak ? Level::warning
                   : Level::error,
            one.pinned,
            absent  ? "PyPI has no package '" + one.package + "'"
            : other ? "'" + one.package + "' on PyPI is another project"
                    : "'" + one.package + "' on PyPI is a placeholder that cannot be installed");
    finding.found = {{"pip", one.pinned, one.origin}};
    finding.expected = {{"package", one.wanted.empty() ? "one that exists" : one.wanted, one.wanted_origin}};
    finding.because = absent  ? "pip finds no such package and ends with an error"
                      : other ? "pip installs a package that has nothing to do with GPUs"
                              : "its setup.py ends with an error that names the package that is meant";
    finding.package = one.package;
    if (!one.wanted.empty()) finding.fix = {{FixKind::manual, "use " + one.wanted}};
    if (there) finding.decide = {"whether conda has installed " + one.package + " before: pip then keeps it"};
}

}  // namespace

PTXGUARD_RULE(CC603) {
    if (is_recipe(scenario)) judge_conda(scenario, facts, findings);
    judge_missing_pages(scenario.recipe, facts, findings);
    judge_labels(scenario.recipe, facts, findings);
    for (const RecipePin& pin : scenario.recipe.pins) {
        judge_index(scenario.recipe, pin, facts, findings);
        judge_misspelt_index(scenario.recipe, pin, facts, findings);
        judge_ended_channel(scenario.recipe, pin, facts, findings);
    }
    for (const RefusedPin& one : scenario.recipe.refused)
        if (one.why == Refusal::no_release || one.why == Refusal::no_build)
            report_refused(scenario, one, facts, findings);
        else if (one.why == Refusal::no_package || one.why == Refusal::placeholder ||
                 one.why == Refusal::other_name)
            report_name(scenario.recipe, one, facts, findings);
    for (const Expectation& expectation : scenario.expectations) {
        if (!never_released(expectation) || !expectation.version) continue;
        if (!expectation.near_releases.empty()) {
            report_release(facts, expectation, findings);
            continue;
        }
        const std::string& text = expectation.version->text;
        std::string base = expectation.version->without_local();
        std::string named = expectation.package + "==" + text;
        std::string exists = list(expectation.published_variants);
        Finding& finding =
            add(findings, "CC603", Level::error, named,
                named + " was never released" +
                    (exists.empty() ? "" : "; " + release_name(expectation) + " exists as " + exists));
        finding.found.push_back({"build", named, expectation.version.origin});
        finding.expected.push_back(
            {"build", exists.empty() ? "one that exists" : exists, expectation.published.origin});
        finding.because =
            "pip finds no such file, and a build that falls back to another index gets another CUDA";
        if (auto variant = nearest_variant(scenario, facts, expectation)) {
            finding.fix.push_back(pin(facts, expectation, expectation.package, base, *variant));
            const auto indexes = indexes_of(scenario, expectation);
            if (!indexes.empty() && !may_serve(indexes, *variant))
                finding.fix.back().text += " --index-url " + index_of_build(*variant);
        }
        if (auto version = release_with(facts, expectation))
            finding.fix.push_back(
                pin(facts, expectation, expectation.package, version->text, expectation.version->local()));
    }
}

}  // namespace ptxguard
