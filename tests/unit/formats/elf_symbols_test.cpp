// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <ctime>

#include "build_elf.hpp"
#include "damage.hpp"
#include "formats/elf.hpp"

using namespace ptxguard;

namespace {

built::Elf library() {
    built::Elf elf;
    elf.needed_versions = {{"libcublasLt.so.12", "libcublasLt.so.12", 3}, {"libc.so.6", "GLIBC_2.34", 4}};
    elf.defined_versions = {{"libcublas.so.12", 1, 1}, {"libcublas.so.12_v2", 2, 0}};
    elf.symbols = {{"cublasLtMatmul", 0, 3},  {"__gmon_start__", 0, 0, 0x20}, {"memcpy", 0, 4},
                   {"cublasCreate_v2", 7, 2}, {"cublasCreate", 7, 0x8002},    {"plain", 7, 1}};
    return elf;
}

Result<ElfSymbols> all_symbols(const Source& source, const ElfFile& file) {
    auto symbols = read_elf_symbols(source, file);
    if (symbols)
        if (const auto trouble = add_defined(*symbols)) return *trouble;
    return symbols;
}

Result<ElfSymbols> undefined_of(const std::string& bytes) {
    const Source source = source_of(bytes);
    const auto file = read_elf(source);
    REQUIRE(file);
    return read_elf_symbols(source, *file);
}

Result<ElfSymbols> symbols_of(const std::string& bytes) {
    const Source source = source_of(bytes);
    const auto file = read_elf(source);
    REQUIRE(file);
    return all_symbols(source, *file);
}

std::vector<std::string> names(const std::vector<ElfSymbol>& symbols) {
    std::vector<std::string> all;
    for (const ElfSymbol& symbol : symbols) all.emplace_back(symbol.name);
    return all;
}

}  // namespace

TEST_CASE("dynamic symbols are read with their versions") {
    const auto symbols = symbols_of(library().build());
    REQUIRE(symbols);
    REQUIRE(symbols->undefined.size() == 3);
    CHECK(symbols->undefined[0].name == "cublasLtMatmul");
    CHECK(symbols->undefined[0].version == "libcublasLt.so.12");
    CHECK(symbols->undefined[0].version_file == "libcublasLt.so.12");
    CHECK_FALSE(symbols->undefined[0].weak);
    CHECK(symbols->undefined[1].weak);
    CHECK(symbols->undefined[1].version.empty());
    CHECK(symbols->undefined[2].version == "GLIBC_2.34");
    CHECK(symbols->undefined[2].version_file == "libc.so.6");
    REQUIRE(symbols->defined.size() == 3);
    CHECK(symbols->defined[0].version == "libcublas.so.12_v2");
    CHECK(symbols->defined[0].version_file.empty());
    CHECK(symbols->defined[2].version.empty());  // 1 is the library itself, no version
}

TEST_CASE("undefined symbols are read first, which is often enough") {
    const auto symbols = undefined_of(library().build());
    REQUIRE(symbols);
    CHECK(symbols->undefined.size() == 3);
    CHECK(symbols->defined.empty());
}

TEST_CASE("defined symbols are added later; from DT_GNU_HASH only those that may be looked up") {
    NameSieve sieve;
    sieve.add(NameSieve::hash_of("plain"));
    CHECK(NameSieve::hash_of("printf") == 0x156b2bb8);
    for (const bool gnu : {false, true}) {
        built::Elf elf = library();
        elf.gnu_hash = gnu;
        auto read = undefined_of(elf.build());
        REQUIRE(read);
        ElfSymbols symbols = std::move(*read);
        REQUIRE_FALSE(add_defined(symbols, &sieve));
        const auto all = symbols_of(elf.build());
        REQUIRE(all);
        CHECK(names(symbols.defined) == (gnu ? std::vector<std::string>{"plain"} : names(all->defined)));
        CHECK(symbols.defined.back().version == all->defined.back().version);
    }
}

TEST_CASE("names stay valid when the symbols are moved, however short") {
    built::Elf elf;
    elf.symbols = {{"f", 0}};
    auto read = symbols_of(elf.build());
    REQUIRE(read);
    const ElfSymbols moved = std::move(*read);
    CHECK(names(moved.undefined) == std::vector<std::string>{"f"});
    CHECK(moved.undefined[0].name.data() >= moved.strings.data());
    CHECK(moved.undefined[0].name.data() < moved.strings.data() + moved.strings.size());
}

TEST_CASE("symbols are counted without section headers by either hash table") {
    for (const bool gnu : {false, true}) {
        built::Elf elf = library();
        elf.section_headers = false;
        elf.gnu_hash = gnu;
        elf.sysv_hash = !gnu;
        const auto symbols = symbols_of(elf.build());
        CAPTURE(gnu);
        REQUIRE(symbols);
        CHECK(symbols->undefined.size() == 3);
        CHECK(symbols->defined.size() == 3);
    }
}

TEST_CASE(
    "a program that only imports has an empty GNU hash table: its section is used, then its relocations") {
    built::Elf elf;
    elf.symbols = {{"puts", 0}, {"exit", 0}};
    elf.sysv_hash = false;
    elf.gnu_hash = true;
    auto symbols = symbols_of(elf.build());
    REQUIRE(symbols);
    CHECK(symbols->undefined.size() == 2);

    elf = {};
    elf.symbols = {{"puts", 0}, {"exit", 0}};
    elf.sysv_hash = false;
    elf.gnu_hash = true;
    elf.section_headers = false;
    elf.relocated = {2};
    symbols = symbols_of(elf.build());
    REQUIRE(symbols);
    CHECK(symbols->undefined.size() == 2);
}

TEST_CASE("local, hidden and empty symbols are not exported") {
    built::Elf elf;
    elf.symbols = {{"local", 7, 1, 0x02},        {"hidden", 7, 1, 0x12, 2},
                   {"section", 7, 1, 0x13},      {"nothing", 7, 1, 0x12, 0, 0},
                   {"thread", 7, 1, 0x16, 0, 0}, {"absolute", 0xfff1, 1, 0x11, 0, 0},
                   {"protected", 7, 1, 0x12, 3}, {"unique", 7, 1, 0xa1}};
    const auto symbols = symbols_of(elf.build());
    REQUIRE(symbols);
    CHECK(names(symbols->defined) == std::vector<std::string>{"thread", "absolute", "protected", "unique"});
    CHECK(symbols->undefined.empty());
}

TEST_CASE("a file without symbols has none, an unknown number of symbols is reported") {
    built::Elf none;
    const auto symbols = symbols_of(none.build());
    REQUIRE(symbols);
    CHECK(symbols->undefined.empty());

    built::Elf elf = library();
    elf.section_headers = false;
    std::string bytes = elf.build();
    built::put(bytes, elf.at["hash"] + 4, 0xffffffff, 4);  // more links than fit in the file
    built::put(bytes, elf.at["dynamic"], 0x6ffffef5, 8);   // DT_SYMTAB becomes a second DT_GNU_HASH
    CHECK(symbols_of(bytes));
    built::put(bytes, elf.at["dynamic"], 6, 8);
    const auto broken = symbols_of(bytes);
    REQUIRE(broken);  // relocations name none
    CHECK(broken->undefined.empty());
}

TEST_CASE("symbol tables larger than the file are reported") {
    built::Elf elf = library();
    std::string bytes = elf.build();
    built::put(bytes, elf.at["hash"] + 4, (bytes.size() - elf.at["hash"] - 8) / 4 - 1, 4);
    CHECK_FALSE(symbols_of(bytes));
}

TEST_CASE("names that share one very long text cost no more than a few passes over it") {
    built::Elf elf;
    elf.soname = std::string(1 << 20, 'x');
    elf.symbols.assign(20000, {"f", 0});
    std::string bytes = elf.build();
    for (std::size_t i = 1; i <= elf.symbols.size(); ++i)
        built::put(bytes, elf.at["dynsym"] + i * 24, 1, 4);  // the first text
    const std::clock_t begin = std::clock();                 // processor time: other programs do not count
    CHECK(symbols_of(bytes).trouble().what == "has names outside its table of names");
    CHECK(std::clock() - begin < 2 * CLOCKS_PER_SEC);
}

TEST_CASE("symbol tables cut at any byte or with any field changed are handled") {
    const auto ask = [](const Source& source) {
        const auto file = read_elf(source);
        if (!file) return;
        const auto symbols = all_symbols(source, *file);
        if (!symbols) return;
        for (const auto* list : {&symbols->undefined, &symbols->defined})
            for (const ElfSymbol& symbol : *list) (void)std::string(symbol.name).append(symbol.version);
    };
    for (const bool gnu : {false, true}) {
        built::Elf elf = library();
        elf.section_headers = false;
        elf.gnu_hash = gnu;
        elf.sysv_hash = !gnu;
        elf.relocated = {1, 2};
        const std::string good = elf.build();
        built::cut_at_every_byte(good, [&](const std::string& bad) { ask(source_of(bad)); });
        built::poke_every_field(good, 64, good.size(), [&](const std::string& bad) { ask(source_of(bad)); });
        for (std::size_t reads = 0; reads < 16; ++reads)
            for (std::size_t left = 0; left < good.size(); left += 16)
                ask(built::shrinking(good, reads, left));
    }
}
