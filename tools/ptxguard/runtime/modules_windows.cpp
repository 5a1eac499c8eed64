// SPDX-License-Identifier: Apache-2.0
#include "runtime/modules_windows.hpp"

#include <set>
#include <utility>

#include "facts/libraries.hpp"
#include "host/paths.hpp"
#include "host/questions.hpp"
#include "host/together.hpp"
#include "load/load.hpp"
#include "load/opened_names.hpp"
#include "model/file_names.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "packages/library_places.hpp"
#include "packages/wheels.hpp"
#include "runtime/module_files.hpp"
#include "runtime/module_kinds.hpp"
#include "runtime/program_modules.hpp"

namespace ptxguard {
namespace {

class DllCheck {
public:
    DllCheck(const Host& host, const Facts& facts, const std::vector<PackageFiles>& files,
             const Scenario& scenario)
        : m_host(host), m_facts(facts), m_uses_gpu(!scenario.gpus.empty() || !scenario.drivers.empty()) {
        for (const SitePlace& place : scenario.python.places) {
            m_sites.push_back(place.folder);
            for (const LibraryPlace& libraries : libraries_of_site(host, place.folder))
                add_once(m_folders, libraries.folder);
        }
        for (const LibraryPlace& place : installed_libraries(host))
            if (place.source == "installer" && place.variable.empty()) m_installers.push_back(place.folder);
        for (const PackageFiles& package : files) {
            for (const std::string& path : package.modules) m_names.insert(lower(file_name(path)));
            if ((is_left_out(package, scenario) || is_of_any_framework(package.package)) &&
                !opens_by_its_files(facts, package.package, host.system()))
                continue;
            for (const std::string& path : package.modules) m_modules.emplace_back(&package, path);
        }
    }

    std::vector<NativeModule> run(std::vector<PackageLibraries>& libraries) {
        std::vector<std::vector<LoadedFile>> missing(m_modules.size());
        std::vector<std::size_t> taken(m_modules.size());
        std::vector<std::set<std::string>> asked(m_modules.size());
        run_for_each(m_modules.size(), [&](std::size_t i) {
            missing[i] = missing_of(m_modules[i].second, taken[i], asked[i]);
        });
        leave_out_unused(asked, missing);
        std::vector<NativeModule> found;
        for (std::size_t i = 0; i < m_modules.size(); ++i) {
            if (missing[i].empty() || has_better_variant(i, missing)) continue;
            NativeModule module =
                module_of(m_host, *m_modules[i].first, m_modules[i].second, ModuleUse::when_used);
            module.missing = missing[i];
            module.essential =
                missing[i].front().how != LoadHow::needed || !has_whole_module(i, missing, taken);
            found.push_back(std::move(module));
        }
        for (std::size_t i = 0; i < m_modules.size(); ++i)
            if (taken[i] > 0 && none_of(found, [&](const NativeModule& one) {
                    return one.package == m_modules[i].first->package;
                }))
                add_found(m_host, *m_modules[i].first, taken[i], libraries);
        return found;
    }

private:
    // The parts of a copy of cuDNN that no file asks for.
    void leave_out_unused(const std::vector<std::set<std::string>>& asked,
                          std::vector<std::vector<LoadedFile>>& missing) const {
        for (std::size_t i = 0; i < m_modules.size(); ++i) {
            const std::string& path = m_modules[i].second;
            const std::string name = lower(file_name(path));
            const bool is_asked_for =
                any_of(asked, [&](const std::set<std::string>& names) { return names.count(name) != 0; });
            if (is_toolkit_library(path, m_facts) && !is_asked_for)
                erase_if(missing[i], [](const LoadedFile& one) { return one.how != LoadHow::needed; });
        }
    }

    // `asked`: what it needs or opens itself, in lower case; nothing of a library of a toolkit.
    std::vector<LoadedFile> missing_of(const std::string& path, std::size_t& found,
                                       std::set<std::string>& asked) const {
        LoadOptions options;
        options.site_packages = m_sites;
        const auto trace = trace_file(m_host, m_facts, path, options);
        std::vector<LoadedFile> missing;
        if (!trace) return missing;
        for (const LoadedFile& library : trace->libraries) {
            if (library.needed_by == path && !is_toolkit_library(path, m_facts))
                asked.insert(lower(library.name));
            found += library.taken && is_opened_or_needed(library, path);
            if (library.taken || !is_opened_or_needed(library, path)) continue;
            if (is_somewhere(library) || has_other_release(*trace, library)) continue;
            if (library.undecided && !library.path_unknown) continue;
            const auto is_it = [&](const LoadedFile& other) {
                return lower(other.name) == lower(library.name);
            };
            if (any_of(missing, is_it)) continue;  // imported, and named in the file too
            missing.push_back(library);
            if (library.how != LoadHow::needed) missing.back().how = LoadHow::dlopen;
        }
        // What is missing for certain decides.
        if (is_certain(missing)) erase_if(missing, [](const LoadedFile& one) { return one.undecided; });
        return missing;
    }

    // Another file of the package that gets NVIDIA's libraries.
    bool has_whole_module(std::size_t i, const std::vector<std::vector<LoadedFile>>& missing,
                          const std::vector<std::size_t>& taken) const {
        for (std::size_t other = 0; other < m_modules.size(); ++other)
            if (m_modules[other].first == m_modules[i].first && missing[other].empty() && taken[other] > 0)
                return true;
        return false;
    }

    static bool is_certain(const std::vector<LoadedFile>& missing) {
        return any_of(missing, [](const LoadedFile& one) { return !one.undecided; });
    }

    // What is only opened matters to those who use a GPU.
    bool is_opened_or_needed(const LoadedFile& library, const std::string& path) const {
        if (library.how != LoadHow::needed && !m_uses_gpu) return false;
        return (library.needed_by == path && is_needed_to_compute(library.library)) ||
               is_opened_by_a_library(library, m_facts);
    }

    // A package's own code or conda's activation script may add that folder to the search, but nothing adds
    // that of cuDNN's installer.
    bool is_somewhere(const LoadedFile& library) const {
        const auto has_it = [&](const std::string& folder) {
            return is_file(m_host, join_path(folder, library.name));
        };
        return m_names.count(lower(library.name)) != 0 || any_of(m_folders, has_it) ||
               (!library.undecided && any_of(library.losers, [&](const LoadLoser& loser) {
                   return loser.lost == LoadLost::not_searched && !is_of_installer(loser.path);
               }));
    }

    bool is_of_installer(const std::string& path) const {
        return any_of(m_installers,
                      [&](const std::string& folder) { return lower(parent_path(path)) == lower(folder); });
    }

    // "libbitsandbytes_cuda118.dll" beside "libbitsandbytes_cuda126.dll": the package opens the one that
    // fits, or may fit.
    bool has_better_variant(std::size_t i, const std::vector<std::vector<LoadedFile>>& missing) const {
        for (std::size_t other = 0; other < m_modules.size(); ++other) {
            const bool is_better =
                missing[other].empty() || (is_certain(missing[i]) && !is_certain(missing[other]));
            if (other != i && is_better && m_modules[other].first == m_modules[i].first &&
                without_digits(m_modules[other].second) == without_digits(m_modules[i].second))
                return true;
        }
        return false;
    }

    const Host& m_host;
    const Facts& m_facts;
    const bool m_uses_gpu;
    std::vector<std::string> m_sites, m_folders;  // m_folders: of NVIDIA's wheels and of conda
    std::vector<std::string> m_installers;        // of cuDNN on its own
    std::set<std::string> m_names;                // of all modules of the environment, in lower case
    std::vector<std::pair<const PackageFiles*, std::string>> m_modules;
};

}  // namespace

std::vector<NativeModule> modules_without_dlls(const Host& host, const Facts& facts,
                                               const std::vector<PackageFiles>& files,
                                               const Scenario& scenario,
                                               std::vector<PackageLibraries>& libraries) {
    return DllCheck(host, facts, files, scenario).run(libraries);
}

void check_windows_modules(const Host& host, const Facts& facts, std::vector<PackageFiles>& files,
                           const std::vector<std::string>& named, const std::string& program,
                           Scenario& scenario) {
    scenario.modules = modules_without_dlls(host, facts, files, scenario, scenario.package_libraries);
    append(scenario.modules, bindings_of_cuda(host, files, scenario));
    for (const std::string& path : named)
        scenario.modules.push_back(named_library(host, facts, path, program, scenario));
    if (!scenario.gpus.empty()) {
        erase_if(files, [&](const PackageFiles& one) { return !has_own_code(one, scenario); });
        append(scenario.modules, modules_with_code(host, facts, files, scenario));
    }
}

}  // namespace ptxguard
