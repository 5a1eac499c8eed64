// Objects of a process and the names by which they are found.
// SPDX-License-Identifier: Apache-2.0
#include "load/trace_linux_process.hpp"

#include <utility>

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

void LinuxProcess::read_file(LinuxObject& object) {
    if (object.path == system.loader) return;  // needs nothing
    const auto source = m_host.open(object.path);
    const auto file = source ? read_elf(*source) : Result<ElfFile>(source.trouble());
    auto dynamic = file ? read_elf_dynamic(*source, *file) : Result<ElfDynamic>(file.trouble());
    object.requests_executable_stack = file && file->requests_executable_stack();
    if (dynamic && dynamic->is_dynamic) {
        object.dynamic = std::move(*dynamic);
        return;
    }
    const Trouble none = {object.path, "has no dynamic section", file ? file->trouble : ""};
    if (trouble.empty()) trouble = text_of(object.path, dynamic ? none : dynamic.trouble());
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
        read_file(object);
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

std::vector<std::string> LinuxProcess::refused_stacks() const {
    std::vector<std::string> refused;
    if (!system.keeps_stack || m_first_opened == 0) return refused;
    for (std::size_t i = 0; i < objects.size(); ++i) {
        const LinuxObject& object = objects[i];
        const bool optional = object.entry && files[*object.entry].optional;
        if (optional || !object.requests_executable_stack) continue;
        if (i < m_first_opened) return {};  // the program's stack is executable
        refused.push_back(real_or_same(m_host, object.path));
    }
    return refused;
}

void LinuxProcess::add_missing(LoadRequest request, LoadedFile file, const std::string& because) {
    const auto [known, is_new] = m_missing.emplace(request.name, files.size());
    if (!is_new) {
        LoadedFile& missing = files[known->second];
        missing.optional = missing.optional && file.optional;
        if (!missing.without.empty() || file.without.empty()) return;
        missing.without = file.without;  // another opener does without
        missing.needed_by = file.needed_by;
        missing.because = because.empty() ? looked_in(request.name, request.opener) : because;
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
                                              bool optional, const std::string& without) {
    LoadedFile file;
    file.name = name;
    file.needed_by = objects[opener].path;
    file.how = how;
    file.optional = optional;
    file.without = without;
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

}  // namespace ptxguard
