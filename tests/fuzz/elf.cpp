// All readers of an ELF file.
// SPDX-License-Identifier: Apache-2.0
#include "formats/elf.hpp"

#include "ask.hpp"
#include "formats/returned_constants.hpp"
#include "formats/sections.hpp"

using namespace ptxguard;

namespace {

void look_at_all(const ElfDynamic& dynamic) {
    look_at(dynamic.soname);
    look_at(dynamic.interpreter);
    for (const std::string& name : dynamic.needed) look_at(name);
    for (const ElfNeededVersion& version : dynamic.needed_versions) look_at(version.file + version.version);
    for (const std::string& version : dynamic.defined_versions) look_at(version);
}

void look_at_all(const ElfSymbols& symbols) {
    for (const auto* list : {&symbols.undefined, &symbols.defined}) {
        for (const ElfSymbol& symbol : *list) {
            look_at(symbol.name.substr(0, 4096));  // many may share one long name
            look_at(symbol.version.substr(0, 4096));
            look_at(symbol.version_file.substr(0, 4096));
        }
    }
}

void ask(const Source& source) {
    look_at(elf_machine(read_bytes(source, 0, 64)));
    (void)section_range(source, ".dynstr");
    for (const auto& [name, number] : returned_constants(source, {"plain", ""})) look_at(name);
    const auto file = read_elf(source);
    if (!file) return;
    (void)file->section(".nv_fatbin");
    for (const ElfSection& section : file->sections) (void)file->offset_of(section.address);
    if (const auto dynamic = read_elf_dynamic(source, *file)) look_at_all(*dynamic);
    for (const bool sieved : {false, true}) {
        auto symbols = read_elf_symbols(source, *file);
        if (!symbols) break;
        NameSieve sieve;
        sieve.add(NameSieve::hash_of("plain"));
        ElfSymbols moved = std::move(*symbols);
        if (!add_defined(moved, sieved ? &sieve : nullptr)) look_at_all(moved);
    }
    for (const char* name : {"cublasCreate_v2", "plain", ""}) (void)find_elf_symbol(source, *file, name);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    ask_whole_and_shrinking(data, size, ask);
    return 0;
}
