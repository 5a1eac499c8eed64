// The folders in which Windows searches for a DLL, in order, for each way of requesting one. Sources:
// Microsoft, "Dynamic-link library search order" (standard, alternate and flagged order, packaged apps);
// Python, "os.add_dll_directory" and What's New in 3.8.
// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "host/paths.hpp"
#include "host/questions.hpp"
#include "load/trace_windows_parts.hpp"
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

}  // namespace

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

}  // namespace ptxguard
