// Each kind of process is built once: the program, its preloads, and what the package that is imported first
// loads. Each module is loaded into a copy of it.
// SPDX-License-Identifier: Apache-2.0
#include "load/modules.hpp"

#include <algorithm>
#include <memory>
#include <set>

#include "facts/libraries.hpp"
#include "formats/elf.hpp"
#include "formats/library_text.hpp"
#include "host/paths.hpp"
#include "host/questions.hpp"
#include "host/together.hpp"
#include "load/missing_versions.hpp"
#include "load/module_symbols.hpp"
#include "load/trace_linux_process.hpp"
#include "model/ranges.hpp"
#include "packages/library_places.hpp"

namespace ptxguard {
namespace {

std::optional<PackageHabit> provider_row(const Facts& facts, const std::string& package) {
    for (PackageHabit& habit : package_habits(facts, System::linux_))
        if (habit.package == package && !habit.lends.empty()) return std::move(habit);
    return std::nullopt;
}

// What all modules of one provider find in the process.
struct Surroundings {
    std::unique_ptr<LinuxProcess> process;
    std::optional<PackageHabit> provider;
    std::vector<std::size_t> global;  // objects with globally visible symbols
    bool known = true;                // all of its files could be read
    SearchKnown search_known = SearchKnown::all;
};

bool all_readable(const LinuxProcess& process) {
    return process.trouble.empty() &&
           all_of(process.objects, [](const LinuxObject& object) { return object.readable; });
}

std::unique_ptr<LinuxProcess> start_program(const Host& host, const LinuxSystem& system,
                                            const ImportingPython& python,
                                            const std::vector<PackagePreload>& preloads) {
    auto process = std::make_unique<LinuxProcess>(host, system, python.program);
    if (!python.conda_folder.empty()) process->assume_rpath(python.conda_folder, "conda's interpreter");
    process->preload();
    process->open_needed(0);
    process->start();
    for (const PackagePreload& file : preloads)
        process->preload_file(file.path, {LoadStep::import, file.package}, file.pattern);
    return process;
}

Surroundings surroundings_of(const Host& host, const Facts& facts, const ImportingPython& python,
                             const LinuxSystem& system, const std::vector<std::string>& site_packages,
                             const std::string& provider) {
    Surroundings around;
    around.search_known = python.known;
    around.process = start_program(host, system, python, {});
    for (std::size_t i = 0; i < around.process->objects.size(); ++i) around.global.push_back(i);
    if (provider.empty()) return around;
    around.provider = provider_row(facts, provider);
    around.known = around.provider.has_value();
    if (!around.known) return around;
    const auto brought = package_provider(host, facts, around.provider->lends, site_packages);
    around.known = brought && !brought->preloads.empty();
    if (!around.known) return around;
    std::vector<PackagePreload> preloads = without_fallbacks(brought->preloads);
    around.process = start_program(host, system, python, preloads);
    if (needs_fallbacks(brought->preloads, *around.process)) {
        preloads = fallbacks_first(brought->preloads);
        around.process = start_program(host, system, python, preloads);
    }
    const LinuxProcess& process = *around.process;
    for (const PackagePreload& file : preloads) {
        const auto object = process.named(file.path);
        around.known = around.known && object;
        if (object && contains(around.provider->global, file.pattern))
            add_closure(process, *object, around.global);
    }
    around.known = around.known && all_readable(process);
    return around;
}

// One module in its process.
struct Loaded {
    std::vector<std::string> scope;   // files that are searched for its symbols
    std::vector<std::size_t> wanted;  // symbols, by index
    bool uses_provider = false;       // symbols that later releases may change
};

struct NamedSymbol {
    std::string name, version;
};

class ModuleLoader {
public:
    ModuleLoader(const Host& host, const Facts& facts, const std::vector<std::string>& site_packages)
        : m_host(host), m_facts(facts), m_site_packages(site_packages) {}

    void load(const ModuleToLoad& module, const Surroundings& around, LoadedModule& answer) {
        if (!around.known) return;
        LinuxProcess process = *around.process;
        const std::size_t first = process.files.size(), first_object = process.objects.size();
        if (!around.provider) bring_own(module.path, process);
        const std::size_t object = process.open_file(module.path);
        if (module.siblings) bring_siblings(*module.siblings, object, process);
        process.open_needed(object);
        if (!all_readable(process)) return;
        answer.decided = true;
        answer.executable_stacks = process.refused_stacks();
        for (std::size_t i = first; i < process.files.size(); ++i)
            if (concerns(process.files[i], around)) answer.missing.push_back(process.files[i]);
        if (around.search_known >= SearchKnown::brings_own) find_others_missing(process, first, answer);
        add_missing_versions(m_host, process, object, first_object, around.search_known, answer.lacking);
        find_scope(process, object, around.global);
        if (!around.provider) bring_those_of_site(process, answer.missing);
        m_needed = process.objects[object].dynamic.needed;
        find_libraries(process);
        read_names(module.path, around);
        if (!around.provider) find_bound(process);
        answer.stable_abi = around.provider && !m_uses_provider;
        for (const LoadedFile& file : m_calls.libraries)
            if (file.library == "nvrtc" && m_makes_ptx && !m_makes_cubins && m_loads_code)
                answer.compilers = {file};
    }

    const std::vector<std::string>& scope() const { return m_scope; }
    const std::vector<NamedSymbol>& names() const { return m_names; }
    const Callers& calls() const { return m_calls; }
    const std::vector<BoundLibraries>& bound() const { return m_bound; }

private:
    void find_scope(const LinuxProcess& process, std::size_t object, std::vector<std::size_t> scope) {
        add_closure(process, object, scope);
        for (const std::size_t at : scope)
            if (const std::string& path = process.objects[at].path; path != process.system.loader)
                m_scope.push_back(path);
    }

    // NVIDIA's, without the driver's.
    void find_libraries(const LinuxProcess& process) {
        for (const LoadedFile& file : process.files)
            if (const auto name = library_by_file_name(m_facts, file_name(file.name));
                file.taken && name && !name->driver) {
                m_calls.libraries.push_back(file);
                m_calls.libraries.back().library = name->library;
                m_calls.libraries.back().name = file_name(file.name);
            }
    }

    // What versions bind to a file: cuSPARSE's calls in nvJitLink.
    void find_bound(const LinuxProcess& process) {
        for (const LoadedFile& caller : m_calls.libraries) {
            const auto at = process.named(*caller.taken);
            if (!at) continue;
            for (const ElfNeededVersion& needed : process.objects[*at].dynamic.needed_versions)
                for (const LoadedFile& library : m_calls.libraries)
                    if (!needed.weak && library.name == needed.file && *library.taken != *caller.taken &&
                        none_of(m_bound, [&](const BoundLibraries& one) {
                            return one.caller == *caller.taken && one.library.name == library.name;
                        }))
                        m_bound.push_back({*caller.taken, library});
        }
    }

    bool concerns(const LoadedFile& file, const Surroundings& around) const {
        if (file.taken || file.optional || file.undecided) return false;
        if (around.provider && contains(around.provider->lends, file.name)) return true;
        const auto name = library_by_file_name(m_facts, file.name);
        return name && !name->driver;
    }

    // In a tree without its C library nothing of the system is there.
    static void find_others_missing(const LinuxProcess& process, std::size_t first, LoadedModule& answer) {
        const bool has_system = any_of(process.files, [](const LoadedFile& file) {
            return file.taken && starts_with(file.name, "libc.so");
        });
        for (std::size_t i = first; has_system && i < process.files.size(); ++i) {
            const LoadedFile& file = process.files[i];
            if (!file.taken && !file.optional && !file.undecided && file.how == LoadHow::needed)
                add_once(answer.others_missing, file.name);
        }
    }

    // What its own package loads by path.
    void bring_own(const std::string& path, LinuxProcess& process) const {
        for (const PackagePreload& file : package_preloads(m_host, m_facts, path, m_site_packages))
            process.preload_file(file.path, {LoadStep::import, file.package}, file.pattern);
    }

    // Libraries of the same package that no search list finds: the package loads them by path.
    void bring_siblings(const std::map<std::string, std::string>& siblings, std::size_t object,
                        LinuxProcess& process) const {
        std::vector<std::string> names = process.objects[object].dynamic.needed;
        std::set<std::string> seen;
        for (std::size_t i = 0; i < names.size(); ++i) {
            const auto sibling = siblings.find(names[i]);
            if (!seen.insert(names[i]).second || sibling == siblings.end() ||
                process.would_find(names[i], object))
                continue;
            const ModuleHead head = module_head(m_host, sibling->second);
            append(names, head.needed);
            process.preload_file(sibling->second, {LoadStep::import, ""}, "");
        }
    }

    // The symbols needed from libraries in the process: the provider's by their namespace, NVIDIA's by the
    // version that binds them to a file, or by their names.
    void read_names(const std::string& path, const Surroundings& around) {
        const auto source = m_host.open(path);
        const auto file = source ? read_elf_segments(*source) : Result<ElfFile>(Trouble{});
        const auto symbols = file ? read_elf_symbols(*source, *file) : Result<ElfSymbols>(Trouble{});
        if (!symbols) return;
        for (const ElfSymbol& symbol : symbols->undefined) {
            if (symbol.weak || symbol.name.empty()) continue;
            m_makes_ptx |= symbol.name == "nvrtcGetPTX";
            m_makes_cubins |= symbol.name == "nvrtcGetCUBIN";
            m_loads_code |= starts_with(symbol.name, "cuModuleLoadData") ||
                            starts_with(symbol.name, "cuLinkAddData") ||
                            starts_with(symbol.name, "cuLibraryLoadData");
            add_function(symbol);
            if (around.provider && symbol.version_file.empty() &&
                is_of_provider(symbol.name, *around.provider))
                m_names.push_back({std::string(symbol.name), std::string(symbol.version)});
        }
    }

    // A version binds it to a file. Libraries without versions (NCCL, NPP) lack a function silently.
    void add_function(const ElfSymbol& symbol) {
        if (m_calls.libraries.empty()) return;
        const std::string named(symbol.version_file), name(symbol.name);
        const std::string library = named.empty() ? library_of_function(m_facts, name) : "";
        if ((named.empty() && library.empty()) || needs_other(library)) return;
        for (const LoadedFile& file : m_calls.libraries)
            if (named.empty() ? file.library == library : file.name == named) {
                m_calls.functions.push_back({name, file});
                return;
            }
    }

    // libcublas.so.12, which the process does not have, while it has the libcublas.so.13 of torch.
    bool needs_other(const std::string& library) const {
        return any_of(m_needed, [&](const std::string& needed) {
            const auto name = library.empty() ? std::nullopt : library_by_file_name(m_facts, needed);
            return name && name->library == library &&
                   none_of(m_calls.libraries, [&](const LoadedFile& file) { return file.name == needed; });
        });
    }

    // Its package loads NVIDIA's libraries itself before this module: those of the environment, where each
    // has one copy.
    void bring_those_of_site(LinuxProcess& process, const std::vector<LoadedFile>& missing) const {
        for (const LoadedFile& file : missing) {
            std::vector<std::string> found;
            for (const std::string& site : m_site_packages)
                for (const LibraryPlace& place : libraries_of_site(m_host, site))
                    if (const std::string path = join_path(place.folder, file.name); is_file(m_host, path))
                        found.push_back(path);
            if (found.size() == 1) process.preload_file(found.front(), {LoadStep::import, ""}, "");
        }
    }

    bool is_of_provider(std::string_view name, const PackageHabit& provider) {
        if (contains(provider.scopes, mangled_scope(name))) return m_uses_provider = true;
        return any_of(provider.stable, [&](const std::string& start) { return starts_with(name, start); });
    }

    const Host& m_host;
    const Facts& m_facts;
    const std::vector<std::string>& m_site_packages;
    std::vector<std::string> m_scope, m_needed;
    std::vector<NamedSymbol> m_names;
    Callers m_calls;
    std::vector<BoundLibraries> m_bound;
    bool m_uses_provider = false, m_makes_ptx = false, m_makes_cubins = false, m_loads_code = false;
};

// Symbols without a definition, if all files that may define them could be read.
std::vector<std::string> undefined_of(const Loaded& loaded, const WantedNames& names) {
    std::vector<std::string> undefined;
    for (const std::string& library : loaded.scope)
        if (!library.empty() && !names.was_read(library)) return undefined;
    for (const std::size_t wanted : loaded.wanted)
        if (none_of(loaded.scope, [&](const std::string& library) { return names.defines(library, wanted); }))
            undefined.push_back(names.text(wanted));
    return undefined;
}

void find_undefined(const Host& host, std::vector<Loaded>& loaded, WantedNames& names,
                    std::vector<LoadedModule>& answers) {
    std::set<std::string> libraries;
    for (const Loaded& one : loaded)
        if (!one.wanted.empty()) libraries.insert(one.scope.begin(), one.scope.end());
    libraries.erase("");
    names.read(host, {libraries.begin(), libraries.end()});
    for (std::size_t i = 0; i < loaded.size(); ++i) answers[i].undefined = undefined_of(loaded[i], names);
}

// Packages of the environment whose libraries others use: "torch".
std::vector<std::string> providers_in(const Facts& facts, const std::vector<std::string>& site_packages,
                                      const Host& host) {
    std::vector<std::string> providers;
    for (const PackageHabit& habit : package_habits(facts, System::linux_))
        for (const std::string& site : site_packages)
            if (!habit.lends.empty() && !contains(providers, habit.package) &&
                host.status(join_path(site, habit.package)).type == FileType::directory)
                providers.push_back(habit.package);
    return providers;
}

// A module that is imported without a provider, before it: its files stay.
void find_lacking(const Host& host, const ModuleLoader& module, const std::string& provider,
                  const std::map<std::string, Callers>& providers, std::vector<LackingLibrary>& found) {
    for (const LoadedFile& library : module.calls().libraries) {
        add_lacking(host, *library.taken, library, module.calls(), "", found);
        if (!provider.empty()) continue;
        for (const auto& [package, callers] : providers)
            for (const LoadedFile& other : callers.libraries)
                if (other.name == library.name && *other.taken != *library.taken)
                    add_lacking(host, *library.taken, other, callers, package, found);
    }
}

}  // namespace

std::vector<LoadedModule> load_modules(const Host& host, const Facts& facts, const std::string& program,
                                       const std::vector<std::string>& site_packages,
                                       const std::vector<ModuleToLoad>& modules) {
    std::vector<LoadedModule> answers(modules.size());
    if (modules.empty()) return answers;
    const LinuxSystem system = linux_system(host, module_head(host, modules.front().path).machine, "");
    if (!system.trouble.empty()) return answers;
    const ImportingPython python = importing_python(host, program, site_packages);
    std::map<std::string, Surroundings> around;
    for (const ModuleToLoad& module : modules)
        if (!around.count(module.provider))
            around.emplace(module.provider,
                           surroundings_of(host, facts, python, system, site_packages, module.provider));
    std::vector<std::unique_ptr<ModuleLoader>> loaders(modules.size());
    run_for_each(modules.size(), [&](std::size_t i) {
        loaders[i] = std::make_unique<ModuleLoader>(host, facts, site_packages);
        loaders[i]->load(modules[i], around.at(modules[i].provider), answers[i]);
    });
    WantedNames names;
    std::vector<Loaded> loaded(modules.size());
    for (std::size_t i = 0; i < modules.size(); ++i) {
        loaded[i].scope = loaders[i]->scope();
        for (const NamedSymbol& name : loaders[i]->names())
            loaded[i].wanted.push_back(names.add(name.name, name.version));
    }
    find_undefined(host, loaded, names, answers);
    std::map<std::string, Callers> providers;
    bool any_alone = false;
    for (std::size_t i = 0; i < modules.size(); ++i)
        any_alone |= modules[i].provider.empty() && !loaders[i]->calls().libraries.empty();
    for (const std::string& provider :
         any_alone ? providers_in(facts, site_packages, host) : std::vector<std::string>()) {
        Surroundings own = surroundings_of(host, facts, python, system, site_packages, provider);
        if (own.known) providers.emplace(provider, callers_of(host, facts, *own.process));
    }
    BoundPairs pairs(host);
    for (std::size_t i = 0; i < modules.size(); ++i)
        if (answers[i].decided) {
            find_lacking(host, *loaders[i], modules[i].provider, providers, answers[i].lacking);
            pairs.add(loaders[i]->bound(), answers[i].lacking);
        }
    return answers;
}

}  // namespace ptxguard
