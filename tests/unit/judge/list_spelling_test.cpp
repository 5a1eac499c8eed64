// SPDX-License-Identifier: Apache-2.0
#include "judge/list_spelling.hpp"

#include <doctest/doctest.h>

using namespace ptxguard;

namespace {

std::string corrected(const char* list) {
    const auto wrong = misspelt_in(list);
    return wrong ? wrong->right : "right";
}

}  // namespace

TEST_CASE("lists that CMake reads are right") {
    for (const char* list :
         {"80", "80-real", "80-virtual;90a", "100f-real", "80;90;", "all", "all-major", "native"})
        CHECK_MESSAGE(corrected(list) == "right", list);
}

TEST_CASE("other spellings of architectures are corrected") {
    CHECK(corrected("8.0") == "80");
    CHECK(corrected("sm_80") == "80");
    CHECK(corrected("compute_80") == "80-virtual");
    CHECK(corrected("80 90") == "80;90");
    CHECK(corrected("80,90a-real") == "80;90a-real");
    CHECK(corrected(" 80") == "80");
    CHECK(corrected("8.0+PTX;90") == "80;90");
    CHECK(corrected("80-PTX") == "80");
    CHECK(corrected("all;80") == "all");
}

TEST_CASE("what was meant by another word is not known") {
    for (const char* list : {"Auto", "80;banana", "9999"}) CHECK_MESSAGE(corrected(list) == "", list);
    CHECK(misspelt_in("80;banana")->entries == std::vector<std::string>{"banana"});
}
