// Versions inside programs, found without running them.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "formats/version_text.hpp"

using namespace ptxguard;

namespace {
std::optional<Version> banner_in(const std::string& bytes) { return banner_version(source_of(bytes)); }
}  // namespace

TEST_CASE("the banner of a program is found wherever it stands") {
    const std::string text = "Cuda compilation tools, release 13.0, V13.0.88";
    CHECK(banner_in(text)->text == "13.0.88");
    CHECK(banner_in(std::string(3u << 20, 'x') + text + std::string(2u << 20, '\0'))->text == "13.0.88");
    // Across the boundary of two chunks.
    for (std::size_t shift = 0; shift < 60; shift += 7)
        CHECK(banner_in(std::string(1000, 'x') + text + std::string((1u << 20) - shift, ' '))->text ==
              "13.0.88");
}

TEST_CASE("a format string is not a version, and a release without build is better than nothing") {
    const std::string format = "Cuda compilation tools, release %d.%d, V%d";
    CHECK_FALSE(banner_in(format));
    CHECK(banner_in(std::string("Cuda compilation tools, release 12.2, V12.2.149") + '\0' + format)->text ==
          "12.2.149");
    CHECK(banner_in("Cuda compilation tools, release 9.1")->text == "9.1");
    CHECK_FALSE(banner_in(""));
    CHECK_FALSE(banner_in("release 13.0, V13.0.88"));
}

TEST_CASE("damaged ELF and PE headers are skipped") {
    const std::string banner = "Cuda compilation tools, release 13.0, V13.0.88";
    for (const char* magic : {"\177ELF", "MZ"}) {
        std::string bytes = std::string(magic) + std::string(124, '\xff');
        CHECK(banner_in(bytes + banner)->text == "13.0.88");
        CHECK_FALSE(banner_in(bytes));
        CHECK_FALSE(banner_in(magic));
    }
}
