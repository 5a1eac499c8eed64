// SPDX-License-Identifier: Apache-2.0
#include "load/module_symbols.hpp"

#include <algorithm>

#include "host/together.hpp"

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

}  // namespace ptxguard
