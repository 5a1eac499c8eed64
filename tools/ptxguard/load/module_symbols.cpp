// SPDX-License-Identifier: Apache-2.0
#include "load/module_symbols.hpp"

#include <set>

#include "facts/libraries.hpp"
#include "formats/elf.hpp"
#include "formats/sections.hpp"
#include "host/together.hpp"
#include "model/ranges.hpp"

namespace ptxguard {

std::size_t WantedNames::add(std::string_view name, std::string_view version) {
    std::vector<std::size_t>& numbers = m_numbers[std::string(name)];
    for (const std::size_t number : numbers)
        if (m_names[number].version == version) return number;
    numbers.push_back(m_names.size());
    m_names.push_back({std::string(name), std::string(version)});
    return m_names.size() - 1;
}

WantedNames::Library WantedNames::read_one(const Host& host, const std::string& path,
                                           const NameSieve& sieve) const {
    Library library;
    const auto source = host.open(path);
    const auto file = source ? read_elf_segments(*source) : Result<ElfFile>(Trouble{});
    const auto dynamic = file ? read_elf_dynamic(*source, *file) : Result<ElfDynamic>(Trouble{});
    auto symbols = dynamic ? read_elf_symbols(*source, *file) : Result<ElfSymbols>(Trouble{});
    // A truncated file has empty tables.
    if (!symbols || symbols->rest.rows.empty() || add_defined(*symbols, &sieve)) return library;
    library.read = true;
    library.defined.resize(m_names.size());
    for (const ElfSymbol& symbol : symbols->defined) {
        const auto numbers = m_numbers.find(std::string(symbol.name));
        if (numbers == m_numbers.end()) continue;
        for (const std::size_t number : numbers->second) {
            const std::string& version = m_names[number].version;
            if (version.empty() || dynamic->defined_versions.empty() || version == symbol.version)
                library.defined[number] = true;
        }
    }
    return library;
}

void WantedNames::read(const Host& host, const std::vector<std::string>& libraries) {
    NameSieve sieve;
    for (const WantedName& wanted : m_names) sieve.add(NameSieve::hash_of(wanted.name));
    std::vector<Library> read(libraries.size());
    run_for_each(libraries.size(), [&](std::size_t i) { read[i] = read_one(host, libraries[i], sieve); });
    for (std::size_t i = 0; i < libraries.size(); ++i) m_libraries[libraries[i]] = std::move(read[i]);
}

bool WantedNames::was_read(const std::string& library) const {
    const auto found = m_libraries.find(library);
    return found != m_libraries.end() && found->second.read;
}

bool WantedNames::defines(const std::string& library, std::size_t name) const {
    const auto found = m_libraries.find(library);
    return found != m_libraries.end() && found->second.read && found->second.defined[name];
}

ModuleHead module_head(const Host& host, const std::string& path) {
    ModuleHead head;
    const auto source = host.open(path);
    const auto file = source ? read_elf_segments(*source) : Result<ElfFile>(Trouble{});
    auto dynamic = file ? read_elf_dynamic(*source, *file) : Result<ElfDynamic>(Trouble{});
    if (!dynamic || !dynamic->is_dynamic || file->end_of_load() > source->size) return head;
    head.read = true;
    head.machine = file->machine;
    head.needed = std::move(dynamic->needed);
    return head;
}

std::string machine_of_file(const Host& host, const std::string& path) {
    constexpr std::size_t k_head = 64;
    const auto source = host.open(path);
    return source ? elf_machine(read_bytes(*source, 0, k_head)) : std::string();
}

namespace {

// The second pair is of Windows, which keeps eight letters of a name.
constexpr const char* k_sections_with_code[] = {".nv_fatbin", "__nv_relfatbin", ".nv_fatb", "__nv_rel"};

}  // namespace

bool holds_device_code(const Host& host, const std::string& path) {
    const auto source = host.open(path);
    return source && any_of(k_sections_with_code,
                            [&](const char* name) { return section_range(*source, name).has_value(); });
}

bool defines(const Host& host, const std::string& path, const std::string& symbol) {
    const auto source = host.open(path);
    const auto file = source ? read_elf_segments(*source) : Result<ElfFile>(Trouble{});
    return file && find_elf_symbol(*source, *file, symbol);
}

std::string text_held(const Host& host, const std::string& path, const std::vector<std::string>& texts,
                      std::uint64_t limit) {
    constexpr std::size_t k_piece = 1u << 22, k_overlap = 256;
    const auto source = host.open(path);
    std::string held;
    if (!source || source->size > limit) return held;
    visit_pieces(*source, {0, source->size}, k_piece, k_overlap, [&](std::string_view bytes) {
        for (const std::string& text : texts)
            if (held.empty() && bytes.find(text) != bytes.npos) held = text;
        return held.empty();
    });
    return held;
}

namespace {

// The names that a library defines; nothing = it cannot be read, or has no symbols.
std::set<std::string> defined_in(const Host& host, const std::string& path) {
    std::set<std::string> names;
    const auto source = host.open(path);
    const auto file = source ? read_elf_segments(*source) : Result<ElfFile>(Trouble{});
    auto symbols = file ? read_elf_symbols(*source, *file) : Result<ElfSymbols>(Trouble{});
    if (!symbols || add_defined(*symbols)) return names;
    for (const ElfSymbol& symbol : symbols->defined) names.emplace(symbol.name);
    return names;
}

// Functions that are called in the library of that name and that neither `path` nor another library of the
// process defines.
std::vector<std::string> lacking_in(const Host& host, const std::string& path, const std::string& name,
                                    const Callers& callers) {
    std::vector<std::string> lacking;
    const auto asks = [&](const FunctionCalled& function) { return function.library.name == name; };
    if (none_of(callers.functions, asks)) return lacking;
    const std::set<std::string> defined = defined_in(host, path);
    for (const FunctionCalled& function : callers.functions)
        if (asks(function) && !defined.empty() && defined.count(function.name) == 0 &&
            !contains(lacking, function.name))
            lacking.push_back(function.name);
    for (const LoadedFile& other : callers.libraries) {
        if (lacking.empty() || other.name == name) continue;
        const std::set<std::string> there = defined_in(host, *other.taken);
        erase_if(lacking, [&](const std::string& function) { return there.count(function) != 0; });
    }
    return lacking;
}

}  // namespace

Callers callers_of(const Host& host, const Facts& facts, const LinuxProcess& process) {
    Callers callers;
    for (const LoadedFile& file : process.files)
        if (const auto name = library_by_file_name(facts, file.name); file.taken && name && !name->driver) {
            callers.libraries.push_back(file);
            callers.libraries.back().library = name->library;
        }
    for (const LinuxObject& object : process.objects) {
        const auto source = object.path.empty() ? Result<Source>(Trouble{}) : host.open(object.path);
        const auto file = source ? read_elf_segments(*source) : Result<ElfFile>(Trouble{});
        const auto symbols = file ? read_elf_symbols(*source, *file) : Result<ElfSymbols>(Trouble{});
        if (!symbols) continue;
        for (const ElfSymbol& symbol : symbols->undefined) {
            if (symbol.weak || !symbol.version_file.empty()) continue;
            const std::string library = library_of_function(facts, std::string(symbol.name));
            if (library.empty()) continue;
            for (const LoadedFile& one : callers.libraries)
                if (one.library == library) callers.functions.push_back({std::string(symbol.name), one});
        }
    }
    return callers;
}

void add_lacking(const Host& host, const std::string& path, const LoadedFile& library, const Callers& callers,
                 const std::string& framework, std::vector<LackingLibrary>& found) {
    LackingLibrary one;
    one.name = library.name;
    one.path = path;
    one.functions = lacking_in(host, path, library.name, callers);
    one.framework = framework;
    if (!framework.empty()) one.other = *library.taken;
    if (!one.functions.empty()) found.push_back(std::move(one));
}

namespace {

LackingLibrary missing_between(const Host& host, const std::string& caller, const LoadedFile& library) {
    LackingLibrary one;
    one.name = library.name;
    one.path = *library.taken;
    one.other = caller;
    one.variable = deciding_variable(library.rule);
    if (!one.variable.empty()) one.entry = library.rule_detail;
    const auto source = host.open(caller);
    const auto file = source ? read_elf_segments(*source) : Result<ElfFile>(Trouble{});
    const auto symbols = file ? read_elf_symbols(*source, *file) : Result<ElfSymbols>(Trouble{});
    const std::set<std::string> defined = symbols ? defined_in(host, one.path) : std::set<std::string>();
    if (defined.empty()) return one;
    for (const ElfSymbol& symbol : symbols->undefined)
        if (!symbol.weak && symbol.version_file == library.name &&
            defined.count(std::string(symbol.name)) == 0)
            one.functions.emplace_back(symbol.name);
    return one;
}

}  // namespace

void BoundPairs::add(const std::vector<BoundLibraries>& pairs, std::vector<LackingLibrary>& found) {
    for (const BoundLibraries& pair : pairs) {
        const auto [known, is_new] = m_known.try_emplace({pair.caller, *pair.library.taken});
        if (is_new) known->second = missing_between(m_host, pair.caller, pair.library);
        if (!known->second.functions.empty()) found.push_back(known->second);
    }
}

}  // namespace ptxguard
