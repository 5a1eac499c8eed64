// SPDX-License-Identifier: Apache-2.0
#include "host/progress.hpp"

#include <doctest/doctest.h>

using namespace ptxguard::own;

TEST_CASE("progress is one line of the terminal, however long the names in it are") {
    const std::string text = "ptxguard: reading the files (3 of 9, nvidia_cublas-13.1.0.3-manylinux.whl) ...";
    CHECK(one_line(text, 120) == text);
    CHECK(one_line(text, text.size() + 1) == text);
    CHECK(one_line(text, text.size()) == text.substr(0, text.size() - 5) + " ...");
    CHECK(one_line(text, 40) == "ptxguard: reading the files (3 of 9 ...");
    CHECK(one_line(text, 0).size() <= 79);
    CHECK(one_line(text, 1).size() == 9);
    CHECK(one_line("\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4", 10) ==
          "\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4 ...");
    CHECK(count_text(3, 5, "sm_90") == "(3 of 5, sm_90)");
    CHECK(count_text(3, 0, "") == "(3)");
}
