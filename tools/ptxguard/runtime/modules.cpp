// The packages' records list all modules; the dynamic section shows which of them need NVIDIA's libraries or
// a framework's. Only these are loaded, as far as files show.
// SPDX-License-Identifier: Apache-2.0
#include "runtime/modules.hpp"

#include <map>
#include <optional>
#include <set>

#include "facts/libraries.hpp"
#include "host/demangled.hpp"
#include "host/paths.hpp"
#include "host/together.hpp"
#include "load/library_facts.hpp"
#include "load/modules.hpp"
#include "load/opened_names.hpp"
#include "model/file_names.hpp"
#include "model/ranges.hpp"
#include "packages/importers.hpp"
#include "python/requirement.hpp"
#include "runtime/module_candidates.hpp"
#include "runtime/module_interfaces.hpp"
#include "runtime/module_kinds.hpp"
#include "runtime/module_needs.hpp"
#include "runtime/module_variants.hpp"
#include "runtime/modules_windows.hpp"
#include "runtime/program_modules.hpp"
#include "runtime/system_needs.hpp"
#include "runtime/whole_program.hpp"

namespace ptxguard {
namespace {

constexpr std::size_t k_names_kept = 20;

class ModuleCheck {
public:
    ModuleCheck(const Host& host, const Facts& facts, std::vector<PackageFiles> files,
                const std::vector<std::string>& named, const Scenario& scenario)
        : m_host(host),
          m_facts(facts),
          m_scenario(scenario),
          m_packages(std::move(files)),
          m_listed(m_packages.size()) {
        for (const std::string& path : named)
            m_packages.push_back({"", "", parent_path(path), {path}, {}, {}, {}, {}});
    }

    std::vector<NativeModule> run(std::vector<PackageLibraries>& libraries) {
        m_overwritten = OverwrittenFiles(m_host, m_packages, m_listed);
        find_candidates();
        load();
        std::vector<VariantFile> files;
        for (const ModuleCandidate& one : m_candidates)
            files.push_back({one.path, one.provider, one.package});
        m_variants.emplace(files, m_scenario.expectations);
        std::vector<NativeModule> found;
        for (std::size_t i = 0; i < m_candidates.size(); ++i) {
            m_interfaces.add(package_of(i).package, m_loaded[i]);
            add_calls(i, found);
            add_if_broken(i, found);
        }
        add_absent_variants(found);
        add_foreign(found);
        append(found, modules_without_system(m_host, m_facts, m_packages, m_candidates, m_loaded));
        count_libraries(libraries);
        if (!m_scenario.drivers.empty()) add_runtimes(found);
        if (!m_scenario.gpus.empty()) {
            add_code(found);
            for (NativeModule& module : modules_with_code(m_host, m_facts, others(), m_scenario))
                found.push_back(std::move(module));
        }
        if (!m_scenario.gpus.empty() || !m_scenario.drivers.empty()) add_opened(found, libraries);
        keep_whole(found, libraries);
        return found;
    }

    void settle(InstalledCompanion& companion) const { m_interfaces.settle(companion); }

private:
    void add_if_broken(std::size_t i, std::vector<NativeModule>& found) {
        const bool whole = m_loaded[i].missing.empty() && m_loaded[i].undefined.empty();
        if (whole || package_of(i).of_prefix) return;  // conda's own process has more folders
        NativeModule module = describe(i);
        if (!lacks(module) || (module.use != ModuleUse::at_import && m_variants->is_for_other(i)) ||
            (may_have_variants(module) && has_whole_variant(i)))
            return;
        module.essential = !has_whole_module(i);
        if (module.essential && module.use == ModuleUse::when_used)
            module.importers = unguarded_importers(m_host, package_of(i), module.path);
        if (module.use == ModuleUse::opened && !module.links_framework &&
            may_use_cuda(module.framework, m_scenario) && module.essential)
            module.use = ModuleUse::when_used;
        if (module.use == ModuleUse::opened && !has_whole_module(i, true))
            module.importers = unguarded_loaders(m_host, package_of(i), module.path);
        module.none_loads = none_loads(m_candidates[i].package);
        found.push_back(std::move(module));
    }

    // Modules for several releases of the framework, none of which is the installed one, and none loads.
    void add_absent_variants(std::vector<NativeModule>& found) const {
        for (const ReleaseVariants::Absent& absent : m_variants->absent()) {
            if (any_of(absent.files, [&](std::size_t file) { return is_whole(file); })) continue;
            NativeModule module = described(absent.file);
            module.use = use_of(m_host, module.path, package_of(absent.file));
            if (module.use == ModuleUse::at_import) continue;
            module.essential = is_all_variants(absent.file) && !may_skip(m_host, module.path, absent.module);
            module.variant = absent.module;
            module.variants = absent.releases;
            found.push_back(std::move(module));
        }
    }

    bool is_all_variants(std::size_t file) const {
        for (std::size_t i = 0; i < m_candidates.size(); ++i)
            if (m_candidates[i].package == m_candidates[file].package && !m_variants->is_for_other(i))
                return false;
        return true;
    }

    void find_candidates() {
        ModuleCandidates all = candidates_in(
            m_host, m_facts, m_packages, m_listed, m_scenario,
            [&](const std::string& path, std::size_t package) { return is_used(path, package); });
        m_candidates = std::move(all.fitting);
        m_foreign = std::move(all.foreign);
    }

    // Packages without such a dependency may still open NVIDIA's libraries when they first use a GPU.
    void add_opened(std::vector<NativeModule>& found, std::vector<PackageLibraries>& libraries) const {
        std::vector<OpeningFile> others;
        for (std::size_t i = 0; i < m_listed; ++i) {
            if (m_packages[i].of_prefix) continue;
            if (is_left_out(m_packages[i], m_scenario) &&
                !opens_by_its_files(m_facts, m_packages[i].package, m_host.system()))
                continue;
            for (const std::string& path : m_packages[i].modules)
                if (is_used(path, i)) others.push_back({path, m_packages[i].site, i});
        }
        append(found, modules_that_open(m_host, m_facts, m_packages, others, m_scenario, libraries));
    }

    // Of NVIDIA's libraries, what the files of each package need and the loader finds.
    void count_libraries(std::vector<PackageLibraries>& libraries) const {
        NeededNames names(m_facts);
        for (std::size_t begin = 0, end = 0; begin < m_candidates.size(); begin = end) {
            end = end_of_package(begin);
            if (package_of(begin).package.empty()) continue;
            PackageLibraries its = libraries_of(m_host, package_of(begin));
            std::set<std::string> needed;
            for (std::size_t i = begin; i < end; ++i) {
                for (const std::string& name : m_candidates[i].head.needed)
                    if (m_loaded[i].decided && names.any_of_nvidia({name})) needed.insert(name);
                if (!m_loaded[i].decided && !has_provider(i))
                    its.not_compared = m_candidates[i].provider + " is not installed";
            }
            its.found = needed.size();
            if (its.found > 0 || !its.not_compared.empty()) libraries.push_back(std::move(its));
        }
    }

    bool has_provider(std::size_t candidate) const {
        const std::string& provider = m_candidates[candidate].provider;
        return provider.empty() ||
               any_of(m_packages, [&](const PackageFiles& one) { return one.package == provider; });
    }

    // A module of its own in the list: what it calls in NVIDIA's libraries, not what it lacks.
    void add_calls(std::size_t i, std::vector<NativeModule>& found) const {
        const LoadedModule& loaded = m_loaded[i];
        if (loaded.lacking.empty() && loaded.compilers.empty() && loaded.executable_stacks.empty()) return;
        NativeModule module = described(i);
        module.use = use_of(m_host, module.path, package_of(i));
        module.lacking = loaded.lacking;
        module.essential = !has_whole_module(i);
        module.compilers = loaded.compilers;
        module.executable_stacks = loaded.executable_stacks;
        LibraryFacts libraries(m_host, m_facts);
        for (LackingLibrary& one : module.lacking) {
            one.version = libraries.version(one.path);
            if (const PackageOwner owner = libraries.owner(one.path); owner.of_pip)
                one.wheel = canonical_package(owner.package);
            if (!one.other.empty()) one.other_version = libraries.version(one.other);
        }
        for (LoadedFile& compiler : module.compilers) libraries.identify(compiler);
        found.push_back(std::move(module));
    }

    // The candidates of one package follow each other: the first of the next one.
    std::size_t end_of_package(std::size_t begin) const {
        std::size_t end = begin;
        while (end < m_candidates.size() && m_candidates[end].package == m_candidates[begin].package) ++end;
        return end;
    }

    // The device code of all modules of one package: each may be for some GPUs.
    void add_code(std::vector<NativeModule>& found) const {
        for (std::size_t begin = 0, end = 0; begin < m_candidates.size(); begin = end) {
            end = end_of_package(begin);
            std::vector<std::string> paths;
            for (std::size_t i = begin; i < end; ++i) paths.push_back(m_candidates[i].path);
            NativeModule module = described(begin);
            module.essential = !m_candidates[begin].links && package_of(begin).modules.size() == 1;
            paths = files_for_cuda(m_host, m_facts, module.package, paths, m_scenario);
            set_code(m_host, m_facts, paths, module);
            if (module.archs) found.push_back(std::move(module));
        }
    }

    // A package may contain a library for each CUDA: the oldest one counts.
    void add_runtimes(std::vector<NativeModule>& found) const {
        for (std::size_t begin = 0, end = 0; begin < m_candidates.size(); begin = end) {
            end = end_of_package(begin);
            std::vector<std::vector<std::string>> needed;
            std::size_t own = end;  // the first that does not use its framework's runtime
            for (std::size_t i = end; i-- > begin;)
                if (m_candidates[i].provider.empty()) needed.push_back(m_candidates[own = i].head.needed);
            if (needed.empty()) continue;
            NativeModule module = described(own);
            module.cuda = runtime_needed(m_facts, module.path, needed);
            if (module.cuda) found.push_back(std::move(module));
        }
    }

    // Packages of which nothing needs NVIDIA's libraries.
    std::vector<PackageFiles> others() const {
        std::vector<PackageFiles> packages(m_packages.begin(),
                                           m_packages.begin() + static_cast<long>(m_listed));
        for (const ModuleCandidate& one : m_candidates)
            if (one.package < m_listed) {
                packages[one.package].modules.clear();
                packages[one.package].ptx.clear();
            }
        for (std::size_t i = 0; i < m_listed; ++i) {
            std::vector<std::string>& paths = packages[i].modules;
            erase_if(paths, [&](const std::string& path) { return !is_used(path, i); });
            if (has_own_code(m_packages[i], m_scenario)) continue;
            paths.clear();
            packages[i].ptx.clear();
        }
        return packages;
    }

    const PackageFiles& package_of(std::size_t candidate) const {
        return m_packages[m_candidates[candidate].package];
    }

    bool is_used(const std::string& path, std::size_t package) const {
        return !m_overwritten.has(path, package) && !is_for_other_python(path, m_scenario.python.version);
    }

    // A package of which nothing is for this machine (a wheel "none-any"): it lacks the file itself.
    void add_foreign(std::vector<NativeModule>& found) const {
        for (const ModuleCandidate& one : m_foreign) {
            if (any_of(m_candidates,
                       [&](const ModuleCandidate& other) { return other.package == one.package; }))
                continue;
            const PackageFiles& package = m_packages[one.package];
            NativeModule module = module_of(m_host, package, one.path, use_of(m_host, one.path, package));
            if (module.use == ModuleUse::opened) module.use = ModuleUse::when_used;
            module.missing = {other_machine(m_host, one.path)};
            found.push_back(std::move(module));
        }
    }

    void load() {
        std::map<std::size_t, std::map<std::string, std::string>> siblings;
        std::vector<ModuleToLoad> modules;
        for (const ModuleCandidate& one : m_candidates) {
            auto [known, is_new] = siblings.try_emplace(one.package);
            for (const std::string& path :
                 is_new ? m_packages[one.package].modules : std::vector<std::string>())
                known->second.emplace(file_name(path), path);
            modules.push_back({one.path, one.provider, &known->second});
        }
        const PythonEnvironment& python = m_scenario.python;
        m_loaded = load_modules(m_host, m_facts, interpreter_of(m_host, python), python.sites(), modules);
    }

    // Without what it lacks.
    NativeModule described(std::size_t i) const {
        const ModuleCandidate& one = m_candidates[i];
        const PackageFiles& package = m_packages[one.package];
        NativeModule module;
        module.path = one.path;
        module.package = package.package;
        module.framework = one.provider;
        module.links_framework = one.links;
        module.stable_abi = m_loaded[i].stable_abi;
        module.named = one.package >= m_listed;
        describe_package(m_host, package, module);
        return module;
    }

    NativeModule describe(std::size_t i) const {
        const PackageFiles& package = package_of(i);
        NativeModule module = described(i);
        module.use = use_of(m_host, module.path, package);
        add_missing(m_host, m_facts, m_loaded[i].missing, package, module);
        module.undefined = m_loaded[i].undefined.size();
        for (const std::string& name : m_loaded[i].undefined)
            if (module.undefined_names.size() < k_names_kept)
                module.undefined_names.push_back({name, own::demangled(name)});
        return module;
    }

    bool has_whole_module(std::size_t i, bool with_code = false) const {
        for (std::size_t other = 0; other < m_candidates.size(); ++other)
            if (m_candidates[other].package == m_candidates[i].package &&
                (!with_code || holds_device_code(m_host, m_candidates[other].path)) && is_whole(other))
                return true;
        return false;
    }

    // Of the modules that Python imports, those that need nothing of NVIDIA's included.
    bool none_loads(std::size_t package) {
        const auto [known, is_new] = m_none_loads.try_emplace(package, false);
        if (!is_new) return known->second;
        std::size_t modules = 0;
        for (const std::string& path : m_packages[package].modules) modules += is_imported(path, package);
        for (std::size_t i = 0; i < m_candidates.size() && modules != 0; ++i)
            if (m_candidates[i].package == package && is_imported(m_candidates[i].path, package)) {
                if (is_whole(i)) return false;
                if (--modules == 0) known->second = true;
            }
        return known->second;
    }

    bool is_imported(const std::string& path, std::size_t package) const {
        return is_python_module(path) && is_used(path, package);
    }

    // "libaddon_torch24-cpu.so" beside "libaddon_torch25-cpu.so": the package opens the one that fits.
    bool has_whole_variant(std::size_t i) const {
        for (std::size_t other = 0; other < m_candidates.size(); ++other)
            if (other != i && m_candidates[other].package == m_candidates[i].package &&
                without_digits(m_candidates[other].path) == without_digits(m_candidates[i].path) &&
                is_whole(other))
                return true;
        return false;
    }

    bool is_whole(std::size_t i) const {
        const LoadedModule& loaded = m_loaded[i];
        const auto own = [](const LackingLibrary& one) {
            return one.framework.empty() && (one.other.empty() || !one.versions.empty());
        };
        if (any_of(loaded.lacking, own) || !loaded.executable_stacks.empty()) return false;
        return (loaded.missing.empty() && loaded.undefined.empty()) || !lacks(describe(i));
    }

    const Host& m_host;
    const Facts& m_facts;
    const Scenario& m_scenario;
    std::vector<PackageFiles> m_packages;
    std::size_t m_listed;  // those of the environment; the named files follow
    std::vector<ModuleCandidate> m_candidates;
    std::vector<ModuleCandidate> m_foreign;  // for another machine than the environment
    std::vector<LoadedModule> m_loaded;
    std::optional<ReleaseVariants> m_variants;  // of m_candidates
    ModuleInterfaces m_interfaces;              // of the framework, as the package's modules use it
    OverwrittenFiles m_overwritten;
    std::map<std::size_t, bool> m_none_loads;  // by package
};

}  // namespace

void check_modules(const Host& host, const Facts& facts, std::vector<PackageFiles> files,
                   const std::vector<std::string>& named, const std::string& program, Scenario& scenario) {
    const auto add_program = [&] {
        if (!program.empty()) append(scenario.modules, whole_program(host, facts, program, scenario));
    };
    if (scenario.python.places.empty() && named.empty()) return add_program();
    if (host.system() == System::windows) {
        check_windows_modules(host, facts, files, named, program, scenario);
        return add_program();
    }
    std::vector<NativeModule> others = special_modules(host, facts, files, scenario);
    ModuleCheck check(host, facts, std::move(files), named, scenario);
    scenario.modules = check.run(scenario.package_libraries);
    append(scenario.modules, others);
    add_program();
    for (Expectation& framework : scenario.expectations)
        for (InstalledCompanion& companion : framework.companions) check.settle(companion);
}

}  // namespace ptxguard
