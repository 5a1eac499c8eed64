// SPDX-License-Identifier: Apache-2.0
#include "recipes/python/marker_choice.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "expect/expect.hpp"
#include "facts/libraries.hpp"
#include "model/ranges.hpp"
#include "packages/wheels.hpp"

namespace ptxguard::recipes {
namespace {

// One bit for each possible environment that a marker does not exclude.
using Places = unsigned long long;

class PossiblePlaces {
public:
    explicit PossiblePlaces(const MarkerEnvironment& known) {
        add(usual(known));
        m_of_machine = m_possible.size();
        using Machine = std::pair<const char*, const char*>;
        for (const auto& [system, machine] : {Machine{"linux", "aarch64"}, Machine{"win32", "AMD64"},
                                              Machine{"darwin", "arm64"}, Machine{"darwin", "x86_64"}}) {
            MarkerEnvironment other = known;
            if (other.system.empty()) other.system = system;
            if (other.machine.empty()) other.machine = machine;
            add(other);
        }
    }

    Places places(const std::string& marker) {
        const auto [found, is_new] = m_places.emplace(marker, 0);
        for (std::size_t i = 0; is_new && i < m_possible.size(); ++i)
            if (holds(marker, m_possible[i]) != Truth::no) found->second |= Places{1} << i;
        return found->second;
    }
    // All Pythons of the usual machine.
    Places machine() const { return (Places{1} << m_of_machine) - 1; }
    // Of these, the one that most of the pins are for; the newest of several.
    Places environment(const std::vector<Places>& of_pins) const {
        Places best = 1;
        std::ptrdiff_t most = -1;
        for (std::size_t i = 0; i < m_of_machine; ++i) {
            const Places one = Places{1} << i;
            const auto count = std::count_if(of_pins.begin(), of_pins.end(),
                                             [&](Places places) { return (places & one) != 0; });
            if (count >= most) best = one;
            most = std::max(most, count);
        }
        return best;
    }

private:
    void add(const MarkerEnvironment& machine) {
        if (!machine.python.empty()) return m_possible.push_back(machine);
        const auto from = parse_version(machine.python_from);
        for (const char* python : {"3.7", "3.8", "3.9", "3.10", "3.11", "3.12", "3.13", "3.14"}) {
            if (from && *parse_version(python) < *from) continue;
            m_possible.push_back(machine);
            m_possible.back().python = python;
        }
    }

    std::vector<MarkerEnvironment> m_possible;  // the usual machine's first
    std::size_t m_of_machine = 0;
    std::map<std::string, Places> m_places;  // by marker
};

bool is_framework(const std::string& package) {
    return any_of(framework_readers(),
                  [&](const FrameworkReader& one) { return names_package(one.distributions, package); });
}

// What a package of another environment must not be compared with, here.
class PinsHere {
public:
    void add(const RecipePin& pin, Places places) {
        m_packages.insert(pin.package);
        if (is_framework(pin.package)) m_of_role[""].insert(places);
        if (const std::string library = nvidia_component(pin.package); !library.empty())
            m_of_role[library].insert(places);
    }
    bool has(const std::string& package) const { return m_packages.count(package) != 0; }
    bool excludes(const RecipePin& pin, Places places) const {
        if (has(pin.package) || is_framework(pin.package)) return false;
        for (const std::string& role : {std::string(), nvidia_component(pin.package)}) {
            const auto found = m_of_role.find(role);
            if (found != m_of_role.end() &&
                any_of(found->second, [&](Places other) { return (other & places) == 0; }))
                return true;
        }
        return false;
    }

private:
    std::set<std::string> m_packages;
    std::map<std::string, std::set<Places>> m_of_role;  // frameworks: ""
};

}  // namespace

void choose_by_markers(const MarkerEnvironment& environment, std::vector<RecipePin>& pins,
                       std::size_t first) {
    const auto begin = pins.begin() + static_cast<std::ptrdiff_t>(first);
    if (std::all_of(begin, pins.end(), [](const RecipePin& pin) { return pin.marker.empty(); })) return;
    PossiblePlaces choice(environment);
    std::vector<Places> places;
    for (auto pin = begin; pin != pins.end(); ++pin) places.push_back(choice.places(pin->marker));
    const Places chosen = choice.environment(places);
    PinsHere here, of_machine;
    for (std::size_t i = 0; i < places.size(); ++i) {
        if ((places[i] & chosen) != 0) here.add(pins[first + i], places[i]);
        if ((places[i] & choice.machine()) != 0) of_machine.add(pins[first + i], places[i]);
    }
    std::vector<RecipePin> others, kept;
    for (std::size_t i = 0; i < places.size(); ++i) {
        RecipePin& pin = pins[first + i];
        const bool on_machine = (places[i] & choice.machine()) != 0;
        if ((places[i] & chosen) != 0)
            kept.push_back(std::move(pin));
        else if (places[i] != 0 && (on_machine || !of_machine.has(pin.package)) &&
                 !here.excludes(pin, places[i]))
            others.push_back(std::move(pin));
    }
    pins.resize(first);
    append(pins, others);
    append(pins, kept);
}

}  // namespace ptxguard::recipes
