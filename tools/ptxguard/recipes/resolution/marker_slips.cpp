// SPDX-License-Identifier: Apache-2.0
#include "recipes/resolution/marker_slips.hpp"

#include <optional>
#include <string>

#include "host/paths.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "python/marker.hpp"
#include "python/specifier.hpp"
#include "recipes/containers/images.hpp"
#include "recipes/resolution/pins.hpp"

namespace ptxguard::recipes {
namespace {

// What one marker selects: a build ("cu128", "cpu"); empty = of PyPI.
struct MarkerChoice {
    std::string marker, build;
    Written at;
    bool is_default = false;  // no marker of a source selects another one
};

struct MarkerSpelling {
    const char *written, *meant;
};
struct MarkerPlace {
    const char* name;
    MarkerEnvironment markers;
    std::vector<MarkerSpelling> spellings;
    bool must_be_named;  // a marker for Linux only need not say so
};

const std::vector<MarkerPlace>& marker_places() {
    static const std::vector<MarkerPlace> table = {
        {"Windows",
         {"", "win32", "AMD64", {}},
         {{"x86_64", "AMD64"}, {"amd64", "AMD64"}, {"x64", "AMD64"}},
         true},
        {"Windows",
         {"", "win32", "AMD64", {}},
         {{"windows", "win32"}, {"Windows", "win32"}, {"win", "win32"}, {"win64", "win32"}},
         false},
        {"Windows", {"", "win32", "AMD64", {}}, {{"windows", "Windows"}, {"win32", "Windows"}}, false},
        {"Linux on ARM", {"", "linux", "aarch64", {}}, {{"arm64", "aarch64"}, {"ARM64", "aarch64"}}, false},
        {"Linux",
         {"", "linux", "x86_64", {}},
         {{"linux", "Linux"}, {"amd64", "x86_64"}, {"AMD64", "x86_64"}},
         false},
    };
    return table;
}

std::string build_of_choice(const WrittenRequirement& requirement, const std::string& otherwise) {
    if (const auto version = exact_version(requirement.specifier); version && !version->local().empty())
        return lower(version->local());
    if (requirement.url) return build_of_index(requirement.url.text);
    if (requirement.index) return build_of_index(requirement.index.text);
    return otherwise;
}

// Where no marker has chosen an index.
std::string build_of_step(const PipInstall& step) {
    std::string build = build_of_index(step.index.text);
    for (const auto* list : {&step.extra_indexes, &step.find_links})
        for (const Written& index : *list)
            if (build.empty()) build = build_of_index(index.text);
    return build;
}

std::vector<MarkerChoice> choices_of(const PipInstall& step) {
    std::vector<MarkerChoice> choices;
    const std::string otherwise = build_of_step(step);
    for (const WrittenRequirement& requirement : step.requirements) {
        if (requirement.name != "torch") continue;
        const bool by_source = requirement.sources != nullptr;
        choices.push_back({requirement.marker,
                           by_source ? otherwise : build_of_choice(requirement, otherwise), requirement.whole,
                           by_source});
        const std::string& own = requirement.marker;
        if (!by_source) continue;
        for (const auto& [marker, index] : *requirement.sources)
            choices.push_back({own.empty() ? marker : "(" + own + ") and (" + marker + ")",
                               build_of_index(index.text), index});
    }
    return choices;
}

// Whether the build has CUDA; nothing = not known. PyPI's torch has none on Windows.
std::optional<bool> is_cuda_build(const std::string& build, const MarkerEnvironment& place) {
    if (cuda_of_tag(build)) return true;
    if (build == "cpu" || (build.empty() && place.system == "win32")) return false;
    return std::nullopt;
}

// The same marker with a value spelled otherwise.
std::string respelled(std::string marker, const MarkerSpelling& spelling) {
    for (const char quote : {'\'', '"'})
        marker = replace_all(std::move(marker), quote + std::string(spelling.written) + quote,
                             quote + std::string(spelling.meant) + quote);
    return marker;
}

// The one that is selected there, the last that holds; null = torch is not installed.
struct MarkerSelection {
    const MarkerChoice* choice = nullptr;
    bool open = false;
};
MarkerSelection selected_by_markers(const std::vector<MarkerChoice>& choices, const MarkerEnvironment& place,
                                    const MarkerSpelling* spelling) {
    MarkerSelection result;
    for (const MarkerChoice& choice : choices) {
        const Truth here = holds(spelling ? respelled(choice.marker, *spelling) : choice.marker, place);
        result.open = result.open || here == Truth::unknown;
        if (here == Truth::yes) result.choice = &choice;
    }
    return result;
}

// In the files that choose a build of torch: a lock file has the markers of all packages, also of those that
// only others require on Windows.
bool names_windows(const PipInstall& step, const std::vector<MarkerChoice>& choices) {
    const auto names = [](const std::string& marker) {
        return marker.find("win32") != npos || marker.find("indows") != npos || marker.find("'nt'") != npos ||
               marker.find("AMD64") != npos;
    };
    return any_of(step.requirements, [&](const WrittenRequirement& requirement) {
        const bool chooses = any_of(choices, [&](const MarkerChoice& choice) {
            return !choice.is_default && choice.at.file == requirement.whole.file;
        });
        return (chooses && names(requirement.marker)) ||
               (requirement.sources &&
                any_of(*requirement.sources, [&](const auto& source) { return names(source.first); }));
    });
}

}  // namespace

std::vector<MarkerSlip> marker_slips(const PipInstall& step) {
    std::vector<MarkerSlip> slips;
    const std::vector<MarkerChoice> choices = choices_of(step);
    const bool by_marker = any_of(choices, [](const MarkerChoice& choice) { return !choice.marker.empty(); });
    if (!by_marker || step.torch_backend) return slips;
    for (const MarkerPlace& place : marker_places()) {
        if (place.must_be_named && !names_windows(step, choices)) continue;
        const MarkerSelection now = selected_by_markers(choices, place.markers, nullptr);
        if (now.open || !now.choice) continue;
        const auto cuda = is_cuda_build(now.choice->build, place.markers);
        if (!cuda || *cuda) continue;
        for (const MarkerSpelling& spelling : place.spellings) {
            const MarkerSelection other = selected_by_markers(choices, place.markers, &spelling);
            if (other.open || !other.choice ||
                !is_cuda_build(other.choice->build, place.markers).value_or(false))
                continue;
            const MarkerChoice& at = now.choice->is_default ? *other.choice : *now.choice;
            slips.push_back({"torch", place.name, spelling.written, spelling.meant, other.choice->build,
                             origin_of(at.at)});
            return slips;
        }
    }
    return slips;
}

}  // namespace ptxguard::recipes
