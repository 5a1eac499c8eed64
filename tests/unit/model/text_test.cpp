// SPDX-License-Identifier: Apache-2.0
#include "model/text.hpp"
#include "model/say.hpp"

#include <doctest/doctest.h>

using namespace ptxguard;

namespace {
using Words = std::vector<std::string>;
}

TEST_CASE("words are listed as in a sentence") {
    CHECK(list({}).empty());
    CHECK(list({"a"}) == "a");
    CHECK(list({"a", "b"}) == "a and b");
    CHECK(list({"a", "b", "c"}) == "a, b and c");
    CHECK(some_of({"a", "b", "c"}, 3) == "a, b and c");
    CHECK(some_of({"a", "b", "c", "d"}, 3) == "a, b, c and 1 more");
    CHECK(some_of({"a", "b"}, 0) == "2 more");
    CHECK(joined({"a", "b", "c"}, "; ") == "a; b; c");
    CHECK(joined({}, ";").empty());
}

TEST_CASE("a sentence takes its values in order, and does not read them") {
    const std::string name = "ptxas {}";
    CHECK(SAY("{} refuses PTX {} of {} files: {}", name, "9.0", 3, Words{"a", "b", "c"}) ==
          "ptxas {} refuses PTX 9.0 of 3 files: a, b and c");
    CHECK(SAY("{}{}", "", name) == name);
    CHECK(SAY("'{ }' of {}.", name) == "'{ }' of ptxas {}.");
}

TEST_CASE("a word is added once, and no empty one") {
    Words words;
    for (const char* word : {"a", "", "b", "a", "b", "c"}) add_once(words, word);
    CHECK(words == Words{"a", "b", "c"});
}

TEST_CASE("blanks around a text, its case, its digits") {
    CHECK(trim(" \t a b\r\n") == "a b");
    CHECK(trim("").empty());
    CHECK(trim(" \n").empty());
    CHECK(lower("AZ az[@") == "az az[@");
    CHECK(starts_with("abc", "abc"));
    CHECK(starts_with("abc", ""));
    CHECK_FALSE(starts_with("ab", "abc"));
    CHECK(all_digits("09"));
    for (const char* text : {"", "1a", "/", ":", "-1"}) CHECK_FALSE_MESSAGE(all_digits(text), text);
}

TEST_CASE("a hash has sixteen digits, and differs with its start") {
    CHECK(fnv1a("") == "cbf29ce484222325");
    CHECK(fnv1a("a") == "af63dc4c8601ec8c");
    CHECK(fnv1a("a", 1) != fnv1a("a"));
    CHECK(fnv1a("", 1) == "0000000000000001");
}

TEST_CASE("the hash in a library's name is left out, another word is not") {
    CHECK(without_hash("libcublas-3965bdd0") == "libcublas");
    CHECK(without_hash("libcudart.3eda8113") == "libcudart");
    CHECK(without_hash("cudnn64_8-54d1dc6a9a1bb2ad9cbb7d1dd5b0b0ba") == "cudnn64_8");
    for (const char* stem :
         {"libcublas", "nvrtc-builtins64_124", "lib-3965bdd", "lib-3965bdd01", "lib-3965bdg0", ""})
        CHECK(without_hash(stem) == stem);
}
