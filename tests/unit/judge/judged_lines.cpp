// SPDX-License-Identifier: Apache-2.0
#include "judged_lines.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "case_facts.hpp"

using namespace ptxguard;

Scenario scenario_of_lines(const std::vector<std::string>& lines) {
    std::vector<FactLine> facts;
    for (const std::string& line : lines) facts.push_back({static_cast<int>(facts.size()) + 1, line});
    const auto json = facts_json(facts, "lines");
    REQUIRE_MESSAGE(bool(json), json.trouble().text());
    const auto made = scenario_of(*json);
    REQUIRE_MESSAGE(bool(made), made.trouble().text());
    return *made;
}

const Facts& tables() {
    static const Facts facts = Facts::embedded();
    return facts;
}

Judgement judged(const std::vector<std::string>& lines) {
    return judge({scenario_of_lines(lines)}, tables(), {});
}

const Finding* find(const Judgement& judgement, const std::string& code) {
    const auto found = std::find_if(judgement.findings.begin(), judgement.findings.end(),
                                    [&](const Finding& finding) { return finding.code == code; });
    return found == judgement.findings.end() ? nullptr : &*found;
}

std::vector<std::string> texts(const std::vector<Fix>& fixes) {
    std::vector<std::string> all;
    for (const Fix& fix : fixes) all.push_back(fix.text);
    return all;
}
