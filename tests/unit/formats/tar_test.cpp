// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "build_archive.hpp"
#include "formats/tar.hpp"

using namespace ptxguard;

namespace {

struct Tar {
    std::vector<TarMember> members;
    std::string trouble;
};

Tar read_tar(const std::string& bytes) {
    TarReader reader(source_of(bytes));
    Tar tar;
    while (auto member = reader.next()) tar.members.push_back(std::move(*member));
    tar.trouble = reader.trouble();
    return tar;
}

std::string names_of(const std::string& bytes) {
    std::string all;
    for (const TarMember& member : read_tar(bytes).members)
        all += (all.empty() ? "" : " ") + member.name + ":" + bytes.substr(member.offset, member.size);
    return all;
}

// "" with the reason.
struct Unpacked {
    std::string bytes, trouble;
};

Unpacked unpacked(bool gzip, const std::string& packed, std::uint64_t most) {
    const Source source = source_of(packed);
    if (gzip) {
        const auto size = gunzipped_size(source);
        if (!size || *size > most) return {"", "too large"};
        const auto bytes = gunzip(source, *size);
        return {bytes ? *bytes : "", bytes ? "" : bytes.trouble().what};
    }
    std::uint64_t left = most;
    const Unzstd stream(source, left);
    std::string bytes = read_bytes(stream.source(), 0, 1u << 20);
    CHECK(left + bytes.size() == most);
    return {stream.trouble().empty() ? bytes : "", stream.trouble()};
}

const std::string k_two = built::tar(built::tar_member("a/b.so", "one") + built::tar_member("a/", "", '5') +
                                     built::tar_member("c.so", std::string(600, 'x')));

}  // namespace

TEST_CASE("members of a tar archive, without folders and links") {
    CHECK(is_tar(k_two));
    CHECK(names_of(k_two) == "a/b.so:one c.so:" + std::string(600, 'x'));
    CHECK(read_tar(k_two).trouble.empty());
    CHECK_FALSE(is_tar(std::string(512, '\0')));
    CHECK_FALSE(is_tar(std::string(512, 'a')));
}

TEST_CASE("long names of GNU tar and of pax, and a size of pax") {
    const std::string name = std::string(200, 'd') + "/lib.so";
    CHECK(names_of(built::tar_member("././@LongLink", name + '\0', 'L') + built::tar_member("cut", "1")) ==
          name + ":1");
    const std::string path = "path=" + name + "\n";
    const std::string record = std::to_string(path.size() + 4) + " " + path;
    CHECK(names_of(built::tar_member("x", record, 'x') + built::tar_member("cut", "1") +
                   built::tar_member("next", "2")) == name + ":1 next:2");
    CHECK(names_of(built::tar_member("x", "10 size=4\n", 'x') + built::tar_member("sized", "four")) ==
          "sized:four");
}

TEST_CASE("a tar archive that is cut off at any byte, or damaged, keeps what was read") {
    for (std::size_t size = 0; size < k_two.size(); size += size < 1100 ? 1 : 101) {
        const std::string cut = k_two.substr(0, size);
        const Tar tar = read_tar(cut);
        CHECK(tar.members.size() <= 2);
        for (const TarMember& member : tar.members) CHECK(member.offset + member.size <= cut.size());
    }
    std::string bad = k_two;
    bad[1024 + 5] = 'y';  // in the second header
    const Tar tar = read_tar(bad);
    CHECK(tar.members.size() == 1);
    CHECK(tar.trouble == "the header of a member is damaged");
    CHECK(read_tar(built::tar_member("x", "99999999999999999999 size=1\n", 'x') +
                   built::tar_member("x", "30 size=99999999999999999999\n", 'x') +
                   built::tar_member("y", "1"))
              .members.size() == 1);
}

TEST_CASE("gzip and zstd around bytes, cut off at any byte, or larger than allowed") {
    const std::string bytes(70000, 'z');
    for (const bool gzip : {true, false}) {
        const std::string packed = gzip ? built::gzip(bytes) : built::zstd(bytes);
        CHECK((gzip ? is_gzip(packed) : is_zstd(packed)));
        CHECK(unpacked(gzip, packed, 1u << 20).bytes == bytes);
        CHECK(unpacked(gzip, packed, bytes.size()).bytes == bytes);
        CHECK_FALSE(unpacked(gzip, packed, bytes.size() - 1).trouble.empty());
        for (std::size_t size = 0; size < packed.size(); size += size < 100 ? 1 : 997)
            CHECK_FALSE(unpacked(gzip, packed.substr(0, size), 1u << 20).trouble.empty());
    }
    // Two frames, as multi-threaded compressors write them; a gzip that claims more than it can contain.
    CHECK(unpacked(false, built::zstd("one") + built::zstd("two"), 100).bytes == "onetwo");
    std::string bomb = built::gzip("x");
    bomb.replace(bomb.size() - 4, 4, "\xff\xff\xff\x7f");
    CHECK_FALSE(unpacked(true, bomb, std::uint64_t{4} << 30).trouble.empty());
}

TEST_CASE("a zstd stream is read forwards, in any steps, and no further than asked") {
    std::string bytes;
    for (int i = 0; i < 100000; ++i) bytes += std::to_string(i);
    const std::string packed = built::zstd(bytes.substr(0, 300000)) + built::zstd(bytes.substr(300000));
    std::uint64_t left = bytes.size();
    const Source packed_source = source_of(packed);
    const Unzstd stream(packed_source, left);
    std::size_t at = 0;
    for (const std::size_t step : {1u, 511u, 70000u, 200000u, 1u}) {
        CHECK(read_bytes(stream.source(), at, step) == bytes.substr(at, step));
        at += step;
        CHECK(left == bytes.size() - at);
    }
    CHECK(read_bytes(stream.source(), 0, 1).empty());
    CHECK(read_bytes(stream.source(), 400000, 10) == bytes.substr(400000, 10));
    CHECK(stream.unpacked() == 400010);
    CHECK(read_bytes(stream.source(), bytes.size() - 3, 100) == bytes.substr(bytes.size() - 3));
    CHECK(stream.trouble().empty());
}
