// SPDX-License-Identifier: Apache-2.0
#include "runtime/module_needs.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "facts/libraries.hpp"
#include "host/paths.hpp"
#include "host/together.hpp"
#include "load/cudnn_copies.hpp"
#include "load/elsewhere.hpp"
#include "load/load.hpp"
#include "load/module_symbols.hpp"
#include "load/modules.hpp"
#include "load/opened_names.hpp"
#include "model/named_cuda.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "packages/importers.hpp"
#include "packages/library_places.hpp"
#include "packages/wheels.hpp"
#include "runtime/module_kinds.hpp"

namespace ptxguard {
namespace {

// By its name (spconv-cu126, faiss-gpu), by its requirements, or by what another of its files needs.
bool uses_cuda(const Host& host, const Facts& facts, const PackageFiles& package) {
    if (is_named_for_gpus(package.package)) return true;
    for (const InstalledWheel& wheel : installed_wheels(host, package.site, {package.package}))
        for (const WheelRequirement& requirement : wheel.metadata.requirements)
            if (!nvidia_component(requirement.name).empty()) return true;
    NeededNames names(facts);
    return any_of(package.modules, [&](const std::string& path) {
        return names.any_of_nvidia(module_head(host, path).needed);
    });
}

bool is_short(const Host& host, const PackageFiles& package, std::size_t i) {
    const FileStatus status = host.status(package.modules[i]);
    return status.type == FileType::regular && i < package.sizes.size() && status.size < package.sizes[i];
}

}  // namespace

std::vector<NativeModule> damaged_modules(const Host& host, const Facts& facts,
                                          const std::vector<PackageFiles>& files, const Scenario& scenario) {
    std::vector<NativeModule> found;
    for (const PackageFiles& package : files)
        for (std::size_t i = 0; i < package.modules.size(); ++i) {
            if (package.record.empty() || is_left_out(package, scenario) || !is_short(host, package, i))
                continue;
            const std::string why = why_not_loaded(host, package.modules[i]);
            if (why.empty() || !uses_cuda(host, facts, package)) continue;
            NativeModule module = module_of(host, package, package.modules[i], ModuleUse::when_used);
            LoadedFile itself;
            itself.name = file_name(module.path);
            itself.how = LoadHow::program;
            itself.because = why;
            module.missing = {std::move(itself)};
            found.push_back(std::move(module));
        }
    return found;
}

namespace {

// The folders of the environment that have NVIDIA's libraries, with the names in them.
class LibrariesOfSites {
public:
    LibrariesOfSites(const Host& host, const Scenario& scenario) {
        for (const SitePlace& site : scenario.python.places)
            for (const LibraryPlace& place : libraries_of_site(host, site.folder)) {
                const auto names = host.names(place.folder);
                if (names) m_names.insert(names->begin(), names->end());
            }
    }

    // Not there, while the same library of another CUDA is.
    bool lacks(const Facts& facts, const std::string& needed) const {
        const auto wanted = library_by_file_name(facts, needed);
        if (!wanted || wanted->driver || wanted->cuda_major == 0 || m_names.count(needed) != 0) return false;
        return any_of(m_names, [&](const std::string& name) {
            const auto other = library_by_file_name(facts, name);
            return other && other->library == wanted->library && other->cuda_major != 0 &&
                   other->cuda_major != wanted->cuda_major;
        });
    }

private:
    std::set<std::string> m_names;
};

std::string module_for_other_cuda(const Host& host, const Facts& facts, const PackageFiles& package,
                                  const LibrariesOfSites& libraries) {
    for (const std::string& path : package.modules)
        for (const std::string& needed : module_head(host, path).needed)
            if (libraries.lacks(facts, needed)) return path;
    return {};
}

}  // namespace

std::vector<NativeModule> nvidias_for_other_cuda(const Host& host, const Facts& facts,
                                                 const std::vector<PackageFiles>& files,
                                                 const Scenario& scenario) {
    std::vector<NativeModule> found;
    const LibrariesOfSites libraries(host, scenario);
    const std::vector<std::string> sites = scenario.python.sites();
    for (const PackageFiles& package : files) {
        if (package.record.empty() || !starts_with(package.package, "nvidia-")) continue;
        const std::string path = module_for_other_cuda(host, facts, package, libraries);
        if (path.empty()) continue;
        const std::string program = interpreter_of(host, scenario.python);
        const auto loaded = load_modules(host, facts, program, sites, {{path, "", nullptr}});
        if (!loaded.front().decided || loaded.front().missing.empty()) continue;
        NativeModule module = module_of(host, package, path, ModuleUse::when_used);
        add_missing(host, facts, loaded.front().missing, package, module);
        if (!module.missing.empty()) found.push_back(std::move(module));
    }
    return found;
}

void add_missing(const Host& host, const Facts& facts, const std::vector<LoadedFile>& missing,
                 const PackageFiles& package, NativeModule& module) {
    LoadTrace trace;
    trace.path = module.path;
    trace.libraries = missing;
    for (LoadedFile& library : trace.libraries)
        if (const auto name = library_by_file_name(facts, library.name)) {
            library.library = name->library;
            library.cuda_major = name->cuda_major;
        }
    find_elsewhere(host, facts, package.site, trace);
    find_copies_of_site(host, trace);
    for (LoadedFile& library : trace.libraries) {
        const bool here = any_of(library.losers,
                                 [](const LoadLoser& loser) { return loser.lost == LoadLost::not_searched; });
        if (!here || (!module.framework.empty() && !opens_by_path(host, package)))
            module.missing.push_back(std::move(library));
    }
}

Known<Version> runtime_needed(const Facts& facts, const std::string& path,
                              const std::vector<std::vector<std::string>>& needed) {
    std::vector<std::string> names;
    for (const auto& some : needed) names.insert(names.end(), some.begin(), some.end());
    const StartedRuntime oldest = runtime_started_by(facts, names);
    if (oldest.cuda_major == 0) return {};
    return {*parse_version(std::to_string(oldest.cuda_major)),
            Origin::from_library(path, path + " needs " + oldest.by, Certainty::read)};
}

bool lacks(const NativeModule& module) { return !module.missing.empty() || !module.undefined_names.empty(); }

void keep_whole(const std::vector<NativeModule>& found, std::vector<PackageLibraries>& libraries) {
    erase_if(libraries, [&](const PackageLibraries& its) {
        return any_of(found, [&](const NativeModule& module) {
            return module.package == its.package && lacks(module);
        });
    });
}

namespace {

// "_C" of "_C.abi3.so".
std::string stem_of(const std::string& path) {
    const std::string file = file_name(path);
    return file.substr(0, file.find('.'));
}

// "pkg.ops._C", as Python imports it.
std::string module_name(const std::string& path, const PackageFiles& package) {
    std::string name = path.substr(package.site.size() + 1);
    name = name.substr(0, name.rfind('/') + 1) + stem_of(path);
    std::replace(name.begin(), name.end(), '/', '.');
    return name;
}

}  // namespace

ModuleUse use_of(const Host& host, const std::string& path, const PackageFiles& package) {
    if (!defines(host, path, "PyInit_" + stem_of(path))) return ModuleUse::opened;
    const bool bare = package.top_level.empty();
    return bare || imports_unconditionally(host, package.site, package.top_level, module_name(path, package))
               ? ModuleUse::at_import
               : ModuleUse::when_used;
}

namespace {

std::vector<std::string> if_unguarded(Importers found, const PackageFiles& package) {
    for (std::string& file : found.files) file.erase(0, package.site.size() + 1);
    return found.guarded ? std::vector<std::string>() : std::move(found.files);
}

}  // namespace

std::vector<std::string> unguarded_importers(const Host& host, const PackageFiles& package,
                                             const std::string& path) {
    return if_unguarded(importers_of(host, package.site, package.top_level, module_name(path, package)),
                        package);
}

std::vector<std::string> unguarded_loaders(const Host& host, const PackageFiles& package,
                                           const std::string& path) {
    if (!holds_device_code(host, path)) return {};
    return if_unguarded(loaders_of(host, package.site, package.top_level, file_name(path)), package);
}

namespace {

// Only where a driver's library is here: a machine without a driver, or an unpacked image, gets all of them
// with it.
std::vector<NativeModule> modules_without_driver_libraries(const Host& host, const Facts& facts,
                                                           const std::vector<PackageFiles>& files,
                                                           const Scenario& scenario) {
    const bool is_here = any_of(scenario.drivers, [](const Driver& driver) {
        return !driver.libcuda.empty() && !driver.stub && !driver.compat && driver.wsl_libcuda.empty();
    });
    std::vector<NativeModule> found;
    if (!is_here || host.system() != System::linux_) return found;
    for (const PackageFiles& package : files) {
        if (!has_own_code(package, scenario)) continue;
        std::vector<std::vector<LoadedFile>> missing(package.modules.size());
        run_for_each(missing.size(), [&](std::size_t i) {
            if (!is_for_other_python(package.modules[i], scenario.python.version))
                missing[i] = missing_of_driver(host, facts, package.modules[i]);
        });
        for (std::size_t i = 0; i < missing.size(); ++i) {
            if (missing[i].empty()) continue;
            NativeModule module =
                module_of(host, package, package.modules[i], use_of(host, package.modules[i], package));
            module.of_driver = std::move(missing[i]);
            found.push_back(std::move(module));
            break;  // the package's files need the same ones
        }
    }
    return found;
}

}  // namespace

std::vector<NativeModule> special_modules(const Host& host, const Facts& facts,
                                          const std::vector<PackageFiles>& files, const Scenario& scenario) {
    std::vector<NativeModule> found = plugins_without_tensorrt(host, files, scenario);
    append(found, bindings_of_cuda(host, files, scenario));
    append(found, modules_with_stubs(host, facts, files));
    append(found, modules_for_other_python(host, files, scenario));
    append(found, modules_for_glibc(host, files, scenario));
    append(found, damaged_modules(host, facts, files, scenario));
    append(found, nvidias_for_other_cuda(host, facts, files, scenario));
    append(found, modules_without_driver_libraries(host, facts, files, scenario));
    append(found, modules_that_numba_links(host, facts, files, scenario));
    return found;
}

}  // namespace ptxguard
