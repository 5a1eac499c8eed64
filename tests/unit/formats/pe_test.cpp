// SPDX-License-Identifier: Apache-2.0
#include "formats/pe.hpp"

#include <doctest/doctest.h>

#include "build_pe.hpp"
#include "damage.hpp"

using namespace ptxguard;

namespace {

void ask_all_of_pe(const Source& source) {
    (void)is_pe(source);
    const auto file = read_pe(source);
    if (!file) return;
    (void)file->offset_of(0x1000);
}

}  // namespace

TEST_CASE("sections of a PE file are read") {
    built::Pe pe;
    pe.content = "constants";
    pe.more = {{".nv_fatb", "fatbin!!"}};
    const std::string bytes = pe.build();
    CHECK(is_pe(source_of(bytes)));
    const auto file = read_pe(source_of(bytes));
    REQUIRE(file);
    CHECK(pe_machine(file->machine) == "x86_64");
    CHECK(file->is_64);
    CHECK(file->is_dll);
    CHECK(file->image_base == 0x180000000);
    CHECK(file->directories.size() == 16);
    REQUIRE(file->sections.size() == 2);
    CHECK(file->sections[1].name == ".nv_fatb");
    CHECK(bytes.substr(file->sections[1].offset, file->sections[1].size) == "fatbin!!");
    CHECK(file->offset_of(0x1002) == 0x402);
    CHECK_FALSE(file->offset_of(0xfff));
    CHECK_FALSE(file->offset_of(0x1009));
    CHECK_FALSE(file->offset_of(0xffffffff));
}

TEST_CASE("a 32-bit PE file is recognised with its machine") {
    built::Pe pe;
    pe.is_64 = false;
    pe.machine = 0x14c;
    pe.characteristics = 0x102;
    pe.image_base = 0x400000;
    const std::string bytes = pe.build();
    const auto file = read_pe(source_of(bytes));
    REQUIRE(file);
    CHECK_FALSE(file->is_64);
    CHECK_FALSE(file->is_dll);
    CHECK(pe_machine(file->machine) == "x86");
    CHECK(file->image_base == 0x400000);
}

TEST_CASE("a section's size is the smaller of what is mapped and what is stored") {
    built::Pe pe;
    pe.content = std::string(64, 'x');
    const std::string good = pe.build();
    const std::size_t row = good.find(".rdata");
    const auto size_with = [&](std::uint32_t mapped, std::uint32_t stored) {
        std::string bytes = good;
        built::put(bytes, row + 8, mapped, 4);
        built::put(bytes, row + 16, stored, 4);
        const auto file = read_pe(source_of(bytes));
        REQUIRE(file);
        return file->sections[0].size;
    };
    CHECK(size_with(10, 64) == 10);
    CHECK(size_with(0x2000, 64) == 64);
    CHECK(size_with(0, 64) == 64);
    CHECK(size_with(0xffffffff, 0xffffffff) == 64);  // cut at the end of the file
}

TEST_CASE("a file that is not PE is refused") {
    const std::string good = built::Pe{}.build();
    CHECK(read_pe(source_of("")).trouble().what == "is not a PE file");
    std::string bad = good;
    bad[0] = 'X';
    CHECK_FALSE(is_pe(source_of(bad)));
    bad = good;
    built::put(bad, 0x3c, 0xffffffff, 4);
    CHECK_FALSE(is_pe(source_of(bad)));
    bad = good;
    bad[built::Pe::k_header] = 'N';  // an OS/2 program has MZ as well
    CHECK_FALSE(is_pe(source_of(bad)));
    bad = good;
    built::put(bad, built::Pe::k_header + 24, 0x107, 2);
    CHECK(read_pe(source_of(bad)).trouble().what == "has a PE header of an unknown form");
    CHECK(read_pe(source_of(good.substr(0, 0x100))).trouble().what == "ends within its PE header");
    bad = good;
    built::put(bad, built::Pe::k_header + 6, 0xffff, 2);
    CHECK(read_pe(source_of(bad)).trouble().what == "has more sections than Windows would load");
    built::put(bad, built::Pe::k_header + 6, 1000, 2);
    CHECK(read_pe(source_of(bad)).trouble().what == "ends before its section headers do");
    CHECK(pe_machine(0x1234).empty());
}

TEST_CASE("a PE file cut at any byte or with any field changed is handled") {
    built::Pe pe;
    pe.content = "constants";
    const std::string good = pe.build();
    built::cut_at_every_byte(good, [](const std::string& bad) { ask_all_of_pe(source_of(bad)); });
    built::poke_every_field(good, 0, good.size(),
                            [](const std::string& bad) { ask_all_of_pe(source_of(bad)); });
    for (std::size_t reads = 0; reads < 8; ++reads)
        for (std::size_t left = 0; left < good.size(); left += 16)
            ask_all_of_pe(built::shrinking(good, reads, left));
}
