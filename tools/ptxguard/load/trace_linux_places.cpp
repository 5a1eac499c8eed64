// The order in which glibc's loader searches a name on behalf of one object, and the files of that name that
// it does not reach.
// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "host/paths.hpp"
#include "load/trace_linux_process.hpp"
#include "model/ranges.hpp"

namespace ptxguard {

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
        case CandidateState::other_machine:
            loser.lost = LoadLost::other_machine;
            break;
        case CandidateState::broken:
        case CandidateState::denied:
            loser.lost = LoadLost::unreadable;
            break;
        default:
            loser.lost = place.never.empty() ? LoadLost::later : LoadLost::not_searched;
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
