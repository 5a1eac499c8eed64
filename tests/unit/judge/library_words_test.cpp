// How many of a fault's libraries a message names.
// SPDX-License-Identifier: Apache-2.0
#include "judge/library_words.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "model/version.hpp"

using namespace ptxguard;

namespace {

std::vector<LoadedFile> loaded_of(std::size_t count, const char* version) {
    std::vector<LoadedFile> all(count);
    for (std::size_t i = 0; i < count; ++i) {
        all[i].name = std::string(1, static_cast<char>('a' + i)) + ".so";
        if (*version) all[i].version = {*parse_version(version), {}};
    }
    return all;
}

}  // namespace

TEST_CASE("of more than four libraries three are named") {
    CHECK(titles_of(loaded_of(1, "9.1")) == "a.so 9.1");
    CHECK(titles_of(loaded_of(3, "9.1")) == "a.so, b.so and c.so 9.1");
    CHECK(titles_of(loaded_of(4, "9.1")) == "a.so, b.so, c.so and d.so of 9.1");
    CHECK(titles_of(loaded_of(5, "9.1")) == "a.so, b.so, c.so and 2 more of 9.1");
    CHECK(titles_of(loaded_of(5, "")) == "a.so, b.so, c.so and 2 more");
}
