// The reports of common situations, as users read them: at 80 and 120 columns, the cause in the first lines
// below the check list, short, and fixed by the first action. PTXGUARD_UPDATE_GOLDEN in the environment
// rewrites the texts.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>

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

// What the first five lines of each report say.
TEST_CASE("the cause stands in the first five lines, at 80 columns") {
    const std::pair<const char*, const char*> said[] = {
        {"silent good machine", "nvcc 13.0.88 at"},
        {"silent nothing installed", "no toolkit found"},
        {"fires broken pip toolkit", "mixed: nvcc 13.0.88 with cicc 13.5.37"},
        {"fires old driver", "470.256.02: too old for PyTorch 2.11.0+cu130 (needs 580)"},
        {"fires dropped architecture", "nvcc 13.0.88 does not support sm_50"},
        {"fires other cuda on windows", "needs cudart64_110.dll"},
        {"fires misspelt CUDA_HOME", "CUDA_HOME=/usr/local/cuda-13.1 does not exist"},
        {"silent two equal toolkits", "nvcc 13.0.88 at"},
        {"fires two toolkits and one is broken", "mixed: nvcc 13.0.88"}};
    for (const RuleCase& situation : situations()) {
        const auto wanted = std::find_if(std::begin(said), std::end(said),
                                         [&](const auto& one) { return situation.name == one.first; });
        REQUIRE_MESSAGE(wanted != std::end(said), situation.name);
        std::string first, report = report_of(situation, 80);
        for (std::size_t line = 0, at = 0; line < 5 && at < report.size(); ++line) {
            const std::size_t end = report.find('\n', at);
            const std::size_t text = report.find_first_not_of(' ', at);
            first += (first.empty() ? "" : " ") + report.substr(text, end - text);
            at = end + 1;
        }
        CHECK_MESSAGE(first.find(wanted->second) != std::string::npos, report);
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
