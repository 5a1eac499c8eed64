// SPDX-License-Identifier: Apache-2.0
#include "given.hpp"

using namespace given;

namespace {

built::Entry newer(std::uint32_t arch, const std::string& version, std::uint64_t flags = 0, bool a = false) {
    built::Entry entry = cubin(arch, flags);
    entry.minor = 8;
    entry.payload = built::cubin_8(arch, version, a);
    return entry;
}

bool has_remark(const BinaryFile& file, const std::string& remark) {
    for (const std::string& one : file.remarks)
        if (one == remark) return true;
    for (const std::string& one : file.remarks) MESSAGE(one);
    return false;
}

}  // namespace

TEST_CASE("deep lists the toolkit of each cubin, and each toolkit once") {
    const std::string code =
        built::fatbin({cubin(80), newer(90, "13.0.88"), newer(120, "12.8.93", built::k_flag_a, true),
                       newer(100, "13.0.88"), built::ptx_entry()});
    const BinaryFile file = inspected(library(code).build(), true);
    CHECK(file.deep);
    CHECK(file.trouble.empty());
    CHECK(file.remarks.empty());
    REQUIRE(file.entries.size() == 5);
    CHECK(file.entries[0].toolkit->text == "12.8");
    CHECK(file.entries[1].toolkit->text == "13.0.88");
    CHECK_FALSE(file.entries[4].toolkit);
    REQUIRE(file.toolkits.size() == 2);
    CHECK(file.toolkits[0].text == "12.8.93");
    CHECK(file.toolkits[1].text == "13.0.88");
}

TEST_CASE("deep reads the beginning of compressed cubins") {
    std::string large = built::cubin_8(90, "13.0.88");
    large.resize(300000, 'c');  // the section headers are beyond what is decompressed
    const std::string code =
        built::fatbin({built::packed(cubin(80), built::cubin_7(80, 118), built::k_flag_lz4),
                       built::packed(newer(90, ""), built::cubin_8(90), built::k_flag_zstd),
                       built::packed(newer(90, ""), large, built::k_flag_lz4)});
    const BinaryFile file = inspected(library(code).build(), true);
    CHECK(file.trouble.empty());
    CHECK(file.remarks.empty());
    REQUIRE(file.toolkits.size() == 2);
    CHECK(file.toolkits[0].text == "11.8");
    CHECK(file.entries[2].toolkit->text == "13.0.88");
}

TEST_CASE("deep reports where a header and its payload differ; the header is kept") {
    built::Entry arch = cubin(80), abi = cubin(86), version = built::ptx_entry(80, 8, 0),
                 target = built::ptx_entry(80, 8, 0), a = newer(120, "13.0.88", 0, true);
    arch.payload = built::cubin_7(90);
    abi.minor = 8;
    version.payload = built::ptx_text("8.4", "sm_80");
    target.payload = built::ptx_text("8.0", "sm_90a");
    const BinaryFile file =
        inspected(library(built::fatbin({arch, abi, version, target, a, arch})).build(), true);
    CHECK(file.trouble.empty());
    CHECK(listed(file) ==
          "cubin sm_80, cubin sm_86, ptx 8.0 sm_80, ptx 8.0 sm_80, cubin sm_120, cubin sm_80");
    CHECK(has_remark(file, "2 entries (first: entry 0): the header says sm_80, the cubin sm_90"));
    CHECK(has_remark(file, "entry 1: the header says ABI 8, the cubin 7"));
    CHECK(has_remark(file, "entry 2: the header says PTX 8.0, the PTX text 8.4"));
    CHECK(has_remark(file, "entry 3: the header says compute_80, the PTX text compute_90a"));
    CHECK(has_remark(file, "entry 4: the header says sm_120, the cubin sm_120a"));
}

TEST_CASE("deep reports an entry that is not what its header says") {
    built::Entry no_ptx = built::ptx_entry(), no_cubin = cubin(80),
                 hidden = cubin(80, built::k_flag_obfuscated), lto = hidden;
    no_ptx.payload = built::cubin_7(80);
    no_cubin.payload = "no cubin, but long enough to hold the header of one, if it were one of them at all";
    lto.kind = 8;
    const BinaryFile file = inspected(library(built::fatbin({no_ptx, no_cubin, hidden, lto})).build(), true);
    REQUIRE(file.entries.size() == 4);
    CHECK(file.entries[0].looks_like == Content::cubin);
    CHECK(has_remark(file, "entry 0: the PTX text has no .version line"));
    CHECK(has_remark(file, "entry 2: it is obfuscated, only the driver can read it"));
    CHECK(file.remarks.size() == 2);  // LTO-IR always is
    CHECK(file.trouble == "entry 1: has no header of one");
}

TEST_CASE("without deep no payload is read") {
    built::Entry wrong = cubin(80);
    wrong.payload = "no cubin";
    const BinaryFile file = inspected(library(built::fatbin({wrong})).build());
    CHECK(file.trouble.empty());
    CHECK(file.toolkits.empty());
}

TEST_CASE("fatbins in large data are listed without deep: a library that has few others loads them") {
    built::Elf elf = library(built::fatbin({cubin(75)}));
    elf.sections.emplace_back(".ldata",
                              std::string(16, 'q') + built::fatbin({cubin(86)}) + std::string(24, 'q'));
    const BinaryFile file = inspected(elf.build());
    CHECK(listed(file) == "cubin sm_75, cubin sm_86");
    CHECK(file.summary.size() == 1);
    REQUIRE(file.entries.size() == 2);
    CHECK_FALSE(file.entries[1].registered);
    CHECK(has_remark(file, "1 entry in .ldata, which the library loads by itself"));
}

TEST_CASE("fatbins in large data of several MB, which is searched meanwhile") {
    built::Elf elf = library(built::fatbin({cubin(75)}));
    elf.sections.emplace_back(
        ".ldata", std::string(2u << 20, 'q') + built::fatbin({cubin(86)}) + built::fatbin({cubin(90)}));
    const BinaryFile file = inspected(elf.build());
    CHECK(listed(file) == "cubin sm_75, cubin sm_86, cubin sm_90");
    REQUIRE(file.entries.size() == 3);
    CHECK(file.entries[0].registered);
    CHECK_FALSE(file.entries[1].registered);
    CHECK(has_remark(file, "2 entries in .ldata, which the library loads by itself"));
}

TEST_CASE("deep lists what a library loads by itself, apart from what is registered") {
    built::Elf elf = library(built::fatbin({cubin(80)}));
    elf.sections.emplace_back(".cask_resource", std::string(16, 'q') +
                                                    built::fatbin({cubin(100, built::k_flag_f)}) +
                                                    std::string(24, 'q') + built::fatbin({cubin(120)}));
    elf.sections.emplace_back(
        ".rodata", std::string(8, 'r') + built::cubin_8(90) + std::string(16, 'r') + built::cubin_7(75));
    CHECK(listed(inspected(elf.build())) == "cubin sm_80");
    const BinaryFile file = inspected(elf.build(), true);
    CHECK(file.trouble.empty());
    CHECK(listed(file) == "cubin sm_80, cubin sm_100f, cubin sm_120, cubin sm_90, cubin sm_75");
    CHECK(file.fatbins == 1);
    CHECK(file.summary.size() == 1);
    CHECK(has_remark(file, "2 entries in .cask_resource, which the library loads by itself"));
    CHECK(has_remark(file, "2 bare cubins in .rodata, which the library loads by itself"));
    REQUIRE(file.entries.size() == 5);
    CHECK(file.entries[0].registered);
    for (std::uint32_t i = 1; i < 5; ++i) {
        CHECK_FALSE(file.entries[i].registered);
        CHECK(file.entries[i].fatbin == i);
    }
    CHECK(file.entries[3].size == built::cubin_8(90).size());
    CHECK(file.sections == std::vector<std::string>{".nv_fatbin", ".cask_resource", ".rodata"});
}

TEST_CASE("code among constants and data is found where nothing is registered, and only there") {
    const std::string text = ".version 8.4\n.target sm_80\n.address_size 64\n.visible .entry k() { ret; }\n";
    built::Elf elf;
    elf.sections = {{".rodata", "usage: .version N\0" + std::string(6, 'r') + text + std::string(9, '\0')},
                    {".data", std::string(16, 'q') + built::fatbin({cubin(90)}) + built::cubin_8(120) +
                                  std::string(8, 'q')}};
    CHECK(inspected(elf.build()).entries.empty());
    const auto searched = [](built::Elf one) {
        FakeHost host;
        host.file("/x/file", one.build());
        InspectOptions options;
        options.search = true;
        Scenario scenario;
        inspect(host, facts(), {"/x/file"}, options, scenario);
        REQUIRE(scenario.binaries.size() == 1);
        return scenario.binaries[0];
    };
    const BinaryFile file = searched(elf);
    CHECK(file.trouble.empty());
    CHECK(listed(file) == "ptx 8.4 sm_80, cubin sm_90, cubin sm_120");
    CHECK(has_remark(file, "1 PTX text in .rodata, which the library loads by itself"));
    CHECK(has_remark(file, "1 bare cubin and 1 entry in .data, which the library loads by itself"));
    for (const DeviceEntry& entry : file.entries) CHECK_FALSE(entry.registered);
    REQUIRE(file.entries.size() == 3);
    CHECK(file.entries[0].size == text.size());

    elf.sections.emplace_back(".nv_fatbin", built::fatbin({cubin(75)}));
    CHECK(listed(searched(elf)) == "cubin sm_75");
}

TEST_CASE("marks of device code without device code are none") {
    built::Elf elf;
    std::string marks;
    for (int i = 0; i < 20000; ++i) marks += ".version 8.0 ";
    const std::string fatbin = built::fatbin({cubin(90)});
    elf.sections = {{".rodata", marks + std::string(8 - marks.size() % 8, ' ') + fatbin.substr(0, 16)},
                    {".data", fatbin.substr(0, fatbin.size() - 24)}};
    const BinaryFile file = inspected(elf.build(), true);
    CHECK(file.entries.empty());
    CHECK(file.trouble.empty());
}

TEST_CASE("a PTX text across the blocks of the search is found once") {
    const std::string text = ".version 8.4\n.target sm_80\n" + std::string(1000, ' ');
    for (const std::size_t before : {65530u, 65536u - 300u, 2u * 65536u - 8u}) {
        built::Elf elf;
        elf.sections = {{".rodata", std::string(before, 'r') + text + std::string(1, '\0')}};
        CHECK(listed(inspected(elf.build(), true)) == "ptx 8.4 sm_80");
    }
}
