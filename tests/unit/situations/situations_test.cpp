// The reports of common situations, as users read them: at 80 and 120 columns, the cause in the first lines
// below the check list, short, and fixed by the first action. PTXGUARD_UPDATE_GOLDEN in the environment
// rewrites the texts.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "../judge/case_file.hpp"
#include "report/report.hpp"

using namespace ptxguard;

namespace {

const std::string k_folder = "tests/unit/situations/";

std::vector<RuleCase> situations() {
    return read_cases(read_whole(k_folder + "situations.md"), "situations", "");
}

Judgement judged(const RuleCase& situation, const Json& facts, Scenario& scenario) {
    const Result<Scenario> made = scenario_of(facts);
    REQUIRE_MESSAGE(made, situation.name);
    scenario = *made;
    return judge({scenario}, Facts::embedded(), {});
}

std::string report_of(const RuleCase& situation, std::size_t width, bool verbose = false) {
    Report report;
    report.command = "check";
    report.scenarios.emplace_back();
    report.judgement = judged(situation, situation.facts, report.scenarios.front());
    ReportOptions options;
    options.width = width;
    options.verbose = verbose;
    return text_report(report, options);
}

// "fires old driver" -> "old_driver.80.txt"
std::string file_of(const RuleCase& situation, std::size_t width) {
    std::string name = situation.name.substr(situation.name.find(' ') + 1);
    std::replace(name.begin(), name.end(), ' ', '_');
    return k_folder + name + "." + std::to_string(width) + ".txt";
}

std::size_t lines_of(const std::string& text) {
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

}  // namespace

TEST_CASE("nine situations are reported as expected, at 80 and 120 columns") {
    const std::vector<RuleCase> all = situations();
    CHECK(all.size() == 9);
    for (const RuleCase& situation : all) {
        REQUIRE_MESSAGE(situation.trouble.empty(), situation.name, ": ", situation.trouble);
        for (const std::size_t width : {80, 120}) {
            const std::string file = file_of(situation, width), text = report_of(situation, width);
            if (std::getenv("PTXGUARD_UPDATE_GOLDEN")) std::ofstream(file, std::ios::binary) << text;
            CHECK_MESSAGE(read_whole(file) == text, file, "\n", text);
        }
    }
}

TEST_CASE("a report is short, and begins with the problem") {
    for (const RuleCase& situation : situations()) {
        const std::string text = report_of(situation, 80);
        CHECK_MESSAGE(lines_of(text) <= 28, text);
        CHECK_MESSAGE(report_of(situation, 80, true).size() > text.size(), situation.name);
        if (!situation.fires()) continue;
        const std::size_t cause = std::min(text.find("\n\nerror["), text.find("\n\nwarning["));
        const std::size_t action = text.find("\n  fix       ");
        REQUIRE_MESSAGE(cause != std::string::npos, text);
        CHECK_MESSAGE(cause < action, text);
        CHECK_MESSAGE(action < text.find("\nverdict: "), text);
        // Only the check list is above the cause.
        CHECK_MESSAGE(text.find("\n\n") == cause, text);
    }
}

TEST_CASE("the first action fixes its cause") {
    for (const RuleCase& situation : situations()) {
        Scenario scenario;
        const Judgement before = judged(situation, situation.facts, scenario);
        CHECK_MESSAGE(to_string(before.verdict) == situation.verdict, situation.name);
        if (situation.after_fix.is_null()) continue;
        const Judgement after = judged(situation, situation.after_fix, scenario);
        for (const Finding& finding : after.findings)
            CHECK_MESSAGE(finding.level < Level::warning, situation.name, ": ", finding.message);
    }
}
