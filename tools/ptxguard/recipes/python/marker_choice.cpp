// SPDX-License-Identifier: Apache-2.0
#include "recipes/python/marker_choice.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "model/ranges.hpp"
#include "model/version.hpp"

namespace ptxguard::recipes {
namespace {

// One bit for each possible environment that a marker does not exclude.
using Places = unsigned long long;

// Of the usual machine: it is first in the list.
std::size_t count_of_machine(const std::vector<MarkerEnvironment>& possible) {
    return static_cast<std::size_t>(
        std::count_if(possible.begin(), possible.end(), [&](const MarkerEnvironment& one) {
            return one.system == possible.front().system && one.machine == possible.front().machine;
        }));
}

// The one that most of the pins are for; the newest of several.
const MarkerEnvironment& most_wanted(const std::vector<MarkerEnvironment>& possible,
                                     const std::vector<Places>& of_pins) {
    std::size_t best = 0;
    std::ptrdiff_t most = -1;
    for (std::size_t i = 0; i < count_of_machine(possible); ++i) {
        const Places one = Places{1} << i;
        const auto count =
            std::count_if(of_pins.begin(), of_pins.end(), [&](Places places) { return (places & one) != 0; });
        if (count > most) best = i;
        most = std::max(most, count);
    }
    return possible[best];
}

// Where each of the pins is installed.
std::vector<Places> places_of(const std::vector<MarkerEnvironment>& possible,
                              const std::vector<RecipePin>& pins, std::size_t first) {
    std::map<std::string, Places> of_marker;
    std::vector<Places> places;
    for (std::size_t at = first; at < pins.size(); ++at) {
        const auto [found, is_new] = of_marker.emplace(pins[at].marker, 0);
        for (std::size_t i = 0; is_new && i < possible.size(); ++i)
            if (holds(pins[at].marker, possible[i]) != Truth::no) found->second |= Places{1} << i;
        places.push_back(found->second);
    }
    return places;
}

}  // namespace

std::vector<MarkerEnvironment> possible_environments(const MarkerEnvironment& known) {
    std::vector<MarkerEnvironment> machines = {usual(known)}, all;
    using Machine = std::pair<const char*, const char*>;
    for (const auto& [system, machine] : {Machine{"linux", "aarch64"}, Machine{"win32", "AMD64"},
                                          Machine{"darwin", "arm64"}, Machine{"darwin", "x86_64"}}) {
        MarkerEnvironment other = known;
        if (other.system.empty()) other.system = system;
        if (other.machine.empty() && other.system == system) other.machine = machine;
        const bool is_new = none_of(machines, [&](const MarkerEnvironment& one) {
            return one.system == other.system && one.machine == other.machine;
        });
        if (other.system == system && is_new) machines.push_back(other);
    }
    const auto from = parse_version(known.python_from);
    for (const MarkerEnvironment& machine : machines) {
        if (!machine.python.empty()) all.push_back(machine);
        for (const char* python : {"3.14", "3.13", "3.12", "3.11", "3.10", "3.9", "3.8", "3.7"}) {
            if (!machine.python.empty() || (from && *parse_version(python) < *from)) continue;
            all.push_back(machine);
            all.back().python = python;
        }
    }
    return all;
}

void choose_by_markers(const MarkerEnvironment& environment, const std::string& python,
                       std::vector<RecipePin>& pins, std::size_t first) {
    const auto begin = pins.begin() + static_cast<std::ptrdiff_t>(first);
    if (std::all_of(begin, pins.end(), [](const RecipePin& pin) { return pin.marker.empty(); })) return;
    MarkerEnvironment known = environment;
    if (known.python.empty()) known.python = python;
    const std::vector<MarkerEnvironment> possible = possible_environments(known);
    if (possible.empty()) return;
    const MarkerEnvironment chosen = most_wanted(possible, places_of(possible, pins, first));
    pins.erase(std::remove_if(begin, pins.end(),
                              [&](const RecipePin& pin) { return holds(pin.marker, chosen) == Truth::no; }),
               pins.end());
}

}  // namespace ptxguard::recipes
