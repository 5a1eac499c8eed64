// SPDX-License-Identifier: Apache-2.0
#include "../host/temporary.hpp"
#include "given.hpp"

using namespace given;

namespace {

std::string read(const std::string& path) { return *real_host()->read(path); }

FakeHost host_with(const std::string& bytes) {
    FakeHost host;
    host.file("/x/libx.so", bytes);
    return host;
}

Result<std::vector<std::string>> extract(const Host& host, const std::string& path, const std::string& sm,
                                         const std::string& folder) {
    Extracted so_far;
    return extract(host, path, sm, folder, so_far);
}

std::string some_library() {
    return library(
               built::fatbin({cubin(80), cubin(90, built::k_flag_a), built::ptx_entry(90, 8, 0), cubin(90)}))
        .build();
}

}  // namespace

TEST_CASE("payloads of one architecture are written, each to its own file") {
    const Temporary folder;
    const FakeHost host = host_with(some_library());
    const auto written = extract(host, "/x/libx.so", "sm_90a", folder / "out");
    REQUIRE(written);
    REQUIRE(written->size() == 1);
    CHECK((*written)[0] == folder / "out/libx.so.1.sm_90a.cubin");
    CHECK(read((*written)[0]) == built::cubin_7(90));

    const auto ptx = extract(host, "/x/libx.so", "compute_90", folder.path);
    REQUIRE(ptx);
    REQUIRE(ptx->size() == 1);
    CHECK((*ptx)[0] == folder / "libx.so.2.compute_90.ptx");
    CHECK(read((*ptx)[0]) == built::ptx_text().substr(0, 2) + read((*ptx)[0]).substr(2));
    CHECK(read((*ptx)[0]).find('\0') == std::string::npos);
    CHECK(extract(host, "/x/libx.so", "90", folder.path)->size() == 2);
    CHECK(extract(host, "/x/libx.so", "all", folder.path)->size() == 4);
}

TEST_CASE("payloads of an archive's members do not overwrite each other") {
    const Temporary folder;
    FakeHost host;
    const std::string member = library(built::fatbin({cubin(80)})).build();
    host.file("/x/libx.a", "!<arch>\n" + built::member("a.o/", member) + built::member("b.o/", member));
    const auto written = extract(host, "/x/libx.a", "all", folder.path);
    REQUIRE(written);
    CHECK(*written ==
          std::vector<std::string>{folder / "libx.a.a.o.0.sm_80.cubin", folder / "libx.a.b.o.0.sm_80.cubin"});
    CHECK(read((*written)[1]) == built::cubin_7(80));
}

TEST_CASE("members and files with the same name get separate files") {
    const Temporary folder;
    FakeHost host;
    const std::string first = library(built::fatbin({cubin(80)})).build(),
                      second = library(built::fatbin({cubin(90)})).build();
    host.file("/x/libx.a", "!<arch>\n" + built::member("a.o/", first) + built::member("a.o/", first) +
                               built::member("A.o/", first));
    host.file("/a/k.so", second).file("/b/k.so", second);
    const auto members = extract(host, "/x/libx.a", "all", folder.path);
    REQUIRE(members);
    CHECK(*members == std::vector<std::string>{folder / "libx.a.a.o.0.sm_80.cubin",
                                               folder / "libx.a.a.o-2.0.sm_80.cubin",
                                               folder / "libx.a.A.o-3.0.sm_80.cubin"});
    for (const std::string& path : *members) CHECK(read(path) == built::cubin_7(80));
    Extracted so_far;
    CHECK(extract(host, "/a/k.so", "all", folder.path, so_far)->front() == folder / "k.so.0.sm_90.cubin");
    CHECK(extract(host, "/b/k.so", "all", folder.path, so_far)->front() == folder / "k.so-2.0.sm_90.cubin");
}

TEST_CASE("too much output is reported, over all files together") {
    const Temporary folder;
    const FakeHost host = host_with(some_library());
    Extracted so_far;
    so_far.most_bytes = 2 * built::cubin_7(90).size();
    CHECK(extract(host, "/x/libx.so", "sm_90a", folder.path, so_far));
    CHECK(extract(host, "/x/libx.so", "sm_90a", folder.path, so_far));
    CHECK(extract(host, "/x/libx.so", "sm_90a", folder.path, so_far).trouble().text() ==
          "/x/libx.so holds more than --extract writes in one run (0 MiB): name one architecture, or fewer "
          "files");
    CHECK(real_host()->list(folder.path)->size() == 2);
}

TEST_CASE("a member's name cannot point to another folder") {
    const Temporary folder;
    FakeHost host;
    host.file("/x/libx.a", "!<arch>\n" + built::member("//", "../../etc/pass\nwd/\n") +
                               built::member("/0", library(built::fatbin({cubin(80)})).build()));
    const auto written = extract(host, "/x/libx.a", "all", folder.path);
    REQUIRE(written);
    CHECK((*written)[0] == folder / "libx.a.pass.0.sm_80.cubin");
}

TEST_CASE("what cannot be extracted is reported") {
    const Temporary folder;
    const FakeHost host = host_with(some_library());
    CHECK(extract(host, "/x/libx.so", "sm_75", folder.path).trouble().text() ==
          "/x/libx.so contains nothing for sm_75");
    CHECK(extract(host, "/x/libx.so", "newest", folder.path).trouble().text() ==
          "'newest' is not an architecture: sm_90a, compute_90, 90a or all");
    CHECK(extract(host, "/x/gone.so", "all", folder.path).trouble().text().find("/x/gone.so") == 0);
    CHECK(
        extract(host_with("text"), "/x/libx.so", "all", folder.path).trouble().text() ==
        "/x/libx.so contains no device code: is not an ELF, PE, archive, fatbin, cubin or PTX file; it looks "
        "like "
        "text");
    const FakeHost hidden =
        host_with(library(built::fatbin({cubin(80), cubin(90, built::k_flag_obfuscated)})).build());
    const Trouble trouble = extract(hidden, "/x/libx.so", "all", folder.path).trouble();
    CHECK(trouble.what == "1 of 2 entries could not be written");
    CHECK(trouble.cause.find("is obfuscated") != std::string::npos);
    CHECK(read(folder / "libx.so.0.sm_80.cubin") == built::cubin_7(80));
    CHECK_FALSE(extract(host, "/x/libx.so", "all", folder.write("file", "x") + "/below"));
}
