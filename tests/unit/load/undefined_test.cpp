// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "../formats/build_elf.hpp"
#include "host/fake_host.hpp"
#include "linux_world.hpp"
#include "load/library_facts.hpp"
#include "load/load.hpp"

namespace ptxguard {
namespace {

constexpr std::uint8_t k_weak = 0x22;

built::Elf library(const std::string& soname, const std::vector<std::string>& names,
                   const std::string& version = {}) {
    built::Elf elf;
    elf.soname = soname;
    if (!version.empty()) elf.defined_versions = {{soname, 1, 1}, {version, 2, 0}};
    for (const auto& name : names)
        elf.symbols.push_back({name, 1, static_cast<std::uint16_t>(version.empty() ? 1 : 2)});
    return elf;
}

LoadedFile loaded(const std::string& name, LoadHow how = LoadHow::needed, const std::string& by = "/x") {
    LoadedFile file;
    file.name = name;
    file.needed_by = by;
    file.how = how;
    file.taken = "/lib/" + name;
    return file;
}

LoadTrace counted(const FakeHost& host, std::vector<LoadedFile> libraries) {
    LoadTrace trace;
    trace.path = "/x";
    trace.libraries = std::move(libraries);
    count_undefined(host, trace);
    return trace;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("names that a library needs and none defines are counted, weak ones are not") {
    built::Elf program;
    program.needed = {"libcublasLt.so.12"};
    program.needed_versions = {{"libcublasLt.so.12", "libcublasLt.so.12", 2}};
    program.symbols = {{"there", 0, 2}, {"gone", 0, 2}, {"weak", 0, 2, k_weak}, {"free", 0, 1}};
    FakeHost host;
    host.file("/x", program.build());
    host.file("/lib/libcublasLt.so.12", library("libcublasLt.so.12", {"there"}, "libcublasLt.so.12").build());
    const auto trace = counted(host, {loaded("libcublasLt.so.12")});
    CHECK(trace.undefined == std::optional<std::size_t>(2));
    CHECK(trace.undefined_names == Names{"gone@libcublasLt.so.12", "free"});
    CHECK(trace.missing_versions.empty());
    CHECK(trace.libraries[0].undefined == std::optional<std::size_t>(0));
}

TEST_CASE("a name of another version does not match, a library without versions matches any") {
    built::Elf program;
    program.needed = {"liba.so"};
    program.needed_versions = {{"liba.so", "A_2", 2}};
    program.symbols = {{"f", 0, 2}};
    FakeHost host;
    host.file("/x", program.build()).file("/lib/liba.so", library("liba.so", {"f"}, "A_1").build());
    const auto other = counted(host, {loaded("liba.so")});
    CHECK(other.undefined_names == Names{"f@liba.so"});
    CHECK(other.missing_versions == Names{"A_2 of liba.so"});
    host.file("/lib/liba.so", library("liba.so", {"f"}).build());
    const auto plain = counted(host, {loaded("liba.so")});
    CHECK(plain.undefined == std::optional<std::size_t>(0));
    CHECK(plain.missing_versions.empty());
}

TEST_CASE("versions of a missing library and weak versions are not reported") {
    built::Elf program;
    program.needed = {"libc.so.6"};
    program.needed_versions = {{"libc.so.6", "GLIBC_2.99", 2, true}, {"libgone.so", "G_1", 3}};
    FakeHost host;
    host.file("/x", program.build())
        .file("/lib/libc.so.6", library("libc.so.6", {"f"}, "GLIBC_2.34").build());
    CHECK(counted(host, {loaded("libc.so.6")}).missing_versions.empty());
}

TEST_CASE("a library that is opened later sees what was loaded with it and is visible to no other") {
    built::Elf program, plugin = library("libplugin.so", {"g"});
    program.symbols = {{"h", 0}};
    plugin.needed = {"libpart.so"};
    plugin.symbols.insert(plugin.symbols.begin(), {"h", 0});
    FakeHost host;
    host.file("/x", program.build()).file("/lib/libplugin.so", plugin.build());
    host.file("/lib/libpart.so", library("libpart.so", {"h"}).build());
    const auto trace = counted(host, {loaded("libplugin.so", LoadHow::dlopen),
                                      loaded("libpart.so", LoadHow::needed, "/lib/libplugin.so")});
    CHECK(trace.undefined_names == Names{"h"});
    CHECK(trace.libraries[0].undefined == std::optional<std::size_t>(0));
}

TEST_CASE("a file that cannot be read is not counted") {
    FakeHost host;
    host.file("/x", "no ELF").file("/lib/liba.so", "\177ELF");
    const auto trace = counted(host, {loaded("liba.so"), loaded("libgone.so")});
    CHECK_FALSE(trace.undefined);
    CHECK_FALSE(trace.libraries[0].undefined);
    CHECK_FALSE(trace.libraries[1].undefined);
}

TEST_CASE("what an unreadable library defines is not known: a symbol that is bound to it is not counted") {
    built::Elf program;
    program.needed = {"libcublasLt.so.12"};
    program.needed_versions = {{"libcublasLt.so.12", "libcublasLt.so.12", 2}};
    program.symbols = {{"there", 0, 2}, {"free", 0, 1}};
    FakeHost host;
    host.file("/x", program.build()).file("/lib/libcublasLt.so.12", "\177ELF");
    CHECK(counted(host, {loaded("libcublasLt.so.12")}).undefined_names == Names{"free"});
    host.file("/lib/libcublasLt.so.12", built::Elf{}.build());  // nothing is left in it
    CHECK(counted(host, {loaded("libcublasLt.so.12")}).undefined_names == Names{"free"});
}

TEST_CASE("of a framework's libraries the symbols are counted that are bound to NVIDIA's, and no others") {
    const auto names_without = [](const std::string& gone) {
        built::LinuxWorld host;
        built::Elf sparse = library("libcusparse.so.12", {});
        sparse.needed_versions = {{"libnvJitLink.so.12", "libnvJitLink.so.12", 2}, {"libother.so", "O_1", 3}};
        sparse.symbols = {{"__nvJitLinkCreate_12_9", 0, 2}, {"other", 0, 3}, {"free", 0, 1}};
        sparse.runpath = "$ORIGIN";
        host.library("/s/libcusparse.so.12", {"libnvJitLink.so.12", "libother.so"}, sparse);
        host.library("/s/libnvJitLink.so.12", {},
                     library("libnvJitLink.so.12",
                             {gone == "new" ? "__nvJitLinkCreate_12_1" : "__nvJitLinkCreate_12_9"},
                             "libnvJitLink.so.12"));
        host.library("/s/libother.so", {}, library("libother.so", {}, "O_1"));
        LoadOptions options;
        options.count_nvidias = true;
        const auto trace = trace_file(host, Facts::embedded(), "/s/libcusparse.so.12", options);
        REQUIRE(trace);
        return trace->undefined_names;
    };
    CHECK(names_without("new") == Names{"__nvJitLinkCreate_12_9@libnvJitLink.so.12"});
    CHECK(names_without("").empty());
}

TEST_CASE("a framework's own file that lacks functions of NVIDIA's library stays in the list, and no other") {
    const auto listed_with = [](const std::string& defined) {
        built::LinuxWorld host;
        built::Elf kernels, cpu, plain;
        kernels.soname = "libtorch_cuda.so";
        kernels.runpath = cpu.runpath = "$ORIGIN";
        cpu.needed_versions = {{"libcupti.so.12", "libcupti.so.12", 2}};
        cpu.symbols = {{"cuptiActivityEnableDriverApi", 0, 2}, {"free", 0, 1}};
        plain.symbols = {{"free", 0, 1}};
        host.library("/s/libtorch_cuda.so", {"libtorch_cpu.so", "libc10.so"}, kernels);
        host.library("/s/libtorch_cpu.so", {"libcupti.so.12"}, cpu).library("/s/libc10.so", {}, plain);
        host.library("/usr/lib/libcupti.so.12", {}, library("libcupti.so.12", {defined}, "libcupti.so.12"));
        LoadOptions options;
        options.count_nvidias = true;
        const auto trace = trace_file(host, Facts::embedded(), "/s/libtorch_cuda.so", options);
        REQUIRE(trace);
        Names names;
        for (const LoadedFile& file : trace->libraries)
            names.push_back(file.name + (file.undefined_names.empty() ? "" : " " + file.undefined_names[0]));
        return names;
    };
    CHECK(listed_with("cuptiActivityEnable") ==
          Names{"libtorch_cpu.so cuptiActivityEnableDriverApi@libcupti.so.12", "libcupti.so.12"});
    CHECK(listed_with("cuptiActivityEnableDriverApi") == Names{"libcupti.so.12"});
}

TEST_CASE("a version of the system's libraries is missing only if it is newer than all that a file defines") {
    const std::vector<std::string> glibc = {"libc.so.6", "GLIBC_2.31", "GLIBC_2.17", "GLIBC_PRIVATE"};
    CHECK(is_newer_version("GLIBC_2.32", glibc));
    CHECK_FALSE(is_newer_version("GLIBC_2.14", glibc));  // only some of its versions are listed
    CHECK_FALSE(is_newer_version("GLIBC_ABI_DT_RELR", glibc));
    CHECK_FALSE(is_newer_version("GLIBCXX_3.4.30", glibc));
    CHECK(is_newer_version("GLIBCXX_3.4.30", {"libstdc++.so.6", "GLIBCXX_3.4.28", "CXXABI_1.3.13"}));
    CHECK_FALSE(is_newer_version("libcublas.so.13", {"libcublas.so.12"}));
    CHECK_FALSE(is_newer_version("GLIBC_2.32", {}));
}

}  // namespace ptxguard
