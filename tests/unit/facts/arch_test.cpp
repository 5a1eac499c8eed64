// SPDX-License-Identifier: Apache-2.0
#include "given.hpp"

namespace ptxguard {
namespace {

std::vector<int> family(const char* name) { return Facts::embedded().family(*parse_arch(name)); }
const ArchFacts& row(const Facts& facts, const char* name) {
    const ArchFacts* found = facts.arch(*parse_arch(name));
    REQUIRE_MESSAGE(found, name);
    return *found;
}

}  // namespace

TEST_CASE("a family has the members that ptxas assembles its PTX for") {
    CHECK(family("100f") == std::vector<int>{100, 103, 107});
    CHECK(family("101f") == std::vector<int>{101});
    CHECK(family("103f") == std::vector<int>{103, 107});
    CHECK(family("107f") == std::vector<int>{107});
    CHECK(family("110f") == std::vector<int>{110});
    CHECK(family("120f") == std::vector<int>{120, 121});
    CHECK(family("121f") == std::vector<int>{121});
    for (const char* none : {"100", "100a", "90f", "130f"}) CHECK_MESSAGE(family(none).empty(), none);
}

TEST_CASE("an architecture has the PTX version that introduced it, and whether it is integrated") {
    const auto facts = Facts::embedded();
    CHECK(row(facts, "90").first_ptx == PtxVersion{7, 8});
    CHECK(row(facts, "100").first_ptx == PtxVersion{8, 6});
    CHECK(row(facts, "107").first_ptx == PtxVersion{9, 4});  // not documented yet: as measured
    for (const char* name : {"72", "87", "101", "110"}) CHECK_MESSAGE(row(facts, name).integrated, name);
    for (const char* name : {"75", "86", "100", "120", "121"})
        CHECK_MESSAGE(!row(facts, name).integrated, name);
}

TEST_CASE("the architectures are sorted") {
    const auto archs = Facts::embedded().archs();
    CHECK(archs.size() > 40);
    CHECK(std::is_sorted(archs.begin(), archs.end()));
    CHECK(archs.front().sm() == "sm_10");
}

}  // namespace ptxguard
