// SPDX-License-Identifier: Apache-2.0
#include "python/specifier.hpp"

#include <doctest/doctest.h>

#include "python/release.hpp"

using namespace ptxguard;

TEST_CASE("releases are ordered by PEP 440") {
    const char* const k_ascending[] = {"1.0.dev1",       "1.0a1.dev2", "1.0a1", "1.0b2", "1.0rc1", "1.0",
                                       "1.0.post1.dev1", "1.0.post1",  "1.0.1", "1.10",  "1!0.1"};
    for (std::size_t i = 1; i < std::size(k_ascending); ++i) {
        CHECK_MESSAGE(is_older_release(k_ascending[i - 1], k_ascending[i]), k_ascending[i]);
        CHECK_MESSAGE(!is_older_release(k_ascending[i], k_ascending[i - 1]), k_ascending[i]);
    }
    CHECK_FALSE(is_older_release("1.0", "1.0.0"));
    CHECK_FALSE(is_older_release("1.0+cu121", "1.0"));
    CHECK(is_older_release("garbage", "0.1"));
}

TEST_CASE("spellings of one release are the same") {
    for (const char* text : {"1.0RC1", "v1.0.c.1", "1.0-pre1", "1.0_rc_1"}) {
        const auto release = parse_python_release(text);
        REQUIRE_MESSAGE(release, text);
        CHECK(release->pre == 3);
        CHECK(release->pre_number == 1);
    }
    CHECK(parse_python_release("1.0-3")->post == 3);
    CHECK(parse_python_release("1.0+CU_12")->local == "cu.12");
    for (const char* text : {"", "1.0+", "1.0-gpu", "latest", "1..0", "1.0+cu-"})
        CHECK_MESSAGE(!parse_python_release(text), text);
}

TEST_CASE("ranges accept what pip accepts") {
    const auto yes = [](const char* range, const char* version) {
        CHECK_MESSAGE(accepts(range, std::string_view(version)), range, " ", version);
    };
    const auto no = [](const char* range, const char* version) {
        CHECK_MESSAGE(!accepts(range, std::string_view(version)), range, " ", version);
    };
    yes("", "1.0");
    yes("==2.0.0", "2.0.0+cu118");
    no("==2.0.0+cu118", "2.0.0");
    yes("==2.0.0+cu118", "2.0+cu118");
    no("==0.0.22", "0.0.22.post7");
    yes("==0.0.22.*", "0.0.22.post7");
    yes("!=2.5.*", "2.6");
    no("!=2.5.*", "2.5.1");
    no(">1.0", "1.0.post1");
    yes(">=1.0", "1.0.post1");
    yes(">1.0.post1", "1.0.post2");
    no("<2.0", "2.0rc1");
    yes("<2.0rc2", "2.0rc1");
    yes("~=2.16.1", "2.16.2");
    no("~=2.16.1", "2.17.0");
    yes("~=2.8", "2.9");
    no("~=2", "2.1");
    yes("===2.5", "2.5");
    yes(">=2, <3, !=2.5.1", "2.5.0");
    yes(">=2.1.*", "2.1.3");
    yes("^1.1", "1.9");
    no("^0.1", "0.2");
    no(">=1", "garbage");
}

TEST_CASE("what pip cannot read is told") {
    CHECK(trouble_of("==2.0,>=1").empty());
    CHECK(trouble_of("===anything").empty());
    CHECK_FALSE(trouble_of("=2.0").empty());
    CHECK_FALSE(trouble_of("==2.0-gpu").empty());
    CHECK_FALSE(trouble_of(">=2.0+cu118").empty());
    CHECK(exact_version("==2.0.1")->text == "2.0.1");
    CHECK_FALSE(exact_version("==2.0.*"));
    CHECK_FALSE(exact_version(">=2.0"));
}
