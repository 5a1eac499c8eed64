// SPDX-License-Identifier: Apache-2.0
#include "runtime/module_kinds.hpp"

#include <optional>
#include <set>
#include <string>

#include "facts/libraries.hpp"
#include "host/paths.hpp"
#include "host/questions.hpp"
#include "host/together.hpp"
#include "inspect/inspect.hpp"
#include "load/opened_names.hpp"
#include "model/file_names.hpp"
#include "model/named_cuda.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "packages/wheels.hpp"
#include "runtime/code.hpp"
#include "runtime/module_files.hpp"

namespace ptxguard {
namespace {

// NVIDIA's own bindings open the number too.
bool is_of_nvidia(const PackageFiles& files) { return starts_with_any(files.package, {"nvidia-", "cuda-"}); }

std::optional<NativeModule> module_with_stub(const Host& host, const Facts& facts,
                                             const PackageFiles& package) {
    for (const std::string& path : package.modules) {
        auto stub = opened_stub(host, facts, path);
        if (!stub) continue;
        NativeModule module = module_of(host, package, path, ModuleUse::when_used);
        module.stubs.push_back(std::move(*stub));
        return module;
    }
    return std::nullopt;
}

}  // namespace

std::vector<NativeModule> modules_with_stubs(const Host& host, const Facts& facts,
                                             const std::vector<PackageFiles>& files) {
    std::vector<NativeModule> found;
    if (!may_open_stubs(host)) return found;
    for (const PackageFiles& package : files)
        if (!is_of_nvidia(package))
            if (auto module = module_with_stub(host, facts, package)) found.push_back(std::move(*module));
    return found;
}

namespace {

// "3.12" of "_C.cpython-312-x86_64-linux-gnu.so"; also of a build without the lock ("313t").
std::string python_of(const std::string& path) {
    const std::string name = file_name(path), tag = ".cpython-";
    const std::size_t at = name.find(tag);
    if (at == std::string::npos) return {};
    std::string digits = name.substr(at + tag.size());
    digits = digits.substr(0, digits.find_first_not_of("0123456789"));
    return digits.size() < 2 ? std::string() : digits.substr(0, 1) + "." + digits.substr(1);
}

bool concerns_cuda(const Host& host, const PackageFiles& package, const Scenario& scenario) {
    if (is_left_out(package, scenario)) return true;
    const std::set<std::string> frameworks{"torch", "jaxlib", "jax", "tensorflow"};
    for (const InstalledWheel& wheel : installed_wheels(host, package.site, {package.package}))
        for (const WheelRequirement& requirement : wheel.metadata.requirements)
            if (requirement.applies(host.system()) &&
                (frameworks.count(requirement.name) || !nvidia_component(requirement.name).empty()))
                return true;
    return false;
}

// The module that shows it; empty = some module is for this Python, or for any.
std::string module_that_shows(const PackageFiles& package, const std::string& version) {
    std::string shows;
    for (const std::string& path : package.modules) {
        if (file_name(path).find(".abi3.") != std::string::npos) return {};
        const std::string python = python_of(path);
        if (python == version) return {};
        if (shows.empty() && !python.empty()) shows = path;
    }
    return shows;
}

}  // namespace

std::vector<NativeModule> modules_for_other_python(const Host& host,
                                                   const std::vector<PackageFiles>& packages,
                                                   const Scenario& scenario) {
    std::vector<NativeModule> found;
    const std::string& version = scenario.python.version;
    if (version.find('.') == std::string::npos) return found;
    for (const PackageFiles& package : packages) {
        const std::string path = package.record.empty() ? "" : module_that_shows(package, version);
        if (path.empty() || !concerns_cuda(host, package, scenario)) continue;
        NativeModule module =
            module_of(host, package, path,
                      is_left_out(package, scenario) ? ModuleUse::at_import : ModuleUse::when_used);
        module.framework = "python";
        if (const auto python = parse_version(python_of(path)))
            module.built_for = {*python, Origin::from_file(path)};
        found.push_back(std::move(module));
    }
    return found;
}

namespace {

bool is_musl(const Host& host) {
    const auto has = [&](const char* path) { return is_file(host, path); };
    return !paths_matching(host, "/lib/ld-musl-*.so.1").empty() && !has("/lib64/ld-linux-x86-64.so.2") &&
           !has("/lib/ld-linux-x86-64.so.2") && !has("/lib/ld-linux-aarch64.so.1");
}

}  // namespace

std::vector<NativeModule> modules_for_glibc(const Host& host, const std::vector<PackageFiles>& packages,
                                            const Scenario& scenario) {
    std::vector<NativeModule> found;
    if (!is_musl(host)) return found;
    for (const PackageFiles& package : packages) {
        if (package.record.empty() || is_of_nvidia(package) || package.modules.empty()) continue;
        const bool is_for_glibc = all_of(package.modules, [&](const std::string& path) {
            return contains(module_head(host, path).needed, "libc.so.6");
        });
        if (!is_for_glibc || !concerns_cuda(host, package, scenario)) continue;
        NativeModule module =
            module_of(host, package, package.modules.front(),
                      is_left_out(package, scenario) ? ModuleUse::at_import : ModuleUse::when_used);
        module.missing = {other_machine(host, module.path)};
        module.missing.front().machine += " with glibc";
        found.push_back(std::move(module));
    }
    return found;
}

namespace {

// jax-cuda12-pjrt: its code is read with the framework's.
bool is_part_of_framework(const std::string& package, const Scenario& scenario) {
    return any_of(scenario.expectations, [&](const Expectation& framework) {
        return starts_with(package, framework.package + "-");
    });
}

// PTX beside Python code may be for some kernels on some GPUs only; the others get theirs another way.
bool is_for_all_gpus(const std::vector<Target>& targets, const Scenario& scenario) {
    return all_of(scenario.gpus, [&](const Gpu& gpu) {
        return !gpu.arch || any_of(targets, [&](const Target& target) {
            return target.ptx && target.arch.suffix == 0 && ptx_compiles_for(target.arch, *gpu.arch);
        });
    });
}

// What cubins of one CUDA have, those of the next may have too: the name of a wheel says more.
void raise_to_named(NativeModule& module) {
    const auto named = named_cuda(module.package);
    if (!named || !module.archs || (module.cuda && module.cuda->major() >= named->major())) return;
    module.cuda = {*parse_version(std::to_string(named->major())),
                   Origin::from_file(module.path).shown_as("the name of " + module.package)};
}

NativeModule module_with_code(const Host& host, const Facts& facts, const PackageFiles& package,
                              const Scenario& scenario) {
    NativeModule module;
    module.package = package.package;
    std::vector<std::string> paths;
    for (const std::string& path : package.modules)
        if (holds_device_code(host, path)) paths.push_back(path);
    if (!paths.empty()) set_code(host, facts, paths, module);
    if (!module.archs && !package.ptx.empty()) {
        CodeOfFiles code = code_of_all(host, facts, package.ptx);
        if (!code.targets || !is_for_all_gpus(*code.targets, scenario)) return module;
        module.archs = std::move(code.targets);
        module.ptx = code.oldest;  // each file may be for other GPUs: all are refused only if the oldest is
        if (module.archs) module.path = module.archs.origin.path;
    }
    if (!module.archs) return module;
    module.use = ModuleUse::when_used;
    describe_package(host, package, module);
    return module;
}

}  // namespace

void add_texts(const Host& host, const std::vector<std::string>& paths, NativeModule& module) {
    for (const std::string& path : paths) {
        TextsForDriver texts = texts_for_driver(host, path);
        if (texts.ptx && !module.archs) module.archs = {std::move(texts.targets), texts.ptx.origin};
        if (texts.ptx && (!module.texts || *module.texts < *texts.ptx)) module.texts = texts.ptx;
    }
}

void set_code(const Host& host, const Facts& facts, const std::vector<std::string>& paths,
              NativeModule& module) {
    CodeOfFiles code = code_of_all(host, facts, paths);
    module.archs = std::move(code.targets);
    module.ptx = code.ptx;
    module.cuda = code.cuda;
    add_texts(host, paths, module);
    if (module.archs) module.path = module.archs.origin.path;
    raise_to_named(module);
}

std::vector<NativeModule> modules_with_code(const Host& host, const Facts& facts,
                                            const std::vector<PackageFiles>& packages,
                                            const Scenario& scenario) {
    std::vector<NativeModule> modules(packages.size());
    run_for_each(packages.size(), [&](std::size_t i) {
        const PackageFiles& package = packages[i];
        if (!package.of_prefix && !package.package.empty() &&
            !is_part_of_framework(package.package, scenario))
            modules[i] = module_with_code(host, facts, package, scenario);
    });
    erase_if(modules, [](const NativeModule& module) { return !module.archs; });
    return modules;
}

bool requires_package(const Host& host, const PackageFiles& package, const std::string& name) {
    return any_of(installed_wheels(host, package.site, {package.package}),
                  [&](const InstalledWheel& wheel) { return wheel.requires_always(name, host.system()); });
}

std::vector<NativeModule> modules_that_numba_links(const Host& host, const Facts& facts,
                                                   const std::vector<PackageFiles>& packages,
                                                   const Scenario& scenario) {
    std::vector<NativeModule> found;
    const bool links = any_of(scenario.expectations, [](const Expectation& one) {
        return one.package == "numba-cuda" && !one.tools.empty();
    });
    for (const PackageFiles& package : packages) {
        if (!links || package.fatbins.empty() || !requires_package(host, package, "numba-cuda")) continue;
        const CodeOfFiles code = code_of_all(host, facts, package.fatbins);
        if (!code.targets || !code.oldest ||
            any_of(*code.targets, [](const Target& target) { return target.real; }))
            continue;
        NativeModule module = module_of(host, package, package.fatbins.front(), ModuleUse::when_used);
        module.linked = code.oldest;
        found.push_back(std::move(module));
    }
    return found;
}

namespace {

bool is_of_a_framework(const PackageFiles& files, const Scenario& scenario) {
    return any_of(scenario.expectations, [&](const Expectation& one) {
        return !files.package.empty() && (files.package == one.package || files.package == one.build_package);
    });
}

}  // namespace

std::vector<NativeModule> modules_that_open(const Host& host, const Facts& facts,
                                            const std::vector<PackageFiles>& packages,
                                            const std::vector<OpeningFile>& files, const Scenario& scenario,
                                            std::vector<PackageLibraries>& libraries) {
    std::vector<OpenedLibraries> opened = opened_libraries(host, facts, files, scenario.python.sites());
    std::vector<NativeModule> modules;
    for (std::size_t i = 0; i < files.size(); ++i) {
        const PackageFiles& package = packages[files[i].package];
        // What a framework gets is part of the report.
        const bool counts = opened[i].found > 0 && is_of_a_framework(package, scenario);
        if (opened[i].found > 0 && !counts) add_found(host, package, opened[i].found, libraries);
        if (opened[i].missing.empty() && opened[i].executable_stacks.empty() && !counts) continue;
        NativeModule module = module_of(host, package, files[i].path, ModuleUse::when_used);
        module.missing = std::move(opened[i].missing);
        module.executable_stacks = std::move(opened[i].executable_stacks);
        module.found = opened[i].found;
        module.essential = true;
        modules.push_back(std::move(module));
    }
    return modules;
}

std::vector<NativeModule> bindings_of_cuda(const Host& host, const std::vector<PackageFiles>& files,
                                           const Scenario& scenario) {
    std::vector<NativeModule> found;
    for (const PackageFiles& package : files) {
        if (!is_binding_of_cuda(package.package) || package.modules.empty() || scenario.drivers.empty())
            continue;
        NativeModule module = module_of(host, package, package.modules.front(), ModuleUse::when_used);
        if (!module.version) continue;
        module.cuda = {*parse_version(std::to_string(module.version->major())), module.version.origin};
        found.push_back(std::move(module));
    }
    return found;
}

namespace {

const std::string k_nvinfer = "libnvinfer.so.";

// Where TensorRT's packages and the distributions install it.
std::vector<std::string> folders_of_tensorrt(const Host& host, const Scenario& scenario) {
    std::vector<std::string> folders = split(host.env("LD_LIBRARY_PATH").value_or(""), ":");
    for (const SitePlace& place : scenario.python.places)
        folders.push_back(join_path(place.folder, "tensorrt_libs"));
    for (const char* triple : {"x86_64-linux-gnu", "aarch64-linux-gnu"})
        folders.push_back(join_path("/usr/lib", triple));
    return folders;
}

// Missing, with a file of another major if there is one; nothing if it is there.
std::optional<LoadedFile> missing_tensorrt(const Host& host, const std::vector<std::string>& folders,
                                           const std::string& wanted) {
    LoadedFile library;
    library.name = wanted;
    library.library = "nvinfer";
    for (const std::string& folder : folders) {
        const auto names = host.names(folder);
        for (const std::string& name : names ? *names : std::vector<std::string>()) {
            if (name == wanted) return std::nullopt;
            const bool is_soname =
                starts_with(name, k_nvinfer) && name.find('.', k_nvinfer.size()) == std::string::npos;
            if (is_soname && library.losers.empty())
                library.losers.push_back(
                    {join_path(folder, name), {}, LoadLost::other_name, "of another major", {}});
        }
    }
    return library;
}

}  // namespace

std::vector<NativeModule> plugins_without_tensorrt(const Host& host, const std::vector<PackageFiles>& files,
                                                   const Scenario& scenario) {
    std::vector<NativeModule> found;
    const std::vector<std::string> folders = folders_of_tensorrt(host, scenario);
    for (const PackageFiles& package : files) {
        if (!is_of_a_framework(package, scenario)) continue;
        for (const std::string& path : package.modules) {
            if (file_name(path).find("tensorrt") == std::string::npos) continue;
            for (const std::string& needed : module_head(host, path).needed) {
                auto library = starts_with(needed, k_nvinfer) ? missing_tensorrt(host, folders, needed)
                                                              : std::optional<LoadedFile>();
                if (!library) continue;
                NativeModule module = module_of(
                    host, package, path, library->losers.empty() ? ModuleUse::opened : ModuleUse::when_used);
                module.missing.push_back(std::move(*library));
                found.push_back(std::move(module));
            }
        }
    }
    return found;
}

bool may_use_cuda(const std::string& framework, const Scenario& scenario) {
    return framework.empty() || any_of(scenario.expectations, [&](const Expectation& one) {
               return one.package == framework && one.cuda;
           });
}

bool brings_provider(const Host& host, const std::string& path, const std::vector<std::string>& needed,
                     const NeededNames& names) {
    return any_of(needed, [&](const std::string& name) {
        return !names.provider_of({name}).empty() && is_file(host, join_path(parent_path(path), name));
    });
}

}  // namespace ptxguard
