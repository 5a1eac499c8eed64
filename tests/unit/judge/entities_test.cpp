// Findings, pairs and lines of the check list are joined by what they are about, never by a name.
// SPDX-License-Identifier: Apache-2.0
#include "judge/entities.hpp"

#include <doctest/doctest.h>

#include "judge/framework_questions.hpp"
#include "judge/judge.hpp"
#include "judge/ptx_questions.hpp"
#include "judge/relation.hpp"
#include "judged_lines.hpp"
#include "model/ranges.hpp"
#include "model/serialize.hpp"
#include "model/text.hpp"
#include "rule_files.hpp"

using namespace ptxguard;

namespace {

// Without an architecture it is compared with nothing.
bool is_known(const Gpu& gpu) { return gpu.arch.value.has_value(); }
template <typename Thing>
bool is_known(const Thing&) {
    return true;
}

template <typename Thing>
void check_named(const Scenario& scenario, const std::vector<Thing>& things, const Finding& finding) {
    bool shown = false, named = false;
    std::string name;
    for (const Thing& thing : things) {
        if (!is_known(thing)) continue;
        const std::string own = name_of(thing);
        const std::size_t at = finding.subject.find(own);
        const bool whole = at != std::string::npos &&
                           (at + own.size() == finding.subject.size() ||
                            std::string(" ,").find(finding.subject[at + own.size()]) != std::string::npos);
        if (whole) shown = true, name = own;
        named = named || contains(finding.about, id_of(scenario, thing));
    }
    if (shown) CHECK_MESSAGE(named, finding.code, " is not about ", name, ": ", finding.subject);
}

}  // namespace

TEST_CASE("a finding is about each driver, GPU and framework that its subject shows") {
    for (const RuleCase& rule_case : rule_cases()) {
        const Result<Scenario> scenario = scenario_of(rule_case.facts);
        if (!scenario || scenario->source == SourceKind::recipe) continue;
        CAPTURE(rule_case.place);
        for (const Finding& finding : judge_once(*scenario, tables())) {
            check_named(*scenario, scenario->drivers, finding);
            check_named(*scenario, scenario->gpus, finding);
            check_named(*scenario, scenario->expectations, finding);
        }
    }
}

namespace {

template <typename Thing>
void add_all_again(std::vector<Thing>& things) {
    const std::vector<Thing> copies = things;
    things.insert(things.end(), copies.begin(), copies.end());
}

std::vector<std::string> remaining(const Scenario& scenario) {
    std::vector<std::string> subjects;
    for (const Finding& finding : judge({scenario}, tables(), {}).findings)
        if (finding.code == "CC005") subjects.push_back(finding.subject);
    return subjects;
}

}  // namespace

TEST_CASE("what is said of one GPU is said of another one of the same name") {
    for (const RuleCase& rule_case : rule_cases()) {
        const Result<Scenario> scenario = scenario_of(rule_case.facts);
        if (!scenario || scenario->gpus.empty() || scenario->source == SourceKind::recipe) continue;
        CAPTURE(rule_case.place);
        Scenario twice = *scenario;
        add_all_again(twice.gpus);
        CHECK(remaining(twice) == remaining(*scenario));
    }
}

namespace {

const CheckedArea* area(const Judgement& judgement, const std::string& name) {
    return first_where(judgement.checklist, [&](const CheckedArea& one) { return one.area == name; });
}

using Names = std::vector<std::string>;

Names subjects_of(const Judgement& judgement, const std::string& code) {
    Names subjects;
    for (const Finding& finding : judgement.findings)
        if (finding.code == code) subjects.push_back(finding.subject);
    return subjects;
}

const std::string k_here = " how=wheel path=/site/x cpu_only=false vendor=cuda";

}  // namespace

TEST_CASE("a finding explains the pairs whose two ends it names, and no other pair of their kind") {
    const Scenario scenario = scenario_of_lines({"gpu A100 sm_80", "gpu H100 sm_90", "driver 580.95.05",
                                                 "framework PyTorch torch 2.9.1 12.8" + k_here,
                                                 "toolkit /a 13.0.88", "toolkit /b 13.0.88"});
    const Entity torch = id_of(scenario, scenario.expectations[0]), a100 = id_of(scenario, scenario.gpus[0]),
                 h100 = id_of(scenario, scenario.gpus[1]);
    Findings findings;
    add(findings, "CC607", Level::error, "PyTorch 2.9.1 on H100 (sm_90)", "").about({torch, h100});
    const auto explains = [&](Meeting kind, const Entity& left, const Entity& right) {
        return reports_pair(findings.back(), {kind, {left, ""}, {right, ""}, Outcome::refused});
    };
    CHECK(explains(Meeting::code_gpu, torch, h100));
    CHECK_FALSE(explains(Meeting::code_gpu, torch, a100));
    CHECK_FALSE(explains(Meeting::code_gpu, k_build, h100));
    const Entity one = id_of(scenario, scenario.toolkits[0]), other = id_of(scenario, scenario.toolkits[1]);
    add(findings, "CC104", Level::error, "/b", "").about(other);
    CHECK(explains(Meeting::compile, other, other));
    CHECK_FALSE(explains(Meeting::compile, one, one));
}

TEST_CASE("a copy of a thing, and a thing of another scenario, has no id") {
    const Scenario scenario = scenario_of_lines({"gpu A100 sm_80"});
    const Gpu copy = scenario.gpus.front();
    CHECK(id_of(scenario, copy) == Entity{});
    CHECK(id_of(scenario, scenario.gpus.front()) == Entity{EntityKind::gpu, 0});
}

TEST_CASE("the line of the frameworks has the codes of what they are refused by, not of other pairs") {
    // CC202 is about the PTX of the build, and the same driver.
    const Judgement judgement =
        judged({"toolkit /c 13.0.88", "build toolkit1", "arch 80", "driver 470.256.02",
                "probe ptx accepted 9.0 sm_80", "framework CuPy cupy-cuda12x 13.6.0 12.9" + k_here});
    CHECK(subjects_of(judgement, "CC202") == Names{"driver 470.256.02"});
    REQUIRE(area(judgement, "frameworks"));
    CHECK(area(judgement, "frameworks")->state == AreaState::error);
    CHECK(area(judgement, "frameworks")->codes == Names{"CC208"});
}

TEST_CASE("what is said of driver 580.95.05 is not said of driver 580") {
    const Judgement judgement =
        judged({"build - - unwanted", "driver 580", "driver 580.95.05 lacks=libnvidia-ptxjitcompiler.so.1"});
    CHECK(subjects_of(judgement, "CC217") == Names{"driver 580.95.05"});
    CHECK(subjects_of(judgement, "CC005") == Names{"driver 580"});
    CHECK(judgement.verdict == Verdict::unknown);
}

TEST_CASE("two packages of one framework have a line each, those of one name and CUDA a common one") {
    const auto frameworks = [](const std::string& first, const std::string& second) {
        const Judgement judgement = judged({"build - - unwanted", "driver 580.95.05",
                                            "framework CuPy cupy-cuda11x 13.6.0 " + first + k_here,
                                            "framework CuPy cupy-cuda12x 13.6.0 " + second + k_here});
        REQUIRE(area(judgement, "frameworks"));
        return area(judgement, "frameworks")->text;
    };
    CHECK(frameworks("11.8", "12.9") ==
          "CuPy 13.6.0 (CUDA 11.8): driver 580.95.05; CuPy 13.6.0 (CUDA 12.9): driver 580.95.05");
    CHECK(frameworks("12.9", "12.9") == "CuPy 13.6.0 (CUDA 12.9): driver 580.95.05");
}
