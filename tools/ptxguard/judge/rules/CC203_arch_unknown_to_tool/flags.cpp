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
    Composed finding = add(findings, "CC203", Level::error,
                           at_place ? variable : SAY("toolkit {}, {}", toolkit.root, variable),
                           at_place ? SAY("{} refuses {}", name_of(toolkit), variable)
                                    : SAY("{} refuses an architecture of {}", name_of(toolkit), variable));
    finding.about(scenario, toolkit)
        .found("flags", *flags, flags.origin)
        .found("nvcc", probe->first_error, probe->origin())
        .because("nvcc adds these flags to every compile of this build");
    if (at_place) {
        finding.expected("flags", SAY("those that {} takes", name_of(toolkit)), {})
            .because("its dry run with these flags fails, and succeeds without them")
            .by_hand(SAY("correct {}: {}", variable, probe->first_error));
        return locate_at_place(scenario, finding);
    }
    finding->expected = {{"flags", SAY("architectures that {} knows", name_of(toolkit)), {}}};
    finding->fix = {flags.origin.variable.empty() ? by_hand("take the architecture out of the flags")
                                                  : unset_variable(flags.origin.variable, scenario.system)};
}

void report_spelling(const Scenario& scenario, const Toolkit& toolkit, Findings& findings) {
    const Known<std::string>& asked = scenario.project.archs_text;
    const std::optional<Misspelt> wrong = misspelt_in(*asked);
    if (!wrong) return;
    const std::string right = wrong->right.empty() ? "80;90, or native" : wrong->right;
    Composed finding = add(findings, "CC203", Level::error, asked.origin.variable,
                           wrong->entries.size() == 1
                               ? SAY("{}: {} is no architecture of CMake, and {} does not know it",
                                     asked.origin.variable, quoted(wrong->entries), name_of(toolkit))
                               : SAY("{}: {} are no architectures of CMake, and {} does not know it",
                                     asked.origin.variable, quoted(wrong->entries), name_of(toolkit)));
    finding.found("architectures", *asked, asked.origin)
        .expected("architectures", right, {})
        .because(
            "the entries are separated by ';', and each is a number such as 80 or 90a, alone or with -real "
            "or -virtual; or the whole list is all, all-major or native")
        .fix(Fix{FixKind::edit,
                 wrong->right.empty()
                     ? SAY("name the architectures in {}, for example \"80;90\"", asked.origin.variable)
                     : SAY("set {} to \"{}\"", asked.origin.variable, wrong->right)});
    locate_at_place(scenario, finding);
}

std::vector<std::string> quoted(const std::vector<std::string>& words) {
    std::vector<std::string> all;
    for (const std::string& word : words) all.push_back(SAY("'{}'", word));
    return all;
}

}  // namespace ptxguard
