// The PTX texts of a file, for compiling them.
// SPDX-License-Identifier: Apache-2.0
#include "given.hpp"

using namespace given;

namespace {

std::string text(const char* version, int arch, const std::string& body) {
    return std::string(".version ") + version + "\n.target sm_" + std::to_string(arch) +
           "\n.address_size 64\n" + body + "\n";
}

Result<std::vector<PtxText>> texts_of(const std::string& bytes) {
    FakeHost host;
    host.file("/x/file", bytes);
    return ptx_texts(host, facts(), "/x/file");
}

}  // namespace

TEST_CASE("a bare PTX file is its own text") {
    const std::string whole = text("8.4", 80, ".visible .entry k() { ret; }");
    const auto texts = texts_of(whole);
    REQUIRE(texts);
    REQUIRE(texts->size() == 1);
    CHECK((*texts)[0].text + "\n" == whole + "\n");
    CHECK((*texts)[0].version.text() == "8.4");
    CHECK((*texts)[0].target.sm() == "sm_80");
    CHECK((*texts)[0].where.empty());
}

TEST_CASE("cubins are not PTX, and a text file is an error") {
    const auto none = texts_of(library(built::fatbin({cubin(80)})).build());
    REQUIRE(none);
    CHECK(none->empty());
    CHECK_FALSE(texts_of("hello, world\n"));
    FakeHost host;
    CHECK_FALSE(ptx_texts(host, facts(), "/nowhere"));
}

TEST_CASE("the smallest text of each target and version is used") {
    built::Entry large = built::ptx_entry(80);
    large.payload = built::ptx_text() + std::string(4096, '\n');
    const auto texts = texts_of(
        library(built::fatbin({cubin(80), large, built::ptx_entry(80), built::ptx_entry(90)})).build());
    REQUIRE(texts);
    REQUIRE(texts->size() == 2);
    CHECK((*texts)[0].target.sm() == "sm_80");
    CHECK((*texts)[0].where == "the smallest of 2 PTX texts");
    CHECK((*texts)[0].text.size() < 4096);
    CHECK((*texts)[0].text.find('\0') == std::string::npos);
    CHECK((*texts)[1].target.sm() == "sm_90");
    CHECK((*texts)[1].where == "its only PTX of this kind");
}

TEST_CASE("a compressed text is decompressed") {
    const auto texts = texts_of(library(built::fatbin({built::packed(built::ptx_entry(80, 8, 4),
                                                                     built::ptx_text(), built::k_flag_lz4)}))
                                    .build());
    REQUIRE(texts);
    REQUIRE(texts->size() == 1);
    CHECK((*texts)[0].version.text() == "8.4");
    CHECK((*texts)[0].text.find(".entry") != std::string::npos);
}

namespace {

built::Entry ir_entry(std::uint16_t kind, std::uint32_t arch, const std::string& payload,
                      std::uint64_t flags = 0) {
    built::Entry entry;
    entry.kind = kind;
    entry.arch = arch;
    entry.major = kind == 8 ? 1 : 0x0d02;
    entry.minor = kind == 8 ? 65 : 0;
    entry.flags |= flags;
    entry.payload = payload;
    return entry;
}
constexpr std::uint16_t k_ltoir = 8, k_tileir = 0x80;

CodeOfFile code_of(const std::string& bytes, const std::vector<Arch>& gpus) {
    FakeHost host;
    host.file("/x/file", bytes);
    return code_to_compile(host, facts(), "/x/file", gpus, 512);
}

// "ptx sm_80 for sm_90, ltoir sm_0 for sm_90"
std::string chosen(const CodeOfFile& code) {
    std::string text;
    for (const CodeToCompile& one : code.texts)
        text += (text.empty() ? "" : ", ") + std::string(to_string(one.code.code)) + " " +
                one.code.target.sm() + " for " + one.arch.sm();
    return text;
}

}  // namespace

TEST_CASE("Tile IR is compiled if no cubin fits, like PTX; LTO-IR wherever it is linked") {
    const std::string with_cubin =
        built::fatbin({cubin(90), ir_entry(k_tileir, 80, "tile"), ir_entry(k_ltoir, 80, "lto")});
    CHECK(chosen(code_of(library(with_cubin).build(), {{90, 0}})) == "ltoir sm_80 for sm_90");
    CHECK(chosen(code_of(library(with_cubin).build(), {{120, 0}})) ==
          "tileir sm_80 for sm_120, ltoir sm_80 for sm_120");
    CHECK(chosen(code_of(library(with_cubin).build(), {{75, 0}})).empty());
    const std::string two =
        built::fatbin({ir_entry(k_ltoir, 80, "old"), ir_entry(k_ltoir, 90, "new"), built::ptx_entry(80)});
    CHECK(chosen(code_of(library(two).build(), {{100, 0}})) ==
          "ltoir sm_90 for sm_100, ptx sm_80 for sm_100");
}

TEST_CASE("code that nvcc obfuscates is passed in a fatbin of its own, unchanged") {
    const built::Entry hidden = ir_entry(k_ltoir, 80, "#secret#", built::k_flag_obfuscated);
    const std::string bytes = library(built::fatbin({cubin(80), hidden}), "__nv_relfatbin").build();
    const CodeOfFile code = code_of(bytes, {{80, 0}});
    REQUIRE(code.texts.size() == 1);
    CHECK(code.texts[0].code.text == built::fatbin({hidden}));
    CHECK(code.texts[0].code.version == PtxVersion{1, 65});
    const auto texts = texts_of(bytes);
    REQUIRE(texts);
    REQUIRE(texts->size() == 1);
    CHECK((*texts)[0].text == built::fatbin({hidden}));
}

TEST_CASE("a file of IR is compiled for the named GPUs, and not at all without them") {
    const std::string bytecode("\x7fTileIR\0\x0d\x02\0\0rest", 16);
    CHECK(chosen(code_of(bytecode, {{90, 0}, {100, 0}})) == "tileir sm_0 for sm_90, tileir sm_0 for sm_100");
    const CodeOfFile without = code_of(bytecode, {});
    CHECK(without.texts.empty());
    CHECK(without.without_target == 1);
}

TEST_CASE("texts among constants follow each other without a zero byte, and of a kernel the oldest counts") {
    const auto given = [](const std::string& constants) {
        FakeHost host;
        host.file("/x/file", library(constants, ".rodata").build());
        return texts_for_driver(host, "/x/file");
    };
    const std::string old = text("8.5", 80, ".visible .entry cast_f32(\n) { ret; }"),
                      newer = text("8.7", 89, ".visible .entry cast_bf16() { ret; }");
    CHECK_FALSE(given("no PTX").ptx);
    CHECK(given("a" + old + "b").ptx->text() == "8.5");
    const TextsForDriver both = given("//\n" + old + newer);
    CHECK(both.ptx->text() == "8.7");
    REQUIRE(both.targets.size() == 2);
    CHECK((both.targets[1].arch.sm() == "sm_89" && both.targets[1].ptx && !both.targets[1].real));
    const std::string again = text("8.7", 80, ".visible .entry cast_f32() { ret; }");
    CHECK(given(old + again).ptx->text() == "8.5");
    CHECK(given(again + old).ptx->text() == "8.5");
    CHECK(given(text("8.7", 80, ".func helper() { ret; }")).ptx.value == std::nullopt);
}
