// The loop of the judge with rules made up for the test: isolation, order, merging, counts, verdict.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <stdexcept>

#include "judge/judge.hpp"
#include "judge/rule.hpp"

using namespace ptxguard;

namespace {

void one_error(const Scenario&, const Facts&, const LibraryFaults&, std::vector<Finding>& findings) {
    add(findings, "CC901", Level::error, "nvcc", "nvcc is wrong");
}
void warning_and_note(const Scenario&, const Facts&, const LibraryFaults&, std::vector<Finding>& findings) {
    add(findings, "CC902", Level::note, "b", "b is noted");
    add(findings, "CC902", Level::warning, "z", "z is odd");
    add(findings, "CC902", Level::warning, "a", "a is odd");
    add(findings, "CC902", Level::warning, "a", "a is odd again");
}
void undecided(const Scenario& scenario, const Facts&, const LibraryFaults&, std::vector<Finding>& findings) {
    add(findings, "CC903", Level::unknown, "driver", "driver is not known")->required =
        scenario.requires_("driver");
}
void says_then_throws(const Scenario&, const Facts&, const LibraryFaults&, std::vector<Finding>& findings) {
    add(findings, "CC904", Level::note, "half", "half of the work is done");
    throw std::runtime_error("out of ideas");
}
void throws_a_number(const Scenario&, const Facts&, const LibraryFaults&, std::vector<Finding>&) { throw 7; }

const Rule k_error{"CC901", "one_error", "", one_error};
const Rule k_warnings{"CC902", "warning_and_note", "", warning_and_note};
const Rule k_undecided{"CC903", "undecided", "", undecided};
const Rule k_throws{"CC904", "says_then_throws", "", says_then_throws};
const Rule k_number{"CC905", "throws_a_number", "", throws_a_number};

Scenario named(const std::string& name) {
    Scenario scenario;
    scenario.gpus.resize(1);  // found here: there is something to judge
    scenario.name = name;
    return scenario;
}

Judgement run(const std::vector<Rule>& table, const JudgeOptions& options = {},
              const std::vector<Scenario>& scenarios = {named("one")}) {
    return judge_with(table, scenarios, Facts::with({}), options);
}

}  // namespace

TEST_CASE("findings are sorted by level, then by code and subject, and duplicates appear once") {
    const Judgement judgement = run({k_warnings, k_undecided, k_error});
    REQUIRE(judgement.findings.size() == 5);
    CHECK(judgement.findings[0].code == "CC901");
    CHECK(judgement.findings[0].name == "one_error");
    CHECK(judgement.findings[0].scenario == "one");
    CHECK(judgement.findings[1].subject == "a");
    CHECK(judgement.findings[1].message == "a is odd");
    CHECK(judgement.findings[2].subject == "z");
    CHECK(judgement.findings[3].level == Level::unknown);
    CHECK(judgement.findings[4].level == Level::note);
    CHECK(judgement.counts.error == 1);
    CHECK(judgement.counts.warning == 2);
    CHECK(judgement.counts.unknown == 1);
    CHECK(judgement.counts.note == 1);
}

TEST_CASE("the same finding in two scenarios is kept twice, each with its scenario") {
    const Judgement judgement = run({k_error}, {}, {named("build"), named("run")});
    REQUIRE(judgement.findings.size() == 2);
    CHECK(judgement.findings[0].scenario == "build");
    CHECK(judgement.findings[1].scenario == "run");
}

TEST_CASE("a rule that throws is reported, and no finding is lost, not even its own") {
    const Judgement judgement = run({k_throws, k_number, k_error});
    CHECK(judgement.rule_failed);
    REQUIRE(judgement.findings.size() == 4);
    CHECK(judgement.findings[0].code == "CC901");
    CHECK(judgement.findings[1].message == "rule CC904 (says_then_throws) could not run: out of ideas");
    CHECK(judgement.findings[1].code == "CC001");
    CHECK(judgement.findings[1].name == "rule_could_not_run");
    CHECK(judgement.findings[2].message ==
          "rule CC905 (throws_a_number) could not run: it threw an exception without a message");
    CHECK(judgement.findings[3].code == "CC904");
    CHECK(judgement.counts.unknown == 2);
}

TEST_CASE("the verdict without errors is unknown after a rule threw, never pass") {
    CHECK(run({k_number}).verdict == Verdict::unknown);
}

TEST_CASE("the verdict fails at the level of fail_on and above it") {
    JudgeOptions options;
    CHECK(run({k_warnings}, options).verdict == Verdict::pass);
    CHECK(run({k_error}, options).verdict == Verdict::fail);
    options.fail_on = Level::warning;
    CHECK(run({k_warnings}, options).verdict == Verdict::fail);
    CHECK(run({k_undecided}, options).verdict == Verdict::pass);
    options.fail_on = Level::unknown;
    CHECK(run({k_undecided}, options).verdict == Verdict::fail);
    options.fail_never = true;
    CHECK(run({k_error}, options).verdict == Verdict::pass);
    CHECK(run({}).verdict == Verdict::pass);
}

TEST_CASE("with nothing to check the verdict is neither pass nor unknown") {
    const std::vector<Scenario> empty = {Scenario{}};
    CHECK(run({}, {}, empty).verdict == Verdict::not_checked);
    CHECK(run({k_undecided}, {}, empty).verdict == Verdict::not_checked);
    CHECK(run({k_warnings}, {}, empty).verdict == Verdict::pass);
    CHECK(run({k_error}, {}, empty).verdict == Verdict::fail);
    Scenario file;
    file.source = SourceKind::binary;
    CHECK(run({}, {}, {file}).verdict == Verdict::pass);
    Scenario named_alone;
    named_alone.drivers.resize(1);
    named_alone.drivers[0].declared = true;
    CHECK(run({}, {}, {named_alone}).verdict == Verdict::not_checked);
}

TEST_CASE("an undecided rule makes the verdict unknown only if it is required") {
    Scenario scenario = named("one");
    CHECK(run({k_undecided}, {}, {scenario}).verdict == Verdict::pass);
    scenario.require = {"driver"};
    CHECK(run({k_undecided}, {}, {scenario}).verdict == Verdict::unknown);
    CHECK(run({k_undecided, k_error}, {}, {scenario}).verdict == Verdict::fail);
}

TEST_CASE("a suppressed finding stays at the end with its reason, and is not counted") {
    JudgeOptions options;
    options.suppressions = {{"CC901", "known, see the build notes", {}}, {"CC901", "a second reason", {}}};
    const Judgement judgement = run({k_error, k_warnings}, options);
    REQUIRE(judgement.findings.size() == 4);
    CHECK(judgement.findings.back().code == "CC901");
    CHECK(judgement.findings.back().suppressed.value_or("") == "known, see the build notes");
    CHECK(judgement.counts.error == 0);
    CHECK(judgement.verdict == Verdict::pass);
}

TEST_CASE("a suppression may name the rule instead of the code") {
    JudgeOptions options;
    options.suppressions = {{"one_error", "known", {}}};
    const Judgement judgement = run({k_error}, options);
    REQUIRE(judgement.findings.size() == 1);
    CHECK(judgement.findings[0].suppressed.has_value());
}

TEST_CASE("a run with some of the rules ignores the others and their suppressions") {
    JudgeOptions options;
    options.only = {"CC901"};
    CHECK(run({k_error, k_warnings}, options).findings.size() == run({k_error}).findings.size());
    options.only.clear();
    options.elsewhere = {"CC901"};
    options.suppressions = {{"CC901", "of the other run", {}}};
    const Rule silent{"CC901", "one_error", "",
                      [](const Scenario&, const Facts&, const LibraryFaults&, Findings&) {}};
    CHECK(run({silent}, options).findings.empty());
}

TEST_CASE("an unused suppression is a warning, and can itself be suppressed") {
    JudgeOptions options;
    options.suppressions = {{"CC902", "was needed once", {}}};
    Judgement judgement = run(
        {k_error,
         Rule{"CC902", "quiet", "", [](const Scenario&, const Facts&, const LibraryFaults&, Findings&) {}}},
        options);
    REQUIRE(judgement.findings.size() == 2);
    CHECK(judgement.findings[1].code == "CC003");
    CHECK(judgement.findings[1].message == "suppression of CC902 matches no finding");
    options.suppressions.push_back({"CC003", "shared between projects", {}});
    judgement = run({k_error}, options);
    REQUIRE(judgement.findings.size() == 2);
    CHECK(judgement.findings[1].suppressed.value_or("") == "shared between projects");
}

TEST_CASE(
    "a suppression unused for one file may apply to others; one that does not name a rule applies to none") {
    const Rule quiet{"CC902", "quiet", "",
                     [](const Scenario&, const Facts&, const LibraryFaults&, Findings&) {}};
    JudgeOptions options;
    options.suppressions = {{"CC902", "for other files", {}}, {"CC777", "a slip", {}}};
    Scenario file = named("libx.so");
    file.source = SourceKind::binary;
    const Judgement judgement = run({quiet}, options, {file});
    REQUIRE(judgement.findings.size() == 1);
    CHECK(judgement.findings[0].subject == "CC777");
    CHECK(run({quiet}, options).findings.size() == 2);
}

TEST_CASE("a check of a machine does not report a suppression as unused that only files need") {
    const Rule of_files{"CC902", "quiet", "",
                        [](const Scenario&, const Facts&, const LibraryFaults&, Findings&) {}, true};
    JudgeOptions options;
    options.suppressions = {{"CC902", "for the files", {}}};
    CHECK(run({of_files}, options).findings.empty());
}

TEST_CASE("a suppression of an unused suppression is unused if all others are used") {
    JudgeOptions options;
    options.suppressions = {{"CC003", "not needed", {}}};
    const Judgement judgement = run({}, options);
    REQUIRE(judgement.findings.size() == 1);
    CHECK(judgement.findings[0].subject == "CC003");
    CHECK_FALSE(judgement.findings[0].suppressed.has_value());
}

TEST_CASE("fix lines keep blanks and quotes on both systems") {
    CHECK(set_variable("CUDA_HOME", "/usr/local/cuda", System::linux_).text ==
          "export CUDA_HOME=/usr/local/cuda");
    CHECK(set_variable("CUDA_HOME", "/opt/my cuda", System::linux_).text ==
          "export CUDA_HOME='/opt/my cuda'");
    CHECK(shell_word("it's;", System::linux_) == "'it'\\''s;'");
    CHECK(set_variable("CUDA_PATH", "C:/Program Files/CUDA", System::windows).text ==
          "$env:CUDA_PATH = 'C:/Program Files/CUDA'");
    CHECK(shell_word("it's", System::windows) == "'it''s'");
    CHECK(shell_word("", System::linux_) == "''");
    CHECK(unset_variable("CUDA_HOME", System::linux_).text == "unset CUDA_HOME");
}

TEST_CASE("a list reads as a sentence") {
    CHECK(list({}) == "");
    CHECK(list({"a"}) == "a");
    CHECK(list({"a", "b"}) == "a and b");
    CHECK(list({"a", "b", "c"}) == "a, b and c");
}
