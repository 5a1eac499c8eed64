// Objects of a process and the names by which they are found.
// SPDX-License-Identifier: Apache-2.0
#include "load/trace_linux_process.hpp"

#include <algorithm>

#include "host/ld_so_conf.hpp"
#include "host/paths.hpp"
#include "host/questions.hpp"
#include "model/ranges.hpp"

namespace ptxguard {
namespace {

constexpr std::size_t k_most_objects = 4096;
constexpr std::size_t k_most_requests = 64;  // of one file

std::string folder_of(const std::string& path) {
    const std::string folder = parent_path(path);
    return folder.empty() ? "." : folder;
}

std::string text_of(const std::string& path, const Trouble& trouble) {
    return Trouble{path, trouble.what, trouble.cause}.text();
}

// A truncated or sparse file has no data where its dynamic section should be.
bool has_dynamic_data(const ElfDynamic& dynamic) {
    return !dynamic.soname.empty() || !dynamic.needed.empty() || dynamic.rpath || dynamic.runpath;
}

}  // namespace

LinuxProcess::LinuxProcess(const Host& host, LinuxSystem system_, const std::string& program)
    : system(std::move(system_)), m_host(host), m_files(host, system.machine) {
    add_object(program, std::nullopt, true);
    const std::string variable = host.env("LD_LIBRARY_PATH").value_or("");
    if (!variable.empty())
        m_variable = search_list(LoadStep::ld_library_path, variable, ":;", objects[0].tokens);
    if (!m_files.take_list(m_variable)) m_variable = {};
    if (host.foreign() && !system.cache_bytes) {
        LdSoConf conf = ld_so_conf(host);
        m_configured = std::move(conf.folders);
        trouble = std::move(conf.trouble);
    }
    m_defaults.rule = "default folders";
    for (const std::string& folder : system.default_folders) m_defaults.folders.push_back({folder, folder});
    if (system.loader.empty()) return;
    m_loader = add_object(system.loader, std::nullopt, false);
    m_names.emplace(system.loader_soname, *m_loader);
}

void LinuxProcess::assume_rpath(const std::string& folder, const std::string& program) {
    SearchList list = search_list({LoadStep::rpath, program}, folder, ":", objects[0].tokens);
    if (m_files.take_list(list)) objects[0].rpath = std::move(list);
}

ElfDynamic LinuxProcess::read_dynamic(const std::string& path) {
    if (path == system.loader) return {};  // needs nothing
    const auto source = m_host.open(path);
    const auto file = source ? read_elf(*source) : Result<ElfFile>(source.trouble());
    auto dynamic = file ? read_elf_dynamic(*source, *file) : Result<ElfDynamic>(file.trouble());
    if (dynamic && dynamic->is_dynamic) return std::move(*dynamic);
    const Trouble none = {path, "has no dynamic section", file ? file->trouble : ""};
    if (trouble.empty()) trouble = text_of(path, dynamic ? none : dynamic.trouble());
    return {};
}

std::size_t LinuxProcess::add_object(const std::string& path, std::optional<std::size_t> opener,
                                     bool is_program) {
    LinuxObject object;
    object.path = path;
    object.opener = opener;
    object.tokens.lib = system.lib;
    object.tokens.platform = system.platform;
    const std::size_t index = objects.size();
    if (!path.empty()) {
        // $ORIGIN of a program is the folder of the file after all links; of a library, that of the path as
        // given.
        const auto real = is_program ? m_host.real_path(path) : Result<std::string>(path);
        object.tokens.origin = folder_of(real ? *real : path);
        object.dynamic = read_dynamic(path);
        const Candidate& candidate = m_files.candidate(path);
        m_identities.emplace(std::make_pair(candidate.device, candidate.inode), index);
        m_names.emplace(path, index);
        object.readable = is_program || path == system.loader || has_dynamic_data(object.dynamic);
        // If the file is truncated, use its name.
        const std::string name = object.readable ? object.dynamic.soname : file_name(path);
        if (!name.empty()) m_names.emplace(name, index);
    }
    const auto list = [&](LoadStep step, const std::optional<std::string>& text) {
        if (!text || text->empty()) return SearchList{};
        SearchList found = search_list({step, file_name(path)}, *text, ":", object.tokens);
        return m_files.take_list(found) ? found : SearchList{};
    };
    object.runpath = list(LoadStep::runpath, object.dynamic.runpath);
    if (!object.dynamic.runpath) object.rpath = list(LoadStep::rpath, object.dynamic.rpath);
    objects.push_back(std::move(object));
    return index;
}

bool LinuxProcess::holds(const std::string& path) {
    const Candidate& candidate = m_files.candidate(path);
    return m_identities.count({candidate.device, candidate.inode}) != 0;
}

std::size_t LinuxProcess::open_file(const std::string& path) {
    const Candidate& candidate = m_files.candidate(path);
    const auto same = m_identities.find({candidate.device, candidate.inode});
    return same == m_identities.end() ? add_object(path, std::nullopt, false) : same->second;
}

void LinuxProcess::preload_file(const std::string& path, const LoadRule& rule, const std::string& detail) {
    const std::size_t first = objects.size(), entry = files.size();
    const auto object = open(path, 0, LoadHow::preload, true);
    if (object && *object == first) {
        files[entry].rule = rule;
        files[entry].rule_detail = detail;
    }
    open_needed(first);
}

// The entry for a loaded file.
void LinuxProcess::add_entry(LoadRequest request, LoadedFile file, const SearchPlace& place) {
    file.taken = place.path;
    file.rule = place.rule;
    file.rule_detail = place.written;
    file.real_path = real_or_same(m_host, place.path);
    m_requests[files.size()].push_back(std::move(request));
    files.push_back(std::move(file));
}

void LinuxProcess::add_missing(LoadRequest request, LoadedFile file, const std::string& because) {
    const auto [known, is_new] = m_missing.emplace(request.name, files.size());
    if (!is_new) {
        LoadedFile& missing = files[known->second];
        missing.optional = missing.optional && file.optional;
        return;
    }
    file.because = because.empty() ? looked_in(request.name, request.opener) : because;
    // The libraries of a tree without a system, and of a file for another processor, are somewhere else.
    file.undecided =
        because.empty() && ((m_host.foreign() && !system.any_default_folder) || system.of_other_machine);
    // The cache of a tree is created when it starts as a container or a system, from the folders of
    // ld.so.conf.
    for (const std::string& folder : m_configured)
        if (because.empty() && m_files.step() &&
            m_files.candidate(join_path(folder, request.name)).state == CandidateState::fits) {
            file.undecided = true;
            file.because += "; ld.so.conf names " + folder + ", which contains it: ldconfig has not run yet";
            break;
        }
    // Its own search list may be in the part of the file that is missing.
    const LinuxObject& opener = objects[request.opener];
    file.undecided = file.undecided || (because.empty() && !opener.readable && !opener.path.empty());
    if (m_files.is_spent()) {
        file.undecided = true;
        file.because = "the search stopped at its limit";
    }
    m_requests[files.size()].push_back(std::move(request));
    files.push_back(std::move(file));
}

// A request for a file that the process has already loaded.
std::size_t LinuxProcess::join(std::size_t object, LoadRequest request, LoadedFile file) {
    if (object == m_loader && !objects[object].entry) {
        objects[object].entry = files.size();
        add_entry(std::move(request), std::move(file), {objects[object].path, "the loader itself", "", ""});
    } else if (const auto entry = objects[object].entry) {
        if (m_requests[*entry].size() < k_most_requests) m_requests[*entry].push_back(std::move(request));
    }
    return object;
}

std::optional<SearchPlace> LinuxProcess::find(const std::string& name, std::size_t opener,
                                              std::string& because) {
    std::optional<SearchPlace> found;
    visit_places(name, opener, [&](const SearchPlace& place) {
        if (!place.never.empty()) return true;
        const Candidate& candidate = m_files.candidate(place.path);
        if (candidate.state == CandidateState::broken) because = place.path + ": " + candidate.why;
        if (candidate.state == CandidateState::fits) found = place;
        return !found && because.empty();
    });
    return found;
}

bool LinuxProcess::would_find(const std::string& name, std::size_t opener) {
    std::string ignored;
    return m_names.count(name) || find(name, opener, ignored);
}

std::optional<std::size_t> LinuxProcess::open(const std::string& name, std::size_t opener, LoadHow how,
                                              bool optional) {
    LoadedFile file;
    file.name = name;
    file.needed_by = objects[opener].path;
    file.how = how;
    file.optional = optional;
    file.machine = system.machine == k_em_aarch64 ? "aarch64" : "x86_64";
    const LoadRequest request{name, opener};
    const auto named = m_names.find(name);
    if (named != m_names.end()) return join(named->second, request, std::move(file));

    std::string because;
    const auto found = find(name, opener, because);
    if (!found) return add_missing(request, std::move(file), because), std::nullopt;
    const Candidate& candidate = m_files.candidate(found->path);
    const auto same = m_identities.find({candidate.device, candidate.inode});
    if (same != m_identities.end()) {
        m_names.emplace(name, same->second);
        return join(same->second, request, std::move(file));
    }
    // The caller's search folders apply to the dlopened name itself, not to its dependencies.
    const bool called = how == LoadHow::dlopen || how == LoadHow::text;
    const std::size_t object = add_object(found->path, called ? std::nullopt : std::optional(opener), false);
    m_names.emplace(name, object);
    objects[object].entry = files.size();
    add_entry(request, std::move(file), *found);
    return object;
}

void LinuxProcess::open_needed(std::size_t first) {
    for (std::size_t at = first; at < objects.size(); ++at) {
        const std::vector<std::string> needed = objects[at].dynamic.needed;
        for (const std::string& written : needed) {
            if (files.size() >= k_most_objects) {
                if (trouble.empty())
                    trouble = "needs more than " + std::to_string(k_most_objects) + " libraries";
                return;
            }
            if (!m_files.step()) return report_spent();
            const auto name = expand_tokens(written, objects[at].tokens);
            if (name) open(*name, at, LoadHow::needed, false);
        }
    }
}

void LinuxProcess::preload() {
    const auto open_all = [&](const std::vector<std::string>& names, const LoadRule& rule) {
        for (const std::string& name : names) {
            const std::size_t entries = files.size();
            open(name, 0, LoadHow::preload, true);
            if (files.size() > entries && files.back().taken) {
                files.back().rule_detail = files.back().rule.text;
                files.back().rule = rule;
            }
        }
    };
    open_all(split(m_host.env("LD_PRELOAD").value_or(""), " :"), LoadStep::ld_preload);
    open_all(system.preload_file, "/etc/ld.so.preload");
}

// The package of a file, its release, and the files that its patterns match.

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
