// SPDX-License-Identifier: Apache-2.0
#include "host/questions.hpp"

#include <doctest/doctest.h>

#include "host/fake_host.hpp"

using namespace ptxguard;

TEST_CASE("patterns are read as in Python's glob") {
    CHECK(matches_pattern("libcublas.so.12", "libcublas.so.*[0-9]"));
    CHECK(matches_pattern("libcublas.so.12.8.4", "libcublas.so.*[0-9]"));
    CHECK_FALSE(matches_pattern("libcublas.so", "libcublas.so.*[0-9]"));
    CHECK_FALSE(matches_pattern("libcublasLt.so.12", "libcublas.so.*[0-9]"));
    CHECK_FALSE(matches_pattern("libcublas.so.x", "libcublas.so.*[0-9]"));
    CHECK(matches_pattern("_C.cpython-312-x86_64-linux-gnu.so", "_C*.so"));
    CHECK(matches_pattern("a.b.b", "*.b"));
    CHECK(matches_pattern("aXbXc", "a*b*c"));
    CHECK_FALSE(matches_pattern("ab", "a*bb"));
    CHECK(matches_pattern("a", "?"));
    CHECK_FALSE(matches_pattern("", "?"));
    CHECK(matches_pattern("", "*"));
    CHECK(matches_pattern("a", "a**"));
    CHECK_FALSE(matches_pattern("a", ""));
}

TEST_CASE("a pattern of many stars, as a strange ld.so.conf may contain, is matched quickly") {
    std::string pattern;
    for (int i = 0; i < 40; ++i) pattern += "a*";
    CHECK_FALSE(matches_pattern(std::string(200, 'a'), pattern + "b"));
    CHECK(matches_pattern(std::string(200, 'a'), pattern));
}

TEST_CASE("what a path matches: its file, or the names of its last part") {
    FakeHost host;
    host.file("/etc/conf.d/b.conf").file("/etc/conf.d/a.conf").file("/etc/conf.d/.hidden.conf");
    host.file("/etc/conf.d/c.txt").folder("/etc/empty");
    CHECK(paths_matching(host, "/etc/conf.d/*.conf") ==
          std::vector<std::string>{"/etc/conf.d/a.conf", "/etc/conf.d/b.conf"});
    CHECK(paths_matching(host, "/etc/conf.d/c.txt") == std::vector<std::string>{"/etc/conf.d/c.txt"});
    CHECK(paths_matching(host, "/etc/conf.d/d.txt").empty());
    CHECK(paths_matching(host, "/etc/empty").empty());   // a folder is not a file
    CHECK(paths_matching(host, "/etc/none/*").empty());  // nor is a missing path
    CHECK(paths_matching(host, "/etc/*/a.conf").empty());
}
