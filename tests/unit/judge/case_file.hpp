// Splits a rule's cases.md into its cases: a heading, facts, and the findings that are expected, as they are
// printed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "case_facts.hpp"
#include "judge/judge.hpp"

struct ExpectedFinding {
    std::string level, code;
    std::string message;  // empty: any
    // "found" -> its lines; only the labels that the block has are compared.
    std::vector<std::pair<std::string, std::vector<std::string>>> parts;
    const std::vector<std::string>* part(const std::string& label) const;
};

struct RuleCase {
    std::string rule;  // "CC101_variable_names_no_toolkit"
    std::string code;  // "CC101"
    std::string name;  // "fires_on_a_misspelt_folder"; unique in its file
    std::string about;
    std::string place;         // "CC101_variable_names_no_toolkit/cases.md:12"
    ptxguard::Json facts;      // in the form of model/serialize.hpp
    ptxguard::Json after_fix;  // the facts after the fix; null: not checked
    ptxguard::JudgeOptions options;
    std::string throwing_rule;  // that is made to throw
    bool rule_fails = false;
    std::string verdict;  // empty: any
    std::vector<ExpectedFinding> expect;
    std::string trouble;  // why it cannot be read
    bool fires() const { return name.compare(0, 5, "fires") == 0; }
};

// `recorded`: folder of the recorded scenarios.
std::vector<RuleCase> read_cases(const std::string& text, const std::string& rule,
                                 const std::string& recorded);
// Is it this text, if each `...` in `wanted` matches anything?
bool text_matches(const std::string& wanted, const std::string& text);
std::string read_whole(const std::string& file);  // "" if it cannot be read
