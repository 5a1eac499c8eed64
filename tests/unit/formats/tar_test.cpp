// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "build_archive.hpp"
#include "formats/tar.hpp"

using namespace ptxguard;

namespace {

std::string names_of(const std::string& bytes) {
    std::string all;
    for (const TarMember& member : read_tar(source_of(bytes)).members)
        all += (all.empty() ? "" : " ") + member.name + ":" + bytes.substr(member.offset, member.size);
    return all;
}

const std::string k_two = built::tar(built::tar_member("a/b.so", "one") + built::tar_member("a/", "", '5') +
                                     built::tar_member("c.so", std::string(600, 'x')));

}  // namespace

TEST_CASE("members of a tar archive, without folders and links") {
    CHECK(is_tar(k_two));
    CHECK(names_of(k_two) == "a/b.so:one c.so:" + std::string(600, 'x'));
    CHECK(read_tar(source_of(k_two)).trouble.empty());
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
        const Tar tar = read_tar(source_of(cut));
        CHECK(tar.members.size() <= 2);
        for (const TarMember& member : tar.members) CHECK(member.offset + member.size <= cut.size());
    }
    std::string bad = k_two;
    bad[1024 + 5] = 'y';  // in the second header
    const Tar tar = read_tar(source_of(bad));
    CHECK(tar.members.size() == 1);
    CHECK(tar.trouble == "the header of a member is damaged");
    CHECK(read_tar(source_of(built::tar_member("x", "99999999999999999999 size=1\n", 'x') +
                             built::tar_member("x", "30 size=99999999999999999999\n", 'x') +
                             built::tar_member("y", "1")))
              .members.size() == 1);
}

TEST_CASE("gzip and zstd around bytes, cut off at any byte, or larger than allowed") {
    const std::string bytes(70000, 'z');
    for (const bool gzip : {true, false}) {
        const std::string packed = gzip ? built::gzip(bytes) : built::zstd(bytes);
        const auto unpack = [&](const std::string& input, std::uint64_t most) {
            return gzip ? gunzip(source_of(input), most) : unzstd(source_of(input), most);
        };
        CHECK((gzip ? is_gzip(packed) : is_zstd(packed)));
        const auto whole = unpack(packed, 1u << 20);
        REQUIRE(whole);
        CHECK(*whole == bytes);
        CHECK_FALSE(unpack(packed, 1000));
        for (std::size_t size = 0; size < packed.size(); size += size < 100 ? 1 : 997)
            CHECK_FALSE(unpack(packed.substr(0, size), 1u << 20));
    }
    // Two frames, as multi-threaded compressors write them; a gzip that claims more than it can contain.
    CHECK(*unzstd(source_of(built::zstd("one") + built::zstd("two")), 100) == "onetwo");
    std::string bomb = built::gzip("x");
    bomb.replace(bomb.size() - 4, 4, "\xff\xff\xff\x7f");
    CHECK_FALSE(gunzip(source_of(bomb), std::uint64_t{4} << 30));
}
