// Which finding reports a pair, and what the user named without any.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "judge/driver_questions.hpp"
#include "judge/entry_fit.hpp"
#include "judge/framework_questions.hpp"
#include "judge/relation.hpp"

namespace ptxguard {
namespace {

// The rules that report a refused pair of that kind.
const std::vector<std::string_view>& explained_by(Meeting kind) {
    static const std::map<Meeting, std::vector<std::string_view>> k_rules = {
        {Meeting::code_gpu, {"CC202", "CC203", "CC204", "CC208", "CC213", "CC607"}},
        {Meeting::code_driver, {"CC202", "CC208", "CC214", "CC601"}},
        {Meeting::gpu_driver, {"CC204", "CC210"}},
        {Meeting::arch_compiler, {"CC203"}},
        {Meeting::compile, {"CC103", "CC104", "CC105", "CC107", "CC108", "CC110", "CC116", "CC201", "CC203"}},
        {Meeting::compiler_headers, {"CC104", "CC307"}},
        {Meeting::compiler_host, {"CC108"}},
        {Meeting::library_set, {}},  // each fault has its rule
        {Meeting::module_framework, {"CC401", "CC612", "CC619"}},
        {Meeting::framework_tool, {"CC109", "CC111", "CC114"}},
        {Meeting::framework_toolkit, {"CC601"}},
        {Meeting::framework_python, {"CC613"}},
        {Meeting::project_framework, {"CC605", "CC606"}},
    };
    return k_rules.at(kind);
}

// A library that is only opened when it is used, a tool that a framework on a CPU lacks: a note is enough.
bool may_be_harmless(Meeting kind) { return kind == Meeting::library_set || kind == Meeting::framework_tool; }

}  // namespace

bool decided(const Obligation& pair) { return pair.outcome != Outcome::unknown; }

std::vector<Unmet> unmet(const Scenario& scenario, const Facts& facts, const std::vector<Obligation>& pairs) {
    std::vector<Unmet> alone;
    const auto look = [&](const std::string& name, const char* what, const char* decide) {
        const bool met = std::any_of(pairs.begin(), pairs.end(), [&](const Obligation& pair) {
            return (pair.left == name || pair.right == name) && (decided(pair) || pair.named);
        });
        if (!met) alone.push_back({name, what, decide});
    };
    if (scenario.witness != Witness::machine) return alone;
    // CC210 reports those that no table lists.
    for (const Driver* driver : drivers_concerned(scenario))
        if (driver->declared && !is_beyond_the_table(facts, *driver))
            look(name_of(*driver), "driver", "--gpu NAME, --framework NAME or --build");
    for (const Gpu* gpu : gpus_judged(scenario))
        if (gpu->declared && facts.arch(Arch{gpu->arch->number, 0}))
            look(name_of(*gpu), "GPU", "--driver VERSION, --framework NAME or --build");
    for (const Expectation& one : scenario.expectations)
        if (one.required && is_there(one) && one.may_use_cuda() && !never_released(one))
            look(name_of(one), "framework", "--gpu NAME and --driver VERSION");
    return alone;
}

bool reports_pair(const Finding& finding, const Obligation& pair) {
    const std::vector<std::string_view>& codes = explained_by(pair.kind);
    const bool explains = pair.rule.empty()
                              ? std::find(codes.begin(), codes.end(), finding.code) != codes.end()
                              : pair.rule == finding.code;
    const bool open = finding.level == Level::unknown && finding.required;
    return explains && (finding.level >= Level::warning || may_be_harmless(pair.kind) ||
                        (open && pair.outcome == Outcome::unknown));
}

}  // namespace ptxguard
