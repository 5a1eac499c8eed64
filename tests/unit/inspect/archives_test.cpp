// SPDX-License-Identifier: Apache-2.0
#include "given.hpp"

using namespace given;

namespace {

std::string object(std::uint32_t arch) {
    built::Elf elf = library(built::fatbin({cubin(arch)}), "__nv_relfatbin");
    elf.type = 1;
    elf.dynamic = false;
    return elf.build();
}

std::string small_archive() {
    return "!<arch>\n" + built::member("/", "symbols") + built::member("a.o/", object(80)) +
           built::member("host.o/", library("x", ".text").build()) + built::member("readme/", "text") +
           built::member("b.o/", object(90));
}

std::vector<BinaryFile> of(const std::string& bytes) {
    FakeHost host;
    host.file("/x/libx.a", bytes);
    return inspected(host, {"/x/libx.a"});
}

}  // namespace

TEST_CASE("an archive is one file, followed by each member with device code") {
    const std::string bytes = small_archive();
    const std::vector<BinaryFile> files = of(bytes);
    REQUIRE(files.size() == 3);
    CHECK(files[0].path == "/x/libx.a");
    CHECK(files[0].format == FileFormat::archive);
    CHECK(files[0].entries.size() == files[0].fatbins);
    CHECK(files[0].fatbins == 2);
    CHECK(files[0].summary.size() == 2);
    CHECK(files[0].remarks == std::vector<std::string>{"4 members, 2 with device code"});
    CHECK(files[1].path == "/x/libx.a(a.o)");
    CHECK(listed(files[1]) == "cubin sm_80");
    CHECK(files[1].entries[0].relocatable);
    CHECK(bytes.substr(files[1].entries[0].offset, 64) == built::cubin_7(80));
    CHECK(files[2].path == "/x/libx.a(b.o)");
}

TEST_CASE("members of a thin archive are read from the files next to it, a missing one is reported") {
    FakeHost host;
    host.file("/x/obj/a.o", object(80));
    host.file("/x/libt.a", "!<thin>\n" + built::member("//", "obj/a.o/\nobj/gone.o/\n") +
                               built::member("/0", object(80), true) + built::member("/9", object(80), true));
    const std::vector<BinaryFile> files = inspected(host, {"/x/libt.a"});
    REQUIRE(files.size() == 2);
    CHECK(files[0].trouble.find("its member obj/gone.o ") == 0);
    CHECK(files[1].path == "/x/libt.a(obj/a.o)");
    CHECK(listed(files[1]) == "cubin sm_80");
}

TEST_CASE("a thin archive may name a member of another archive") {
    const std::string inner = "!<arch>\n" + built::member("a.o/", object(75));
    FakeHost host;
    host.file("/x/inner.a", inner);
    host.file("/x/libt.a",
              "!<thin>\n" + built::member("//", "inner.a/\n") + built::member("/0:8", object(75), true));
    const std::vector<BinaryFile> files = inspected(host, {"/x/libt.a"});
    REQUIRE(files.size() == 2);
    CHECK(listed(files[1]) == "cubin sm_75");
    CHECK(inner.substr(files[1].entries[0].offset, 64) == built::cubin_7(75));
}

TEST_CASE("archives in archives are read, but not without end or in circles") {
    std::string nested = small_archive();
    nested = "!<arch>\n" + built::member("inner.a/", nested);
    const std::vector<BinaryFile> two = of(nested);
    REQUIRE(two.size() == 4);
    CHECK(two[0].path == "/x/libx.a");
    CHECK(two[0].summary.size() == 2);
    CHECK(two[1].path == "/x/libx.a(inner.a)(a.o)");
    for (int i = 0; i < 4; ++i) nested = "!<arch>\n" + built::member("more.a/", nested);
    std::string troubles;
    for (const BinaryFile& file : of(nested)) troubles += file.trouble;
    CHECK(troubles == "is an archive within archives, deeper than is read");

    FakeHost host;
    std::string circle = "!<thin>\n";
    for (int i = 0; i < 200; ++i) circle += built::member("self.a/", std::string(10, 'x'), true);
    host.file("/x/self.a", circle);
    CHECK(inspected(host, {"/x/self.a"}).size() == 201);
}

TEST_CASE("a damaged member is reported, the others are read") {
    std::string bad = object(80);
    bad.resize(bad.size() - 100);
    const std::vector<BinaryFile> files =
        of("!<arch>\n" + built::member("bad.o/", bad) + built::member("good.o/", object(90)) + "cut");
    REQUIRE(files.size() == 3);
    CHECK(files[0].trouble.find("the header of a member is cut off") != std::string::npos);
    CHECK(files[1].path == "/x/libx.a(bad.o)");
    CHECK_FALSE(files[1].trouble.empty());
    CHECK(files[2].trouble.empty());
    CHECK(listed(files[2]) == "cubin sm_90");
}
