// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "build_pe_tables.hpp"
#include "damage.hpp"
#include "formats/pe.hpp"

using namespace ptxguard;
using built::add;
using built::lay_delayed;
using built::lay_exports;
using built::lay_imports;
using built::lay_thunks;

namespace {

Result<std::vector<PeImport>> imports_of(const std::string& bytes) {
    const auto file = read_pe(source_of(bytes));
    REQUIRE(file);
    return read_pe_imports(source_of(bytes), *file);
}

const std::vector<PeImport> k_imports{
    {"cublas64_12.dll", false, {"cublasCreate_v2", "#12", "cublasDestroy_v2"}},
    {"KERNEL32.dll", false, {"GetLastError"}}};

built::Pe all_tables() {
    built::Pe pe;
    lay_imports(pe, k_imports);
    lay_delayed(pe, {"cudnn64_9.dll", true, {"cudnnCreate"}}, false);
    lay_exports(pe, "torch_cuda.dll", {{"b", ""}, {"a", "cudart64_12.cudaMalloc"}, {"", ""}, {"-", ""}});
    return pe;
}

}  // namespace

TEST_CASE("imports of a PE file are read with names and numbers") {
    for (const bool is_64 : {true, false}) {
        built::Pe pe;
        pe.is_64 = is_64;
        lay_imports(pe, k_imports);
        const auto imports = imports_of(pe.build());
        REQUIRE(imports);
        REQUIRE(imports->size() == 2);
        for (std::size_t i = 0; i < 2; ++i) {
            CHECK((*imports)[i].dll == k_imports[i].dll);
            CHECK((*imports)[i].names == k_imports[i].names);
            CHECK_FALSE((*imports)[i].delayed);
        }
    }
}

TEST_CASE("imports without a lookup table are read from the address table") {
    built::Pe pe;
    lay_imports(pe, k_imports);
    const std::uint32_t row = pe.directories[1].first - built::Pe::k_address;
    built::put(pe.content, row, 0, 4);
    const auto imports = imports_of(pe.build());
    REQUIRE(imports);
    CHECK((*imports)[0].names == k_imports[0].names);
}

TEST_CASE("delayed imports are read in both forms") {
    for (const bool addresses : {false, true}) {
        built::Pe pe;
        pe.is_64 = !addresses;
        if (addresses) pe.image_base = 0x10000000;
        lay_delayed(pe, {"cudnn64_9.dll", true, {"cudnnCreate", "#7"}}, addresses);
        const auto imports = imports_of(pe.build());
        CAPTURE(addresses);
        REQUIRE(imports);
        REQUIRE(imports->size() == 1);
        CHECK((*imports)[0].delayed);
        CHECK((*imports)[0].dll == "cudnn64_9.dll");
        CHECK((*imports)[0].names == std::vector<std::string>{"cudnnCreate", "#7"});
    }
}

TEST_CASE("a PE file that imports and exports nothing has empty lists") {
    const std::string bytes = built::Pe{}.build();
    const auto imports = imports_of(bytes);
    REQUIRE(imports);
    CHECK(imports->empty());
    const auto exports = read_pe_exports(source_of(bytes), *read_pe(source_of(bytes)));
    REQUIRE(exports);
    CHECK(exports->dll.empty());
    CHECK(exports->names.empty());
}

TEST_CASE("exports are read with numbers, gaps and forwarders") {
    const std::string bytes = all_tables().build();
    const auto exports = read_pe_exports(source_of(bytes), *read_pe(source_of(bytes)));
    REQUIRE(exports);
    CHECK(exports->dll == "torch_cuda.dll");
    CHECK(exports->names == std::vector<std::string>{"a", "b"});
    CHECK(exports->ordinals == std::vector<std::uint32_t>{10, 11, 12});
}

TEST_CASE("tables that point outside the file are reported") {
    built::Pe pe = all_tables();
    const auto with = [&](std::size_t directory, std::uint32_t field, std::uint32_t value) {
        built::Pe bad = pe;
        built::put(bad.content, pe.directories[directory].first - built::Pe::k_address + field, value, 4);
        return bad.build();
    };
    CHECK(imports_of(with(1, 12, 0x7fffffff)).trouble().what == "has a damaged table of imports");
    CHECK(imports_of(with(1, 0, 0x7fffffff)).trouble().what == "has a damaged table of imports");
    CHECK(imports_of(with(13, 4, 0x7fffffff)).trouble().what == "has a damaged table of delayed imports");
    for (const std::uint32_t field : {12u, 20u, 24u, 28u, 32u, 36u}) {
        const std::string bad = with(0, field, 0x7fffffff);
        CAPTURE(field);
        CHECK(read_pe_exports(source_of(bad), *read_pe(source_of(bad))).trouble().what ==
              "has a damaged table of exports");
    }
    pe.directories[1].first = 0x7fffffff;
    CHECK_FALSE(imports_of(pe.build()));
}

TEST_CASE("an endless list of DLLs that share one table is capped") {
    built::Pe pe;
    const std::uint32_t thunks = lay_thunks(pe, std::vector<std::string>(2000, "cublasCreate_v2"));
    const std::uint32_t name = pe.lay_text("cublas64_12.dll");
    std::string rows;
    for (int i = 0; i < 4000; ++i) {
        add(rows, thunks, 4);
        add(rows, 0, 8);
        add(rows, name, 4);
        add(rows, thunks, 4);
    }
    pe.directories[1] = {pe.lay(rows + std::string(20, '\0')), 40};
    CHECK_FALSE(imports_of(pe.build()));
}

TEST_CASE("import and export tables cut at any byte or with any field changed are handled") {
    const auto ask = [](const Source& source) {
        const auto file = read_pe(source);
        if (!file) return;
        (void)read_pe_imports(source, *file);
        (void)read_pe_exports(source, *file);
    };
    const std::string good = all_tables().build();
    built::cut_at_every_byte(good, [&](const std::string& bad) { ask(source_of(bad)); });
    built::poke_every_field(good, 0x80, good.size(), [&](const std::string& bad) { ask(source_of(bad)); });
    for (std::size_t reads = 0; reads < 16; ++reads)
        for (std::size_t left = 0; left < good.size(); left += 16) ask(built::shrinking(good, reads, left));
}
