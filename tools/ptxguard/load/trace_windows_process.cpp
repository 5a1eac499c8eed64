// Which process loads the file: Python (and which one), a program that the user names, or the file itself;
// and what Python packages add to its search.
// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "host/paths.hpp"
#include "host/questions.hpp"
#include "load/dotnet.hpp"
#include "load/opened_names.hpp"
#include "load/trace_windows_parts.hpp"
#include "model/ranges.hpp"
#include "packages/library_places.hpp"
#include "packages/python.hpp"
#include "packages/wheels.hpp"

namespace ptxguard {

namespace {

constexpr int k_most_parents = 40;
constexpr Limit k_most_preloads{512, "DLLs that a package loads early", "later ones"};

std::vector<std::string> parents_of(const std::string& path) {
    std::vector<std::string> result;
    for (std::string at = parent_path(path); static_cast<int>(result.size()) < k_most_parents;
         at = parent_path(at)) {
        result.push_back(at);
        if (parent_path(at) == at || at.empty()) break;
    }
    return result;
}

void set_python(DllProcess& process, const std::optional<Version>& version, const std::string& because) {
    if (!version || process.python) return;
    process.python = Version{{version->major(), version->minor()}, "", version->release()};
    process.python_because = because;
}

// Where the Store installs its Python and pip its packages, and the aliases that a virtual environment uses.
bool is_of_store(const std::string& path) {
    return folder_key(path).find("/pythonsoftwarefoundation.python.") != std::string::npos;
}

// python.exe of an environment starts the one of its base: the application folder is the base's.
void read_virtual_environment(DllFolders& folders, DllProcess& process, const std::string& folder) {
    const auto layout = layout_of_prefix(folders.host(), folder);
    if (!layout || !layout->is_virtual) return;
    process.is_python = true;
    if (!layout->versions.empty())
        set_python(process, find_version(layout->versions.front(), ""), "pyvenv.cfg");
    const std::string& home = layout->home;
    const std::string normal = normal_path(home, System::windows);
    process.packaged = process.packaged || is_of_store(normal);
    if (!home.empty() && folders.find(normal, "python.exe")) process.application_folder = normal;
    if (process.application_folder.empty() && folders.find(join_path(folder, "Scripts"), "python.exe"))
        process.application_folder = join_path(folder, "Scripts");
}

void look_for_python(DllFolders& folders, DllProcess& process, const std::vector<std::string>& parents) {
    for (const std::string& parent : parents) {
        if (folders.find(parent, "pyvenv.cfg")) read_virtual_environment(folders, process, parent);
        if (process.application_folder.empty() && folders.find(parent, "python.exe"))
            process.application_folder = parent;
        if (!process.application_folder.empty()) break;
    }
    if (!process.application_folder.empty()) process.is_python = true;
}

bool lies_in(const std::string& path, const std::string& folder) {
    return starts_with(folder_key(path), folder_key(folder) + "/");
}

// "Tag: cp38-cp38-win_amd64" of the file's package; "cp38-abi3" gives only the oldest version.
void read_wheel_tag(DllFolders& folders, DllProcess& process, const std::string& path) {
    for (const std::string& child : folders.folders(process.site_packages)) {
        const std::string small = lower(child);
        if (!ends_with(small, ".dist-info") || small.find('-') == std::string::npos) continue;
        if (!lies_in(path, join_path(process.site_packages, small.substr(0, small.find('-'))))) continue;
        for (const std::string& tag : wheel_tags(folders.host(), join_path(process.site_packages, child))) {
            const std::vector<std::string> parts = split(tag, "-");
            if (parts.size() == 3 && parts[0] == parts[1] && starts_with(parts[0], "cp"))
                set_python(process, python_of_library("python" + parts[0].substr(2) + ".dll"),
                           "the tag of " + child);
        }
    }
}

void read_python_version(DllFolders& folders, DllProcess& process, const std::string& path,
                         const std::vector<PeImport>& imports) {
    for (const PeImport& import : imports)
        set_python(process, python_of_library(import.dll), "imports " + import.dll);
    // "_x.cp39-win_amd64.pyd"; cp37-abi3 gives only the oldest version.
    const std::string name = lower(file_name(path));
    const std::size_t tag = name.find(".cp");
    if (tag != std::string::npos && name.find("-win", tag) != std::string::npos) {
        const std::string digits = name.substr(tag + 3, name.find('-', tag) - tag - 3);
        set_python(process, python_of_library("python" + digits + ".dll"), "the name " + file_name(path));
    }
    if (!process.site_packages.empty()) read_wheel_tag(folders, process, path);
    if (process.application_folder.empty()) return;
    for (const auto& [small, spelt] : folders.files(process.application_folder))
        if (ends_with(small, ".dll"))
            set_python(process, python_of_library(small), join_path(process.application_folder, spelt));
}

std::vector<std::string> added_folders(DllFolders& folders, const DllProcess& process,
                                       const std::string& site, const std::string& pattern) {
    const std::string prefix = "{prefix}/";
    if (!starts_with(pattern, prefix)) return matching_folders(folders, site, pattern);
    if (process.application_folder.empty()) return {};
    return matching_folders(folders, process.application_folder, pattern.substr(prefix.size()));
}

// Whether the package is imported before the file is loaded: true for its own files and for files that need
// its libraries.
bool is_imported(DllFolders& folders, const Facts& facts, const std::string& path,
                 const std::vector<PeImport>& imports, const std::string& site, const PackageHabit& habit) {
    if (lies_in(path, join_path(site, habit.package))) return true;
    for (const std::string& pattern : habit.dll_folders)
        for (const std::string& folder : matching_folders(folders, site, pattern))
            for (const PeImport& import : imports)
                if (folders.find(folder, import.dll) && !is_vc_runtime(import.dll) &&
                    !library_by_file_name(facts, import.dll))
                    return true;
    return false;
}

// Lower-case names that the modules of one process import.
std::set<std::string> names_asked_for(const Host& host, const std::vector<PeImport>& imports,
                                      const LoadOptions& options) {
    std::set<std::string> names;
    for (const PeImport& import : imports) names.insert(lower(import.dll));
    for (const auto* opened : {&options.opens, &options.opens_optional})
        for (const std::string& name : *opened) names.insert(lower(name));
    for (const auto* files : {&options.together, &options.optional})
        for (const std::string& file : *files) {
            const DllImage image = open_image(host, file);
            if (image.machine.empty()) continue;
            if (const auto more = read_pe_imports(image.source, image.pe))
                for (const PeImport& import : *more) names.insert(lower(import.dll));
        }
    return names;
}

// The first place that has the library; a bare name means what LoadLibrary finds, including PATH.
std::string place_found(DllFolders& folders, const LibraryFind& find, const std::vector<std::string>& sites) {
    const Host& host = folders.host();
    for (const std::string& place : find.places) {
        std::vector<std::string> paths;
        if (place.find('/') != std::string::npos)
            for (const std::string& site : sites) paths.push_back(place_of_find(host, site, place));
        else
            for (const PathFolder& entry : path_folders(host))
                paths.push_back(join_path(entry.folder, place));
        for (const std::string& path : paths)
            if (!path.empty() && folders.find(parent_path(path), file_name(path)))
                return normal_path(path, System::windows);
    }
    return {};
}

// Of a package's preloads, keeps only requested names.
void add_finds(DllFolders& folders, const PackageHabit& habit, const std::vector<std::string>& sites,
               std::set<std::string> asked, DllProcess& process) {
    std::vector<std::pair<std::string, std::string>> found;
    for (const LibraryFind& find : habit.finds)
        if (const std::string path = place_found(folders, find, sites); !path.empty())
            found.emplace_back(path, find.finder);
    std::set<std::string> used;
    for (bool more = true; more;) {
        more = false;
        for (const auto& one : found) {
            if (!asked.count(lower(file_name(one.first))) || !used.insert(one.first).second) continue;
            more = true;
            const DllImage image = open_image(folders.host(), one.first);
            if (image.machine.empty()) continue;
            if (const auto imports = read_pe_imports(image.source, image.pe))
                for (const PeImport& import : *imports) asked.insert(lower(import.dll));
        }
    }
    for (const auto& [path, finder] : found)
        if (used.count(path)) process.preloads.emplace_back(path, finder);
}

void add_preloads(DllFolders& folders, const PackageHabit& habit, const std::string& site,
                  bool with_fallbacks, DllProcess& process) {
    // What another package would have loaded is added only if it is missing.
    if (!habit.only_with.empty() && habit.only_after_failure && !with_fallbacks) {
        process.has_fallbacks = process.has_fallbacks || !habit.preloads.empty();
        return;
    }
    const std::string& package = habit.only_with.empty() ? habit.package : habit.only_with;
    for (const std::string& pattern : habit.preloads)
        for (const std::string& file : matching_files(folders, site, pattern))
            if (!folders.host().exceeds(k_most_preloads, process.preloads.size() + 1, file))
                process.preloads.emplace_back(file, join_path(site, package));
}

void add_habits(DllFolders& folders, const Facts& facts, const std::string& path,
                const std::vector<PeImport>& imports, const LoadOptions& options, bool with_fallbacks,
                DllProcess& process) {
    std::vector<std::string> sites = options.site_packages;
    if (!process.site_packages.empty()) sites.push_back(process.site_packages);
    for (const PackageHabit& habit : package_habits(facts, System::windows)) {
        for (const std::string& site : sites) {
            if (!is_imported(folders, facts, path, imports, site, habit)) continue;
            const PackageSites places{site, sites};
            if (!habit_applies(folders.host(), places, habit, true)) continue;
            for (const std::string& pattern : habit.dll_folders)
                for (const std::string& folder : added_folders(folders, process, site, pattern))
                    process.added.push_back({folder, "os.add_dll_directory of " + habit.package, pattern});
            if (!habit.finds.empty())
                add_finds(folders, habit, places.searched_by(habit),
                          names_asked_for(folders.host(), imports, options), process);
            add_preloads(folders, habit, site, with_fallbacks, process);
            process.retries_with_path = process.retries_with_path || habit.retries_with_path;
        }
    }
    for (const std::string& site : sites)
        for (const LibraryPlace& place : libraries_of_site(folders.host(), site))
            if (place.source == "wheel" && folders.exists(place.folder))
                process.unused.push_back({place.folder, "wheel", ""});
}

// Which folders a program adds before it opens a DLL, nothing in its file says.
std::string adds_folders(const std::string& program, const std::vector<PeImport>& imports) {
    for (const PeImport& import : imports)
        for (const char* function : {"AddDllDirectory", "SetDllDirectoryW", "SetDllDirectoryA"})
            if (contains(import.names, function))
                return program + " calls " + function +
                       ": DLLs that are opened later are searched in folders that it adds, too";
    return {};
}

std::string adds_folders(const Host& host, const std::string& program) {
    const DllImage image = open_image(host, program);
    if (image.machine.empty()) return {};
    const auto imports = read_pe_imports(image.source, image.pe);
    return imports ? adds_folders(file_name(program), *imports) : std::string();
}

}  // namespace

DllProcess dll_process(DllFolders& folders, const Facts& facts, const std::string& path,
                       const std::vector<PeImport>& imports, const LoadOptions& options,
                       bool with_fallbacks) {
    DllProcess process;
    const std::string name = lower(path);
    if (ends_with(name, ".exe") && options.host_folder.empty()) {
        process.application_folder = parent_path(path);
        process.application = file_name(path);
        process.remark = adds_folders(process.application, imports);
        process.is_python = starts_with(lower(file_name(path)), "python");
        if (process.is_python) read_python_version(folders, process, path, imports);
        return process;
    }
    const std::vector<std::string> parents = parents_of(path);
    process.site_packages = site_above(folders.host(), path);
    look_for_python(folders, process, parents);
    process.application = "python.exe";
    for (const PeImport& import : imports)
        process.is_python = process.is_python || is_python_library(import.dll);
    process.is_python = process.is_python || ends_with(name, ".pyd") || !process.site_packages.empty();
    process.packaged = process.packaged || is_of_store(path) || is_of_store(process.application_folder);
    if (process.is_python) read_python_version(folders, process, path, imports);
    const DotnetHost named =
        options.host_folder.empty() ? DotnetHost{} : host_named(folders, options.host_folder);
    if (!options.host_folder.empty()) {
        process.application_folder = named.folder;
        process.application = named.program;
        process.remark = named.remark;
        if (process.remark.empty())
            process.remark = adds_folders(folders.host(), join_path(named.folder, named.program));
        process.is_hosted = true;
        if (!named.beside.empty()) process.unused.push_back({named.beside, "folder of the assembly", ""});
        process.packaged = false;
    }
    if (!process.is_python && !process.is_hosted) process.application.clear();
    if (process.is_python) add_habits(folders, facts, path, imports, options, with_fallbacks, process);
    return process;
}

}  // namespace ptxguard
