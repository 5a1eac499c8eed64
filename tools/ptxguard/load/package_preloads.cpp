// The package of a file, its release, and the files that its patterns match.
// SPDX-License-Identifier: Apache-2.0
#include "load/trace_linux_process.hpp"

#include <algorithm>

#include "facts/libraries.hpp"
#include "host/paths.hpp"
#include "host/questions.hpp"
#include "model/ranges.hpp"

namespace ptxguard {
namespace {

constexpr Limit k_most_matches{256, "matches of a pattern for libraries", "later ones"};

std::string real(const Host& host, const std::string& path) {
    const auto found = host.real_path(path);
    return found ? *found : path;
}

std::string first_match(const Host& host, const std::string& site, const std::string& pattern) {
    std::vector<std::string> found = {site};
    for (const std::string& part : split(pattern, "/")) {
        std::vector<std::string> next;
        for (const std::string& folder : found) {
            for (const DirectoryEntry& entry : entries_in(host, folder)) {
                if (!matches_pattern(entry.name, part)) continue;
                if (host.exceeds(k_most_matches, next.size() + 1, folder)) break;
                next.push_back(join_path(folder, entry.name));
            }
        }
        found = std::move(next);
    }
    const auto* file = first_where(found, [&](const auto& path) { return is_file(host, path); });
    return file ? *file : std::string();
}

// In the first folder that has one.
std::string first_match(const Host& host, const std::vector<std::string>& sites, const std::string& pattern) {
    for (const std::string& site : sites)
        if (std::string found = first_match(host, site, pattern); !found.empty()) return found;
    return {};
}

std::string existing_place(const Host& host, const std::vector<std::string>& sites,
                           const std::string& place) {
    for (const std::string& site : sites)
        if (std::string path = place_of_find(host, site, place); !path.empty() && is_file(host, path))
            return path;
    return {};
}

// The first place that contains the library; if the loader is asked first, what it finds.
void add_find(const Host& host, const LibraryFind& find, const std::vector<std::string>& sites,
              std::vector<PackagePreload>& preloads) {
    PackagePreload preload{"", find.finder, "", false, {}, true, true, "", false};
    for (const std::string& place : find.places) {
        if (place.find('/') == std::string::npos) {
            preload.unless_found.push_back(place);
            continue;
        }
        const std::string path = existing_place(host, sites, place);
        if (path.empty()) continue;
        preload.path = path;
        preload.pattern = place;
        preloads.push_back(preload);
        preload.with = file_name(path);
        for (const std::string& pattern : find.beside)
            if (preload.path = first_match(host, parent_path(path), pattern); !preload.path.empty())
                preloads.push_back(preload);
        return;
    }
}

// What importing a package in this folder loads by path.
void add_preloads(const Host& host, const PackageHabit& habit, const PackageSites& sites,
                  std::vector<PackagePreload>& preloads) {
    if (!habit_applies(host, sites, habit, false)) return;
    const std::vector<std::string> searched = sites.searched_by(habit);
    for (const LibraryFind& find : habit.finds) add_find(host, find, searched, preloads);
    for (const std::string& pattern : habit.preloads) {
        // Its own files are not searched for.
        const bool own = starts_with(pattern, habit.package + "/");
        const std::string found =
            own ? first_match(host, sites.own, pattern) : first_match(host, searched, pattern);
        if (found.empty()) continue;
        PackagePreload preload{found,
                               habit.only_with.empty() ? habit.package : habit.only_with,
                               pattern,
                               habit.only_after_failure,
                               {},
                               false,
                               habit.only_asked,
                               "",
                               !habit.by_call.empty()};
        if (preload.by_call) preload.package = habit.by_call;
        preloads.push_back(std::move(preload));
    }
}

bool lends(const PackageHabit& habit, const std::vector<std::string>& names) {
    return std::find_first_of(names.begin(), names.end(), habit.lends.begin(), habit.lends.end()) !=
           names.end();
}

}  // namespace

std::vector<PackagePreload> package_preloads(const Host& host, const Facts& facts, const std::string& path,
                                             const std::vector<std::string>& site_packages) {
    std::vector<PackagePreload> preloads;
    if (site_packages.empty()) return preloads;
    const std::string file = real(host, path);
    for (const PackageHabit& habit : package_habits(facts, System::linux_)) {
        for (const std::string& site : site_packages) {
            if ((habit.preloads.empty() && habit.finds.empty()) || !habit.lends.empty() ||
                !starts_with(file, real(host, join_path(site, habit.package)) + "/"))
                continue;
            add_preloads(host, habit, {site, site_packages}, preloads);
            break;
        }
    }
    return preloads;
}

std::vector<PackagePreload> without_fallbacks(std::vector<PackagePreload> preloads) {
    erase_if(preloads, [](const PackagePreload& file) { return file.only_after_failure; });
    return preloads;
}

bool needs_fallbacks(const std::vector<PackagePreload>& preloads, LinuxProcess& process,
                     const std::vector<std::string>& opened, std::size_t object) {
    std::vector<std::string> lacking;
    for (const LoadedFile& file : process.files)
        if (!file.taken && !file.optional) lacking.push_back(file.name);
    for (const std::string& name : opened)
        if (!process.would_find(name, object)) lacking.push_back(name);
    return any_of(preloads, [&](const PackagePreload& file) {
        return file.only_after_failure && contains(lacking, file_name(file.path));
    });
}

std::vector<PackagePreload> fallbacks_first(std::vector<PackagePreload> preloads) {
    std::stable_partition(preloads.begin(), preloads.end(),
                          [](const PackagePreload& file) { return file.only_after_failure; });
    return preloads;
}

std::optional<PackageProvider> package_provider(const Host& host, const Facts& facts,
                                                const std::vector<std::string>& names,
                                                const std::vector<std::string>& site_packages) {
    const std::vector<PackageHabit> habits = package_habits(facts, System::linux_);
    const auto* lending = first_where(habits, [&](const PackageHabit& habit) { return lends(habit, names); });
    if (!lending) return std::nullopt;
    PackageProvider provider{lending->package, {}};
    for (const std::string& site : site_packages) {
        for (const PackageHabit& habit : habits)
            if (habit.package == provider.package)
                add_preloads(host, habit, {site, site_packages}, provider.preloads);
        if (!provider.preloads.empty()) break;
    }
    return provider;
}

}  // namespace ptxguard
