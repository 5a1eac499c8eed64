// The files that glibc's loader maps into one process, in its order: the program, LD_PRELOAD, their
// dependencies breadth first, and what is opened later. Inner header.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "facts/libraries.hpp"
#include "formats/elf.hpp"
#include "host/host.hpp"
#include "load/opened_names.hpp"
#include "load/trace_linux_search.hpp"
#include "model/loading.hpp"

namespace ptxguard {

struct LinuxObject {
    std::string path;                   // path by which it was opened; empty = an unknown program
    std::optional<std::size_t> opener;  // the object that requested it first
    DynamicTokens tokens;
    ElfDynamic dynamic;
    bool requests_executable_stack = false;
    bool readable = true;              // false: its name, dependencies and search lists could not be read
    SearchList rpath, runpath;         // no folders if it has none
    std::optional<std::size_t> entry;  // in LinuxProcess::files
};

// A request for a file and the requested name. The first request decides; later ones get the same file.
struct LoadRequest {
    std::string name;
    std::size_t opener = 0;
};

class LinuxProcess {
public:
    // Starts with its program; an empty path means one without search folders of its own.
    LinuxProcess(const Host& host, LinuxSystem system, const std::string& program);

    // DT_RPATH of a program that is not here.
    void assume_rpath(const std::string& folder, const std::string& program);

    // The checked file, as a library that the program opens by its path. It gets no entry in files unless it
    // is there already.
    std::size_t open_file(const std::string& path);
    // Whether exactly this file is in the process; whether its name was requested, found or not.
    bool holds(const std::string& path);
    bool knows(const std::string& name) const { return m_names.count(name) || m_missing.count(name); }
    // The object that has this name or path.
    std::optional<std::size_t> named(const std::string& name) const {
        const auto found = m_names.find(name);
        return found == m_names.end() ? std::nullopt : std::optional(found->second);
    }
    // The program runs from here: what is opened later gets the stack as it is.
    void start() { m_first_opened = objects.size(); }
    // The files of required objects that the loader refuses for the stack that they request.
    std::vector<std::string> refused_stacks() const;
    // A file that is loaded by path before others, with its dependencies.
    void preload_file(const std::string& path, const LoadRule& rule, const std::string& detail);
    // The files that LD_PRELOAD and /etc/ld.so.preload list.
    void preload();
    // The object that the loader resolves for a name, loaded before or now; nothing = not found, which gets
    // an entry.
    std::optional<std::size_t> open(const std::string& name, std::size_t opener, LoadHow how, bool optional,
                                    const std::string& without = {});
    // Whether open() would find one; changes nothing.
    bool would_find(const std::string& name, std::size_t opener);
    // The dependencies of the objects from `first`, recursively.
    void open_needed(std::size_t first);

    // Folders that are searched for an object's dependencies, as shown.
    std::vector<std::string> searched_for(std::size_t opener) const;
    // Fills the skipped files of an entry.
    void find_losers(std::size_t entry);
    bool foreign() const { return m_host.foreign(); }
    // Where a name was searched, in one line.
    std::string looked_in(const std::string& name, std::size_t opener) const;

    std::vector<LinuxObject> objects;    // 0 = the program
    std::vector<LoadedFile> files;       // found and missing ones, in the order of the requests
    std::set<std::size_t> done_without;  // preloaded files that are asked for only later, if at all
    std::string trouble;                 // the first object that could not be read, or too many objects
    LinuxSystem system;

private:
    void report_spent();
    std::vector<const SearchList*> lists_of(std::size_t opener) const;
    void visit_places(const std::string& name, std::size_t opener, const VisitPlace& visit);
    bool visit_cache(const std::string& name, std::size_t opener, const VisitPlace& visit);
    void read_file(LinuxObject& object);
    std::size_t add_object(const std::string& path, std::optional<std::size_t> opener, bool is_program);
    // The place that the loader uses; nothing, with the reason, if a broken file ends its search.
    std::optional<SearchPlace> find(const std::string& name, std::size_t opener, std::string& because);
    void add_entry(LoadRequest request, LoadedFile file, const SearchPlace& place);
    void add_missing(LoadRequest request, LoadedFile file, const std::string& because);
    std::size_t join(std::size_t object, LoadRequest request, LoadedFile file);

    const Host& m_host;
    LinuxFiles m_files;
    SearchList m_variable, m_defaults;
    std::vector<std::string> m_configured;  // folders of ld.so.conf in a tree without the cache
    std::unordered_map<std::string, std::size_t> m_names;                         // names that objects have
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::size_t> m_identities;  // device, inode -> object
    std::unordered_map<std::string, std::size_t> m_missing;                       // name -> entry
    std::map<std::size_t, std::vector<LoadRequest>> m_requests;                   // for an entry, in order
    std::size_t m_first_opened = 0;       // objects before it are those of the start; 0 = none
    std::optional<std::size_t> m_loader;  // ld.so's object
};

// Libraries that a Python package loads by path when it is imported, before its own. Inner header.
struct PackagePreload {
    std::string path, package, pattern;
    bool only_after_failure = false;
    // Names that are requested from the loader before this path; if it finds one, this path is not loaded.
    std::vector<std::string> unless_found;
    bool is_find = false;     // found by the named package
    bool only_asked = false;  // applies only if something in the process needs a library of this name ...
    std::string with;         // ... or of the name of the library that it is loaded with
    bool by_call = false;     // `package` is a function, which a program has to call
    bool only_later = false;  // what asks for it does so later, and may do without it
};

// In the order in which the package of the file at `path` loads them; for each pattern the first existing
// file.
std::vector<PackagePreload> package_preloads(const Host& host, const Facts& facts, const std::string& path,
                                             const std::vector<std::string>& site_packages);
// Those that are loaded in any case, and all in their order after a failure.
std::vector<PackagePreload> without_fallbacks(std::vector<PackagePreload> preloads);
std::vector<PackagePreload> fallbacks_first(std::vector<PackagePreload> preloads);
// Whether the process, which has only the former, lacks one of the others or does not find one that an object
// opens.
bool needs_fallbacks(const std::vector<PackagePreload>& preloads, LinuxProcess& process,
                     const std::vector<std::string>& opened = {}, std::size_t object = 0);

// What a process loaded before an extension of a package.
struct PackageProvider {
    std::string package;
    std::vector<PackagePreload> preloads;  // empty = no folder contains the package
};
// The first package that provides a library of these names, which the file needs without an RPATH to it.
std::optional<PackageProvider> package_provider(const Host& host, const Facts& facts,
                                                const std::vector<std::string>& names,
                                                const std::vector<std::string>& site_packages);

}  // namespace ptxguard
