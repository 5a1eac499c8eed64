// SPDX-License-Identifier: Apache-2.0
#include "recipes/shell/shell_pattern.hpp"

#include <doctest/doctest.h>

#include "host/questions.hpp"

using namespace ptxguard;
using namespace ptxguard::recipes;

namespace {

// By trying every length, as the manual of bash says it.
std::string cut_slowly(const std::string& value, const std::string& pattern, bool at_end, bool longest) {
    const std::size_t size = value.size();
    for (std::size_t i = 0; i <= size; ++i) {
        const std::size_t length = longest ? size - i : i;
        if (matches_pattern(at_end ? value.substr(size - length) : value.substr(0, length), pattern))
            return at_end ? value.substr(0, size - length) : value.substr(length);
    }
    return value;
}
std::string replaced_slowly(const std::string& value, const std::string& pattern, bool all) {
    std::string result;
    for (std::size_t i = 0; i < value.size();) {
        std::size_t length = value.size() - i;
        while (length > 0 && !matches_pattern(value.substr(i, length), pattern)) --length;
        if (length == 0) {
            result += value[i++];
            continue;
        }
        result += "<>";
        i += length;
        if (!all) return result + value.substr(i);
    }
    return result;
}

}  // namespace

TEST_CASE("patterns of ${NAME...} cut and replace what matches") {
    CHECK(cut("12.4.1", ".*", true, false) == "12.4");
    CHECK(cut("12.4.1", ".*", true, true) == "12");
    CHECK(cut("v12.4.1", "v", false, false) == "12.4.1");
    CHECK(cut("a/b/c", "*/", false, false) == "b/c");
    CHECK(cut("a/b/c", "*/", false, true) == "c");
    CHECK(replaced("12.4.1", ".", "", true) == "1241");
    CHECK(replaced("12.4.1", ".", "", false) == "124.1");
    CHECK(replaced("a1b22", "[0-9]", "x", true) == "axbxx");
    CHECK(replaced("abc", "", "x", true) == "abc");
    for (const char* value : {"", "a", "aab", "abab", "a-b-a", "aaaaaaa", "b1c2"})
        for (const char* pattern : {"", "*", "?", "a", "*a", "a*", "*a*", "a*b", "?*b", "[a-b]", "*[0-9]*",
                                    "**", "b?a", "ab*ab", "*-", "-*"})
            for (const bool yes : {false, true}) {
                CAPTURE(value);
                CAPTURE(pattern);
                CHECK(cut(value, pattern, yes, false) == cut_slowly(value, pattern, yes, false));
                CHECK(cut(value, pattern, yes, true) == cut_slowly(value, pattern, yes, true));
                if (*pattern)
                    CHECK(replaced(value, pattern, "<>", yes) == replaced_slowly(value, pattern, yes));
            }
}
