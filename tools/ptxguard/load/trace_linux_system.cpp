// The checked system's loader, read from its file: the strings in it give its default folders, its cache and
// its release.
// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "formats/elf.hpp"
#include "host/paths.hpp"
#include "host/questions.hpp"
#include "load/trace_linux_process.hpp"
#include "load/trace_linux_search.hpp"
#include "model/ranges.hpp"

namespace ptxguard {
namespace {

constexpr std::size_t k_most_of_loader = 16u << 20;
constexpr std::size_t k_most_of_cache = 64u << 20;
constexpr std::size_t k_most_of_cpuinfo = 4096;  // the first processor's part

std::vector<std::string> usual_loaders(std::uint16_t machine) {
    if (machine == k_em_aarch64) {
        return {"/lib/ld-linux-aarch64.so.1", "/usr/lib/ld-linux-aarch64.so.1",
                "/lib/aarch64-linux-gnu/ld-linux-aarch64.so.1", "/lib64/ld-linux-aarch64.so.1"};
    }
    return {"/lib64/ld-linux-x86-64.so.2", "/usr/lib64/ld-linux-x86-64.so.2",
            "/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2", "/usr/lib/ld-linux-x86-64.so.2"};
}

// For a system whose ld.so is not available, from its folders.
std::vector<std::string> guessed_folders(const Host& host, std::uint16_t machine) {
    const std::string multiarch = machine == k_em_aarch64 ? "aarch64-linux-gnu" : "x86_64-linux-gnu";
    for (const char* above : {"/lib/", "/usr/lib/"}) {
        if (is_folder(host, above + multiarch)) {
            return {"/lib/" + multiarch, "/usr/lib/" + multiarch, "/lib", "/usr/lib"};
        }
    }
    return {"/lib64", "/usr/lib64", "/lib", "/usr/lib"};
}

// The whole NUL-terminated string around the first `end` in the bytes.
std::string text_ending(std::string_view bytes, std::string_view end) {
    std::string wanted(end);
    wanted.push_back('\0');
    const std::size_t at = bytes.find(wanted);
    if (at == std::string_view::npos) return {};
    const std::size_t before = bytes.rfind('\0', at);
    const std::size_t start = before == std::string_view::npos ? 0 : before + 1;
    return std::string(bytes.substr(start, at + end.size() - start));
}

std::string in_etc(std::string_view bytes, const char* name) {
    const std::string path = text_ending(bytes, name);
    return !path.empty() && path[0] == '/' ? path : std::string("/etc") + name;
}

void read_cache(const Host& host, LinuxSystem& system) {
    auto bytes = host.read(system.cache_path, k_most_of_cache);
    if (!bytes) return;
    system.cache_bytes = std::make_shared<const std::string>(std::move(*bytes));
    auto cache = read_ld_cache(*system.cache_bytes);
    if (cache) system.cache = std::move(*cache);  // the loader ignores a damaged one too
}

std::vector<std::string> names_in_preload_file(const Host& host, const std::string& path) {
    static constexpr Limit k_most_preloaded{4096, "names in ld.so.preload", "later ones"};
    const auto text = host.read(path);
    std::vector<std::string> names;
    if (!text) return names;
    for (const std::string& line : split(*text, "\n")) {
        for (std::string& name : split(line.substr(0, line.find('#')), ": \t\r"))
            if (!host.exceeds(k_most_preloaded, names.size() + 1, path)) names.push_back(std::move(name));
    }
    return names;
}

// "lib64" or Debian's "lib/x86_64-linux-gnu"; the first default folder has it.
std::string lib_token(const std::vector<std::string>& folders) {
    const std::string first = folders.empty() ? "/lib64" : folders.front();
    const std::size_t usr = starts_with(first, "/usr/") ? 5 : 1;
    const std::size_t at = first.rfind("/lib");
    // Of a store path such as /nix/store/...-glibc/lib only the end is used.
    return at == std::string::npos      ? "lib"
           : starts_with(first, "/lib") ? first.substr(usr)
                                        : first.substr(at + 1);
}

bool is_glibc(const std::string& interpreter) {
    const std::string name = file_name(interpreter);
    return starts_with(name, "ld-linux") || starts_with(name, "ld64.so") || starts_with(name, "ld-2.");
}

void find_loader(const Host& host, const std::string& interpreter, LinuxSystem& system) {
    std::vector<std::string> places = usual_loaders(system.machine);
    if (!interpreter.empty()) places = {interpreter};
    system.loader_soname = file_name(places.front());
    for (const std::string& place : places) {
        if (system.loader.empty() && is_file(host, place)) system.loader = place;
    }
    if (!system.loader.empty()) return;
    for (const std::uint16_t machine : {k_em_x86_64, k_em_aarch64})
        for (const std::string& place : usual_loaders(machine))
            system.of_other_machine =
                system.of_other_machine || (machine != system.machine && is_file(host, place));
}

}  // namespace

std::vector<std::string> folders_in_loader(std::string_view bytes) {
    constexpr std::size_t k_longest = 255, k_most = 64;
    std::vector<std::string> best;
    for (std::size_t at = bytes.find("/lib"); at != std::string_view::npos;) {
        // At most the length of a folder's text: the loader may be another one.
        const std::size_t reach = std::min(at, k_longest);
        const std::size_t before = bytes.substr(at - reach, reach).rfind('\0');
        std::size_t start = before != std::string_view::npos ? at - reach + before + 1
                            : reach == at                    ? 0
                                                             : bytes.size();
        std::vector<std::string> run;
        while (start < bytes.size() && bytes[start] == '/' && run.size() < k_most) {
            const std::size_t length = bytes.substr(start, k_longest + 1).find('\0');
            if (length == std::string_view::npos || length < 2 || bytes[start + length - 1] != '/') break;
            run.emplace_back(bytes.substr(start, length - 1));
            start += length + 1;
        }
        at = bytes.find("/lib", std::max(at + 1, run.empty() ? 0 : start));
        if (run.size() > best.size()) best = std::move(run);
    }
    return best;
}

namespace {

// The tunable allows what older releases did.
bool keeps_stack(const Host& host, std::string_view loader) {
    constexpr int k_first_that_keeps_it = 41;
    const std::string tunables = host.env("GLIBC_TUNABLES").value_or("");
    return loader_minor(loader) >= k_first_that_keeps_it &&
           tunables.find("glibc.rtld.execstack=2") == std::string::npos;
}

}  // namespace

LinuxSystem linux_system(const Host& host, std::uint16_t machine, const std::string& interpreter) {
    LinuxSystem system;
    system.machine = machine;
    if (!interpreter.empty() && !is_glibc(interpreter)) {
        const bool musl = starts_with(file_name(interpreter), "ld-musl");
        system.trouble = "its loader is " + interpreter + (musl ? " of musl" : "") +
                         ": only the rules of glibc's loader are implemented";
        return system;
    }
    find_loader(host, interpreter, system);
    const std::string musl = std::string("/lib/ld-musl-") + (machine == k_em_aarch64 ? "aarch64" : "x86_64");
    if (system.loader.empty() && is_file(host, musl + ".so.1")) {
        system.trouble = "this system has musl's loader, and only the rules of glibc's are implemented";
        return system;
    }
    std::string bytes;
    if (!system.loader.empty()) {
        auto read = host.read(system.loader, k_most_of_loader);
        if (read) bytes = std::move(*read);
    }
    system.default_folders = folders_in_loader(bytes);
    if (system.default_folders.empty()) system.default_folders = guessed_folders(host, machine);
    for (const std::string& folder : system.default_folders) {
        system.any_default_folder = system.any_default_folder || is_folder(host, folder);
    }
    system.lib = lib_token(system.default_folders);
    std::string cpuinfo;
    if (!host.foreign()) {
        auto read = host.read_range("/proc/cpuinfo", 0, k_most_of_cpuinfo);
        if (read) cpuinfo = std::move(*read);
    }
    system.platform = loader_platform(bytes, machine, cpuinfo);
    system.subfolders = loader_subfolders(bytes, machine, cpuinfo);
    system.keeps_stack = keeps_stack(host, bytes);
    system.cache_path = in_etc(bytes, "/ld.so.cache");
    read_cache(host, system);
    system.preload_file = names_in_preload_file(host, in_etc(bytes, "/ld.so.preload"));
    return system;
}

// The order in which glibc's loader searches a name on behalf of one object, and the files of that name
// that it does not reach.

namespace {

constexpr std::size_t k_most_losers = 64;
constexpr const char* k_cache_rule = "ld.so.cache";

bool is_path(const std::string& name) { return name.find('/') != std::string::npos; }

std::string shown(const SearchFolder& folder) {
    return folder.folder.empty() ? "current folder" : normal_path(folder.folder, System::linux_);
}

LoadLoser loser_of(const SearchPlace& place, const Candidate& candidate) {
    LoadLoser loser;
    loser.path = place.path;
    loser.rule = place.rule;
    switch (candidate.state) {
        case CandidateState::other_machine: loser.lost = LoadLost::other_machine; break;
        case CandidateState::broken:
        case CandidateState::denied: loser.lost = LoadLost::unreadable; break;
        default: loser.lost = place.never.empty() ? LoadLost::later : LoadLost::not_searched;
    }
    loser.why = candidate.state == CandidateState::denied ? "Permission denied" : candidate.why;
    if (loser.why.empty()) loser.why = place.never.empty() ? "later in the search" : place.never;
    return loser;
}

}  // namespace

// DT_RPATH of the object, then of the objects that loaded it, then of the program, unless the object has a
// DT_RUNPATH.
std::vector<const SearchList*> LinuxProcess::lists_of(std::size_t opener) const {
    std::vector<const SearchList*> lists;
    const auto add = [&](const SearchList& list) {
        if (!list.folders.empty()) lists.push_back(&list);
    };
    if (!objects[opener].dynamic.runpath) {
        bool program = false;
        for (std::optional<std::size_t> at = opener; at; at = objects[*at].opener) {
            add(objects[*at].rpath);
            program = program || *at == 0;
        }
        if (!program) add(objects[0].rpath);
    }
    add(m_variable);
    add(objects[opener].runpath);
    return lists;
}

void LinuxProcess::report_spent() {
    if (m_files.is_spent() && trouble.empty()) trouble = "needs more lookups than the limit for one file";
}

bool LinuxProcess::visit_cache(const std::string& name, std::size_t opener, const VisitPlace& visit) {
    constexpr std::size_t k_entries_a_step = 64;
    if (!m_files.step(system.cache.entries.size() / k_entries_a_step)) return false;
    const bool no_defaults = objects[opener].dynamic.no_default_folders;
    for (const CachedPath& cached : cached_paths(system, name)) {
        SearchPlace place{cached.path, k_cache_rule, system.cache_path, cached.never};
        const auto holds = [&](const std::string& folder) { return starts_with(cached.path, folder + "/"); };
        const auto& folders = system.default_folders;
        if (no_defaults && any_of(folders, holds)) {
            place.never = file_name(objects[opener].path) + " refuses the default folders (DF_1_NODEFLIB)";
        }
        if (!visit(place)) return false;
    }
    return true;
}

void LinuxProcess::visit_places(const std::string& name, std::size_t opener, const VisitPlace& visit) {
    if (is_path(name)) {
        visit({name, "path", name, ""});
        return;
    }
    const std::vector<const SearchList*> lists = lists_of(opener);
    const bool all = all_of(
        lists, [&](const SearchList* list) { return visit_list(m_files, system, *list, name, visit); });
    if (all && visit_cache(name, opener, visit) && !objects[opener].dynamic.no_default_folders)
        visit_list(m_files, system, m_defaults, name, visit);
    report_spent();
}

std::vector<std::string> LinuxProcess::searched_for(std::size_t opener) const {
    std::vector<std::string> folders;
    const auto add = [&](const SearchList& list) {
        for (const SearchFolder& folder : list.folders)
            folders.push_back(shown(folder) + " (" + list.rule.text + ")");
    };
    for (const SearchList* list : lists_of(opener)) add(*list);
    if (!system.cache.entries.empty()) folders.push_back(system.cache_path);
    if (!objects[opener].dynamic.no_default_folders) add(m_defaults);
    return folders;
}

std::string LinuxProcess::looked_in(const std::string& name, std::size_t opener) const {
    if (is_path(name)) return "no such file that this loader accepts";
    constexpr std::size_t k_longest = 16384;  // for thousands of folders and thousands of names
    std::string text;
    const auto add = [&](const SearchList& list) {
        text += (text.empty() ? "not in " : ", ") + list.rule.text + " (";
        for (const SearchFolder& folder : list.folders) {
            text += &folder == &list.folders.front() ? "" : ":";
            if (text.size() > k_longest) {
                text += "...";
                break;
            }
            text += shown(folder);
        }
        text += ")";
    };
    for (const SearchList* list : lists_of(opener)) add(*list);
    text += (text.empty() ? "not in " : ", ") + std::string(k_cache_rule);
    if (system.cache.entries.empty()) text += " (there is none)";
    if (!objects[opener].dynamic.no_default_folders) add(m_defaults);
    return text;
}

void LinuxProcess::find_losers(std::size_t entry) {
    LoadedFile& file = files[entry];
    std::set<std::pair<std::uint64_t, std::uint64_t>> seen;
    if (file.taken) {
        const Candidate& taken = m_files.candidate(*file.taken);
        seen.insert({taken.device, taken.inode});
    }
    std::string asked_later;
    const VisitPlace add = [&](const SearchPlace& place) {
        const Candidate& candidate = m_files.candidate(place.path);
        if (candidate.state == CandidateState::absent) return true;
        if (!seen.insert({candidate.device, candidate.inode}).second) return true;
        LoadLoser loser = loser_of(place, candidate);
        if (loser.lost == LoadLost::later && !asked_later.empty()) loser.why = asked_later;
        file.losers.push_back(std::move(loser));
        return file.losers.size() < k_most_losers;
    };
    // The first request of a name searches everywhere; later requesters only have their own folders in
    // addition.
    std::set<std::string> names;
    std::set<std::pair<std::string, std::string>> visited;
    for (const LoadRequest& request : m_requests[entry]) {
        const std::string asker = file_name(objects[request.opener].path);
        if (!names.empty())
            asked_later =
                (asker.empty() ? "the program" : asker) + " asks for it when another file has the name";
        const bool first = names.insert(request.name).second;
        if (first) visit_places(request.name, request.opener, add);
        for (const SearchList* list : lists_of(request.opener)) {
            SearchList others{list->rule, {}};
            for (const SearchFolder& folder : list->folders) {
                if (visited.insert({request.name, folder.folder}).second) others.folders.push_back(folder);
            }
            if (!first && !is_path(request.name)) visit_list(m_files, system, others, request.name, add);
        }
    }
    report_spent();
}

}  // namespace ptxguard
