// SPDX-License-Identifier: Apache-2.0
#include "judge/module_questions.hpp"

#include <algorithm>

#include "facts/framework_traits.hpp"
#include "facts/libraries.hpp"
#include "judge/entry_fit.hpp"
#include "judge/fixes.hpp"
#include "judge/framework_questions.hpp"
#include "judge/library_words.hpp"
#include "judge/package_conflicts.hpp"
#include "judge/severity.hpp"
#include "model/file_names.hpp"
#include "model/named_cuda.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"

namespace ptxguard {
namespace {

bool lacks(const NativeModule& module) { return module.undefined != 0 || !module.missing.empty(); }

// A package with libbitsandbytes_cuda118.so and _cuda129.so, none of which works: variants beside a working
// one are not in the scenario.
std::vector<const NativeModule*> other_variants(const Scenario& scenario, const NativeModule& module) {
    std::vector<const NativeModule*> variants;
    for (const NativeModule& other : scenario.modules)
        if (module.use != ModuleUse::at_import && lacks(other) && other.package == module.package &&
            other.path != module.path && without_digits(other.path) == without_digits(module.path))
            variants.push_back(&other);
    return variants;
}

// The variant for this release lacks the fewest symbols.
bool has_nearer_variant(const Scenario& scenario, const NativeModule& module) {
    const auto variants = other_variants(scenario, module);
    return any_of(variants, [&](const NativeModule* other) { return other->undefined < module.undefined; });
}

const Expectation* framework_of(const Scenario& scenario, const NativeModule& module) {
    for (const Expectation& framework : scenario.expectations)
        if (framework.package == module.framework && !framework.path.empty()) return &framework;
    return nullptr;
}

// The loader refuses it for such a library before it binds a symbol.
bool needs_other_cuda(const NativeModule& module, const Expectation* framework) {
    return framework && framework->cuda && any_of(module.missing, [&](const LoadedFile& library) {
               return library.how == LoadHow::needed && library.cuda_major != 0 &&
                      library.cuda_major != framework->cuda->major();
           });
}

// A library of the framework's own CUDA, or one of NVIDIA's whose name tells none (TensorRT), is only
// missing; of another CUDA, the module is built for that.
bool is_of_its_cuda(const NativeModule& module, const Expectation* framework) {
    return framework && framework->cuda && all_of(module.missing, [&](const LoadedFile& library) {
               return library.cuda_major ? library.cuda_major == framework->cuda->major()
                                         : !library.library.empty();
           });
}

ModuleFault fault_of(const NativeModule& module, const Expectation* framework) {
    if (!module.missing.empty() && module.missing.front().how == LoadHow::program)
        return module.missing.front().machine.empty() ? ModuleFault::damaged : ModuleFault::other_machine;
    if (needs_other_cuda(module, framework)) return ModuleFault::other_cuda;
    if (module.undefined != 0) return ModuleFault::other_release;
    const bool missing = module.framework.empty() || is_of_its_cuda(module, framework);
    return missing ? ModuleFault::library_missing : ModuleFault::other_cuda;
}

// nixl-cu13 and a libcudart.so.13.
bool is_of_named_cuda(const NativeModule& module) {
    const auto named = named_cuda(module.package);
    return named && any_of(module.missing, [&](const LoadedFile& library) {
               return library.how == LoadHow::needed && library.cuda_major == named->major();
           });
}

// A module that nothing imports and that does not link the framework is a plugin, or one of several variants.
// If the framework has CUDA, the package opens one of them.
bool is_by_choice(const Scenario& scenario, const NativeModule& module) {
    if (module.use != ModuleUse::opened || module.undefined != 0 || module.links_framework || module.named ||
        is_of_named_cuda(module))
        return false;
    const Expectation* framework = framework_of(scenario, module);
    return !framework || !framework->cuda || other_variants(scenario, module).empty();
}

const Companion* row_of(const BrokenPackage& broken, const Facts& facts) {
    return companion_of(facts, broken.first().framework, broken.first().package);
}

// A library that is nowhere here: what is in some folder, another package may have loaded before.
bool lacks_for_good(const NativeModule& module) {
    return any_of(module.missing, [](const LoadedFile& library) {
        return library.how == LoadHow::needed && none_of(library.losers, [](const LoadLoser& loser) {
                   return loser.lost == LoadLost::not_searched;
               });
    });
}

Level level_of(const BrokenPackage& broken, const Companion* row) {
    const NativeModule& module = broken.first();
    if (opens_only_compilers(broken)) return Level::unknown;
    const bool import = (module.named && !module.of_program) || module.use == ModuleUse::at_import ||
                        (row && row->harm == Harm::import);
    const bool unusable = broken.fault == ModuleFault::other_cuda && module.none_loads;
    if (import || unusable) return Level::error;
    if (!module.importers.empty() && (!module.undefined_names.empty() || lacks_for_good(module)))
        return Level::error;
    const bool all_fail = any_of(broken.modules, [](const NativeModule* one) { return one->essential; });
    return all_fail ? broken.without_gpu : Level::warning;
}

std::string effect_of(const BrokenPackage& broken, const Companion* row) {
    if (row) return row->effect;
    const NativeModule& module = broken.first();
    const bool by_library = module.undefined_names.empty() || broken.fault == ModuleFault::other_cuda;
    const std::string what = by_library
                                 ? SAY("{}: cannot open shared object file", module.missing.front().name)
                                 : SAY("undefined symbol: {}", module.undefined_names.front().name);
    const std::string file = file_of(module.path);
    if (by_library && module.missing.front().how != LoadHow::needed)
        return SAY("{} opens it by its name: '{}'", file, what);
    if (module.use == ModuleUse::opened && !module.importers.empty())
        return SAY(
            "loading {} ends with '{}'; nothing else of its package has device code, and what loads it "
            "({}) does not go on without it",
            file, what, some_of(module.importers, 3));
    if (module.use == ModuleUse::at_import)
        return SAY("importing the package imports {}, which ends with '{}'", file, what);
    if (broken.fault == ModuleFault::other_cuda && module.none_loads)
        return SAY("loading {} ends with '{}', and no other module of the package loads", file, what);
    if (!module.importers.empty())
        return SAY(
            "loading {} ends with '{}'; it is the only one of its package, and what imports it ({}) does not "
            "go on without it",
            file, what, some_of(module.importers, 3));
    if (module.use == ModuleUse::when_used)
        return SAY("loading {} ends with '{}'; the package's import does not always need it", file, what);
    return SAY("the loader refuses {} with '{}'", file, what);
}

// A framework of the environment whose cuDNN has another major than the one that the module lacks: both have
// the same package.
const Expectation* keeper_of_cudnn(const Scenario& scenario, const NativeModule& module, const Facts& facts) {
    for (const LoadedFile& library : module.missing) {
        const auto name = library_by_file_name(facts, library.name);
        if (!name || !name->number || !starts_with(name->library, "cudnn")) continue;
        for (const Expectation& one : scenario.expectations)
            if (!one.path.empty() && one.cudnn && one.cudnn->major() != name->number->major() &&
                one.cudnn_from && *one.cudnn_from == CudnnWay::wheels)
                return &one;
    }
    return nullptr;
}

// The same for libcudart.so.11.0 and libcudart.so.12, cublas64_11.dll and cublas64_12.dll.
std::string without_release(const std::string& library) {
    return without_digits(library.substr(0, library.find('.')));
}

// What the import loads first, then what keeps a library from being loaded at all; of variants the newest:
// the one with the greatest number in its name.
void sort_by_use(std::vector<const NativeModule*>& modules, const Expectation* framework) {
    std::stable_sort(modules.begin(), modules.end(), [&](const NativeModule* a, const NativeModule* b) {
        const bool imports_a = a->use == ModuleUse::at_import, imports_b = b->use == ModuleUse::at_import;
        if (imports_a != imports_b) return imports_a;
        const ModuleFault of_a = fault_of(*a, framework), of_b = fault_of(*b, framework);
        if (of_a != of_b) return of_a < of_b;
        if (a->use != b->use) return a->use < b->use;
        return without_digits(a->path) == without_digits(b->path) && a->path > b->path;
    });
}

}  // namespace

bool is_in_conflict(const Scenario& scenario, const NativeModule& module, const Facts& facts) {
    const Expectation* framework = framework_of(scenario, module);
    if (!framework || module.package.empty()) return false;
    return any_of(package_conflicts(*framework, facts), [&](const Conflict& conflict) {
        return conflict.package == module.package ||
               starts_with(conflict.package, SAY("{} ", module.package));
    });
}

bool is_for_other_python(const NativeModule& module) {
    return module.framework == "python" && module.built_for;
}

bool has_variant_that_runs(const Scenario& scenario, const Facts& facts, const NativeModule& module,
                           const Gpu& gpu) {
    return module.of_program && any_of(scenario.modules, [&](const NativeModule& other) {
               return other.of_program && other.path != module.path && other.archs && other.missing.empty() &&
                      lower(file_of(other.path)) == lower(file_of(module.path)) &&
                      code_fit(*other.archs, *gpu.arch, scenario, facts) != CodeFit::none;
           });
}

std::string name_of_package(const NativeModule& module) {
    if (module.package.empty()) return file_of(module.path);
    return with_release(module.package, module.version);
}

std::vector<const NativeModule*> modules_with_runtime(const Scenario& scenario) {
    std::vector<const NativeModule*> found;
    for (const NativeModule& module : scenario.modules) {
        const bool is_known = any_of(found, [&](const NativeModule* other) {
            return !module.package.empty() && other->package == module.package;
        });
        const bool is_of_framework = any_of(scenario.expectations, [&](const Expectation& framework) {
            return starts_with(module.package, SAY("{}-", framework.package));
        });
        if (module.cuda && module.framework.empty() && !is_known && !is_of_framework)
            found.push_back(&module);
    }
    return found;
}

std::vector<CountedLibraries> counted_libraries(const Scenario& scenario, const Facts& facts) {
    std::vector<CountedLibraries> counted;
    for (const NativeModule& module : scenario.modules)
        if (module.named && module.found && module.missing.empty())
            counted.push_back({file_of(module.path), module.found, {}});
    for (const Expectation& one : scenario.expectations) {
        const bool traced = any_of(
            scenario.traces, [&](const LoadTrace& trace) { return scenario.framework_of(trace) == &one; });
        if (traced || one.path.empty() || !one.may_use_cuda() ||
            !framework_traits(facts, one.framework).cuda_is_plugin)
            continue;
        CountedLibraries its{one.framework, 0, {}};
        bool lacks = false;
        for (const NativeModule& module : scenario.modules) {
            if (module.package != one.package) continue;
            its.count += module.found;
            lacks = lacks || !module.missing.empty();
        }
        if (!lacks) counted.push_back(std::move(its));
    }
    for (const PackageLibraries& one : scenario.package_libraries)
        counted.push_back({with_release(one.package, one.version), one.found, one.not_compared});
    return counted;
}

bool BrokenPackage::is_open() const {
    const auto undecided = [](const LoadedFile& library) { return library.undecided; };
    return !first().missing.empty() && all_of(first().missing, undecided);
}

std::string BrokenPackage::name() const { return name_of_package(first()); }

std::string framework_name_of(const Scenario& scenario, const NativeModule& module) {
    const Expectation* framework = framework_of(scenario, module);
    return with_release(module.framework, framework ? framework->version : Known<Version>{});
}

std::string BrokenPackage::framework_name() const {
    return with_release(first().framework, framework ? framework->version : Known<Version>{});
}

std::vector<LoadedFile> BrokenPackage::missing() const {
    std::vector<LoadedFile> all = first().missing;
    for (const NativeModule* module : modules)
        for (const LoadedFile& library : module->missing) {
            // Files for several CUDA releases are alternatives: one of each library is enough.
            const auto is_it = [&](const LoadedFile& one) {
                return without_release(one.name) == without_release(library.name);
            };
            const bool same_way = (library.how == LoadHow::needed) == (all.front().how == LoadHow::needed);
            if (same_way && none_of(all, is_it)) all.push_back(library);
        }
    return all;
}

std::string folder_not_searched(const BrokenPackage& broken) {
    const NativeModule& module = broken.first();
    const auto is_in = [](const LoadedFile& dll, const std::string& folder) {
        return any_of(dll.losers, [&](const LoadLoser& loser) {
            return loser.lost == LoadLost::not_searched && folder_of(loser.path) == folder;
        });
    };
    std::string found;
    if (module.missing.empty()) return found;
    for (const LoadLoser& loser : module.missing.front().losers) {
        const std::string folder = folder_of(loser.path);
        if (!all_of(module.missing, [&](const LoadedFile& dll) { return is_in(dll, folder); })) continue;
        const auto cuda = parse_version(file_of(folder));  // bin/12.8
        if (cuda && module.cuda && cuda->major() == module.cuda->major()) return folder;
        if (found.empty()) found = folder;
    }
    return found;
}

bool opens_only_compilers(const BrokenPackage& broken) {
    const std::vector<LoadedFile> missing = broken.missing();
    return broken.fault == ModuleFault::library_missing && !broken.of_framework && !missing.empty() &&
           all_of(missing, [](const LoadedFile& library) {
               return library.how == LoadHow::dlopen &&
                      (library.library == "nvrtc" || library.library == "nvJitLink");
           });
}

std::vector<BrokenPackage> broken_packages(const Scenario& scenario, const Facts& facts) {
    std::vector<BrokenPackage> found;
    for (const NativeModule& module : scenario.modules) {
        if (!lacks(module) || is_by_choice(scenario, module) || has_nearer_variant(scenario, module))
            continue;
        auto* same = first_where(found, [&](const BrokenPackage& one) {
            return !module.package.empty() && one.first().package == module.package;
        });
        if (same) {
            same->modules.push_back(&module);
            continue;
        }
        const Expectation* framework = framework_of(scenario, module);
        if (!is_in_conflict(scenario, module, facts)) found.push_back({{}, {&module}, framework});
    }
    for (BrokenPackage& one : found) {
        one.framework = framework_of(scenario, one.first());
        sort_by_use(one.modules, one.framework);
        one.framework = framework_of(scenario, one.first());
        one.fault = fault_of(one.first(), one.framework);
        one.without_gpu = level_without_gpu(one.first(), scenario, facts);
        one.keeps_cudnn = keeper_of_cudnn(scenario, one.first(), facts);
        one.beside = first_where(scenario.expectations, [](const Expectation& framework) {
            return !framework.path.empty() && framework.cuda && framework.package != "triton";
        });
        one.of_framework = any_of(scenario.expectations, [&](const Expectation& framework) {
            return one.first().package == framework.package;
        });
        one.id = id_of(scenario, one.first());
        const ModuleUse use = one.first().use;
        erase_if(one.modules, [&](const NativeModule* module) {
            return fault_of(*module, one.framework) != one.fault || module->use != use;
        });
    }
    return found;
}

Composed add_bare(const BrokenPackage& broken, const char* code, const std::string& message,
                  const Facts& facts, Findings& findings) {
    return add(findings, code, level_of(broken, row_of(broken, facts)),
               SAY("{}, {}", broken.name(), broken.first().path), message)
        .about(broken.id);
}

Composed add_broken(const BrokenPackage& broken, const char* code, const std::string& message,
                    const Facts& facts, Findings& findings) {
    const NativeModule& module = broken.first();
    const std::size_t others = broken.modules.size() - 1;
    const std::string file = file_of(module.path);
    Composed finding = add_bare(broken, code, message, facts, findings)
                           .found("module", others ? SAY("{} and {} more", file, others) : file,
                                  Origin::from_file(module.path))
                           .because(effect_of(broken, row_of(broken, facts)));
    if (broken.framework && broken.framework->version)
        finding.found("beside", broken.framework_name(), broken.framework->version.origin);
    if (!module.undefined_names.empty())
        finding.found("symbol", module.undefined_names.front().name, Origin::from_file(module.path));
    for (const LoadedFile& library : broken.missing()) finding.found(missing_evidence(library));
    return finding;
}

}  // namespace ptxguard
