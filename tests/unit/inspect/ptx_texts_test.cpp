// The PTX texts of a file, for those who compile them.
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

TEST_CASE("cubins alone are no PTX, and a text file is trouble") {
    const auto none = texts_of(library(built::fatbin({cubin(80)})).build());
    REQUIRE(none);
    CHECK(none->empty());
    CHECK_FALSE(texts_of("hello, world\n"));
    FakeHost host;
    CHECK_FALSE(ptx_texts(host, facts(), "/nowhere"));
}

TEST_CASE("of each target and version the smallest text is taken") {
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
