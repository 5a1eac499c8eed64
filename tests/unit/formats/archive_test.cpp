// SPDX-License-Identifier: Apache-2.0
#include "formats/archive.hpp"

#include <doctest/doctest.h>

#include "build_archive.hpp"
#include "damage.hpp"

using namespace ptxguard;
using built::member;

namespace {

Archive archive_of(const std::string& bytes) {
    const Result<Archive> archive = read_archive(source_of(bytes));
    REQUIRE(archive);
    return *archive;
}

std::string small_archive() {
    return "!<arch>\n" + member("/", "symbols") +
           member("//", "a_name_of_more_than_16.o/\nanother_quite_long_name.o/\n") +
           member("short.o/", "one") + member("/0", "four") + member("/26", "") + member("blank.o", "x");
}

}  // namespace

TEST_CASE("archive members are read with their names, long ones included, and their offsets") {
    const std::string bytes = small_archive();
    const Archive archive = archive_of(bytes);
    CHECK(archive.trouble.empty());
    CHECK_FALSE(archive.thin);
    REQUIRE(archive.members.size() == 4);
    CHECK(archive.members[0].name == "short.o");
    CHECK(bytes.substr(archive.members[0].offset, archive.members[0].size) == "one");
    CHECK(archive.members[1].name == "a_name_of_more_than_16.o");
    CHECK(bytes.substr(archive.members[1].offset, archive.members[1].size) == "four");
    CHECK(archive.members[2].name == "another_quite_long_name.o");
    CHECK(archive.members[2].size == 0);
    CHECK(archive.members[3].name == "blank.o");
    CHECK_FALSE(archive.members[3].outside);
}

TEST_CASE("BSD names precede the content") {
    const std::string name("lib_with_long_name.o\0\0\0\0", 24);
    const std::string bytes = "!<arch>\n" + member("__.SYMDEF SORTED", "s") +
                              member("#1/24", name + "content") +
                              member("#1/20", std::string("__.SYMDEF\0\0\0\0\0\0\0\0\0\0\0", 20) + "table");
    const Archive archive = archive_of(bytes);
    REQUIRE(archive.members.size() == 1);
    CHECK(archive.members[0].name == "lib_with_long_name.o");
    CHECK(bytes.substr(archive.members[0].offset, archive.members[0].size) == "content");
}

TEST_CASE("a Microsoft library has two tables of symbols and names that end with a zero byte") {
    const std::string bytes = "!<arch>\n" + member("/", "first") + member("/", "second") +
                              member("//", std::string("dir\\long_object_name.obj\0", 25)) +
                              member("/<ECSYMBOLS>/", "ec") + member("/0", "coff");
    const Archive archive = archive_of(bytes);
    REQUIRE(archive.members.size() == 1);
    CHECK(archive.members[0].name == "dir\\long_object_name.obj");
}

TEST_CASE("members of a thin archive are in files next to it, or in another archive") {
    const std::string bytes = "!<thin>\n" + member("/", "symbols") + member("//", "obj/a.o/\nb.a/\n") +
                              member("/0", std::string(1000, 'x'), true) +
                              member("/9:4096", std::string(77, 'x'), true) + member("c.o/", "xyz", true);
    const Archive archive = archive_of(bytes);
    CHECK(archive.thin);
    CHECK(archive.trouble.empty());
    REQUIRE(archive.members.size() == 3);
    CHECK(archive.members[0].name == "obj/a.o");
    CHECK(archive.members[0].outside);
    CHECK(archive.members[0].offset == 0);
    CHECK(archive.members[0].size == 1000);
    CHECK(archive.members[1].name == "b.a");
    CHECK(archive.members[1].offset == 4096 + 60);
    CHECK(archive.members[2].name == "c.o");
    CHECK(archive.members[2].offset == 0);
}

TEST_CASE("what is not an archive is refused, an empty one is read") {
    CHECK_FALSE(read_archive(source_of("")));
    CHECK_FALSE(read_archive(source_of("!<arch>")));
    CHECK_FALSE(read_archive(source_of("\177ELF....")));
    CHECK(archive_of("!<arch>\n").members.empty());
    CHECK(is_archive("!<thin>\nabc"));
    CHECK_FALSE(is_archive("!<arch> "));
}

TEST_CASE("a malformed member ends the reading, and earlier members are kept") {
    const auto trouble = [](const std::string& tail) {
        const Archive archive = archive_of("!<arch>\n" + member("a.o/", "1") + tail);
        CHECK(archive.members.size() >= 1);
        return archive.trouble;
    };
    CHECK(trouble("rest").find("header of a member is cut off") != std::string::npos);
    CHECK(trouble(std::string(60, 'x')).find("no header of a member") != std::string::npos);
    CHECK(trouble(member("b.o/", std::string(100, 'x')).substr(0, 80)).find("go beyond the file's end") !=
          std::string::npos);
    CHECK(trouble(member("/7", "x")).find("not in the table of names: '/7'") != std::string::npos);
    CHECK(trouble(member("#1/900", "x")).find("length of a name is wrong") != std::string::npos);
    CHECK(trouble(member("#1/-4", "x")).find("length of a name is wrong") != std::string::npos);
    CHECK(trouble(member("//", "n/\n") + member("/0:x", "")).find("place of a member is wrong") !=
          std::string::npos);
}

TEST_CASE("an archive cut at any byte, or with any field changed, is handled") {
    const std::string good = small_archive();
    const auto ask = [](const std::string& bytes) {
        const Result<Archive> archive = read_archive(source_of(bytes));
        if (!archive) return;
        for (const ArchiveMember& found : archive->members) {
            CHECK(found.offset <= bytes.size());
            CHECK(found.size <= bytes.size() - found.offset);
        }
    };
    built::cut_at_every_byte(good, ask);
    built::poke_every_field(good, 0, good.size(), ask);
    for (std::size_t reads = 0; reads < 4; ++reads)
        CHECK(read_archive(built::shrinking(good, reads, 30)).trouble().subject.size() < 100);
}

TEST_CASE("an absurd number of members is capped") {
    std::string bytes = "!<arch>\n";
    const std::string one = member("a.o/", "");
    for (int i = 0; i < 140000; ++i) bytes += one;
    const Archive archive = archive_of(bytes);
    CHECK(archive.members.size() == 131072);
    CHECK(archive.trouble.find("more than 131072 members") != std::string::npos);
}
