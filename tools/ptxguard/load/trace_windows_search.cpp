// The folders in which Windows searches for a DLL, in order, for each way of requesting one. Sources:
// Microsoft, "Dynamic-link library search order" (standard, alternate and flagged order, packaged apps);
// Python, "os.add_dll_directory" and What's New in 3.8.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>
#include <string_view>
#include <vector>

#include "host/paths.hpp"
#include "host/questions.hpp"
#include "load/trace_windows_parts.hpp"
#include "model/text.hpp"
#include "packages/library_places.hpp"

namespace ptxguard {
namespace {

// Folders in their order, each once.
class Steps {
public:
    void add(const DllStep& step) {
        if (!step.folder.empty() && m_keys.insert(folder_key(step.folder)).second) m_search.push_back(step);
    }
    void add(const DllSearch& steps) {
        for (const DllStep& step : steps) add(step);
    }
    bool holds(const DllStep& step) const { return m_keys.count(folder_key(step.folder)) != 0; }
    DllSearch take() { return std::move(m_search); }

private:
    std::set<std::string> m_keys;
    DllSearch m_search;
};

DllStep application(const DllProcess& process) {
    return {process.application_folder, "application folder", process.application};
}

DllStep own_folder(const std::string& file) {
    return {parent_path(file), "folder of " + file_name(file), ""};
}

// For a packaged app the search ends with System32.
void add_system(Steps& steps, const DllProcess& process, const DllPlaces& places) {
    if (places.current_is_early && !process.packaged) steps.add(places.current);
    steps.add(places.system32);
    if (process.packaged) return;
    steps.add(places.windows);
    steps.add(places.current);
    steps.add(places.path);
}

DllSearch path_of(const Host& host, const std::string& current) {
    DllSearch path;
    for (const auto& [entry, position] : path_folders(host)) {
        const bool absolute = is_absolute(entry, System::windows);
        if (!absolute && current.empty()) continue;
        path.push_back({normal_path(absolute ? entry : join_path(current, entry), System::windows),
                        LoadStep::path, entry});
    }
    return path;
}

// Folders with a toolkit or cuDNN, whether they are searched or not.
DllSearch cuda_folders(DllFolders& folders) {
    DllSearch result;
    for (const LibraryPlace& place : installed_libraries(folders.host()))
        if (folders.exists(place.folder))
            result.push_back(
                {place.folder, place.variable.empty() ? "installed toolkit" : place.variable, place.value});
    return result;
}

// Of the key "Session Manager". KnownDLLs lists files by any name, and Windows adds what they import: the
// list only adds to that of every Windows. ExcludeFromKnownDlls removes. Microsoft's "Dynamic-link library
// search order": the current folder is searched before System32 if SafeDllSearchMode is 0.
void read_registry(const Host& host, DllPlaces& places) {
    const std::string manager = "SYSTEM\\CurrentControlSet\\Control\\Session Manager";
    if (const auto key = host.registry(manager + "\\KnownDLLs"))
        for (const auto& [name, file] : key->values)
            if (ends_with(lower(file), ".dll")) places.known.push_back(lower(file));
    const auto key = host.registry(manager);
    const std::string files = join_path(places.system32.front().folder, "config");
    if (!key && host.status(join_path(files, "SYSTEM")).type == FileType::regular)
        places.unread_registry = files;
    if (!key) return;
    for (const auto& [name, value] : key->values) {
        if (lower(name) == "safedllsearchmode") places.current_is_early = value == "0";
        if (lower(name) == "excludefromknowndlls")
            for (const std::string& file : split(lower(value), "\n")) places.not_known.push_back(file);
    }
}

}  // namespace

bool DllPlaces::is_known(const std::string& name) const {
    const std::string small = lower(name);
    return !contains(not_known, small) && (is_known_dll(name) || contains(known, small));
}

DllPlaces dll_places(DllFolders& folders) {
    const Host& host = folders.host();
    DllPlaces places;
    const std::string root = windows_folder(host);
    places.system32 = {{join_path(root, "System32"), "System32", ""}};
    places.windows = {{join_path(root, "System"), "System", ""}, {root, LoadStep::windows, ""}};
    places.system32_is_here = folders.exists(places.system32.front().folder);
    const std::string current = current_folder(host);
    if (!current.empty())
        places.current = {{normal_path(current, System::windows), LoadStep::current_folder, ""}};
    places.path_is_known = host.env("PATH").has_value();
    places.path = path_of(host, current);
    places.cuda = cuda_folders(folders);
    read_registry(host, places);
    return places;
}

DllSearch standard_search(const DllProcess& process, const DllPlaces& places) {
    Steps steps;
    steps.add(application(process));
    add_system(steps, process, places);
    return steps.take();
}

DllSearch altered_search(const std::string& file, const DllProcess& process, const DllPlaces& places) {
    Steps steps;
    steps.add(own_folder(file));
    add_system(steps, process, places);
    return steps.take();
}

DllSearch flagged_search(const std::string& file, const DllProcess& process, const DllPlaces& places) {
    Steps steps;
    steps.add(own_folder(file));
    steps.add(application(process));
    steps.add(process.added);
    steps.add(places.system32);
    return steps.take();
}

DllSearch preload_search(const std::string& file, const DllProcess& process, const DllPlaces& places) {
    Steps steps;
    steps.add(flagged_search(file, process, places));
    if (process.retries_with_path) add_system(steps, process, places);
    return steps.take();
}

DllSearch beside_search(const std::string& opener, const DllProcess& process, const DllPlaces& places) {
    Steps steps;
    steps.add(own_folder(opener));
    steps.add(standard_search(process, places));
    return steps.take();
}

DllSearch first_search(const std::string& file, bool is_program, const DllProcess& process,
                       const DllPlaces& places) {
    if (is_program) return standard_search(process, places);
    const bool is_module = ends_with(lower(file), ".pyd");
    if (process.is_python && is_module)
        return process.searches_path() ? altered_search(file, process, places)
                                       : flagged_search(file, process, places);
    if (process.is_python && !process.preloads.empty()) return preload_search(file, process, places);
    // It is not known who loads a bare DLL: by LoadLibrary from a program's own folder, or by its path.
    Steps steps;
    if (!process.is_python || process.is_hosted) steps.add(application(process));
    steps.add(altered_search(file, process, places));
    return steps.take();
}

DllSearch other_folders(const DllSearch& search, const std::string& file, const DllProcess& process,
                        const DllPlaces& places) {
    Steps searched, others;
    searched.add(search);
    for (const DllSearch& list : {DllSearch{own_folder(file)}, DllSearch{application(process)}, process.added,
                                  places.current, places.path, places.cuda, process.unused})
        for (const DllStep& step : list)
            if (!searched.holds(step)) others.add(step);
    return others.take();
}

// Folders of a Windows machine and the files in them, in any spelling.

namespace {

constexpr Limit k_most_folders_of_tree{50000, "folders of a tree", "the DLLs in later ones"};
constexpr Limit k_most_dll_folders{4096, "folders searched for DLLs", "later ones"};

std::string expanded(const Host& host, const std::string& base, const std::string& pattern) {
    if (!starts_with(pattern, "%")) return join_path(base, pattern);
    const std::size_t end = pattern.find('%', 1);
    if (end == std::string::npos) return {};
    const auto value = host.env(pattern.substr(1, end - 1));
    return value && !value->empty() ? *value + pattern.substr(end + 1) : std::string{};
}

// Folders that match all but the last name, and that name.
std::pair<std::vector<std::string>, std::string> walk(DllFolders& folders, const std::string& base,
                                                      const std::string& pattern) {
    const std::string full = normal_path(expanded(folders.host(), base, pattern), System::windows);
    if (full.empty()) return {};
    const std::size_t star = full.find('*');
    if (star == std::string::npos) return {{parent_path(full)}, file_name(full)};
    const std::size_t slash = full.rfind('/', star);
    std::vector<std::string> names = split(full.substr(slash + 1), "/");
    const std::string last = names.back();
    names.pop_back();
    std::vector<std::string> found{
        slash == std::string::npos ? base : full.substr(0, std::max<std::size_t>(slash, 1))};
    for (const std::string& name : names) {
        std::vector<std::string> next;
        for (const std::string& folder : found)
            for (const std::string& child : folders.folders(folder))
                if (matches_pattern(lower(child), lower(name)) &&
                    !folders.host().exceeds(k_most_dll_folders, next.size() + 1, folder))
                    next.push_back(join_path(folder, child));
        found = next;
    }
    return {found, last};
}

}  // namespace

std::string folder_key(const std::string& folder) { return lower(normal_path(folder, System::windows)); }

const DllFolders::Listing& DllFolders::listing(const std::string& folder) {
    const std::string key = folder_key(folder);
    const auto known = m_listings.find(key);
    if (known != m_listings.end()) return known->second;
    static const Listing k_nothing;
    if (m_host.exceeds(k_most_dll_folders, m_listings.size() + 1, folder)) return k_nothing;
    Listing& listing = m_listings[key];
    const auto entries = m_host.list(folder);
    if (!entries) return listing;
    listing.exists = true;
    for (const DirectoryEntry& entry : *entries) {
        if (entry.type == FileType::regular) listing.files.emplace(lower(entry.name), entry.name);
        if (entry.type == FileType::directory) listing.folders.push_back(entry.name);
    }
    return listing;
}

std::optional<std::string> DllFolders::find(const std::string& folder, const std::string& name) {
    const auto& files = listing(folder).files;
    const auto found = files.find(lower(name));
    if (found == files.end()) return std::nullopt;
    return join_path(folder, found->second);
}

bool DllFolders::exists(const std::string& folder) { return listing(folder).exists; }
const std::map<std::string, std::string>& DllFolders::files(const std::string& folder) {
    return listing(folder).files;
}
std::vector<std::string> DllFolders::folders(const std::string& folder) { return listing(folder).folders; }

bool DllFolders::may_be_in_tree(const std::string& name) {
    if (!m_tree_is_read) read_tree();
    return !m_tree_is_whole || m_dlls_of_tree.count(lower(name)) != 0;
}

void DllFolders::read_tree() {
    m_tree_is_read = true;
    m_tree_is_whole = m_host.foreign() && exists(join_path(windows_folder(m_host), "System32"));
    // Of an unpacked tree "/" is the tree itself, with all of its drives.
    std::vector<std::string> next{is_folder(m_host, "/") ? "/" : "C:/"};
    for (std::size_t i = 0; i < next.size() && m_tree_is_whole; ++i) {
        for (const DirectoryEntry& entry : entries_in(m_host, next[i])) {
            if (entry.type == FileType::directory)
                next.push_back(join_path(next[i], entry.name));
            else if (ends_with(lower(entry.name), ".dll"))
                m_dlls_of_tree.insert(lower(entry.name));
        }
        m_tree_is_whole = !m_host.exceeds(k_most_folders_of_tree, next.size(), next[i]);
    }
}

std::vector<std::string> matching_folders(DllFolders& folders, const std::string& base,
                                          const std::string& pattern) {
    std::vector<std::string> result;
    const auto [parents, last] = walk(folders, base, pattern);
    for (const std::string& parent : parents)
        for (const std::string& child : folders.folders(parent))
            if (matches_pattern(lower(child), lower(last))) result.push_back(join_path(parent, child));
    return result;
}

std::vector<std::string> matching_files(DllFolders& folders, const std::string& base,
                                        const std::string& pattern) {
    std::vector<std::string> result;
    const auto [parents, last] = walk(folders, base, pattern);
    for (const std::string& parent : parents)
        for (const auto& [small, spelt] : folders.files(parent))
            if (matches_pattern(small, lower(last))) result.push_back(join_path(parent, spelt));
    return result;
}

// DLL names that Windows itself provides. Sources: the value list of
// HKLM\SYSTEM\CurrentControlSet\Control\Session Manager\KnownDLLs of Windows 10 and 11, and the DLLs of a
// plain System32.

namespace {

// Both lists are sorted.
const std::vector<std::string> k_known = split(
    "advapi32 clbcatq combase comdlg32 coml2 difxapi gdi32 gdi32full gdiplus imagehlp imm32 kernel32 "
    "kernelbase msctf msvcp_win msvcrt normaliz nsi ntdll ole32 oleaut32 psapi rpcrt4 sechost "
    "setupapi shcore shell32 shlwapi ucrtbase user32 win32u wldap32 ws2_32",
    " ");

const std::vector<std::string> k_own = split(
    "activeds authz avicap32 avifil32 avrt bcrypt bcryptprimitives cabinet cfgmgr32 comctl32 credui "
    "crypt32 cryptbase cryptnet cryptsp d2d1 d3d10 d3d10_1 d3d11 d3d12 d3d9 d3dcompiler_47 dbgcore "
    "dbghelp ddraw devobj dhcpcsvc dinput8 directml dnsapi dsound dwmapi dwrite dxcore dxgi dxva2 "
    "esent fwpuclnt glu32 hid httpapi iertutil iphlpapi ksuser logoncli mf mfplat mfreadwrite mlang "
    "mpr msacm32 msasn1 mscoree msdmo msi msimg32 msvfw32 mswsock ncrypt netapi32 netutils newdev "
    "ntdsapi odbc32 oleacc oledlg opengl32 pdh powrprof profapi propsys rasapi32 rstrtmgr samcli "
    "secur32 shfolder srvcli sspicli synchronization tdh urlmon userenv usp10 uxtheme version "
    "virtdisk wevtapi windowscodecs winhttp wininet winmm winspool wintrust wkscli wldp wsock32 "
    "wtsapi32 xinput1_4 xmllite",
    " ");

std::string stem(const std::string& name) {
    std::string small = lower(file_name(name));
    for (const char* end : {".dll", ".drv"})
        if (ends_with(small, end)) small.resize(small.size() - 4);
    return small;
}

bool holds(const std::vector<std::string>& all, const std::string& word) {
    return std::binary_search(all.begin(), all.end(), word);
}

}  // namespace

bool is_api_set(const std::string& name) {
    const std::string small = lower(name);
    return starts_with(small, "api-ms-win-") || starts_with(small, "ext-ms-");
}

bool is_known_dll(const std::string& name) { return holds(k_known, stem(name)); }
bool is_windows_own(const std::string& name) {
    return is_api_set(name) || is_known_dll(name) || holds(k_own, stem(name));
}

bool is_vc_runtime(const std::string& name) {
    const std::string word = stem(name);
    for (const char* start :
         {"vcruntime1", "msvcp", "msvcr", "concrt1", "vcomp", "vcamp1", "mfc1", "vccorlib1"}) {
        const std::size_t at = std::string_view(start).size();
        if (starts_with(word, start) && word.size() > at && word[at] >= '0' && word[at] <= '9') return true;
    }
    return false;
}

namespace {

// "313" of python313.dll and of the free-threaded python313t.dll; empty for others.
std::string python_number(const std::string& name) {
    std::string word = stem(name);
    if (ends_with(word, "t")) word.pop_back();
    if (!starts_with(word, "python")) return {};
    word.erase(0, 6);
    return word.find_first_not_of("0123456789") == std::string::npos ? word : std::string();
}

}  // namespace

bool is_python_library(const std::string& name) { return !python_number(name).empty(); }

std::optional<Version> python_of_library(const std::string& name) {
    const std::string number = python_number(name);
    if (number.size() < 2) return std::nullopt;  // python3.dll has no minor version
    return parse_version(number.substr(0, 1) + "." + number.substr(1));
}

}  // namespace ptxguard
