// SPDX-License-Identifier: Apache-2.0
#include "formats/elf.hpp"

#include <doctest/doctest.h>

#include "build_elf.hpp"
#include "damage.hpp"

using namespace ptxguard;

namespace {

built::Elf elf_library() {
    built::Elf elf;
    elf.soname = "libcublas.so.12";
    elf.needed = {"libcublasLt.so.12", "libc.so.6"};
    elf.runpath = "$ORIGIN/../../nvidia/cublas/lib";
    elf.needed_versions = {{"libcublasLt.so.12", "libcublasLt.so.12", 3},
                           {"libc.so.6", "GLIBC_2.17", 4},
                           {"libc.so.6", "GLIBC_2.34", 5, true}};
    elf.defined_versions = {{"libcublas.so.12", 1, 1}, {"libcublas.so.12_v2", 2, 0}};
    elf.symbols = {{"cublasLtMatmul", 0, 3}, {"cublasCreate_v2", 1, 2}};
    elf.sections = {{".nv_fatbin", "fatbin!!"}, {".rodata", "constants"}};
    return elf;
}

// Every reader of such a file.
void ask_all(const Source& source) {
    const auto file = read_elf(source);
    if (!file) return;
    (void)file->section(".nv_fatbin");
    (void)file->offset_of(0x400000);
    (void)read_elf_dynamic(source, *file);
}

std::string machine_of(std::uint8_t wide, std::uint8_t order, std::uint16_t machine) {
    std::string head = "\177ELF";
    head += static_cast<char>(wide);
    head += static_cast<char>(order);
    head.resize(18, '\0');
    head += static_cast<char>(order == 2 ? machine >> 8 : machine);
    head += static_cast<char>(order == 2 ? machine : machine >> 8);
    return elf_machine(head);
}

}  // namespace

TEST_CASE("sections and segments of an ELF file are read") {
    built::Elf elf = elf_library();
    const std::string bytes = elf.build();
    const auto file = read_elf(source_of(bytes));
    REQUIRE(file);
    CHECK(file->trouble.empty());
    CHECK(file->machine == k_em_x86_64);
    CHECK(file->type == 3);
    CHECK(file->segments.size() == 3);
    REQUIRE(file->section(".nv_fatbin"));
    const ElfSection& section = *file->section(".nv_fatbin");
    CHECK(bytes.substr(section.offset, section.size) == "fatbin!!");
    CHECK(file->offset_of(section.address) == section.offset);
    CHECK_FALSE(file->section(".nvFatBinSegment"));
    CHECK_FALSE(file->offset_of(0));
    CHECK_FALSE(file->offset_of(UINT64_MAX));
}

TEST_CASE("a library takes a few reads, however large it is") {
    const std::string bytes = elf_library().build();
    Source source = source_of(bytes);
    std::size_t reads = 0;
    const auto read = source.read;
    source.read = [&](std::uint64_t offset, char* to, std::size_t length) {
        ++reads;
        return read(offset, to, length);
    };
    REQUIRE(read_elf(source));
    CHECK(reads == 4);
}

TEST_CASE("an ELF file without section headers is complete") {
    built::Elf elf = elf_library();
    elf.section_headers = false;
    const std::string bytes = elf.build();
    const auto file = read_elf(source_of(bytes));
    REQUIRE(file);
    CHECK(file->trouble.empty());
    CHECK(file->sections.empty());
    const auto dynamic = read_elf_dynamic(source_of(bytes), *file);
    REQUIRE(dynamic);
    CHECK(dynamic->needed.size() == 2);
}

TEST_CASE("an ELF file whose header says nothing of sections is complete, and one that says half is not") {
    std::string bytes = elf_library().build();
    for (const std::size_t at : {0x28, 0x3a, 0x3c, 0x3e})
        bytes.replace(at, at == 0x28 ? 8 : 2, at == 0x28 ? 8 : 2, '\0');
    const auto none = read_elf(source_of(bytes));
    REQUIRE(none);
    CHECK_MESSAGE(none->trouble.empty(), none->trouble);
    CHECK(none->sections.empty());
    bytes[0x28] = 64;  // a place, and no size of a row
    bytes[0x3c] = 1;
    const auto half = read_elf(source_of(bytes));
    CHECK(half->trouble == "has section headers of an unknown form");
}

TEST_CASE("an object file has sections and nothing for a loader") {
    built::Elf elf;
    elf.type = 1;
    elf.dynamic = false;
    elf.sections = {{".nv_fatbin", "x"}};
    const std::string bytes = elf.build();
    const auto file = read_elf(source_of(bytes));
    REQUIRE(file);
    CHECK(file->segments.empty());
    CHECK(file->section(".nv_fatbin"));
    const auto dynamic = read_elf_dynamic(source_of(bytes), *file);
    REQUIRE(dynamic);
    CHECK_FALSE(dynamic->is_dynamic);
    CHECK(dynamic->needed.empty());
}

TEST_CASE("counts above 65,279 are in the first section header") {
    built::Elf elf = elf_library();
    std::string bytes = elf.build();
    const auto before = read_elf(source_of(bytes));
    REQUIRE(before);
    const std::size_t count = before->sections.size();
    built::put(bytes, 60, 0, 2);
    built::put(bytes, 62, 0xffff, 2);
    built::put(bytes, elf.at["shdr"] + 32, count, 8);
    built::put(bytes, elf.at["shdr"] + 40, count - 1, 4);
    const auto file = read_elf(source_of(bytes));
    REQUIRE(file);
    CHECK(file->trouble.empty());
    CHECK(file->sections.size() == count);
    CHECK(file->section(".nv_fatbin"));

    built::put(bytes, elf.at["shdr"] + 32, std::uint64_t{1} << 58, 8);
    const auto lies = read_elf(source_of(bytes));
    REQUIRE(lies);
    CHECK(lies->sections.empty());
    CHECK(lies->trouble == "has section headers of an unknown form");
}

TEST_CASE("a truncated library is reported as such and keeps what the loader needs") {
    built::Elf elf = elf_library();
    const std::string good = elf.build();
    const std::string cut = good.substr(0, good.size() - 1);
    const auto file = read_elf(source_of(cut));
    REQUIRE(file);
    CHECK(file->trouble == "ends before its section headers do");
    CHECK(file->sections.empty());
    const auto dynamic = read_elf_dynamic(source_of(cut), *file);
    REQUIRE(dynamic);
    CHECK(dynamic->soname == "libcublas.so.12");
}

TEST_CASE("a download with holes in place of the section headers is reported") {
    built::Elf elf = elf_library();
    std::string bytes = elf.build();
    bytes.replace(elf.at["shdr"], bytes.size() - elf.at["shdr"],
                  std::string(bytes.size() - elf.at["shdr"], '\0'));
    const auto file = read_elf(source_of(bytes));
    REQUIRE(file);
    CHECK(file->trouble == "has section names that are none");
    CHECK_FALSE(file->section(".nv_fatbin"));
}

TEST_CASE("anything but a 64-bit little-endian ELF file is refused, with its machine") {
    CHECK(read_elf(source_of("")).trouble().what == "is not an ELF file");
    CHECK(read_elf(source_of("MZ")).trouble().what == "is not an ELF file");
    CHECK(read_elf(source_of("\177ELF")).trouble().what == "ends within its ELF header");
    std::string narrow = elf_library().build();
    narrow[4] = 1;
    built::put(narrow, 18, 3, 2);
    CHECK(read_elf(source_of(narrow)).trouble().text() ==
          " is an ELF file that is not 64-bit little-endian: x86");
}

TEST_CASE("the machine of any ELF file is known by name") {
    CHECK(machine_of(2, 1, 62) == "x86_64");
    CHECK(machine_of(1, 1, 62) == "x32");
    CHECK(machine_of(1, 1, 3) == "x86");
    CHECK(machine_of(2, 1, 183) == "aarch64");
    CHECK(machine_of(1, 1, 40) == "arm");
    CHECK(machine_of(2, 1, 21) == "ppc64le");
    CHECK(machine_of(2, 2, 21) == "ppc64");
    CHECK(machine_of(2, 2, 22) == "s390x");
    CHECK(machine_of(2, 1, 190) == "cuda");
    CHECK(machine_of(2, 1, 9999).empty());
    CHECK(machine_of(2, 1, 3).empty());
    CHECK(machine_of(3, 1, 62).empty());
    CHECK(elf_machine("MZ").empty());
    CHECK(elf_machine("\177ELF").empty());
}

TEST_CASE("the loader's entries are read") {
    built::Elf elf = elf_library();
    elf.interpreter = "/lib64/ld-linux-x86-64.so.2";
    elf.rpath = "/opt/old";
    elf.flags_1 = 0x800;
    const std::string bytes = elf.build();
    const auto file = read_elf(source_of(bytes));
    REQUIRE(file);
    const auto dynamic = read_elf_dynamic(source_of(bytes), *file);
    REQUIRE(dynamic);
    CHECK(dynamic->is_dynamic);
    CHECK(dynamic->interpreter == "/lib64/ld-linux-x86-64.so.2");
    CHECK(dynamic->soname == "libcublas.so.12");
    CHECK(dynamic->needed == std::vector<std::string>{"libcublasLt.so.12", "libc.so.6"});
    CHECK(dynamic->rpath == "/opt/old");
    CHECK(dynamic->runpath == "$ORIGIN/../../nvidia/cublas/lib");
    CHECK(dynamic->no_default_folders);
    REQUIRE(dynamic->needed_versions.size() == 3);
    CHECK(dynamic->needed_versions[0].file == "libcublasLt.so.12");
    CHECK(dynamic->needed_versions[2].version == "GLIBC_2.34");
    CHECK(dynamic->needed_versions[2].weak);
    CHECK_FALSE(dynamic->needed_versions[1].weak);
    CHECK(dynamic->defined_versions == std::vector<std::string>{"libcublas.so.12", "libcublas.so.12_v2"});
}

TEST_CASE("a library without dependencies has empty lists") {
    built::Elf elf;
    const std::string bytes = elf.build();
    const auto file = read_elf(source_of(bytes));
    REQUIRE(file);
    const auto dynamic = read_elf_dynamic(source_of(bytes), *file);
    REQUIRE(dynamic);
    CHECK(dynamic->is_dynamic);
    CHECK(dynamic->needed.empty());
    CHECK_FALSE(dynamic->rpath);
    CHECK_FALSE(dynamic->runpath);
    CHECK(dynamic->soname.empty());
    CHECK_FALSE(dynamic->no_default_folders);
}

TEST_CASE("names outside the string table are reported") {
    built::Elf elf = elf_library();
    std::string bytes = elf.build();
    built::put(bytes, elf.at["dynamic"] + 8, 0xffffff, 8);  // the first DT_NEEDED
    const auto file = read_elf(source_of(bytes));
    REQUIRE(file);
    CHECK(read_elf_dynamic(source_of(bytes), *file).trouble().what == "has names outside its table of names");
}

TEST_CASE("version tables that point outside are reported and do not loop") {
    built::Elf elf = elf_library();
    const std::string good = elf.build();
    for (const auto& [place, what] : {std::pair{"verneed", "has a damaged table of needed versions"},
                                      std::pair{"verdef", "has a damaged table of its versions"}}) {
        std::string bad = good;
        built::put(bad, elf.at[place], 7, 2);  // an unknown form
        const auto file = read_elf(source_of(bad));
        REQUIRE(file);
        CHECK(read_elf_dynamic(source_of(bad), *file).trouble().what == what);
        bad = good;
        built::put(bad, elf.at[place] + (std::string(place) == "verneed" ? 12 : 16), 0xfffffff0, 4);
        CHECK(read_elf_dynamic(source_of(bad), *file).trouble().what == what);
    }
}

TEST_CASE("many names that share one long text do not fill the memory") {
    built::Elf elf;
    elf.needed.assign(20000, "f");
    elf.needed.front() = std::string(60000, 'x');
    std::string bytes = elf.build();
    for (std::size_t i = 0; i < elf.needed.size(); ++i)
        built::put(bytes, elf.at["dynamic"] + i * 16 + 8, 1, 8);
    const auto file = read_elf(source_of(bytes));
    REQUIRE(file);
    CHECK_FALSE(read_elf_dynamic(source_of(bytes), *file));
}

TEST_CASE("an ELF file cut at any byte or with any field changed is handled") {
    built::Elf elf = elf_library();
    elf.interpreter = "/lib64/ld.so";
    const std::string good = elf.build();
    built::cut_at_every_byte(good, [](const std::string& bad) { ask_all(source_of(bad)); });
    built::poke_every_field(good, 0, good.size(), [](const std::string& bad) { ask_all(source_of(bad)); });
    for (std::size_t reads = 0; reads < 12; ++reads)
        for (std::size_t left = 0; left < good.size(); left += 16)
            ask_all(built::shrinking(good, reads, left));
}
