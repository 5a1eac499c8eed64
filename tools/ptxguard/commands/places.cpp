// SPDX-License-Identifier: Apache-2.0
#include "commands/places.hpp"

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "commands/options.hpp"
#include "discover/discover.hpp"
#include "discover/selectors.hpp"
#include "discover/targets.hpp"
#include "host/paths.hpp"
#include "judge/judge.hpp"
#include "judge/list_spelling.hpp"
#include "model/text.hpp"
#include "probe/compile.hpp"
#include "probe/probe.hpp"

namespace ptxguard {
namespace {

constexpr const char* k_separator = " @ ";

struct Place {
    std::string archs, file, name;
    int line = 0;              // in the file; 0 = unknown
    std::string flags;         // all of them, where it is no list
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

// The flags, with those in files of --options-file.
std::string with_options_files(const Host& host, const std::string& flags) {
    std::string all = flags;
    const std::vector<std::string> words = split(flags, " \t\"'");
    for (std::size_t i = 0; i < words.size(); ++i)
        for (const std::string option : {"--options-file", "-optf"}) {
            std::string file;
            if (words[i] == option && i + 1 < words.size()) file = words[i + 1];
            if (starts_with(words[i], option + "=")) file = words[i].substr(option.size() + 1);
            if (file.empty()) continue;
            if (const auto text = host.read(file)) all += " " + *text;
        }
    return all;
}

bool has_option(const std::string& flags, std::initializer_list<const char*> names) {
    for (const std::string& word : split(flags, " \t\"'"))
        for (const char* name : names)
            if (word == name || starts_with(word, std::string(name) + "=")) return true;
    return false;
}

std::string architectures_in(std::string flags) {
    const auto quotes = [](char c) { return c == '"' || c == '\'' || c == '\\'; };
    flags.erase(std::remove_if(flags.begin(), flags.end(), quotes), flags.end());
    return arch_flags_of(flags);
}

// "CMakeLists.txt:12"
void take_line(Place& place) {
    const std::size_t colon = place.file.rfind(':');
    if (colon == std::string::npos || colon + 1 == place.file.size()) return;
    if (place.file.find_first_not_of("0123456789", colon + 1) != std::string::npos) return;
    place.line = std::atoi(place.file.c_str() + colon + 1);
    place.file.resize(colon);
}

// "LIST @ FILE @ PLACE"; LIST may be nvcc's flags, including others. FILE may end with a line: "FILE:12".
Place read_place(const Host& host, const std::string& text) {
    const std::size_t first = text.find(k_separator);
    const std::size_t second = first == std::string::npos ? first : text.find(k_separator, first + 3);
    Place place;
    place.archs = text.substr(0, first);
    place.name = "--arch-place";
    if (second == std::string::npos) return place;
    place.file = text.substr(first + 3, second - first - 3);
    take_line(place);
    place.name = text.substr(second + 3);
    const std::string variable = place.name.substr(0, place.name.find(" of "));
    place.of_cmake = variable == "CUDAARCHS" || ends_with(variable, "CUDA_ARCHITECTURES");
    if (place.of_cmake || place.archs.find('-') == std::string::npos) return place;
    place.flags = place.archs;
    const std::string all = with_options_files(host, place.flags);
    place.archs = architectures_in(all);
    if (has_option(all, {"-code", "--gpu-code"}) && !has_option(all, {"-arch", "--gpu-architecture"}))
        place.flags.clear();  // no dry run: its architecture is at another place
    return place;
}

// A line of --arch-places: options as CMake generates them, a list with prefixes.
Place read_generated(const Host& host, std::string line) {
    std::replace(line.begin(), line.end(), ';', ' ');
    for (std::size_t at; (at = line.find("SHELL:")) != std::string::npos;) line.erase(at, 6);
    Place place = read_place(host, line);
    place.archs = architectures_in(place.archs);
    return place;
}

// Places that contain architectures or flags.
std::vector<Place> read_places(const Host& host, const Settings& settings, Scenario& scenario) {
    std::vector<Place> places;
    for (const std::string& text : settings.all("arch-place")) {
        places.push_back(read_place(host, text));
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
        for (const std::string& line : split(*text, "\n")) places.push_back(read_generated(host, line));
    }
    places.erase(
        std::remove_if(places.begin(), places.end(),
                       [](const Place& place) { return place.archs.empty() && place.flags.empty(); }),
        places.end());
    return places;
}

Origin origin_of(const Place& place) {
    Origin origin = Origin::from_file(place.file, place.line);
    origin.variable = place.name;
    origin.text = place.name;
    return origin;
}

Scenario look_at_place(const Asker& ask, const Facts& facts, ProbeOptions options, Request request,
                       const Place& place, Scenario scenario) {
    scenario.name = place.name;
    Known<std::string>& list = scenario.project.archs_text;
    if (place.of_cmake && misspelt_in(place.archs)) {
        list = {place.archs, origin_of(place)};
        mark_misspelt(scenario);
        return scenario;
    }
    if (place.archs.empty()) {  // flags without architectures: those of the target are at another place
        list.value = place.flags;
        options.architectures_only = true;
    } else {
        request.archs = place.archs;
        request.archs_origin = place.name;
        read_project(ask.host(), request, scenario);
    }
    list.origin = origin_of(place);
    if (place.cmake_stops) list.origin.certainty = Certainty::measured;
    for (Unreadable& one : scenario.unreadable) one.named_by_user = false;  // CMake or nvcc reports it
    resolve_project_words(facts, scenario);
    options.flags = place.flags;
    probe(ask, facts, options, scenario);
    scenario.project.nvcc_flags = {};  // the whole check has judged those of the environment
    if (!place.flags.empty()) scenario.project.nvcc_flags = {place.flags, origin_of(place)};
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

namespace {

bool is_of_this_machine(std::string_view option) { return option == "facts" || option == "root"; }

// `toolkit` may be nvcc itself, `driver-libs` the library, `host-exe` the program.
bool may_be_file(std::string_view option) {
    return option == "toolkit" || option == "driver-libs" || option == "host-exe";
}

// ptxguard creates the folder of --to.
bool has_to_exist(const OptionSpec& option) {
    return std::string_view(option.value) == "DIR" && std::string_view(option.name) != "to";
}

// Writes a relative path relative to the working folder again.
std::string nearest_to(const Host& host, const std::string& path) {
    if (is_absolute(path, host.system())) return nearest_folder(host, path, {});
    const auto here = host.real_path(".");
    const std::string nearest = here ? nearest_folder(host, join_path(*here, path), {}) : "";
    return here && starts_with(nearest, *here + "/") ? nearest.substr(here->size() + 1) : nearest;
}

// The directory that somebody wants who names the file of an image.
std::string how_to_unpack(const std::string& path) {
    static const std::pair<const char*, const char*> k_commands[] = {
        {".sif", "apptainer build --sandbox IMAGE "},    {".sqsh", "unsquashfs -d IMAGE "},
        {".squashfs", "unsquashfs -d IMAGE "},           {".tar", "mkdir IMAGE && tar -C IMAGE -xf "},
        {".tar.gz", "mkdir IMAGE && tar -C IMAGE -xf "}, {".tgz", "mkdir IMAGE && tar -C IMAGE -xf "}};
    for (const auto& [end, command] : k_commands)
        if (ends_with(lower(path), end)) return std::string("unpack it: ") + command + path;
    return "";
}

std::optional<Trouble> check_place(const Host& host, const std::string& path, const std::string& subject,
                                   bool file) {
    const FileStatus status = host.status(path);
    if (status.type == FileType::directory || (file && status.type != FileType::missing)) return std::nullopt;
    if (status.type != FileType::missing) return Trouble{subject, "is not a directory", how_to_unpack(path)};
    if (why_nowhere(status) == PathProblem::unreadable) return Trouble{subject, "cannot be read", ""};
    const std::string nearest = nearest_to(host, path);
    return Trouble{subject, "does not exist" + (nearest.empty() ? "" : ", did you mean '" + nearest + "'?"),
                   ""};
}

std::optional<Trouble> check_all(const Host& host, const Settings& settings, bool of_this_machine) {
    for (const OptionSpec& option : option_table()) {
        if (!has_to_exist(option) || is_of_this_machine(option.name) != of_this_machine) continue;
        for (const std::string& value : settings.all(option.name)) {
            const std::string subject = written(option.name, settings.origin(option.name)) + " " + value;
            const std::string path = of_this_machine ? value : judged_path(host, value);
            if (auto trouble = check_place(host, path, subject, may_be_file(option.name))) return trouble;
        }
    }
    return std::nullopt;
}

}  // namespace

std::optional<Trouble> check_own_places(const Settings& settings) {
    return check_all(*real_host(), settings, true);
}

std::optional<Trouble> check_places(const Host& host, const Settings& settings) {
    if (settings.has("from-cmake")) return std::nullopt;  // CC101 reports CMake's variable and its line
    return check_all(host, settings, false);
}

}  // namespace ptxguard
