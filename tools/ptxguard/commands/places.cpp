// SPDX-License-Identifier: Apache-2.0
#include "commands/places.hpp"

#include <algorithm>

#include "discover/discover.hpp"
#include "discover/targets.hpp"
#include "host/paths.hpp"
#include "judge/judge.hpp"
#include "judge/list_spelling.hpp"
#include "probe/compile.hpp"
#include "probe/probe.hpp"

namespace ptxguard {
namespace {

constexpr const char* k_separator = " @ ";

struct Place {
    std::string archs, file, name;
    bool cmake_stops = false;  // at `native`: it found no GPU
    bool of_cmake = false;     // a list of CMake, not flags
};

// "FILES @ FILE @ TARGET @ WHAT": FILES are separated by ";", and WHAT searched for a CUDA compiler and found
// none.
DroppedSources read_dropped(std::string text) {
    std::vector<std::string> members;
    for (std::size_t at; (at = text.find(k_separator)) != std::string::npos; text.erase(0, at + 3))
        members.push_back(text.substr(0, at));
    members.push_back(text);
    members.resize(4);
    DroppedSources dropped;
    dropped.files = split(members[0], ";");
    if (!members[1].empty()) dropped.origin = Origin::from_file(members[1]);
    dropped.target = members[2];
    dropped.looked_by = members[3];
    return dropped;
}

std::string architectures_in(std::string flags) {
    flags.erase(std::remove_if(flags.begin(), flags.end(), [](char c) { return c == '"' || c == '\''; }),
                flags.end());
    return arch_flags_of(flags);
}

// "LIST @ FILE @ PLACE"; LIST may be nvcc's flags, including others.
Place read_place(const std::string& text) {
    const std::size_t first = text.find(k_separator);
    const std::size_t second = first == std::string::npos ? first : text.find(k_separator, first + 3);
    if (second == std::string::npos) return {text, "", "--arch-place"};
    Place place = {text.substr(0, first), text.substr(first + 3, second - first - 3),
                   text.substr(second + 3)};
    const std::string variable = place.name.substr(0, place.name.find(" of "));
    place.of_cmake = variable == "CUDAARCHS" || ends_with(variable, "CUDA_ARCHITECTURES");
    if (!place.of_cmake && place.archs.find('-') != std::string::npos &&
        guess_dialect(place.archs) == ArchDialect::nvcc)
        place.archs = architectures_in(place.archs);
    return place;
}

// A line of --arch-places: options as CMake generates them, a list with prefixes.
Place read_generated(std::string line) {
    std::replace(line.begin(), line.end(), ';', ' ');
    for (std::size_t at; (at = line.find("SHELL:")) != std::string::npos;) line.erase(at, 6);
    Place place = read_place(line);
    place.archs = architectures_in(place.archs);
    return place;
}

// Places that contain architectures.
std::vector<Place> read_places(const Host& host, const Settings& settings, Scenario& scenario) {
    std::vector<Place> places;
    for (const std::string& text : settings.all("arch-place")) {
        places.push_back(read_place(text));
        places.back().cmake_stops =
            places.back().of_cmake && places.back().archs == "native" && settings.has("native-stops");
    }
    for (const std::string& value : settings.all("arch-places")) {
        const auto text = host.read(judged_path(host, value));
        if (!text) {
            scenario.unreadable.push_back(
                {value, text.trouble().what, true, Origin::from_option("--arch-places")});
            continue;
        }
        for (const std::string& line : split(*text, "\n")) places.push_back(read_generated(line));
    }
    places.erase(
        std::remove_if(places.begin(), places.end(), [](const Place& place) { return place.archs.empty(); }),
        places.end());
    return places;
}

Origin origin_of(const Place& place) {
    Origin origin = Origin::from_file(place.file);
    origin.variable = place.name;
    origin.text = place.name;
    return origin;
}

Scenario look_at_place(const Asker& ask, const Facts& facts, const ProbeOptions& options, Request request,
                       const Place& place, Scenario scenario) {
    scenario.name = place.name;
    Known<std::string>& list = scenario.project.archs_text;
    if (place.of_cmake && misspelt_in(place.archs)) {
        list = {place.archs, origin_of(place)};
        mark_misspelt(scenario);
        return scenario;
    }
    request.archs = place.archs;
    request.archs_origin = place.name;
    read_project(ask.host(), request, scenario);
    list.origin = origin_of(place);
    if (place.cmake_stops) list.origin.certainty = Certainty::measured;
    for (Unreadable& one : scenario.unreadable) one.named_by_user = false;  // CMake or nvcc reports it
    resolve_project_words(facts, scenario);
    probe(ask, facts, options, scenario);
    scenario.project.nvcc_flags = {};  // the whole check has judged them
    return scenario;
}

}  // namespace

bool names_places(const Settings& settings) {
    return settings.has("arch-place") || settings.has("arch-places") || settings.has("dropped-sources");
}

std::set<std::string> rules_of_places() { return codes_where(&RuleHead::of_places); }

std::vector<Scenario> look_at_places(const Asker& ask, const Facts& facts, const Settings& settings,
                                     Request request, Scenario base) {
    const std::vector<Place> places = read_places(ask.host(), settings, base);
    if (!places.empty() || settings.has("dropped-sources")) discover_toolkits(ask, facts, request, base);
    if (!places.empty()) discover_drivers(ask, facts, request, base);
    std::vector<Scenario> scenarios;
    ProbeOptions options;
    options.mode = request.probe_mode;
    options.architectures_only = base.drivers.empty();  // a driver reads PTX that was really made
    for (const Place& place : places)
        scenarios.push_back(look_at_place(ask, facts, options, request, place, base));
    for (const std::string& text : settings.all("dropped-sources")) {
        Scenario scenario = base;
        scenario.project.dropped = {read_dropped(text)};
        scenario.name = scenario.project.dropped.front().target;
        scenarios.push_back(std::move(scenario));
    }
    if (scenarios.empty()) scenarios.push_back(base);
    return scenarios;
}

}  // namespace ptxguard
