// What the packages that a command of pip chooses require. Inner header of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "facts/pypi.hpp"
#include "model/ranges.hpp"
#include "model/recipe.hpp"
#include "model/text.hpp"
#include "python/specifier.hpp"

namespace ptxguard::recipes {

struct Needed {
    std::string specifier;
    std::string by;  // "vllm 0.33.0"
    Origin asked;
    const RecipePin* pin = nullptr;  // of the command's requirement
    Origin origin;
    std::vector<std::string> extras = {};
};

// torch==2.9.0+cu128 or torch==2.9.0 where an earlier command or the image has brought 2.9.0+cu128: pip
// searches nothing.
inline bool is_that_build(const Installed& before, const RecipePin& pin) {
    const std::string build = lower(pin.version->local());
    const bool is_build = build.empty() ? before.of_image || !before.build.empty() : before.build == build;
    return before.version && !pin.upgrade && is_build &&
           before.version->without_local() == pin.version->without_local();
}

// The table's row of a pinned release; null for a build with other requirements than PyPI's.
inline const PypiRow* row_of(const Facts& facts, const RecipePin& pin) {
    return starts_with(pin.version->local(), "rocm") ? nullptr : pypi_row(facts, pin.package, *pin.version);
}

// In the order in which they are found; it grows while it is read.
using Needs = std::vector<std::pair<std::string, Needed>>;

// The ranges for a package. `firm`: without those of packages that float themselves, of which pip may take
// an older release.
inline std::string range_in(const Needs& needs, const std::string& package, bool firm) {
    std::string range;
    for (const auto& [name, one] : needs)
        if (name == package && (!firm || one.pin->version) && !one.specifier.empty())
            range += (range.empty() ? "" : ",") + one.specifier;
    return range;
}

inline std::vector<std::string> extras_in(const Needs& needs, const std::string& package) {
    std::vector<std::string> extras;
    for (const auto& [name, one] : needs)
        if (name == package) append(extras, one.extras);
    return extras;
}

// One of the ranges is a release: ">=1.10,==2.4.0".
inline bool is_exact(const std::string& range) {
    return any_of(clauses_of(range), [](const Clause& one) {
        return one.op == "===" || (one.op == "==" && one.version.find('*') == std::string_view::npos);
    });
}

// Of those on a package, of which there is one: the first that is not met, otherwise the first that names a
// release, otherwise the first.
template <class IsMet>
const Needed& decisive(const Needs& needs, const std::string& package, const IsMet& is_met) {
    const auto first_of = [&](const auto& is_it) {
        return std::find_if(needs.begin(), needs.end(),
                            [&](const auto& one) { return one.first == package && is_it(one.second); });
    };
    const auto unmet = first_of([&](const Needed& one) { return !is_met(one.specifier); });
    if (unmet != needs.end()) return unmet->second;
    const auto exact = first_of([](const Needed& one) { return is_exact(one.specifier); });
    return (exact == needs.end() ? first_of([](const Needed&) { return true; }) : exact)->second;
}

}  // namespace ptxguard::recipes
