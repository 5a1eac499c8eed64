// SPDX-License-Identifier: Apache-2.0
#include "formats/sections.hpp"

#include <doctest/doctest.h>

#include "build_elf.hpp"
#include "build_pe.hpp"

using namespace ptxguard;

namespace {

std::string section_of(const std::string& bytes, std::string_view name) {
    return bytes_in(source_of(bytes), section_range(source_of(bytes), name), 100);
}

}  // namespace

TEST_CASE("a section of an ELF or PE file is found by its name") {
    built::Elf elf;
    elf.sections = {{".rodata", "hello"}, {".empty", ""}};
    const std::string library = elf.build();
    CHECK(section_of(library, ".rodata") == "hello");
    CHECK(section_of(library, ".rdata").empty());
    CHECK_FALSE(section_range(source_of(library), ".empty"));
    built::Pe pe;
    pe.content = "world";
    const std::string dll = pe.build();
    CHECK(section_of(dll, ".rdata") == "world");
    CHECK(section_of(dll, ".text").empty());
    CHECK(bytes_in(source_of(library), read_only_data(source_of(library)), 100) == "hello");
    CHECK(bytes_in(source_of(dll), read_only_data(source_of(dll)), 100) == "world");
    CHECK(bytes_in(source_of(dll), read_only_data(source_of(dll)), 4).empty());
    CHECK_FALSE(read_only_data(source_of("#!/bin/sh")));
}

TEST_CASE("an ELF file with one wrong field gives no section") {
    built::Elf elf;
    elf.sections = {{".rodata", "hello"}};
    const std::string good = elf.build();
    for (const std::size_t field : {0x00, 0x04, 0x05, 0x28, 0x29, 0x2f, 0x3a, 0x3b, 0x3d, 0x3e}) {
        std::string bad = good;
        bad[field] = static_cast<char>(0xff);
        CAPTURE(field);
        CHECK_FALSE(section_range(source_of(bad), ".rodata"));
    }
    for (std::size_t size = 0; size < good.size(); size += 7)
        CHECK_FALSE(section_range(source_of(good.substr(0, size)), ".rodata"));
}

TEST_CASE("a section beyond the file, or missing from it, is not found") {
    built::Elf elf;
    elf.sections = {{".rodata", "hello"}};
    const std::string good = elf.build();
    const std::size_t row = elf.at["shdr"] + 64;
    for (const auto& [field, value] :
         {std::pair{std::size_t{24}, UINT64_MAX}, std::pair{std::size_t{32}, UINT64_MAX},
          std::pair{std::size_t{4}, std::uint64_t{8}}}) {
        std::string bad = good;
        built::put(bad, row + field, value, field == 4 ? 4 : 8);
        CHECK_FALSE(section_range(source_of(bad), ".rodata"));
    }
}

TEST_CASE("program formats are recognized by their first bytes") {
    CHECK(program_format("\177ELF\2") == ProgramFormat::elf);
    CHECK(program_format("MZ\x90") == ProgramFormat::pe);
    CHECK(program_format("#!/bin/sh") == ProgramFormat::script);
    CHECK(program_format("") == ProgramFormat::unknown);
    CHECK(program_format("text") == ProgramFormat::unknown);
}
