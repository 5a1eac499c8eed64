// Components of the Windows loader: folders and their files, names that Windows itself provides, the process
// that loads the file, and the folders of one search in their order. Inner header of trace_windows*.cpp.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "facts/libraries.hpp"
#include "formats/pe.hpp"
#include "load/library_facts.hpp"
#include "load/load.hpp"

namespace ptxguard {

// Folders are listed once: a process searches each of them for every library.
class DllFolders {
public:
    explicit DllFolders(const Host& host) : m_host(host) {}

    // The file of that name in any letter case; nothing = none.
    std::optional<std::string> find(const std::string& folder, const std::string& name);
    bool exists(const std::string& folder);
    const std::map<std::string, std::string>& files(const std::string& folder);  // lower case -> as on disk
    std::vector<std::string> folders(const std::string& folder);                 // names of the folders in it
    const Host& host() const { return m_host; }
    // Whether a file of that name may be anywhere in the tree of a whole system; true where it is not known.
    bool may_be_in_tree(const std::string& name);

private:
    void read_tree();
    struct Listing {
        bool exists = false;
        std::map<std::string, std::string> files;
        std::vector<std::string> folders;
    };
    const Listing& listing(const std::string& folder);

    const Host& m_host;
    std::map<std::string, Listing> m_listings;
    bool m_tree_is_read = false, m_tree_is_whole = false;
    std::set<std::string> m_dlls_of_tree;  // in lower case
};

std::string folder_key(const std::string& folder);  // equal for two spellings of one folder

// Names that Windows provides. API sets are not files; known DLLs always come from System32.
bool is_api_set(const std::string& name);
bool is_known_dll(const std::string& name);       // of every Windows
bool is_windows_own(const std::string& name);     // part of every Windows, need not be found
bool is_vc_runtime(const std::string& name);      // msvcp140.dll ...: from a redistributable package
bool is_python_library(const std::string& name);  // python3.dll, python39.dll
std::optional<Version> python_of_library(const std::string& name);  // 3.9 of python39.dll

// One folder of a search and the rule that adds it.
struct DllStep {
    std::string folder;
    LoadRule rule;       // "System32"
    std::string detail;  // as written, if a user wrote it
};
using DllSearch = std::vector<DllStep>;

// The machine's folders, and those that users set.
struct DllPlaces {
    DllSearch system32, windows, current, path;  // windows: System and Windows
    DllSearch cuda;  // bin folders of CUDA_PATH and the like: not searched by themselves
    bool system32_is_here = false;
    bool path_is_known = false;
    // Of the registry; those of every Windows if it cannot be read.
    std::vector<std::string> known, not_known;  // lower-case names: added to the known DLLs, taken from them
    bool current_is_early = false;              // SafeDllSearchMode is 0: before System32
    std::string unread_registry;                // the folder of its files, in a tree

    bool is_known(const std::string& name) const;
};
DllPlaces dll_places(DllFolders& folders);

// The process that loads the file.
struct DllProcess {
    bool is_python = false;
    std::optional<Version> python;   // nothing = not known; treated as 3.8 or newer
    std::string python_because;      // "imports python39.dll"
    bool packaged = false;           // the Microsoft Store's Python: Windows never searches PATH for it
    std::string application_folder;  // empty = not known
    std::string application;         // "python.exe", "--host-exe", "x.exe", "dotnet.exe"
    bool is_hosted = false;          // by another program than Python's
    std::string remark;              // about the program, as shown
    std::string site_packages;       // of the file; empty = none
    DllSearch added;                 // by os.add_dll_directory
    DllSearch unused;                // DLL folders of packages that are not added: nvidia/*/bin
    std::vector<std::pair<std::string, std::string>> preloads;  // path, and the package that loads it
    // Preloads that matter only if the file cannot be loaded without them were omitted.
    bool has_fallbacks = false;
    bool retries_with_path = false;  // the package's second attempt at loading adds its folders to PATH

    bool searches_path() const { return !is_python || (python && *python < Version{{3, 8}, "", "3.8"}); }
};
DllProcess dll_process(DllFolders& folders, const Facts& facts, const std::string& path,
                       const std::vector<PeImport>& imports, const LoadOptions& options, bool with_fallbacks);

// The search for a library and all its imports.
DllSearch standard_search(const DllProcess& process, const DllPlaces& places);
// LOAD_WITH_ALTERED_SEARCH_PATH: the file's own folder replaces the application's.
DllSearch altered_search(const std::string& file, const DllProcess& process, const DllPlaces& places);
// LOAD_LIBRARY_SEARCH_DEFAULT_DIRS | LOAD_LIBRARY_SEARCH_DLL_LOAD_DIR
DllSearch flagged_search(const std::string& file, const DllProcess& process, const DllPlaces& places);
// How a package loads its libraries by path when it is imported.
DllSearch preload_search(const std::string& file, const DllProcess& process, const DllPlaces& places);
// NVIDIA's libraries first open their components in their own folder.
DllSearch beside_search(const std::string& opener, const DllProcess& process, const DllPlaces& places);
// The search that loads the checked file.
DllSearch first_search(const std::string& file, bool is_program, const DllProcess& process,
                       const DllPlaces& places);
// Other folders that a user may have meant to be searched.
DllSearch other_folders(const DllSearch& search, const std::string& file, const DllProcess& process,
                        const DllPlaces& places);

// The existing paths that match `pattern` below `base`: '*' within a name, %NAME% at the start.
std::vector<std::string> matching_folders(DllFolders& folders, const std::string& base,
                                          const std::string& pattern);
std::vector<std::string> matching_files(DllFolders& folders, const std::string& base,
                                        const std::string& pattern);

// Finds one DLL in the folders of one search: the file that Windows loads, and the skipped ones.

// Properties of an opened file.
struct DllImage {
    Source source;
    PeFile pe;
    std::string machine;  // "x86_64"; empty = not readable
    std::string trouble;
};
DllImage open_image(const Host& host, const std::string& path);

struct DllRequest {
    std::string name;  // with its suffix
    std::string needed_by;
    LoadHow how = LoadHow::needed;
    bool optional = false;
    std::shared_ptr<const DllSearch> search;
    std::vector<std::string> assemblies;  // side-by-side assemblies in the manifest of the importing file
};

struct DllFinder {
    const Host& host;
    const Facts& facts;
    LibraryFacts& libraries;
    DllFolders& folders;
    const DllPlaces& places;
    const DllProcess& process;
    std::string machine;  // of the process

    // Fills everything except version and the like; `image` is that of the resolved file.
    LoadedFile find(const DllRequest& request, DllImage& image) const;
};

}  // namespace ptxguard
