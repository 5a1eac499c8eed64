// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "build_pe.hpp"
#include "damage.hpp"
#include "formats/pe.hpp"

using namespace ptxguard;
using built::add;

namespace {

std::string utf16(const std::u16string& text) {
    std::string bytes;
    for (const char16_t unit : text) add(bytes, unit, 2);
    return bytes;
}

std::string node(const std::u16string& name, const std::string& value, bool text,
                 const std::string& children = {}) {
    std::string bytes;
    add(bytes, 0, 2);
    add(bytes, text ? value.size() / 2 : value.size(), 2);
    add(bytes, text ? 1 : 0, 2);
    bytes += utf16(name) + std::string(2, '\0');
    bytes.resize((bytes.size() + 3) / 4 * 4, '\0');
    bytes += value;
    if (!children.empty()) bytes.resize((bytes.size() + 3) / 4 * 4, '\0');
    bytes += children;
    built::put(bytes, 0, bytes.size(), 2);
    bytes.resize((bytes.size() + 3) / 4 * 4, '\0');
    return bytes;
}

std::string version_resource() {
    std::string fixed;
    add(fixed, 0xfeef04bd, 4);
    add(fixed, 0x10000, 4);
    for (const std::uint32_t number : {6u << 16 | 14u, 11u << 16 | 12080u, 12u << 16 | 8u, 61u << 16 | 0u})
        add(fixed, number, 4);
    fixed.resize(52, '\0');
    const auto text = [](const std::u16string& name, const std::u16string& value) {
        return node(name, utf16(value) + std::string(2, '\0'), true);
    };
    const std::string texts = text(u"CompanyName", u"NVIDIA Corporation") +
                              text(u"FileDescription", u"Gr\u00fc\u00dfe \U0001F600 \xd800!") +
                              text(u"FileVersion", u"6,14,11,12080") +
                              text(u"OriginalFilename", u"cublas64_12.dll") +
                              text(u"ProductVersion", u"12.8.61") + text(u"ProductName", u"NVIDIA CUDA 12.8");
    return node(u"VS_VERSION_INFO", fixed, false,
                node(u"VarFileInfo", "", true) +
                    node(u"StringFileInfo", "", true, node(u"040904b0", "", true, texts)));
}

// Resources of one type each, in one language.
void lay_resources(built::Pe& pe, const std::vector<std::pair<std::uint32_t, std::string>>& resources) {
    const std::size_t per = (16 + 8) * 2 + 16;
    const std::size_t root = 16 + 8 * resources.size();
    std::string tree(12, '\0');
    add(tree, 0, 2);
    add(tree, resources.size(), 2);
    std::vector<std::uint32_t> at;
    for (const auto& [type, bytes] : resources) at.push_back(pe.lay(bytes));
    for (std::size_t i = 0; i < resources.size(); ++i) {
        add(tree, resources[i].first, 4);
        add(tree, 0x80000000 | (root + i * per), 4);
    }
    for (std::size_t i = 0; i < resources.size(); ++i) {
        for (const std::uint64_t next : {0x80000000 | (root + i * per + 24), root + i * per + 48}) {
            tree.resize(tree.size() + 12, '\0');
            add(tree, 0, 2);
            add(tree, 1, 2);
            add(tree, 1, 4);
            add(tree, next, 4);
        }
        add(tree, at[i], 4);
        add(tree, resources[i].second.size(), 4);
        add(tree, 0, 8);
    }
    const std::uint32_t place = pe.lay(tree);
    pe.directories[2] = {place, static_cast<std::uint32_t>(tree.size())};
}

std::optional<PeVersionInfo> version_of(const std::string& bytes) {
    return read_pe_version(source_of(bytes), *read_pe(source_of(bytes)));
}
std::optional<std::string> manifest_of(const std::string& bytes) {
    return read_pe_manifest(source_of(bytes), *read_pe(source_of(bytes)));
}

}  // namespace

TEST_CASE("the version of a DLL is read, numbers and texts") {
    built::Pe pe;
    lay_resources(pe, {{16, version_resource()}});
    const auto info = version_of(pe.build());
    REQUIRE(info);
    REQUIRE(info->file_version);
    CHECK(info->file_version->text == "6.14.11.12080");
    REQUIRE(info->product_version);
    CHECK(info->product_version->numbers == std::vector<int>{12, 8, 61, 0});
    CHECK(info->company == "NVIDIA Corporation");
    CHECK(info->original_name == "cublas64_12.dll");
    CHECK(info->file_version_text == "6,14,11,12080");
    CHECK(info->product_version_text == "12.8.61");
    CHECK(info->product == "NVIDIA CUDA 12.8");
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

TEST_CASE("a version without the fixed part keeps its texts alone") {
    built::Pe pe;
    lay_resources(pe, {{16, node(u"VS_VERSION_INFO", std::string(52, 'x'), false)}});
    const auto info = version_of(pe.build());
    REQUIRE(info);
    CHECK_FALSE(info->file_version);
}

TEST_CASE("resources cut at any byte or wrong in any field are survived") {
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
