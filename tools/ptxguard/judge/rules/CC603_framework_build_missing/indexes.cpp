// Indexes of PyTorch that do not exist, or end before the newest release.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "facts/variants.hpp"
#include "judge/framework_questions.hpp"
#include "judge/recipe_questions.hpp"
#include "judge/rules/CC603_framework_build_missing/parts.hpp"
#include "model/ranges.hpp"

namespace ptxguard {
namespace {

constexpr std::string_view k_whl = "download.pytorch.org/whl/";

bool has(const RecipeIndex& index, std::string_view part) { return index.url.find(part) != npos; }

// PyTorch's builds in the tables: "cu118" ... "cu132".
std::vector<std::string> published_tags(const Facts& facts) {
    std::vector<std::string> tags;
    for (const Version& version : facts.framework_releases("torch"))
        if (const FrameworkRelease* release = facts.framework_release("torch", version))
            for (const std::string& tag : cuda_tags(*release)) add_once(tags, tag);
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

void say_no_index(const RecipeIndex& index, Level level, const std::string& tag, const std::string& message,
                  const std::vector<std::string>& near, Findings& findings) {
    add(findings, "CC603", level, tag, message)
        .found("index", index.url, index.origin)
        .expected("index", list(near), Origin::from_table("facts/frameworks/torch.json"))
        .because(index.use == IndexUse::only
                     ? "pip finds no file there and ends with 'No matching distribution found'"
                     : "pip finds nothing there and takes PyPI's build instead")
        .edit(index_of_build(near.back()));
}

// A page of PyTorch's that no release has builds for: cu134, computed from an image's CUDA.
void judge_index(const RecipeIndex& index, const std::vector<std::string>& tags, Findings& findings) {
    const auto cuda = cuda_of_tag(index.build);
    if (!cuda || !has(index, k_whl) || has(index, "/nightly") || has(index, "/test") ||
        contains(tags, index.build))
        return;
    const std::vector<std::string> near = tags_near(tags, cuda->major());
    say_no_index(index, index.use == IndexUse::only ? Level::error : Level::warning, index.build,
                 SAY("PyTorch has no builds for CUDA {}: {} is no index; of CUDA {} there are {}",
                     cuda->release(), index.build, cuda_of_tag(near.front())->major(), list(near)),
                 near, findings);
}

// whl/nightly/cu121: what the newest release is not built for has no nightly builds any more either.
void judge_ended_index(const RecipeIndex& index, const Facts& facts, Findings& findings) {
    const bool nightly = has(index, SAY("{}nightly", k_whl)), test = has(index, SAY("{}test", k_whl));
    const auto cuda = nightly || test ? cuda_of_tag(index.build) : std::nullopt;
    const auto last = cuda ? newest_with_build(facts, "torch", "", index.build) : std::nullopt;
    const FrameworkRelease* newest = newest_with_builds(facts, "torch", "");
    if (!last || !newest || contains(newest->variants, index.build)) return;
    const std::string builds = list(cuda_tags(*newest));
    add(findings, "CC603", Level::warning, index.url,
        SAY("PyTorch's {} for CUDA {} ended: torch {} is the last release with {}",
            nightly ? "nightly builds" : "release candidates", cuda->release(), last->text, index.build))
        .found("index", index.url, index.origin)
        .expected("index", builds, newest->origin)
        .because("pip finds only old builds there, or none that fit each other")
        .of_package("torch")
        .by_hand(SAY("use the index of a build of the newest release: {}", builds));
}

// "cu121", "cu92": the form of PyTorch's folders.
bool is_tag(const std::string& part) {
    const std::string digits = part.substr(2);
    return all_digits(digits) && (digits.size() == 3 || (digits.size() == 2 && digits[0] > '1'));
}

// "cu12.1", "cu1206", "cuda121", "cu": not that form; empty = it is one, or something else.
std::string misspelt_tag(const std::string& url) {
    const std::size_t at = url.find(k_whl);
    if (at == npos) return "";
    for (const std::string& part : split(url.substr(at + k_whl.size()), "/")) {
        if (!starts_with(part, "cu")) continue;
        const std::size_t digits = starts_with(part, "cuda") ? 4 : 2;
        const bool numbers = part.find_first_not_of("0123456789.-_", digits) == npos;
        return numbers && !is_tag(part) ? part : "";
    }
    return "";
}

// 12.1 of "cu12.1", "cu1206", "cuda121", "cu12"; nothing of "cu".
std::optional<Version> release_meant_by(const std::string& tag) {
    std::string digits;
    for (const char c : tag)
        if (is_digit(c)) digits += c;
    if (digits.size() == 4 && digits[2] == '0') digits.erase(2, 1);
    if (digits.size() < 3) return digits.empty() ? std::nullopt : parse_version(digits);
    return parse_version(SAY("{}.{}", digits.substr(0, 2), digits.substr(2)));
}

void judge_misspelt_index(const RecipeIndex& index, const std::vector<std::string>& tags,
                          Findings& findings) {
    const std::string tag = misspelt_tag(index.url);
    if (tag.empty()) return;
    const auto meant = release_meant_by(tag);
    std::vector<std::string> near = tags_near(tags, meant ? meant->major() : 0);
    const auto is_meant = [&](const std::string& one) {
        return meant && same_release(*cuda_of_tag(one), *meant);
    };
    if (const std::string* exact = first_where(near, is_meant)) near = {std::string(*exact)};
    const bool only = index.use == IndexUse::only && !index.origin.overridable;
    const std::string what = tag == "cu" ? "'cu' without a release" : SAY("'{}'", tag);
    say_no_index(index, only ? Level::error : Level::warning, tag,
                 near.size() == 1 ? SAY("{} is no index of PyTorch; there is {}", what, near.front())
                                  : SAY("{} is no index of PyTorch; there are {}", what, list(near)),
                 near, findings);
}

}  // namespace

void judge_indexes(const RecipeFacts& recipe, const Facts& facts, Findings& findings) {
    // The pin itself is reported, with the builds that its release has.
    const auto is_reported = [&](const RecipePin& pin, const RecipeIndex& index) {
        return pin.version && index.use == IndexUse::only &&
               published_build(facts, pin.package, *pin.version, index.build) == Published::no;
    };
    const auto is_torch = [](const RecipePin& pin) { return pin.package == "torch" && pin.by_pip(); };
    if (none_of(recipe.pins, is_torch)) return;  // the list of builds is long
    const std::vector<std::string> tags = published_tags(facts);
    for (const RecipePin& pin : recipe.pins) {
        if (!is_torch(pin)) continue;
        const bool named = pin.version && !pin.version->local().empty();  // the build itself
        const bool floats = !pin.source && (pin.specifier.empty() || pin.specifier[0] == '>');
        for (const RecipeIndex* index : indexes_of(recipe, pin)) {
            if (!named && !pin.pre && !tags.empty() && !is_reported(pin, *index))
                judge_index(*index, tags, findings);
            if (!named && !tags.empty()) judge_misspelt_index(*index, tags, findings);
            if (floats) judge_ended_index(*index, facts, findings);
        }
    }
}

}  // namespace ptxguard
