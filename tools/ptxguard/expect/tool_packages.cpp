// Packages with their own search for ptxas or libdevice: those that a reader found, and those in the table.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "expect/tool_search.hpp"
#include "host/paths.hpp"
#include "host/questions.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "packages/wheels.hpp"

namespace ptxguard {

namespace {

// A package with NVIDIA's wheels next to it is meant for a GPU, even if there is none here.
std::string wheels_beside(const Host& host, const std::string& site) {
    for (const char* name : {"cudnn", "cublas", "cuda_runtime", "cu13"}) {
        const std::string folder = join_path(site, std::string("nvidia/") + name);
        if (is_folder(host, folder)) return "NVIDIA's wheels are installed beside it (" + folder + ")";
    }
    return "";
}

bool is_known(const std::vector<SearchingPackage>& packages, const std::string& package) {
    return any_of(packages, [&](const SearchingPackage& one) { return one.package == package; });
}

void add_expected(const Host& host, const ToolSearch& search, const Scenario& scenario,
                  std::vector<SearchingPackage>& packages) {
    for (const Expectation& one : scenario.expectations) {
        if (one.package != search.package || one.path.empty() || !one.version || !one.may_use_cuda())
            continue;
        if (one.declared || !one.trouble.empty()) continue;
        SearchingPackage package{one.package, one.version, one.path, one.site, one.how, ""};
        package.gpu_because = wheels_beside(host, package.site);
        if (one.required) package.gpu_because = "it was asked for";
        packages.push_back(std::move(package));
        return;
    }
}

// A package for GPUs only, so no other evidence is needed.
void add_recorded(const Host& host, const ToolSearch& search, const std::vector<SitePlace>& places,
                  std::vector<SearchingPackage>& packages) {
    for (const SitePlace& place : places) {
        const std::string folder = join_path(place.folder, search.folder);
        if (!is_folder(host, folder)) continue;
        SearchingPackage package{search.package,       {}, folder, place.folder, Installation::wheel,
                                 "it is for GPUs only"};
        const auto wheels = installed_wheels(host, place.folder, search.records);
        for (const InstalledWheel& wheel : wheels) {
            package.release = wheel.version();
            if (!package.release) continue;
            if (wheel.installer == "conda") package.how = Installation::conda;
            break;
        }
        if (place.editable) package.how = Installation::editable;
        if (package.release) packages.push_back(std::move(package));
        return;
    }
}

// For named frameworks: where they were found. "jax-cuda12-pjrt" searches on behalf of "jax".
std::vector<SitePlace> places_of(const ToolSearch& search, const Scenario& scenario) {
    std::vector<SitePlace> places;
    for (const Expectation& one : scenario.expectations)
        if (!one.site.empty() && starts_with(search.package, one.package))
            places.push_back({one.site, one.how == Installation::editable});
    return places;
}

}  // namespace

std::vector<SearchingPackage> searching_packages(const Host& host, const std::vector<ToolSearch>& searches,
                                                 const Request& request, const Scenario& scenario) {
    std::vector<SearchingPackage> packages;
    for (const ToolSearch& search : searches) {
        if (is_known(packages, search.package)) continue;
        if (search.records.empty())
            add_expected(host, search, scenario, packages);
        else
            add_recorded(host, search,
                         request.frameworks.empty() ? scenario.python.places : places_of(search, scenario),
                         packages);
    }
    return packages;
}

// The steps of a search as a list of files, in the order in which the framework tries them.

namespace {

constexpr std::size_t k_flags_limit = 64u << 10;

struct Filler {
    const ToolSearch& search;
    const SearchingPackage& package;
    System system;

    std::string fill(std::string text, const std::string& value) const {
        text = replace_all(std::move(text), "{file}", search.file);
        text = replace_all(std::move(text), "{value}", value);
        text = replace_all(std::move(text), "{package}", package.folder);
        text = replace_all(std::move(text), "{site}", package.site);
        text = replace_all(std::move(text), "{exe}", system == System::windows ? ".exe" : "");
        return text;
    }
};

// As XLA's ParseArgvFromString does (xla/parse_flags_from_env.cc): blanks separate flags, `--flag="a b"` and
// `--flag='a b'` are one, a backslash counts in double quotes only, and the first word that is no flag ends
// the list.
std::vector<std::string> flags_of(const std::string& text) {
    static constexpr const char* k_blanks = " \t\r\n";
    std::vector<std::string> flags;
    std::size_t at = text.find_first_not_of(k_blanks);
    while (at != std::string::npos && text[at] == '-') {
        std::size_t end = at;
        while (end < text.size() && is_word_character(text[end], "-_")) ++end;
        const char quote = end + 1 < text.size() && text[end] == '=' ? text[end + 1] : '\0';
        std::string flag;
        if (quote == '"' || quote == '\'') {
            flag = text.substr(at, end + 1 - at);
            for (end += 2; end < text.size() && text[end] != quote; ++end) {
                if (quote == '"' && text[end] == '\\' && end + 1 < text.size()) ++end;
                flag += text[end];
            }
            end = std::min(end + 1, text.size());
        } else {
            end = std::min(text.find_first_of(k_blanks, end), text.size());
            flag = text.substr(at, end - at);
        }
        flags.push_back(std::move(flag));
        at = text.find_first_not_of(k_blanks, end);
    }
    return flags;
}

// XLA_FLAGS contains flags, or the name of a file with flags. The last one wins.
std::optional<std::string> flag_value(const Host& host, std::string text, const std::string& flag) {
    if (const std::string name = trim(text); !name.empty() && name.front() != '-')
        if (const auto file = host.read(name, k_flags_limit)) text = *file;
    std::optional<std::string> found;
    for (const std::string& one : flags_of(text))
        if (starts_with(one, flag + "=")) found = one.substr(flag.size() + 1);
    return found;
}

// The values of {value}, each with its description.
std::vector<std::pair<std::string, std::string>> values_of(const Host& host, const SearchStep& step) {
    if (step.variable.empty()) return {{"", step.by}};
    const std::optional<std::string> set = host.env(step.variable);
    if (step.list) {
        std::vector<std::pair<std::string, std::string>> values;
        int position = 0;
        for (const std::string& entry : split_list(set.value_or(""), host.system())) {
            ++position;
            if (!entry.empty())
                values.emplace_back(entry, step.by + " (entry " + std::to_string(position) + ")");
        }
        return values;
    }
    std::optional<std::string> value = set;
    if (set && !step.flag.empty()) value = flag_value(host, *set, step.flag);
    if (value && !value->empty()) return {{*value, step.by}};
    if (step.otherwise.empty()) return {};
    return {{step.otherwise, "where " + step.by + " is not set"}};
}

// Each file once; one that is not tried in one place may be tried in a later one.
void add(std::vector<ToolCandidate>& candidates, ToolCandidate candidate) {
    const auto same = std::find_if(candidates.begin(), candidates.end(),
                                   [&](const auto& other) { return other.path == candidate.path; });
    const bool known = same != candidates.end();
    if (known && (same->not_looked.empty() || !candidate.not_looked.empty())) return;
    if (known) candidates.erase(same);
    candidates.push_back(std::move(candidate));
}

// Why a step is not tried that wants packages of one minor release; empty = they are.
std::string why_not_of_one_release(const Host& host, const SearchStep& step, const std::string& site) {
    std::string all;
    std::optional<Version> first;
    bool differ = false;
    for (const std::string& package : step.of_one_release) {
        const auto version = installed_version(host, site, {package});
        if (!version) return "without effect: " + package + " is not installed";
        all += (all.empty() ? "" : ", ") + package + " " + version->text;
        differ = differ || (first && !same_release(*first, *version));
        if (!first) first = *version;
    }
    return differ ? "without effect: of different releases (" + all + ")" : "";
}

// Where programs and libraries are below: the system's folders, toolkits, what is in /opt, the environment's
// own.
std::vector<std::string> folders_for_lists(const Host& host, const std::string& site) {
    std::vector<std::string> roots{"/",
                                   "/usr",
                                   "/usr/local",
                                   "/usr/lib/cuda",
                                   "/usr/lib/nvidia-cuda-toolkit",
                                   join_path(site, "../../..")};
    for (const char* pattern : {"/usr/local/cuda*", "/opt/*"}) append(roots, paths_matching(host, pattern));
    std::vector<std::string> folders;
    for (const std::string& root : roots)
        for (const char* name : {"bin", "sbin", "lib64", "lib"}) folders.push_back(join_path(root, name));
    return folders;
}

}  // namespace

bool may_be_on_a_list(const Host& host, const ToolSearch& search, const SearchingPackage& package) {
    const auto is_there = [&](const std::string& path) {
        return host.status(normal_path(path, host.system())).type != FileType::missing;
    };
    if (host.system() == System::windows) return true;
    if (search.tool == k_c_compiler && !is_there("/bin/sh")) return true;
    const Filler filler{search, package, host.system()};
    const std::vector<std::string> folders = folders_for_lists(host, package.site);
    return any_of(search.steps, [&](const SearchStep& step) {
        return step.list && !host.env(step.variable) && any_of(folders, [&](const std::string& folder) {
                   return is_there(filler.fill(step.at, folder));
               });
    });
}

std::vector<ToolCandidate> tool_candidates(const Host& host, const ToolSearch& search,
                                           const SearchingPackage& package) {
    const Filler filler{search, package, host.system()};
    std::vector<ToolCandidate> candidates;
    std::map<std::string, std::string> groups;  // name -> the step that found a place
    for (const SearchStep& step : search.steps) {
        const auto values = values_of(host, step);
        if (values.empty()) continue;
        if (!step.where.empty() && host.status(filler.fill(step.where, "")).type == FileType::missing)
            continue;
        const auto before = step.group.empty() ? groups.end() : groups.find(step.group);
        const bool beaten = before != groups.end();
        // The default of an unset variable is not worth listing if it is skipped.
        if (beaten && values.front().second != step.by) continue;
        if (!step.group.empty() && !beaten) groups[step.group] = step.by;
        for (const auto& [value, by] : values) {
            ToolCandidate candidate{filler.fill(step.at, value), by, step.not_looked};
            if (!step.of_one_release.empty())
                candidate.not_looked = why_not_of_one_release(host, step, package.site);
            candidate.last = search.stops_at == StopsAt::variable && !step.variable.empty() && !step.list;
            if (!is_absolute(candidate.path, host.system())) {
                if (candidate.not_looked.empty())
                    candidate.not_looked = "in the folder in which the program is started: not looked at";
            } else {
                candidate.path = normal_path(candidate.path, host.system());
            }
            if (beaten) candidate.not_looked = "without effect: " + before->second + " comes instead";
            add(candidates, std::move(candidate));
        }
    }
    return candidates;
}

}  // namespace ptxguard
