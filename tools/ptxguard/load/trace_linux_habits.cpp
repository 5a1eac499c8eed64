// The package of a file, its release, and the files that its patterns match.
// SPDX-License-Identifier: Apache-2.0
#include "load/trace_linux_process.hpp"

#include <algorithm>

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
            const auto entries = host.list(folder);
            for (const DirectoryEntry& entry : entries ? *entries : Entries()) {
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

// The first place that contains the library; if the loader is asked first, what it finds.
void add_find(const Host& host, const LibraryFind& find, const std::string& site,
              std::vector<PackagePreload>& preloads) {
    PackagePreload preload{"", find.finder, "", false, {}, true, true, "", false};
    for (const std::string& place : find.places) {
        if (place.find('/') == std::string::npos) {
            preload.unless_found.push_back(place);
            continue;
        }
        const std::string path = place_of_find(host, site, place);
        if (path.empty() || !is_file(host, path)) continue;
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
void add_preloads(const Host& host, const PackageHabit& habit, const std::string& site,
                  std::vector<PackagePreload>& preloads) {
    if (!habit_applies(host, site, habit, false)) return;
    for (const LibraryFind& find : habit.finds) add_find(host, find, site, preloads);
    for (const std::string& pattern : habit.preloads) {
        const std::string found = first_match(host, site, pattern);
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
            add_preloads(host, habit, site, preloads);
            break;
        }
    }
    return preloads;
}

std::optional<PackageLender> package_lender(const Host& host, const Facts& facts,
                                            const std::vector<std::string>& names,
                                            const std::vector<std::string>& site_packages) {
    const std::vector<PackageHabit> habits = package_habits(facts, System::linux_);
    const auto* lending = first_where(habits, [&](const PackageHabit& habit) { return lends(habit, names); });
    if (!lending) return std::nullopt;
    PackageLender lender{lending->package, {}};
    for (const std::string& site : site_packages) {
        for (const PackageHabit& habit : habits)
            if (habit.package == lender.package) add_preloads(host, habit, site, lender.preloads);
        if (!lender.preloads.empty()) break;
    }
    return lender;
}

}  // namespace ptxguard
