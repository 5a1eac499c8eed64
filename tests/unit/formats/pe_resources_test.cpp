// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "build_pe_tables.hpp"
#include "damage.hpp"
#include "formats/pe.hpp"

using namespace ptxguard;
using built::lay_resources;
using built::node;
using built::utf16;
using built::version_resource;

namespace {

std::optional<PeVersionInfo> version_of(const std::string& bytes) {
    return read_pe_version(source_of(bytes), *read_pe(source_of(bytes)));
}
std::optional<std::string> manifest_of(const std::string& bytes) {
    return read_pe_manifest(source_of(bytes), *read_pe(source_of(bytes)));
}

}  // namespace

TEST_CASE("the version of a DLL is read, its company and its description") {
    built::Pe pe;
    lay_resources(pe, {{16, version_resource()}});
    const auto info = version_of(pe.build());
    REQUIRE(info);
    REQUIRE(info->file_version);
    CHECK(info->file_version->text == "6.14.11.12080");
    CHECK(info->company == "NVIDIA Corporation");
    CHECK(info->description ==
          "Gr\xc3\xbc\xc3\x9f"
          "e \xf0\x9f\x98\x80 \xef\xbf\xbd!");
}

TEST_CASE("the manifest of a program is read, in UTF-8 and in UTF-16") {
    built::Pe pe;
    lay_resources(pe, {{16, version_resource()}, {24, "\xef\xbb\xbf<assembly/>"}});
    CHECK(manifest_of(pe.build()) == "<assembly/>");
    pe = {};
    lay_resources(pe, {{24, "\xff\xfe" + utf16(u"<assembly/>")}});
    CHECK(manifest_of(pe.build()) == "<assembly/>");
}

TEST_CASE("a PE file without resources, or without that one, has none") {
    const std::string bare = built::Pe{}.build();
    CHECK_FALSE(version_of(bare));
    CHECK_FALSE(manifest_of(bare));
    built::Pe pe;
    lay_resources(pe, {{16, version_resource()}});
    CHECK_FALSE(manifest_of(pe.build()));
    pe = {};
    lay_resources(pe, {{16, node(u"SOMETHING_ELSE", std::string(52, 'x'), false)}});
    CHECK_FALSE(version_of(pe.build()));
}

TEST_CASE("a version without the fixed part keeps only its texts") {
    built::Pe pe;
    lay_resources(pe, {{16, node(u"VS_VERSION_INFO", std::string(52, 'x'), false)}});
    const auto info = version_of(pe.build());
    REQUIRE(info);
    CHECK_FALSE(info->file_version);
}

TEST_CASE("resources cut at any byte or with any field changed are handled") {
    built::Pe pe;
    lay_resources(pe, {{16, version_resource()}, {24, "<assembly/>"}});
    const auto ask = [](const Source& source) {
        const auto file = read_pe(source);
        if (!file) return;
        (void)read_pe_version(source, *file);
        (void)read_pe_manifest(source, *file);
    };
    const std::string good = pe.build();
    built::cut_at_every_byte(good, [&](const std::string& bad) { ask(source_of(bad)); });
    built::poke_every_field(good, 0x80, good.size(), [&](const std::string& bad) { ask(source_of(bad)); });
    for (std::size_t reads = 0; reads < 16; ++reads)
        for (std::size_t left = 0; left < good.size(); left += 16) ask(built::shrinking(good, reads, left));
}
