// Bytes by Python's zlib and zipfile.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "formats/zip.hpp"

namespace ptxguard {
namespace {

std::string bytes_of(const std::string& hex) {
    std::string bytes;
    for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
        bytes.push_back(static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16)));
    return bytes;
}

// Runs of two letters between letters of a generator: literals, lengths and distances of all kinds.
std::string text(std::size_t size) {
    std::string all;
    std::uint32_t x = 1;
    for (std::size_t i = 0; i < size; ++i) {
        x = (x * 1103515245u + 12345u) & 0x7fffffffu;
        all.push_back(i % 40 < 25 ? "abcdefgh_()*"[(x >> 16) % 12] : "xy"[i % 2]);
    }
    return all;
}

const std::string k_dynamic = bytes_of(
    "6591c97104400803d30192a2b82442b0b337fbf46ccd3cbb841a4a65d7d8c1b40898b4b0d4ba7f7ffe3d77e92db1a2f8"
    "18958bdc5deac319336637030e89cd6a4f36856f5e95803739b3d48f9e0317f295d7a2ba870cafe1e60db7f2107bb8e6"
    "894407926a35aebdaea2e36fde59c67628cd2da15ae6d9d07a383476086b5624f2e2782ea879b8a00830de9d276c637d"
    "e233fd7adc1618207039669fd029effcea7701d7cb7623456bcec0728fc5db0f76df11156c6767d56793fbde4d5df2ce"
    "9571236f414e5900deafc78ca92945d746ef681f0505f97225952bc9ab89de4c13caadb1de7bfc01");
const std::string k_fixed = bytes_of(
    "4bd6d4c8c8d04a4f494c4fd24a4c4cd3d248d1484fd6d44a49a9ac4081f1f11a2919c91a5ac9e91af1a95ae99ae91969"
    "4900");
const std::string k_stored = bytes_of(
    "013c00c3ff63292868682a67646167622a6161662a2864286763292a64647978797879787978797879787978795f5f28"
    "646863282a6367285f652a672967686662");
const std::string k_zip = bytes_of(
    "504b030414000000080000002150455f21cb810000002c01000009000000706b672f5f432e736f658fcb8d03500803db"
    "019a427ced12b2dd2fd7bcc8d7d1d82e15d2d081b488356941a975ff7dbee22ecd122b888f41c14d92d08733640c99b1"
    "be12cc6a4f3404afaf4a16d79c59ea47cf815cf9f1b5a8f290c12d645eb99587d8c335ee48746c42adc6b5e92a3afefa"
    "ee65b043616eb9aa659ebd5a0fb7bd1cac352a72f374c87f504b03041400000000000000215018fac5e2140000001400"
    "000009000000706b672f612e70747863292868682a67646167622a6161662a28642867504b0102140314000000080000"
    "002150455f21cb810000002c010000090000000000000000000000800100000000706b672f5f432e736f504b01021403"
    "1400000000000000215018fac5e214000000140000000900000000000000000000008001a8000000706b672f612e7074"
    "78504b050600000000020002006e000000e30000000000");

std::string unpacked(const std::string& packed, std::size_t size) {
    const auto bytes = inflate(source_of(packed), size);
    return bytes ? *bytes : "";
}

}  // namespace

TEST_CASE("the three kinds of blocks are read") {
    CHECK(unpacked(k_dynamic, 600) == text(600));
    CHECK(unpacked(k_fixed, 60) == text(60));
    CHECK(unpacked(k_stored, 60) == text(60));
}

TEST_CASE("Another size than the stream's is an error, and allocates nothing") {
    CHECK_FALSE(inflate(source_of(k_dynamic), 599));
    CHECK_FALSE(inflate(source_of(k_dynamic), 601));
    CHECK_FALSE(inflate(source_of(k_dynamic), std::uint64_t{1} << 40));
    CHECK_FALSE(inflate(source_of(""), 1));
}

TEST_CASE("no stream has more than 1032 bytes for each of its own") {
    const auto why = [](std::uint64_t size) { return inflate(source_of("x"), size).trouble().what; };
    CHECK(why(2063) == "is damaged");
    CHECK(why(2064) == "says a size that it cannot have");
}

TEST_CASE("a damaged stream is refused or gives other bytes, never more of them") {
    for (std::size_t i = 0; i < k_dynamic.size(); ++i) {
        CHECK_FALSE(inflate(source_of(k_dynamic.substr(0, i)), 600));
        std::string damaged = k_dynamic;
        damaged[i] = static_cast<char>(damaged[i] ^ 0x55);
        const auto bytes = inflate(source_of(damaged), 600);
        CHECK((!bytes || bytes->size() == 600));
    }
}

TEST_CASE("members of a zip file") {
    const Source source = source_of(k_zip);
    REQUIRE(is_zip(k_zip));
    const auto members = read_zip(source);
    REQUIRE(members);
    REQUIRE(members->size() == 2);
    const ZipMember& first = members->front();
    CHECK(first.name == "pkg/_C.so");
    CHECK(first.method == 8);
    const auto packed = packed_bytes(source, first);
    REQUIRE(packed);
    CHECK(*inflate(*packed, first.size) == text(300));
    const ZipMember& second = members->back();
    CHECK(second.method == 0);
    CHECK(read_bytes(*packed_bytes(source, second), 0, 100) == text(20));
}

TEST_CASE("a zip file that is truncated or damaged is refused, or its members are inside it") {
    for (std::size_t i = 0; i < k_zip.size(); ++i) {
        CHECK_FALSE(read_zip(source_of(k_zip.substr(0, i))));
        for (const int bits : {0xff, 0x80, 1}) {
            std::string damaged = k_zip;
            damaged[i] = static_cast<char>(damaged[i] ^ bits);
            const Source source = source_of(damaged);
            const auto members = read_zip(source);
            for (const ZipMember& member : members ? *members : std::vector<ZipMember>())
                if (const auto packed = packed_bytes(source, member)) CHECK(packed->size <= damaged.size());
        }
    }
}

}  // namespace ptxguard
