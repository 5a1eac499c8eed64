// SPDX-License-Identifier: Apache-2.0
#include "load/trace_linux_search.hpp"

#include <doctest/doctest.h>

#include "formats/elf.hpp"
#include "linux_world.hpp"

using namespace ptxguard;
using namespace built;

namespace {

using Texts = std::vector<std::string>;

const char* const k_v4 =
    "vendor_id : AuthenticAMD\nflags : cx16 lahf_lm popcnt pni sse4_1 sse4_2 ssse3 avx avx2 f16c fma abm "
    "movbe bmi1 "
    "bmi2 avx512f avx512bw avx512cd avx512dq avx512vl\n";
const char* const k_v3_of_intel =
    "vendor_id : GenuineIntel\nflags : cx16 lahf_lm popcnt pni sse4_1 sse4_2 ssse3 avx avx2 f16c fma abm "
    "movbe bmi1 "
    "bmi2\n";

Texts counted(const std::vector<LinuxSubfolder>& folders) {
    Texts names;
    for (const LinuxSubfolder& folder : folders) {
        if (folder.never.empty()) names.push_back(folder.name);
    }
    return names;
}

std::string loader_of(const std::string& release, bool named = true) {
    Texts texts = {"haswell", "release version " + release + "."};
    if (named) texts.push_back("--glibc-hwcaps-mask");
    return loader_bytes(texts);
}

}  // namespace

TEST_CASE("the default folders are listed in the loader, one after the other") {
    CHECK(folders_in_loader(debian_loader()) ==
          Texts{"/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib", "/usr/lib"});
    CHECK(folders_in_loader(loader_bytes({"/lib64/", "/usr/lib64/", "other"})) ==
          Texts{"/lib64", "/usr/lib64"});
    CHECK(folders_in_loader(loader_bytes({"/nix/store/abc-glibc-2.40/lib/"})) ==
          Texts{"/nix/store/abc-glibc-2.40/lib"});
    CHECK(folders_in_loader(loader_bytes({"/lib64", "/usr/lib"})).empty());
    CHECK(folders_in_loader("/lib/").empty());
    CHECK(folders_in_loader("").empty());
}

TEST_CASE("folders for processors follow the release of glibc and the processor") {
    const Texts named = {"glibc-hwcaps/x86-64-v4", "glibc-hwcaps/x86-64-v3", "glibc-hwcaps/x86-64-v2"};
    CHECK(counted(loader_subfolders(loader_of("2.41"), k_em_x86_64, k_v4)) == named);
    CHECK(counted(loader_subfolders(loader_of("2.41"), k_em_x86_64, k_v3_of_intel)) ==
          Texts{"glibc-hwcaps/x86-64-v3", "glibc-hwcaps/x86-64-v2"});
    Texts both = named;
    for (const char* old : {"tls/x86_64/x86_64", "tls/x86_64", "tls", "x86_64/x86_64", "x86_64"})
        both.push_back(old);
    CHECK(counted(loader_subfolders(loader_of("2.36"), k_em_x86_64, k_v4)) == both);
    CHECK(counted(loader_subfolders(loader_of("2.31", false), k_em_x86_64, k_v3_of_intel)) ==
          Texts{"tls/haswell/x86_64", "tls/haswell", "tls/x86_64", "tls", "haswell/x86_64", "haswell",
                "x86_64"});
    // 2.17: before glibc gave Intel's processors names.
    CHECK(counted(loader_subfolders(loader_bytes({"tls"}), k_em_x86_64, k_v3_of_intel)) ==
          Texts{"tls/x86_64", "tls", "x86_64"});
    CHECK(counted(loader_subfolders(loader_of("2.41"), k_em_aarch64, "")).empty());
    CHECK(counted(loader_subfolders(loader_bytes({"atomics"}), k_em_aarch64, "Features : fp atomics\n")) ==
          Texts{"tls/aarch64/atomics", "tls/aarch64", "tls/atomics", "tls", "aarch64/atomics", "aarch64",
                "atomics"});
}

TEST_CASE("if the processor is unknown its folders are ignored, and that is reported") {
    const auto folders = loader_subfolders(loader_of("2.41"), k_em_x86_64, "");
    REQUIRE(folders.size() == 3);
    CHECK(folders[0].never == "counts on processors with x86-64-v4 only, and the processor is not known");
    const auto known = loader_subfolders(loader_of("2.41"), k_em_x86_64, "flags : fpu\n");
    REQUIRE(known.size() == 3);
    CHECK(known[2].never == "the processor lacks x86-64-v2");
}

TEST_CASE("$PLATFORM has Intel's names only if the loader knows them") {
    CHECK(loader_platform(loader_of("2.36"), k_em_x86_64, k_v3_of_intel) == "haswell");
    CHECK(loader_platform(loader_of("2.36"), k_em_x86_64, k_v4) == "x86_64");
    CHECK(loader_platform("", k_em_x86_64, k_v3_of_intel) == "x86_64");
    CHECK(loader_platform("", k_em_aarch64, "") == "aarch64");
}

TEST_CASE("a loader without terminated texts, or with nothing but folders, is scanned once") {
    std::string endless, folders;
    while (endless.size() < 4u << 20) endless += "/lib";
    while (folders.size() < 4u << 20) folders += std::string("/lib/") + '\0';
    CHECK(folders_in_loader(endless).empty());
    CHECK(folders_in_loader(folders).size() == 64);
}

TEST_CASE("a system is read from its loader's file") {
    LinuxWorld host;
    host.folder("/usr/lib").file("/etc/ld.so.preload", "/opt/a.so b.so:c.so # not d.so\n\n e.so\n");
    const LinuxSystem system = linux_system(host, k_em_x86_64, "/lib64/ld-linux-x86-64.so.2");
    CHECK(system.loader == "/lib64/ld-linux-x86-64.so.2");
    CHECK(system.loader_soname == "ld-linux-x86-64.so.2");
    CHECK(system.lib == "lib/x86_64-linux-gnu");
    CHECK(system.cache_path == "/etc/ld.so.cache");
    CHECK(system.any_default_folder);
    CHECK(system.preload_file == Texts{"/opt/a.so", "b.so", "c.so", "e.so"});
    CHECK(system.trouble == "");
    CHECK(linux_system(host, k_em_x86_64, "").loader == "/lib64/ld-linux-x86-64.so.2");
}

TEST_CASE("the loader of a store has a cache of its own") {
    FakeHost host;
    host.file("/nix/store/g/lib/ld-linux-x86-64.so.2",
              loader_bytes(
                  {"/nix/store/g/lib/", "/nix/store/g/etc/ld.so.cache", "/nix/store/g/etc/ld.so.preload"}));
    host.file("/nix/store/g/etc/ld.so.cache", new_cache({{"liba.so", "/nix/a/liba.so"}}));
    const LinuxSystem system = linux_system(host, k_em_x86_64, "/nix/store/g/lib/ld-linux-x86-64.so.2");
    CHECK(system.default_folders == Texts{"/nix/store/g/lib"});
    CHECK(system.lib == "lib");
    CHECK(cached_paths(system, "liba.so").size() == 1);
}

TEST_CASE("without a loader the existing folders decide") {
    FakeHost host;
    host.folder("/usr/lib/aarch64-linux-gnu");
    const LinuxSystem debian = linux_system(host, k_em_aarch64, "");
    CHECK(debian.loader == "");
    CHECK(debian.default_folders.front() == "/lib/aarch64-linux-gnu");
    const LinuxSystem other = linux_system(FakeHost(), k_em_x86_64, "");
    CHECK(other.default_folders == Texts{"/lib64", "/usr/lib64", "/lib", "/usr/lib"});
    CHECK(other.lib == "lib64");
    CHECK_FALSE(other.any_default_folder);
}

TEST_CASE("a system with a loader for another processor only is not that of the file") {
    FakeHost host;
    host.file("/lib64/ld-linux-x86-64.so.2", loader_bytes({}));
    CHECK(linux_system(host, k_em_aarch64, "").of_other_machine);
    CHECK_FALSE(linux_system(host, k_em_x86_64, "").of_other_machine);
    CHECK_FALSE(linux_system(FakeHost(), k_em_aarch64, "").of_other_machine);
    host.file("/lib/ld-linux-aarch64.so.1", loader_bytes({}));  // multiarch
    CHECK_FALSE(linux_system(host, k_em_aarch64, "").of_other_machine);
}

TEST_CASE("the loader of another libc is not judged") {
    const FakeHost host;
    CHECK(linux_system(host, k_em_x86_64, "/lib/ld-musl-x86_64.so.1").trouble ==
          "its loader is /lib/ld-musl-x86_64.so.1 of musl: only the rules of glibc's loader are implemented");
    FakeHost alpine;
    alpine.file("/lib/ld-musl-x86_64.so.1", "");
    CHECK_FALSE(linux_system(alpine, k_em_x86_64, "").trouble.empty());
    alpine.file("/lib64/ld-linux-x86-64.so.2", loader_bytes({}));
    CHECK(linux_system(alpine, k_em_x86_64, "").trouble.empty());
    CHECK(linux_system(host, k_em_x86_64, "/system/bin/linker64").trouble ==
          "its loader is /system/bin/linker64: only the rules of glibc's loader are implemented");
}

TEST_CASE("entries of the cache for other machines are ignored") {
    LinuxWorld host;
    host.cache({{"liba.so", "/a/aarch64/liba.so", 0x0a03},
                {"liba.so", "/a/32/liba.so", 3},
                {"liba.so", "/a/liba.so"}});
    const auto paths = cached_paths(linux_system(host, k_em_x86_64, ""), "liba.so");
    REQUIRE(paths.size() == 1);
    CHECK(paths[0].path == "/a/liba.so");
    CHECK(cached_paths(linux_system(host, k_em_aarch64, ""), "liba.so").size() == 1);
    CHECK(cached_paths(linux_system(host, k_em_x86_64, ""), "libb.so").empty());
}

TEST_CASE("the cache's entry for the strongest folder that counts is the first") {
    constexpr std::uint64_t k_named = std::uint64_t{1} << 62;
    LinuxWorld host;
    host.file("/proc/cpuinfo", k_v3_of_intel);
    host.cache({{"liba.so", "/a/glibc-hwcaps/x86-64-v4/liba.so", 0x303, k_named},
                {"liba.so", "/a/glibc-hwcaps/x86-64-v2/liba.so", 0x303, k_named | 2},
                {"liba.so", "/a/glibc-hwcaps/x86-64-v3/liba.so", 0x303, k_named | 1},
                {"liba.so", "/a/tls/liba.so", 0x303, std::uint64_t{1} << 63},
                {"liba.so", "/a/liba.so"}},
               {"x86-64-v4", "x86-64-v3", "x86-64-v2"});
    const auto paths = cached_paths(linux_system(host, k_em_x86_64, ""), "liba.so");
    REQUIRE(paths.size() == 5);
    CHECK(paths[0].path == "/a/glibc-hwcaps/x86-64-v4/liba.so");
    CHECK(paths[0].never == "the processor lacks x86-64-v4");
    CHECK(paths[1].path == "/a/glibc-hwcaps/x86-64-v3/liba.so");
    CHECK(paths[1].never == "");
    CHECK(paths[2].never == "ld.so.cache names another file first");
    CHECK(paths[3].path == "/a/liba.so");
    CHECK(paths[4].never == "for other processors");
}

TEST_CASE("a damaged cache has no entries") {
    LinuxWorld host;
    host.file("/etc/ld.so.cache", "garbage");
    CHECK(linux_system(host, k_em_x86_64, "").cache.entries.empty());
}
