// SPDX-License-Identifier: Apache-2.0
#include "model/text.hpp"

#include <doctest/doctest.h>

using namespace ptxguard;

TEST_CASE("the distance counts letters, and a swap as one") {
    CHECK(edit_distance("cuda", "cuda") == 0);
    CHECK(edit_distance("cudda", "cuda") == 1);
    CHECK(edit_distance("LIBARY", "LIBRARY") == 1);
    CHECK(edit_distance("chekc", "check") == 1);
    CHECK(edit_distance("", "abc") == 3);
}

TEST_CASE("a similar word is suggested, a different one is not") {
    CHECK(did_you_mean("chek", {"check", "explain"}) == ", did you mean 'check'?");
    CHECK(did_you_mean("xyz", {"check", "explain"}).empty());
    CHECK(nearest_word("", {"a"}).empty());
    CHECK(did_you_mean("99", {"98", "11"}).empty());
    CHECK(did_you_mean("12.4x", {"12.4"}) == ", did you mean '12.4'?");
}
