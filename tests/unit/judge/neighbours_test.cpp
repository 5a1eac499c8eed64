// Each case with one of its facts left out, or on another system, judged by all rules: which findings come
// and go. What a guard keeps silent is often the neighbour of another rule's case. PTXGUARD_UPDATE_GOLDEN in
// the environment rewrites the texts; read the difference.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <functional>
#include <map>

#include "judge/judge.hpp"
#include "judged_lines.hpp"
#include "rule_files.hpp"

using namespace ptxguard;

namespace {

using Change = std::function<void(const std::string& what, const Json& facts)>;

// A copy in which that item or member is another one; null: left out.
Json with(const Json& value, std::size_t place, const Json* other) {
    Json copy = value.is_array() ? Json::array() : Json::object();
    for (std::size_t i = 0; i < value.size(); ++i) {
        if (i == place && !other) continue;
        if (value.is_array())
            copy.push(i == place ? *other : value.items()[i]);
        else
            copy.set(value.members()[i].first, i == place ? *other : value.members()[i].second);
    }
    return copy;
}

// A flag, or one of a few words: a guard may ask for it.
bool is_word(const Json& value) {
    const std::string& text = value.as_string();
    return value.is_bool() || (value.is_string() && !text.empty() && text.size() <= 16 &&
                               text.find_first_of("0123456789/:. ") == std::string::npos);
}

// Every item of every list and every flag, left out one at a time; `whole` puts the rest back into the tree.
void leave_out(const Json& value, const std::string& path, const std::function<Json(const Json&)>& whole,
               const Change& change) {
    for (std::size_t i = 0; i < value.size(); ++i) {
        const std::string name = value.is_array() ? std::to_string(i) : value.members()[i].first;
        const Json& inner = value.is_array() ? value.items()[i] : value.members()[i].second;
        const std::string place = path.empty() ? name : path + "." + name;
        if (value.is_array() || is_word(inner)) change("without " + place, whole(with(value, i, nullptr)));
        const auto around = [&](const Json& other) { return whole(with(value, i, &other)); };
        leave_out(inner, place, around, change);
    }
}

// What a guard often asks for, of the whole scenario.
void change_settings(const Json& facts, const Change& change) {
    static const std::pair<const char*, Json> k_settings[] = {{"system", "windows"},
                                                              {"source", "recipe"},
                                                              {"source", "binary"},
                                                              {"foreign", true},
                                                              {"probe_mode", "off"}};
    for (const auto& [name, value] : k_settings) {
        Json copy = facts;
        copy.set(name, value);
        change("with " + std::string(name) + "=" + (value.is_string() ? value.as_string() : "true"), copy);
    }
}

// "error CC202, 2 note CC607"
std::string outcome(const Json& facts) {
    const Result<Scenario> scenario = scenario_of(facts);
    if (!scenario) return "no scenario";
    std::map<std::string, int> count;
    for (const Finding& finding : judge_once(*scenario, tables()))
        ++count[std::string(to_string(finding.level)) + " " + finding.code];
    std::string text;
    for (const auto& [name, number] : count)
        text += (text.empty() ? "" : ", ") + (number > 1 ? std::to_string(number) + " " : "") + name;
    return text.empty() ? "nothing" : text;
}

void add_part(const char* name, const std::vector<std::string>& values, std::string& text) {
    if (values.empty()) return;
    text += std::string("  ") + name;
    for (const std::string& value : values) text += " | " + value;
    text += "\n";
}

// What the rule of the case itself finds, whole: the case compares only some of it.
void add_findings(const RuleCase& one, std::string& text) {
    const Result<Scenario> scenario = scenario_of(one.facts);
    if (!scenario) return;
    for (const Finding& finding : judge_once(*scenario, tables())) {
        if (finding.code != one.code) continue;
        text += "  " + finding.message + "\n";
        std::vector<std::string> found, expected, fix;
        for (const Evidence& each : finding.found) found.push_back(each.what + " " + each.value);
        for (const Evidence& each : finding.expected) expected.push_back(each.what + " " + each.value);
        for (const Fix& each : finding.fix) fix.push_back(each.text + (each.step ? " (step)" : ""));
        add_part("found", found, text);
        add_part("expected", expected, text);
        add_part("fix", fix, text);
        add_part("to check", finding.decide, text);
        if (finding.required) text += "  required\n";
    }
}

std::string neighbours_of(const RuleCase& one) {
    const std::string usual = outcome(one.facts);
    std::string text = "\n" + one.name + ": " + usual + "\n";
    add_findings(one, text);
    const Change add = [&](const std::string& what, const Json& facts) {
        const std::string now = outcome(facts);
        if (now != usual) text += "  " + what + ": " + now + "\n";
    };
    leave_out(
        one.facts, "", [](const Json& all) { return all; }, add);
    change_settings(one.facts, add);
    return text;
}

}  // namespace

TEST_CASE("each case with one fact less, or on another system, has the findings that it had") {
    std::map<std::string, std::string> texts;
    for (const RuleCase& one : rule_cases())
        texts[one.rule] += (texts[one.rule].empty() ? "# " + one.rule + "\n" : "") + neighbours_of(one);
    for (const auto& [rule, text] : texts) {
        const std::string file = "tests/unit/judge/neighbours/" + rule.substr(0, rule.find('_')) + ".txt";
        if (std::getenv("PTXGUARD_UPDATE_GOLDEN")) std::ofstream(file, std::ios::binary) << text;
        CHECK_MESSAGE(read_whole(file) == text, file, " differs; PTXGUARD_UPDATE_GOLDEN=1 rewrites it");
    }
}
