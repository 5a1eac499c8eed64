// SPDX-License-Identifier: Apache-2.0
#include "formats/toml.hpp"

#include <doctest/doctest.h>

using namespace ptxguard;

namespace {
constexpr Limit k_most_of_test{1000, "bytes", "the file"};
}  // namespace

TEST_CASE("TOML as a tree in the file's order") {
    const auto read = read_toml(
        "[project]\nname = 'x'\ndependencies = [\n  \"torch==2.1\",\n]\n[tool.z]\npython = 3.10\nb = "
        "0x10\nyes = true\n[[tool.a.index]]\nurl = \"u\"\nwhen = 2024-01-02\n",
        "pyproject.toml", k_most_of_test);
    REQUIRE(read);
    const Tree& root = *read;
    CHECK(root["project"]["dependencies"].items[0].text == "torch==2.1");
    CHECK(root["project"]["dependencies"].items[0].line == 4);
    CHECK(root["project"]["dependencies"].items[0].column == 4);
    CHECK(root["tool"]["z"]["python"].text == "3.10");
    CHECK(root["tool"]["z"]["b"].text == "16");
    CHECK(root["tool"]["z"]["yes"].truth());
    CHECK(root["tool"]["z"].members[0].first.text == "python");
    CHECK(root["tool"]["a"]["index"].items[0]["url"].text == "u");
    CHECK(root["tool"]["a"]["index"].items[0]["when"].text == "2024-01-02");
    CHECK(root.members[0].first.text == "project");
}

TEST_CASE("TOML that is wrong or too large") {
    const auto why = [](std::string_view text, std::size_t most = 100000) {
        const Limit limit(most, "bytes", "the file");
        const auto read = read_toml(text, "x.toml", limit);
        return read ? "" : read.trouble().text();
    };
    CHECK(why("a = 1\na = 2\n").find("x.toml:2 is not valid TOML: ") == 0);
    CHECK(why("a = [1,\n").find("is not valid TOML") != std::string::npos);
    CHECK(why("a = 1", 3) == "x.toml exceeds the limit of 3 bytes: ptxguard did not read the file");
    CHECK(why("a = " + std::string(50000, '[')).find("x.toml:1 exceeds the limit of 30 values") == 0);
    CHECK(why("a = \"\"\"\nx\n\"\"\"\n").empty());
    CHECK(why("").empty());
    CHECK(why("a = 1\n [{b]\n") == "x.toml:2 is not valid TOML: a table without a name");
    CHECK(why("[[\n").find("a table without a name") != std::string::npos);
    CHECK(why("a = [\n  [1],\n  [{b = 1}],\n]\n[ \"b\" ]\n[[c]]\n").empty());
}
