// Flags that nvcc refuses, of the environment and of a place in a project, and entries that are no
// architectures.
// SPDX-License-Identifier: Apache-2.0
#include "judge/build_questions.hpp"
#include "judge/list_spelling.hpp"
#include "judge/ptx_questions.hpp"
#include "judge/rules/CC203_arch_unknown_to_tool/parts.hpp"

namespace ptxguard {

void judge_flags(const Scenario& scenario, const Toolkit& toolkit, Findings& findings) {
    const Known<std::string>& flags = scenario.project.nvcc_flags;
    const ProbeResult* probe = find_probe(scenario, ProbeKind::object, toolkit.id);
    const bool at_place = is_at_place(scenario);
    if (!flags || !failed(probe) || (!at_place && probe->failure != Failure::architecture)) return;
    const std::string variable = flags.origin.variable.empty() ? "its flags" : flags.origin.variable;
    Finding& finding = add(
        findings, "CC203", Level::error, at_place ? variable : "toolkit " + toolkit.root + ", " + variable,
        name_of(toolkit) + (at_place ? " refuses " : " refuses an architecture of ") + variable);
    finding.found = {{"flags", *flags, flags.origin}, {"nvcc", probe->first_error, probe->origin()}};
    finding.because = "nvcc adds these flags to every compile of this build";
    if (at_place) {
        finding.expected = {{"flags", "those that " + name_of(toolkit) + " takes", {}}};
        finding.because = "its dry run with these flags fails, and succeeds without them";
        finding.fix = {by_hand("correct " + variable + ": " + probe->first_error)};
        return locate_at_place(scenario, finding);
    }
    finding.expected = {{"flags", "architectures that " + name_of(toolkit) + " knows", {}}};
    finding.fix = {flags.origin.variable.empty() ? by_hand("take the architecture out of the flags")
                                                 : unset_variable(flags.origin.variable, scenario.system)};
}

void report_spelling(const Scenario& scenario, const Toolkit& toolkit, Findings& findings) {
    const Known<std::string>& asked = scenario.project.archs_text;
    const std::optional<Misspelt> wrong = misspelt_in(*asked);
    if (!wrong) return;
    std::vector<std::string> quoted;
    for (const std::string& entry : wrong->entries) quoted.push_back("'" + entry + "'");
    const std::string right = wrong->right.empty() ? "80;90, or native" : wrong->right;
    Finding& finding = add(findings, "CC203", Level::error, asked.origin.variable,
                           asked.origin.variable + ": " + list(quoted) +
                               (quoted.size() == 1 ? " is no architecture" : " are no architectures") +
                               " of CMake, and " + name_of(toolkit) + " does not know it");
    finding.found = {{"architectures", *asked, asked.origin}};
    finding.expected = {{"architectures", right, {}}};
    finding.because =
        "the entries are separated by ';', and each is a number such as 80 or 90a, alone or with -real or "
        "-virtual; or the whole list is all, all-major or native";
    finding.fix = {
        {FixKind::edit, wrong->right.empty()
                            ? "name the architectures in " + asked.origin.variable + ", for example \"80;90\""
                            : "set " + asked.origin.variable + " to \"" + wrong->right + "\""}};
    locate_at_place(scenario, finding);
}

}  // namespace ptxguard
