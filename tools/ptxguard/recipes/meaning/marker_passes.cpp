// SPDX-License-Identifier: Apache-2.0
#include "recipes/meaning/marker_passes.hpp"

#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "facts/variants.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "model/version.hpp"
#include "python/specifier.hpp"
#include "recipes/python/marker_choice.hpp"
#include "recipes/python/marker_places.hpp"
#include "recipes/resolution/pins.hpp"
#include "recipes/shell/activation.hpp"

namespace ptxguard::recipes {
namespace {

// A requirement that markers select for some environments, and the index from which it comes there.
using Selected = std::tuple<std::string, int, int, std::string>;

Selected selected(const Origin& at, const std::string& index) { return {at.path, at.line, at.column, index}; }

bool has_markers(const WrittenRequirement& one) {
    return !one.name.empty() && (!one.marker.empty() || one.sources);
}

struct Choices {
    std::vector<const WrittenRequirement*> requirements;  // with markers
    bool of_python = false;                               // one of these names Pythons
    std::vector<Written> pythons;                         // that their projects admit
};
Choices choices_of(const Environments::Steps& steps) {
    Choices choices;
    for (const Step* step : steps) {
        const auto* pip = std::get_if<PipInstall>(step);
        if (!pip || is_isolated(*pip) || !pip->python.empty()) continue;
        for (const WrittenRequirement& one : pip->requirements) {
            if (!has_markers(one)) continue;
            choices.requirements.push_back(&one);
            choices.of_python = choices.of_python || one.marker.find("python") != npos;
        }
        append(choices.pythons, pip->pythons);
        if (pip->admitted_pythons) choices.pythons.push_back(pip->admitted_pythons);
    }
    return choices;
}

// Of the Pythons that the projects admit.
std::vector<MarkerEnvironment> environments_of(const Choices& choices, MarkerEnvironment here,
                                               bool any_system) {
    if (any_system && here.system == "linux" && here.machine.empty()) here.system.clear();
    std::vector<MarkerEnvironment> all = possible_environments(here);
    erase_if(all, [&](const MarkerEnvironment& one) {
        const auto python = parse_version(one.python);
        return any_of(choices.pythons, [&](const Written& range) {
            return range.known && python && !accepts(range.text, *python) &&
                   !accepts(range.text, *parse_version(one.python + ".999"));
        });
    });
    return all;
}

class PassesOfMarkers {
public:
    PassesOfMarkers(const MarkerEnvironment& here, const RecipeFacts& judged) : m_here(here) {
        for (const RecipePin& pin : judged.pins) m_judged.insert(selected(pin.origin, ""));
        // The rule for builds with CUDA on macOS has these.
        for (const RecipePin& pin : judged.pins_for_macos)
            if (pin.version && cuda_of_tag(pin.version->local())) m_judged.insert(selected(pin.origin, ""));
    }

    void add(const MarkerEnvironment& place, const Choices& choices) {
        const bool by_python = choices.of_python && m_here.python.empty();
        MarkerPass pass{place.system, place.machine, by_python ? place.python : "", {}};
        Indexes there;
        for (const WrittenRequirement* one : choices.requirements) {
            if (holds(one->marker, place) != Truth::yes) continue;
            const std::string& index = index_in(*one, place, there);
            const Origin at = origin_of(one->whole);
            const bool other_index = !index.empty() && index != index_in(*one, m_here, m_indexes);
            if (m_judged.insert(selected(at, other_index ? index : "")).second) pass.own_lines.push_back(at);
        }
        if (!pass.own_lines.empty()) m_passes.push_back(std::move(pass));
    }
    std::vector<MarkerPass> passes() { return std::move(m_passes); }

private:
    // By the sources, which all requirements of a package share, and the index of one of them.
    using Indexes = std::map<std::pair<const void*, std::string>, std::string>;

    static const std::string& index_in(const WrittenRequirement& one, const MarkerEnvironment& place,
                                       Indexes& known) {
        const auto [index, is_new] = known.try_emplace({one.sources.get(), one.index.text});
        if (is_new) index->second = index_here(one, place).text;
        return index->second;
    }

    MarkerEnvironment m_here;
    Indexes m_indexes;  // here
    std::set<Selected> m_judged;
    std::vector<MarkerPass> m_passes;
};

}  // namespace

std::string MarkerPass::name() const {
    const std::string place = unusual_platform({"", system, machine, {}});
    const std::string version = python.empty() ? "" : "Python " + python;
    return place + (place.empty() || version.empty() ? "" : ", ") + version;
}

void MarkerPass::fill(PythonHere& here) const {
    const MarkerEnvironment before = usual(here.markers);
    if (system != before.system || machine != before.machine) here.platform = own_lines.front();
    here.markers.system = system;
    here.markers.machine = machine;
    here.selects = python;
    if (here.markers.python.empty() && here.likely.empty()) here.likely = python;
}

std::vector<MarkerPass> marker_passes(const Environments::Steps& steps, const MarkerEnvironment& here,
                                      const RecipeFacts& judged, bool any_system) {
    const Choices choices = choices_of(steps);
    if (choices.requirements.empty()) return {};
    PassesOfMarkers passes(here, judged);
    for (const MarkerEnvironment& place : environments_of(choices, here, any_system))
        passes.add(place, choices);
    return passes.passes();
}

}  // namespace ptxguard::recipes
