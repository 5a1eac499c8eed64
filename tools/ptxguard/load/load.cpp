// Selects the loader for a file, and what of its result is shown.
// SPDX-License-Identifier: Apache-2.0
#include "load/load.hpp"

#include <functional>
#include <set>

#include "facts/libraries.hpp"
#include "formats/elf.hpp"
#include "host/paths.hpp"
#include "host/questions.hpp"
#include "host/together.hpp"
#include "load/cudnn_copies.hpp"
#include "load/library_facts.hpp"
#include "model/ranges.hpp"

namespace ptxguard {

namespace {

LoadTrace trace(const Host& host, const Facts& facts, const std::string& path, const LoadOptions& options) {
    return host.system() == System::windows ? trace_windows(host, facts, path, options)
                                            : trace_linux(host, facts, path, options);
}

// Names of those that lack a version or, if asked, a function, and of those that others lack versions of.
std::set<std::string> names_in_want(const std::vector<LoadedFile>& libraries, bool of_functions) {
    const auto lacks_a_version = [&](const LoadedFile& file) {
        return any_of(libraries, [&](const LoadedFile& user) {
            return any_of(user.missing_versions,
                          [&](const std::string& version) { return ends_with(version, " of " + file.name); });
        });
    };
    std::set<std::string> names;
    for (const LoadedFile& file : libraries)
        if (!file.missing_versions.empty() || lacks_a_version(file) ||
            (of_functions && !file.undefined_names.empty()))
            names.insert(file.name);
    return names;
}

// Missing dependencies of NVIDIA's libraries are shown (zlibwapi.dll of cuDNN 8), whoever made them, and
// whose functions of these libraries are not defined, if only those were counted. On Windows all missing
// libraries are shown: a file without the Visual C++ runtime does not load.
void keep_those_of_nvidia(std::vector<LoadedFile>& libraries, System system, const LoadOptions& options) {
    std::set<std::string> of_nvidia;
    for (const LoadedFile& file : libraries)
        if (!file.library.empty() && file.taken) of_nvidia.insert(*file.taken);
    const std::set<std::string> kept = names_in_want(libraries, options.count_nvidias);
    const auto foreign = [&](const LoadedFile& file) {
        if (kept.count(file.name)) return false;
        if (system == System::windows && !file.taken && !file.optional) return false;
        const bool missed = !file.taken && !file.optional && !file.undecided &&
                            (options.all_missing || of_nvidia.count(file.needed_by) != 0);
        return file.library.empty() && !missed;
    };
    erase_if(libraries, foreign);
}

// The C library is the system's in every process. Another library, such as libstdc++, may be the
// interpreter's own: conda's has a search list, which comes first for all that it loads.
void keep_certain_versions(const Host& host, const std::string& program_folder, LoadTrace& trace) {
    const auto may_be_there = [&](const std::string& version) {
        const std::string name = version.substr(version.rfind(' ') + 1);
        return !starts_with(version, "GLIBC_") &&
               (program_folder.empty() ||
                is_file(host, join_path(parent_path(program_folder), "lib/" + name)));
    };
    const auto drop = [&](std::vector<std::string>& versions) { erase_if(versions, may_be_there); };
    drop(trace.missing_versions);
    for (LoadedFile& library : trace.libraries) drop(library.missing_versions);
}

Result<LoadTrace> trace_one(const Host& host, const Facts& facts, const std::string& path,
                            const LoadOptions& options) {
    const Result<Source> source = host.open(path);
    if (!source) return source.trouble();
    LoadTrace found = trace(host, facts, path, options);
    found.itself.name = path;
    found.itself.how = LoadHow::program;
    found.itself.taken = path;
    LibraryFacts(host, facts).identify(found.itself);
    // A symbol may be defined by any library of the process: counted before the others go.
    if (options.count_undefined) count_undefined(host, found);
    if (options.count_nvidias && host.system() == System::linux_) {
        // Symbols that are bound to a library of NVIDIA by its version, and functions of those without
        // versions. Those of cuDNN's libraries among each other are a question of their releases (CC303).
        std::set<std::string, std::less<>> bound, loaded;
        for (const LoadedFile& file : found.libraries)
            if (file.taken && !file.library.empty() && !starts_with(file.library, "cudnn")) {
                bound.insert(file_name(file.name));
                loaded.insert(file.library);
            }
        count_undefined(host, found, [&](const ElfSymbol& symbol) {
            if (!symbol.version_file.empty()) return bound.count(symbol.version_file) != 0;
            const std::string library = library_of_function(facts, std::string(symbol.name));
            return !library.empty() && (!options.of_loaded_only || loaded.count(library) != 0);
        });
        keep_certain_versions(host, options.program_folder, found);
    }
    if (options.all_missing && host.system() == System::linux_) find_copies_of_site(host, found);
    if (options.all_libraries) found.all = found.libraries;
    keep_those_of_nvidia(found.libraries, host.system(), options);
    return found;
}

}  // namespace

Result<LoadTrace> trace_file(const Host& host, const Facts& facts, const std::string& path,
                             const LoadOptions& options) {
    Result<LoadTrace> found = Trouble{};
    // The tables are read while the first files are.
    run_together({[&] { found = trace_one(host, facts, path, options); }, [&facts] { facts.libraries(); }});
    return found;
}

void trace_loading(const Host& host, const Facts& facts, const std::vector<std::string>& paths,
                   const LoadOptions& options, Scenario& scenario) {
    const auto trace_all = [&] {
        for (const std::string& path : paths) {
            auto found = trace_one(host, facts, path, options);
            if (found)
                scenario.traces.push_back(std::move(*found));
            else
                scenario.unreadable.push_back({path, found.trouble().what + ": " + found.trouble().cause,
                                               true, Origin::from_file(path)});
        }
    };
    run_together({trace_all, [&facts] { facts.libraries(); }});
}

}  // namespace ptxguard
