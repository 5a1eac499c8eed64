// SPDX-License-Identifier: Apache-2.0
#include "load/habits.hpp"

#include <algorithm>

#include "host/paths.hpp"
#include "host/questions.hpp"
#include "packages/wheels.hpp"

namespace ptxguard {

bool habit_applies(const Host& host, const std::string& site, const PackageHabit& habit, bool unknown) {
    if (!habit.only_with.empty() && !is_folder(host, join_path(site, habit.only_with))) return false;
    if (habit.only_with_from) {
        const auto other = installed_version(host, site, {habit.only_with});
        if (other ? *other < *habit.only_with_from : !unknown) return false;
    }
    if (!habit.from && !habit.below) return true;
    const auto version = installed_version(host, site, habit.distributions);
    if (!version) return unknown;
    return (!habit.from || *version >= *habit.from) && (!habit.below || *version < *habit.below);
}

std::string place_of_find(const Host& host, const std::string& site, const std::string& place) {
    const std::size_t slash = std::min(place.find('/'), place.size());
    const std::string start = place.substr(0, slash);
    if (start == "{site}") return join_path(site, place.substr(slash + 1));
    const std::string root = host.env(start.substr(1)).value_or("");
    return root.empty() ? std::string() : join_path(root, place.substr(slash + 1));
}

}  // namespace ptxguard
