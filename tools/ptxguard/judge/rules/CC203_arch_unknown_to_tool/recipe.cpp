// A list in a recipe that names no toolkit: architectures of no CUDA release, or of releases that do not
// overlap.
// SPDX-License-Identifier: Apache-2.0

#include "judge/rules/CC203_arch_unknown_to_tool/parts.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"

namespace ptxguard {
namespace {

// What a newer CUDA adds is not known.
bool never_existed(const Facts& facts, Arch arch) {
    if (facts.arch(arch) || facts.cuda_releases().empty()) return false;
    const CudaRelease* newest = facts.cuda(facts.cuda_releases().back());
    return newest && any_of(newest->ptxas_archs, [&](Arch known) { return known.number > arch.number; });
}

void report_unknown(const RecipeArchs& list_here, const std::vector<std::string>& names, const Facts& facts,
                    Findings& findings) {
    const std::string& place = list_here.name;
    Finding& finding = add(findings, "CC203", Level::error, place,
                           list(names) + (names.size() == 1 ? " is" : " are") + " in no CUDA release up to " +
                               facts.cuda_releases().back().release());
    finding.found = {{"architectures", list_here.archs.text, list_here.origin}};
    finding.expected = {{"architectures", "those that an nvcc supports", {}}};
    finding.because = "nvcc fails at the first architecture that it does not support";
    finding.fix = {by_hand("name an architecture that exists instead of " + list(names))};
}

// The one that ended first, and the one that began last.
struct Apart {
    const ArchFacts *old = nullptr, *recent = nullptr;
};

Apart apart_in(const RecipeArchs& list_here, const Facts& facts) {
    Apart apart;
    for (const Target& target : list_here.archs.targets) {
        const ArchFacts* arch = facts.arch(target.arch);
        if (!arch) continue;
        const auto &last = arch->last_toolkit, &first = arch->first_toolkit;
        if (last && (!apart.old || *last < *apart.old->last_toolkit)) apart.old = arch;
        if (first && (!apart.recent || *first > *apart.recent->first_toolkit)) apart.recent = arch;
    }
    return apart;
}

bool report_apart(const RecipeArchs& list_here, const Facts& facts, Findings& findings) {
    const auto [old, recent] = apart_in(list_here, facts);
    if (!old || !recent) return false;
    const Version &last = *old->last_toolkit, &first = *recent->first_toolkit;
    if (first < last || same_release(first, last)) return false;
    Finding& finding =
        add(findings, "CC203", Level::error, list_here.name,
            "no CUDA release supports both " + old->arch.sm() + " (the last is " + last.release() + ") and " +
                recent->arch.sm() + " (the first is " + first.release() + ")");
    finding.found = {{"architectures", list_here.archs.text, list_here.origin}};
    finding.expected = {
        {"architectures", "up to " + recent->arch.sm() + " without " + old->arch.sm(), recent->origin}};
    finding.because = "nvcc fails at the first architecture that it does not support";
    finding.fix = {by_hand("remove " + old->arch.sm() + " and others that ended before CUDA " +
                           first.release() + " from " + list_here.name)};
    return true;
}

// "80" of "80;8.6"
std::vector<std::string> numbers_without_dot(const std::string& list_here) {
    std::vector<std::string> all;
    for (const std::string& word : split(list_here, "; ,")) {
        const std::string number = word.substr(0, word.find('+'));
        if (number.size() > 1 && all_digits(number)) all.push_back(word);
    }
    return all;
}

}  // namespace

void judge_torch_spelling(const RecipeFacts& recipe, Findings& findings) {
    const bool builds =
        any_of(recipe.compiles, [](const CompileStep& step) { return step.by_torch && !step.own_archs; });
    for (const RecipeArchs& one : recipe.arch_lists) {
        const auto wrong = one.name == "TORCH_CUDA_ARCH_LIST" ? numbers_without_dot(one.archs.text)
                                                              : std::vector<std::string>{};
        if (!builds || wrong.empty()) continue;
        const std::string& first = wrong.front();
        const std::size_t end = first.substr(0, first.find('+')).size();
        const std::string right = first.substr(0, end - 1) + "." + first.substr(end - 1);
        Finding& finding = add(findings, "CC203", Level::error, one.name,
                               "torch does not read " + list(wrong) + " in TORCH_CUDA_ARCH_LIST");
        finding.found = {{"architectures", one.archs.text, one.origin}};
        finding.expected = {{"architectures", right, {}}};
        finding.because = "torch's builder ends with 'Unknown CUDA arch' at a number without a dot";
        finding.fix = {by_hand("write " + right + " instead of " + first)};
    }
}

void judge_lists_alone(const Scenario& scenario, const Facts& facts, Findings& findings) {
    std::vector<std::string> known;  // appended values are in later lists too
    bool apart = false;
    for (const RecipeArchs& one : scenario.recipe.arch_lists) {
        std::vector<std::string> names;
        for (const Target& target : one.archs.targets)
            if (never_existed(facts, target.arch)) names.push_back(target.arch.sm());
        const bool is_known = all_of(names, [&](const std::string& name) { return contains(known, name); });
        if (!is_known) report_unknown(one, names, facts, findings);
        append(known, names);
        // Values of several branches may be in one list.
        if (names.empty() && !apart && !one.origin.overridable) apart = report_apart(one, facts, findings);
    }
}

}  // namespace ptxguard
