// Does what `ldd -r` does, from the files' tables: each symbol that a library needs is searched in everything
// that is loaded at start, and for a library that is opened later also in what was loaded with it. Versions
// are matched as by ld.so; weak symbols and those of weak versions may be missing.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <unordered_map>

#include "formats/elf.hpp"
#include "formats/pe.hpp"
#include "host/paths.hpp"
#include "host/together.hpp"
#include "load/library_facts.hpp"
#include "model/ranges.hpp"

namespace ptxguard {
namespace {

constexpr std::size_t k_names_kept = 20;

struct HashedName {
    std::string_view name;
    std::uint32_t hash = 0;  // NameSieve's
    bool operator==(const HashedName& other) const { return name == other.name; }
};
struct ByHash {
    std::size_t operator()(const HashedName& name) const { return name.hash; }
};

struct Unmet {
    std::vector<std::string> names, versions;
    std::size_t count = 0;
};

// One file of the process.
struct Object {
    std::string path;
    LoadHow how = LoadHow::needed;
    bool read = false;
    ElfDynamic dynamic;
    ElfSymbols symbols;
    std::vector<std::uint32_t> undefined_hashes, defined_hashes;  // of the names in `symbols`, in their order
    std::vector<std::size_t> needs;                               // other objects, in the order of the file
};

class ElfProcess {
public:
    ElfProcess(const Host& host, const LoadTrace& trace, const CountedSymbols& counted) : m_counted(counted) {
        m_objects.emplace_back();
        m_objects[0].path = trace.path;
        m_objects[0].how = LoadHow::program;
        for (const auto& library : trace.libraries) {
            Object object;
            object.path = library.taken ? *library.taken : std::string();
            object.how = library.how;
            m_objects.push_back(std::move(object));
        }
        read_all(host);
        for (std::size_t i = 0; i < m_objects.size(); ++i)
            name(i, i ? trace.libraries[i - 1].name : std::string());
        for (auto& object : m_objects)
            for (const auto& needed : object.dynamic.needed)
                if (const auto at = m_by_name.find(needed); at != m_by_name.end())
                    object.needs.push_back(at->second);
        find_scopes();
        index();
    }

    std::size_t size() const { return m_objects.size(); }
    bool was_read(std::size_t object) const { return m_objects[object].read; }

    Unmet ask(std::size_t number) const {
        Unmet result;
        const auto& object = m_objects[number];
        for (std::size_t i = 0; i < object.symbols.undefined.size(); ++i) {
            const auto& symbol = object.symbols.undefined[i];
            const std::uint32_t hash = object.undefined_hashes[i];
            if (symbol.weak || symbol.name.empty() || (m_counted && !m_counted(symbol)) ||
                is_unreadable(symbol.version_file) || is_defined(symbol, hash, number))
                continue;
            ++result.count;
            if (result.names.size() < k_names_kept)
                result.names.push_back(
                    std::string(symbol.name) + (symbol.version.empty() ? "" : "@") +
                    std::string(symbol.version_file.empty() ? symbol.version : symbol.version_file));
        }
        for (const auto& version : object.dynamic.needed_versions)
            if (!version.weak && lacks(version) && (!m_counted || is_newer(version)))
                result.versions.push_back(version.version + " of " + version.file);
        return result;
    }

private:
    struct Definition {
        std::size_t object = 0;
        std::string_view version;
    };

    // Each file separately, as many in parallel as there are processors.
    void read_all(const Host& host) {
        std::vector<std::pair<Object*, Source>> opened;
        for (auto& object : m_objects)
            if (const auto source = object.path.empty() ? Result<Source>(Trouble{}) : host.open(object.path))
                opened.emplace_back(&object, *source);
        run_for_each(opened.size(), [&](std::size_t i) { read(opened[i].second, *opened[i].first); });
        // Collect the definitions once the needed symbols are known.
        NameSieve sieve;
        for (const auto& object : m_objects)
            for (const std::uint32_t hash : object.undefined_hashes) sieve.add(hash);
        run_for_each(m_objects.size(), [&](std::size_t i) { read_defined(m_objects[i], sieve); });
    }

    static void read(const Source& source, Object& object) {
        const auto file = read_elf(source);
        if (!file) return;
        auto dynamic = read_elf_dynamic(source, *file);
        auto symbols = dynamic ? read_elf_symbols(source, *file) : Result<ElfSymbols>(Trouble{});
        if (!symbols) return;
        // A file with holes: its dynamic section contains nothing.
        if (dynamic->soname.empty() && dynamic->needed.empty() && dynamic->defined_versions.empty() &&
            symbols->undefined.empty())
            return;
        object.dynamic = std::move(*dynamic);
        object.symbols = std::move(*symbols);
        object.undefined_hashes = hashes_of(object.symbols.undefined);
        object.read = true;
    }

    // A damaged symbol table defines nothing, like one that cannot be read.
    static void read_defined(Object& object, const NameSieve& sieve) {
        if (!object.read) return;
        if (add_defined(object.symbols, &sieve)) {
            object.read = false;
            object.symbols.defined.clear();
        }
        object.defined_hashes = hashes_of(object.symbols.defined);
    }

    static std::vector<std::uint32_t> hashes_of(const std::vector<ElfSymbol>& symbols) {
        std::vector<std::uint32_t> hashes;
        hashes.reserve(symbols.size());
        for (const auto& symbol : symbols) hashes.push_back(NameSieve::hash_of(symbol.name));
        return hashes;
    }

    // By the requested name, its own name, and its file name: others may need it by any of them.
    void name(std::size_t number, const std::string& asked) {
        const auto& object = m_objects[number];
        if (object.path.empty()) return;
        for (const auto& by : {asked, object.dynamic.soname, file_name(object.path)})
            if (!by.empty()) m_by_name.emplace(by, number);
    }

    std::vector<std::size_t> closure(std::size_t start) const {
        std::vector<std::size_t> reached{start};
        std::vector<bool> seen(m_objects.size());
        seen[start] = true;
        for (std::size_t i = 0; i < reached.size(); ++i)
            for (const auto next : m_objects[reached[i]].needs)
                if (!seen[next]) {
                    seen[next] = true;
                    reached.push_back(next);
                }
        return reached;
    }

    // 0 = the global scope; each library that is opened later has its own scope, with its dependencies.
    void find_scopes() {
        m_scopes.assign(m_objects.size(), {});
        const auto add = [&](std::size_t opened, std::size_t scope) {
            for (const auto member : closure(opened)) m_scopes[member].push_back(scope);
        };
        add(0, 0);
        for (std::size_t i = 1; i < m_objects.size(); ++i)
            if (m_objects[i].how == LoadHow::preload) add(i, 0);
        for (std::size_t i = 1; i < m_objects.size(); ++i)
            if (m_objects[i].how != LoadHow::needed || m_scopes[i].empty()) add(i, i);
    }

    void index() {
        std::size_t count = 0;
        for (const auto& object : m_objects) count += object.symbols.defined.size();
        m_definitions.reserve(count);
        for (std::size_t i = 0; i < m_objects.size(); ++i) {
            const auto& defined = m_objects[i].symbols.defined;
            const auto& hashes = m_objects[i].defined_hashes;
            for (std::size_t k = 0; k < defined.size(); ++k)
                m_definitions.emplace(HashedName{defined[k].name, hashes[k]},
                                      Definition{i, defined[k].version});
        }
    }

    bool sees(std::size_t asker, std::size_t definer) const {
        for (const auto scope : m_scopes[definer]) {
            if (scope == 0) return true;
            const auto& own = m_scopes[asker];
            if (contains(own, scope)) return true;
        }
        return false;
    }

    // A library without versions satisfies any; a symbol without a version is satisfied by any.
    bool is_defined(const ElfSymbol& symbol, std::uint32_t hash, std::size_t asker) const {
        const auto [begin, end] = m_definitions.equal_range(HashedName{symbol.name, hash});
        for (auto at = begin; at != end; ++at) {
            const auto& definer = m_objects[at->second.object];
            const bool fits = symbol.version.empty() || definer.dynamic.defined_versions.empty() ||
                              at->second.version == symbol.version;
            if (fits && sees(asker, at->second.object)) return true;
        }
        return false;
    }

    // The file that a version binds the symbol to; what it defines is not known.
    bool is_unreadable(std::string_view file) const {
        const auto at = file.empty() ? m_by_name.end() : m_by_name.find(std::string(file));
        return at != m_by_name.end() && !m_objects[at->second].read;
    }

    // Of the system's libraries, which define all older versions too.
    bool is_newer(const ElfNeededVersion& needed) const {
        const auto at = m_by_name.find(needed.file);
        return at != m_by_name.end() &&
               is_newer_version(needed.version, m_objects[at->second].dynamic.defined_versions);
    }

    // ld.so looks in the file of that name; a missing file is another finding, and one without versions only
    // gives a warning.
    bool lacks(const ElfNeededVersion& needed) const {
        const auto at = m_by_name.find(needed.file);
        if (at == m_by_name.end() || !m_objects[at->second].read) return false;
        const auto& defined = m_objects[at->second].dynamic.defined_versions;
        return !defined.empty() && !contains(defined, needed.version);
    }

    CountedSymbols m_counted;
    std::vector<Object> m_objects;  // 0 = the checked file
    std::unordered_map<std::string, std::size_t> m_by_name;
    std::vector<std::vector<std::size_t>> m_scopes;  // of an object: the scopes that it belongs to
    std::unordered_multimap<HashedName, Definition, ByHash> m_definitions;
};

// A DLL's imports name the DLL that they come from.
class PeProcess {
public:
    PeProcess(const Host& host, const LoadTrace& trace) : m_host(host) {
        for (const auto& library : trace.libraries)
            if (library.taken) m_by_name.emplace(lower(file_name(library.name)), *library.taken);
    }

    std::optional<Unmet> ask(const std::string& path) {
        const auto source = m_host.open(path);
        const auto file = source ? read_pe(*source) : Result<PeFile>(Trouble{});
        const auto imports =
            file ? read_pe_imports(*source, *file) : Result<std::vector<PeImport>>(Trouble{});
        if (!imports) return std::nullopt;
        Unmet result;
        for (const auto& import : *imports) {
            const auto* exports = exports_of(lower(import.dll));
            if (!exports) continue;
            for (const auto& name : import.names) {
                if (has(*exports, name)) continue;
                ++result.count;
                if (result.names.size() < k_names_kept) result.names.push_back(name + "@" + import.dll);
            }
        }
        return result;
    }

private:
    static bool has(const PeExports& exports, const std::string& name) {
        if (!starts_with(name, "#"))
            return std::binary_search(exports.names.begin(), exports.names.end(), name);
        const auto number = parse_version(name.substr(1));
        const auto& ordinals = exports.ordinals;
        return !number || contains(ordinals, static_cast<std::uint32_t>(number->major()));
    }

    // Nothing for a DLL that is not in the process or not readable.
    const PeExports* exports_of(const std::string& dll) {
        const auto known = m_exports.find(dll);
        if (known != m_exports.end()) return known->second ? &*known->second : nullptr;
        auto& exports = m_exports[dll];
        const auto path = m_by_name.find(dll);
        if (path == m_by_name.end()) return nullptr;
        const auto source = m_host.open(path->second);
        const auto file = source ? read_pe(*source) : Result<PeFile>(Trouble{});
        if (auto read = file ? read_pe_exports(*source, *file) : Result<PeExports>(Trouble{}))
            exports = std::move(*read);
        return exports ? &*exports : nullptr;
    }

    const Host& m_host;
    std::unordered_map<std::string, std::string> m_by_name;
    std::unordered_map<std::string, std::optional<PeExports>> m_exports;
};

template <typename File>
void keep(Unmet result, File& file) {
    file.undefined = result.count;
    file.undefined_names = std::move(result.names);
    file.missing_versions = std::move(result.versions);
}

}  // namespace

void count_undefined(const Host& host, LoadTrace& trace, const CountedSymbols& counted) {
    if (host.system() == System::windows) {
        PeProcess process(host, trace);
        if (auto own = process.ask(trace.path)) keep(std::move(*own), trace);
        for (auto& library : trace.libraries)
            if (library.taken)
                if (auto result = process.ask(*library.taken)) keep(std::move(*result), library);
        return;
    }
    const ElfProcess process(host, trace, counted);
    if (process.was_read(0)) keep(process.ask(0), trace);
    for (std::size_t i = 0; i < trace.libraries.size(); ++i)
        if (process.was_read(i + 1)) keep(process.ask(i + 1), trace.libraries[i]);
}

}  // namespace ptxguard
