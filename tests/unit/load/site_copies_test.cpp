// Libraries that are not NVIDIA's and that the loader does not find.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "linux_world.hpp"
#include "load/load.hpp"

using namespace ptxguard;

namespace {

const std::string k_prefix = "/opt/env", k_site = k_prefix + "/lib/python3.11/site-packages";

LoadTrace traced(const Host& host, const std::string& path, bool all_missing = true) {
    LoadOptions options;
    options.all_missing = all_missing;
    const Result<LoadTrace> trace = trace_file(host, Facts::embedded(), path, options);
    REQUIRE(trace);
    return *trace;
}

built::LinuxWorld environment_with(const std::string& needed) {
    built::LinuxWorld host;
    host.folder(k_site + "/mine-1.0.dist-info").library(k_site + "/mine/_C.so", {needed});
    return host;
}

}  // namespace

TEST_CASE("a library that is not found is listed, whoever made it, if the file needs it to start") {
    built::LinuxWorld host;
    host.library("/lib/libthere.so.1", {"libdeep.so.2"});
    host.program("/app/x", {"libthere.so.1", "libfoo.so.1"});
    const LoadTrace trace = traced(host, "/app/x");
    REQUIRE(trace.libraries.size() == 2);
    CHECK(trace.libraries[0].name == "libfoo.so.1");
    CHECK(trace.libraries[0].needed_by == "/app/x");
    CHECK(trace.libraries[1].name == "libdeep.so.2");
    CHECK(trace.libraries[1].needed_by == "/lib/libthere.so.1");
    CHECK_FALSE(trace.libraries[0].because.empty());
    CHECK(traced(host, "/app/x", false).libraries.empty());
}

TEST_CASE("a module whose environment has the library in another package names that file") {
    for (const std::string folder : {"/libother/lib64", "/other/lib", "/other.libs", "/other"}) {
        built::LinuxWorld host = environment_with("libother.so");
        host.library(k_site + folder + "/libother.so");
        const LoadTrace trace = traced(host, k_site + "/mine/_C.so");
        REQUIRE(trace.libraries.size() == 1);
        REQUIRE(trace.libraries[0].losers.size() == 1);
        CHECK(trace.libraries[0].losers[0].path == k_site + folder + "/libother.so");
        CHECK(trace.libraries[0].losers[0].lost == LoadLost::not_searched);
    }
}

TEST_CASE("the environment's own libraries are those of its interpreter") {
    built::LinuxWorld host = environment_with("libiomp5.so");
    host.library(k_prefix + "/lib/libiomp5.so");
    const LoadTrace trace = traced(host, k_site + "/mine/_C.so");
    REQUIRE(trace.libraries.size() == 1);
    REQUIRE(trace.libraries[0].losers.size() == 1);

    built::LinuxWorld python = environment_with("libpython3.11.so.1.0");
    python.library(k_prefix + "/lib/libpython3.11.so.1.0");
    CHECK(traced(python, k_site + "/mine/_C.so").libraries.empty());
}

TEST_CASE(
    "what nothing in the environment has is only missing; NVIDIA's wheels are searched by rules of their "
    "own") {
    for (const std::string place : {"/elsewhere/libother.so", "/nvidia/other/lib/libother.so"}) {
        built::LinuxWorld host = environment_with("libother.so");
        host.library((place[1] == 'n' ? k_site : std::string()) + place);
        const LoadTrace trace = traced(host, k_site + "/mine/_C.so");
        REQUIRE(trace.libraries.size() == 1);
        CHECK(trace.libraries[0].losers.empty());
    }
    built::LinuxWorld host = environment_with("libother.so");
    host.library(k_site + "/other/lib/libother.so").program(k_site + "/mine/tool", {"libother.so"});
    CHECK(traced(host, k_site + "/mine/tool").libraries[0].losers.empty());
}
