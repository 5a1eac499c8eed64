// SPDX-License-Identifier: Apache-2.0
#include "recipes/base/suppressions.hpp"

#include <doctest/doctest.h>

using namespace ptxguard;
using namespace ptxguard::recipes;

namespace {

// "CC602@2,3 reason; ..."
std::string shown(const std::string& text) {
    Problems problems;
    std::string result;
    for (const Suppression& one : read_suppressions("Dockerfile", text, problems)) {
        result += one.code + "@";
        for (int line = 1; line < 20; ++line)
            if (one.covers({"Dockerfile", line, 1})) result += std::to_string(line) + ",";
        CHECK_FALSE(one.covers({"other", one.origin.line, 1}));
        result += " " + (one.invalid.empty() ? one.reason : "invalid: " + one.invalid) + "; ";
    }
    for (const Recipe::Problem& problem : problems) result += "problem: " + problem.why;
    return result;
}

}  // namespace

TEST_CASE("a comment suppresses in its line, or in the next one with its continuation") {
    CHECK(shown("torch==2.0 # ptxguard: ignore=CC602 built by CI\nx") == "CC602@1, built by CI; ");
    CHECK(
        shown(
            "# ptxguard: ignore=CC602,CC603 why not\n\n# other\nRUN a \\\n  # b\n  c && \\\n  d\nRUN e\n") ==
        "CC602@4,5,6,7, why not; CC603@4,5,6,7, why not; ");
    CHECK(shown("  //ptxguard: ignore=CC611 floats on purpose\r\n  \"x\"\r\n") ==
          "CC611@2, floats on purpose; ");
}

TEST_CASE("other comments have no effect, and a suppression without a reason is reported") {
    CHECK(shown("RUN echo ptxguard: ignore=CC602 x") == "");
    CHECK(shown("# ptxguard: see CC602") == "");
    CHECK(shown("# ptxguard ignores nothing here? see CC602\n# ptxguard checks this\n# see ptxguard: "
                "ignore=CC602 x") == "@4, invalid: write '# ptxguard: ignore=CODE reason'; ");
    CHECK(shown("# ptxguard: ignore=CC602 \nx") == "CC602@2, invalid: it has no reason; ");
}

TEST_CASE("a comment that reads like a suppression and is none is reported") {
    for (const char* text :
         {"# ptxguard: ignore CC603: why", "# ptxguard ignore=CC603 why", "# ptxguard: ignore= why",
          "# ptxguard-ignore: CC603", "# PTXGUARD: IGNORE=CC603 why", "# ptxguard: noqa CC603",
          "# ptxguard: disable=CC603 why", "# ptxguard:ignore", "x  // ptxguard: nolint(CC603)"}) {
        CAPTURE(text);
        CHECK(shown(std::string(text) + "\nx\n").find("invalid: write '# ptxguard: ignore=CODE reason'") !=
              std::string::npos);
    }
}
