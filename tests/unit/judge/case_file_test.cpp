// What cases.md may contain, and how the reader reports errors.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "case_file.hpp"

using namespace ptxguard;

namespace {

RuleCase only_case(const std::string& lines) {
    const std::vector<RuleCase> cases = read_cases("## fires here: why\n" + lines, "CC101_x", "");
    REQUIRE(cases.size() == 1);
    return cases.front();
}

Scenario scenario(const std::string& lines) {
    const RuleCase rule_case = only_case(lines);
    REQUIRE_MESSAGE(rule_case.trouble.empty(), rule_case.trouble);
    const Result<Scenario> result = scenario_of(rule_case.facts);
    REQUIRE_MESSAGE(bool(result), result.trouble().text());
    return *result;
}

}  // namespace

TEST_CASE("one line may have several facts, and a fact contains those that belong to it") {
    const Scenario one =
        scenario("driver 535.104.05 | gpu \"RTX 3090\" sm_86\nbinary a.so elf | cubin sm_80 | ptx sm_90 8.4");
    REQUIRE(one.drivers.size() == 1);
    CHECK(one.drivers[0].declared);
    CHECK(one.drivers[0].version.origin.for_people() == "--driver");
    REQUIRE(one.gpus.size() == 1);
    CHECK(one.gpus[0].name == "RTX 3090");
    REQUIRE(one.binaries.size() == 1);
    REQUIRE(one.binaries[0].entries.size() == 2);
    CHECK(one.binaries[0].entries[1].ptx->text() == "8.4");
}

TEST_CASE("a toolkit has its compilers, unless its line or those below it say otherwise") {
    CHECK(scenario("toolkit /c 13.0.88").toolkits[0].parts.size() == 3);
    CHECK(scenario("toolkit /c - empty").toolkits[0].parts.empty());
    const Scenario one = scenario(
        "toolkit /c 13.0.88 whole cudart=13.0.96 ptxas=none\n  part cicc - /d/cicc trouble=\"is not "
        "executable\"");
    const Toolkit& toolkit = one.toolkits[0];
    CHECK(toolkit.parts.size() == 10);
    CHECK(toolkit.part(PartKind::nvcc)->path == "/c/bin/nvcc");
    CHECK(toolkit.part(PartKind::cudart)->version->text == "13.0.96");
    CHECK(toolkit.part(PartKind::cudart)->path == "/c/lib64/libcudart.so.13");
    CHECK_FALSE(toolkit.part(PartKind::ptxas)->version);
    CHECK(toolkit.part(PartKind::cicc)->path == "/d/cicc");
    CHECK(toolkit.part(PartKind::cicc)->trouble == "is not executable");
    CHECK(toolkit.part(PartKind::cicc)->version->text == "13.0.88");
}

TEST_CASE("a long fact continues in lines that begin with a member, and any member can be named in full") {
    const Scenario one =
        scenario("driver 535 found libcuda=/l/libcuda.so.1\n    version.origin.text=\"the file name\" stub");
    CHECK_FALSE(one.drivers[0].declared);
    CHECK(one.drivers[0].stub);
    CHECK(one.drivers[0].version->text == "535");
    CHECK(one.drivers[0].version.origin.for_people() == "the file name");
}

TEST_CASE("a case that is based on another lists the differences, and those after the fix") {
    const std::vector<RuleCase> cases = read_cases(
        "driver 535 | gpu A sm_80\n"
        "## fires a: first\narch 80\n"
        "## silent b: second\nlike fires a\nno gpus\ndriver 580\nafter fix: arch 80-real 90-real\n",
        "CC101_x", "");
    REQUIRE(cases.size() == 2);
    const Scenario first = *scenario_of(cases[0].facts), second = *scenario_of(cases[1].facts);
    const Scenario fixed = *scenario_of(cases[1].after_fix);
    CHECK(first.gpus.size() == 1);
    CHECK(second.gpus.empty());
    CHECK(second.drivers[0].version->text == "580");
    REQUIRE(second.project.archs.targets.size() == 1);
    CHECK(second.project.archs.targets[0].ptx);
    CHECK(*fixed.project.archs_text == "80-real;90-real");
    CHECK_FALSE(fixed.project.archs.targets[1].ptx);
}

TEST_CASE("the expected block is read as it is printed") {
    const RuleCase one = only_case(
        "error[CC101]: it is wrong\n  found     a 1   f\n            b 2\n  fix       command: do it\n  or   "
        "     manual: or that\nverdict fail\n");
    REQUIRE(one.expect.size() == 1);
    CHECK(one.expect[0].level == "error");
    CHECK(one.expect[0].message == "it is wrong");
    CHECK(one.expect[0].part("found")->size() == 2);
    CHECK(one.expect[0].part("fix")->size() == 2);
    CHECK_FALSE(one.expect[0].part("because"));
    CHECK(one.verdict == "fail");
}

TEST_CASE("dots stand for any text, at the ends and between") {
    CHECK(text_matches("a...c", "a b c"));
    CHECK(text_matches("...b...", "a b c"));
    CHECK(text_matches("a...", "a"));
    CHECK_FALSE(text_matches("a...a", "a"));
    CHECK_FALSE(text_matches("a", "a b"));
    CHECK_FALSE(text_matches("...c...b", "a b c"));
}

TEST_CASE("unreadable text is reported with its line") {
    CHECK(only_case("drivr 535\n").trouble.find("cases.md:2: unknown word 'drivr'") != std::string::npos);
    CHECK(only_case("gpu \"H100\n").trouble.find("a quote does not end") != std::string::npos);
    CHECK(only_case("like fires nothing\n").trouble == "no case 'fires nothing' before this one");
    CHECK_FALSE(scenario_of(only_case("driver thirteen\n").facts));
}
