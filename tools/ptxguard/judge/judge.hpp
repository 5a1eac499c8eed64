// Runs every rule over a list of scenarios. Pure: uses only model/ and facts/.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <vector>

#include "facts/facts.hpp"
#include "judge/rule_head.hpp"
#include "model/judgement.hpp"
#include "model/scenario.hpp"

namespace ptxguard {

struct JudgeOptions {
    std::vector<Suppression> suppressions;
    Level fail_on = Level::error;
    bool fail_never = false;
    std::set<std::string> only;       // codes of the rules that run; empty = all
    std::set<std::string> select;     // codes that are reported, of all that were found; empty = all
    std::set<std::string> elsewhere;  // codes of rules that another run of this build runs too
    std::set<std::string> later;      // codes whose findings another run decides, when it knows more
    bool wishes = false;              // of a plan: what is named needs no counterpart

    bool fails(Level level) const { return !fail_never && level >= fail_on; }
};

Judgement judge(const std::vector<Scenario>& scenarios, const Facts& facts, const JudgeOptions& options);

// The findings of one scenario; their fixes have not been tried.
std::vector<Finding> judge_once(const Scenario& scenario, const Facts& facts);

// Whether the suppression names a finding from `first` on, by code or name of its rule; such findings are
// suppressed. The first suppression's reason stays.
bool silence(const Suppression& suppression, std::vector<Finding>& findings, std::size_t first = 0);
// Of the findings that are not suppressed.
Counts counts_of(const std::vector<Finding>& findings);

class LibraryFaults;

// A rule, from its folder: rules/CC201_ptx_newer_than_assembler/{rule.cpp, rule.md, cases.md}.
struct Rule {
    const char* code;  // "CC201"
    const char* name;  // "ptx_newer_than_assembler"
    const char* page;  // rule.md
    void (*check)(const Scenario&, const Facts&, const LibraryFaults&, std::vector<Finding>&);
    bool files_only = false;  // "source: binary" in the page: not for machines
    const char* area = "";    // in the check list, from the page; "none" = no area
    bool of_logs = false;     // "logs: yes" in the page: judges what a log shows too
    RuleHead head = {};
};
const std::vector<Rule>& rules();  // generated from the folders, by code
// Codes of the rules whose heads say so.
std::set<std::string> codes_where(bool RuleHead::*said);
const Rule* find_rule(const std::string& code_or_name);  // case of a code does not matter

// The same with the caller's table: the tests of CC001 add a rule that throws.
Judgement judge_with(const std::vector<Rule>& table, const std::vector<Scenario>& scenarios,
                     const Facts& facts, const JudgeOptions& options);

}  // namespace ptxguard
