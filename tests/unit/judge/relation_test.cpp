// Which pairs a scenario has. That each kind of pair is accepted in some case and refused in another is
// checked for the cases of the rules.
// SPDX-License-Identifier: Apache-2.0
#include "judge/relation.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "judged_lines.hpp"

using namespace ptxguard;

namespace {

std::vector<Obligation> pairs(Meeting kind, const std::vector<std::string>& lines) {
    const Scenario scenario = scenario_of_lines(lines);
    std::vector<Obligation> all = relation(scenario, tables(), LibraryFaults(scenario, tables()));
    all.erase(
        std::remove_if(all.begin(), all.end(), [&](const Obligation& pair) { return pair.kind != kind; }),
        all.end());
    return all;
}

std::vector<std::string> compiled(const std::vector<std::string>& more) {
    std::vector<std::string> lines{"toolkit /usr/local/cuda 13.0.88", "build toolkit1"};
    lines.insert(lines.end(), more.begin(), more.end());
    std::vector<std::string> rights;
    for (const Obligation& pair : pairs(Meeting::compile, lines)) rights.push_back(pair.right);
    return rights;
}

using Rights = std::vector<std::string>;

}  // namespace

TEST_CASE("a test compile is a pair if its target was requested, or if it has none") {
    CHECK(compiled({"arch 80", "probe ptx accepted 9.0 sm_80", "probe ptx accepted 9.0 sm_90"}) ==
          Rights{"sm_80"});
    CHECK(compiled({"arch 80", "probe ptx refused"}) == Rights{"its default target"});
    CHECK(compiled({"probe ptx accepted 9.0 sm_90"}) == Rights{"sm_90"});
}

TEST_CASE("an architecture that nobody requested need not compile, unless nvcc's own flags name it") {
    CHECK(compiled({"probe ptx refused - sm_60 failure=architecture"}).empty());
    CHECK(compiled({"probe ptx refused - sm_60 failure=host-compiler"}) == Rights{"sm_60"});
}

TEST_CASE("a compile of another toolkit, a prediction and a list of architectures are no pairs") {
    CHECK(compiled({"probe ptx accepted 9.0 sm_80 toolkit=toolkit2"}).empty());
    CHECK(compiled({"probe ptx accepted 9.0 sm_80 basis=predicted"}).empty());
    CHECK(compiled({"probe list-archs accepted archs=75,80"}).empty());
    CHECK(compiled({"probe ptx unknown - sm_80"}).empty());
    CHECK(pairs(Meeting::compile, {"toolkit /usr/local/cuda 13.0.88", "build toolkit1 - unwanted",
                                   "probe ptx accepted 9.0 sm_80"})
              .empty());
}
