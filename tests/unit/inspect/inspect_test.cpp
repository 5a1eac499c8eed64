// SPDX-License-Identifier: Apache-2.0
#include "given.hpp"

using namespace given;

TEST_CASE("a library lists its device code, its machine and the NVIDIA libraries that it needs") {
    const std::string code = built::fatbin({cubin(80), cubin(90, built::k_flag_a)}) +
                             built::fatbin({cubin(80), built::ptx_entry(90, 8, 4)});
    const BinaryFile file = inspected(library(code).build());
    CHECK(file.format == FileFormat::elf);
    CHECK(file.machine == "x86_64");
    CHECK(file.needed == std::vector<std::string>{"libcublas.so.12"});
    CHECK(file.trouble.empty());
    CHECK(file.fatbins == 2);
    CHECK(file.sections == std::vector<std::string>{".nv_fatbin"});
    CHECK(listed(file) == "cubin sm_80, cubin sm_90a, cubin sm_80, ptx 8.4 sm_90");
    REQUIRE(file.summary.size() == 3);
    CHECK(file.summary[0].arch.sm() == "sm_80");
    CHECK(file.summary[0].count == 2);
    CHECK(file.summary[0].fatbins == 2);
    CHECK(file.summary[2].ptx == PtxVersion{8, 4});
    CHECK(file.entries[3].fatbin == 1);
    CHECK_FALSE(file.by_scan);
    CHECK_FALSE(file.deep);
    CHECK_FALSE(file.entries[0].toolkit);
}

TEST_CASE("the offsets of entries count from the start of the file") {
    const std::string bytes = library(built::fatbin({cubin(80)})).build();
    const BinaryFile file = inspected(bytes);
    REQUIRE(file.entries.size() == 1);
    CHECK(bytes.substr(file.entries[0].offset, file.entries[0].size) == built::cubin_7(80));
}

TEST_CASE("relocatable code has a section of its own and comes after what is loaded at once") {
    built::Elf elf = library(built::fatbin({built::ptx_entry(90)}), "__nv_relfatbin");
    elf.sections.emplace_back(".nv_fatbin", built::fatbin({cubin(80)}));
    const BinaryFile file = inspected(elf.build());
    CHECK(file.fatbins == 2);
    CHECK(listed(file) == "cubin sm_80, ptx 8.0 sm_90");
    CHECK(file.sections == std::vector<std::string>{".nv_fatbin", "__nv_relfatbin"});
    REQUIRE(file.entries.size() == 2);
    CHECK_FALSE(file.entries[0].relocatable);
    CHECK(file.entries[1].relocatable);
    CHECK(file.entries[1].section == 1);
    CHECK(file.entries[1].fatbin == 1);
}

TEST_CASE("a file of another machine is read too, one without device code is empty") {
    built::Elf elf = library(built::fatbin({cubin(87)}));
    elf.machine = 183;
    CHECK(inspected(elf.build()).machine == "aarch64");
    const BinaryFile none = inspected(library("x", ".text").build());
    CHECK(none.entries.empty());
    CHECK(none.trouble.empty());
    CHECK(none.fatbins == 0);
}

TEST_CASE("a DLL lists its device code under the truncated section names") {
    built::Pe dll;
    const std::string code = built::fatbin({cubin(89), built::ptx_entry(89)});
    dll.more = {{".nv_fatb", code}, {"__nv_rel", built::fatbin({cubin(86)})}};
    const BinaryFile file = inspected(dll.build());
    CHECK(file.format == FileFormat::pe);
    CHECK(file.machine == "x86_64");
    CHECK(file.trouble.empty());
    CHECK(file.fatbins == 2);
    CHECK(listed(file) == "cubin sm_89, ptx 8.0 sm_89, cubin sm_86");
    REQUIRE(file.entries.size() == 3);
    CHECK(file.entries[2].relocatable);
}

TEST_CASE("fatbin files may be concatenated") {
    const BinaryFile file =
        inspected(built::fatbin({cubin(80)}) + built::fatbin({cubin(90), built::ptx_entry(90)}));
    CHECK(file.format == FileFormat::fatbin);
    CHECK(file.machine.empty());
    CHECK(file.fatbins == 2);
    CHECK(listed(file) == "cubin sm_80, cubin sm_90, ptx 8.0 sm_90");
    REQUIRE(file.sections.size() == 1);
    CHECK(file.sections[0].empty());
}

TEST_CASE("a bare cubin is one entry, for the architecture in its header") {
    const BinaryFile old = inspected(built::cubin_7(86, 118));
    CHECK(old.format == FileFormat::cubin);
    CHECK(listed(old) == "cubin sm_86");
    CHECK(old.fatbins == 1);
    REQUIRE(old.entries[0].toolkit);
    CHECK(old.entries[0].toolkit->text == "11.8");
    CHECK(listed(inspected(built::cubin_8(120, "13.0.88", true))) == "cubin sm_120a");
    CHECK(listed(inspected(built::cubin_8(100, "13.0.88", false, "-arch sm_100f -m 64"))) == "cubin sm_100f");
    // Options of something else have no effect.
    CHECK(listed(inspected(built::cubin_8(100, "13.0.88", false, "-arch sm_103f"))) == "cubin sm_100");
}

TEST_CASE("a PTX text is one entry, also after a long comment") {
    const BinaryFile file =
        inspected("// Cuda compilation tools, release 12.8, V12.8.93\n" + built::ptx_text("8.7", "sm_120"));
    CHECK(file.format == FileFormat::ptx);
    CHECK(listed(file) == "ptx 8.7 sm_120");
    REQUIRE(file.entries[0].toolkit);
    CHECK(file.entries[0].toolkit->text == "12.8.93");
    CHECK(listed(inspected("/*" + std::string(9000, 'l') + "*/" + built::ptx_text())) == "ptx 8.0 sm_80");
    CHECK(inspected(".version 8.0\nno target").trouble == "the PTX text has no .target line behind .version");
}

TEST_CASE("LTO-IR outside a container is recognized") {
    const BinaryFile file = inspected(std::string("\xed\x43\x4e\x7f", 4) + "rest");
    CHECK(file.looks_like == Content::ltoir);
    CHECK(file.trouble.empty());
    CHECK(listed(file) == "ltoir sm_0");
    CHECK(file.toolkits.empty());
}

TEST_CASE("LTO-IR has the CUDA release that wrote it") {
    const BinaryFile file = inspected(std::string("\xed\x43\x4e\x7f\x01\x40\x02\x5d", 8) + "rest");
    CHECK(file.entries.at(0).ir->text() == "1.64");
    REQUIRE(file.toolkits.size() == 1);
    CHECK(file.toolkits[0].text == "12.9");
    CHECK(inspected(std::string("\xed\x43\x4e\x7f\x01", 5)).trouble == "is cut off in its header");
    CHECK(inspected(std::string("\xed\x43\x4e\x7f\x01\x40", 6)).toolkits.empty());
}

TEST_CASE("fatbins of a file without section headers are found by their magic numbers") {
    built::Elf elf = library(built::fatbin({cubin(80)}) + built::fatbin({built::ptx_entry(90)}));
    elf.section_headers = false;
    const BinaryFile file = inspected(elf.build());
    CHECK(file.by_scan);
    CHECK(file.fatbins == 2);
    CHECK(listed(file) == "cubin sm_80, ptx 8.0 sm_90");
    REQUIRE(file.remarks.size() == 1);
    CHECK(file.remarks[0] == "section headers are missing; fatbins were found by their marks");
    built::Elf none = library("no code", ".text");
    none.section_headers = false;
    CHECK(inspected(none.build()).entries.empty());
    CHECK(inspected(none.build()).remarks.empty());
}

TEST_CASE("a file of no known format is recognized by its first bytes") {
    const auto guess = [](const std::string& bytes) { return inspected(bytes).looks_like; };
    CHECK(guess("version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\n") == Content::git_lfs);
    CHECK(guess("<!DOCTYPE html>\n<html><head>") == Content::html);
    CHECK(guess(std::string("\xff\xfe.\0v\0", 6)) == Content::utf16);
    CHECK(guess("; ModuleID = 'a.ll'") == Content::llvm_ir);
    CHECK(guess("#include <cuda.h>\n") == Content::text);
    CHECK(guess(std::string(64, '\0')) == Content::zeros);
    CHECK(guess("MZ is not enough") == Content::dos);
    CHECK(guess("\x01\x02\x03\x04") == Content::unknown);
    CHECK(inspected("#include <cuda.h>\n").trouble ==
          "is not an ELF, PE, archive, fatbin, cubin or PTX file; it looks like text");
    CHECK(inspected("#include <cuda.h>\n").format == FileFormat::unknown);
    CHECK(inspected("\x01\x02").trouble == "is not an ELF, PE, archive, fatbin, cubin or PTX file");
}

TEST_CASE("a fatbin of a file with only host code is empty: nothing in it is run") {
    built::Entry stub = cubin(52), text = built::ptx_entry(52, 8, 8);
    stub.minor = 8;
    stub.payload = built::empty_cubin_8(52);
    text = built::packed(text, built::ptx_text("8.8", "sm_52", ""), built::k_flag_lz4);
    const std::string empty = built::fatbin({stub, text});
    const BinaryFile only = inspected(library(empty + empty).build());
    CHECK(listed(only) == "cubin sm_52, ptx 8.8 sm_52, cubin sm_52, ptx 8.8 sm_52");
    CHECK(only.summary.empty());
    CHECK(fatbin_kinds(only.entries).empty());
    CHECK(only.fatbins == 2);
    REQUIRE(only.remarks.size() == 1);
    CHECK(only.remarks.front() ==
          "2 fatbins have no function and no variable, as nvcc makes for host code: nothing in them is run");

    const BinaryFile beside = inspected(library(empty + built::fatbin({cubin(80)})).build());
    REQUIRE(beside.entries.size() == 3);
    CHECK(beside.entries[1].empty);
    CHECK_FALSE(beside.entries[2].empty);
    CHECK(beside.summary.size() == 1);
    CHECK(beside.remarks.size() == 1);
}

TEST_CASE("of thousands of fatbins, which several threads unpack, each is marked by its own entries") {
    built::Entry stub = cubin(52);
    stub.minor = 8;
    stub.payload = built::empty_cubin_8(52);
    const std::string empty = built::fatbin({stub}), full = built::fatbin({cubin(80)});
    std::string all;
    for (int i = 0; i < 1500; ++i) all += i % 3 == 0 ? empty : full;
    const BinaryFile file = inspected(library(all).build());
    REQUIRE(file.entries.size() == 1500);
    bool right = true;
    for (std::size_t i = 0; i < 1500; ++i) right = right && file.entries[i].empty == (i % 3 == 0);
    CHECK(right);
    REQUIRE(file.remarks.size() == 1);
    CHECK(file.remarks.front().substr(0, 11) == "500 fatbins");
}

TEST_CASE("a fatbin with one entry that is not empty is run as a whole") {
    built::Entry stub = cubin(52), hidden = cubin(60, built::k_flag_obfuscated);
    stub.minor = hidden.minor = 8;
    stub.payload = hidden.payload = built::empty_cubin_8(52);
    for (const built::Entry& other : {built::ptx_entry(), cubin(80), hidden}) {
        const BinaryFile file = inspected(library(built::fatbin({stub, other})).build());
        CHECK_FALSE(file.entries[0].empty);
        CHECK(file.summary.size() == 2);
        CHECK(file.remarks.empty());
    }
}
