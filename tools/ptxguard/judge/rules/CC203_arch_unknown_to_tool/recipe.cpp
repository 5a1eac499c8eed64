// Lists of a recipe: in a form that their reader refuses; where it names no toolkit, with architectures of no
// CUDA release, or of releases that do not overlap.
// SPDX-License-Identifier: Apache-2.0

#include "judge/list_spelling.hpp"
#include "judge/rules/CC203_arch_unknown_to_tool/parts.hpp"

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
    add(findings, "CC203", Level::error, place,
        names.size() == 1
            ? SAY("{} is in no CUDA release up to {}", names, facts.cuda_releases().back().release())
            : SAY("{} are in no CUDA release up to {}", names, facts.cuda_releases().back().release()))
        .found("architectures", list_here.archs.text, list_here.origin)
        .expected("architectures", "those that an nvcc supports", {})
        .because("nvcc fails at the first architecture that it does not support")
        .by_hand(SAY("name an architecture that exists instead of {}", names));
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
    add(findings, "CC203", Level::error, list_here.name,
        SAY("no CUDA release supports both {} (the last is {}) and {} (the first is {})", old->arch.sm(),
            last.release(), recent->arch.sm(), first.release()))
        .found("architectures", list_here.archs.text, list_here.origin)
        .expected("architectures", SAY("up to {} without {}", recent->arch.sm(), old->arch.sm()),
                  recent->origin)
        .because("nvcc fails at the first architecture that it does not support")
        .by_hand(SAY("remove {} and others that ended before CUDA {} from {}", old->arch.sm(),
                     first.release(), list_here.name));
    return true;
}

// "80" of "80;8.6", "sm_80", "8.0,8.6": torch's builder separates by ';' and blanks.
std::vector<std::string> misread_by_torch(const std::string& list_here) {
    std::vector<std::string> all;
    for (const std::string& word : split(list_here, "; ")) {
        const std::string number = word.substr(0, word.find('+'));
        const bool bare = number.size() > 1 && all_digits(number);
        if (bare || starts_with(word, "sm_") || starts_with(word, "compute_") || word.find(',') != npos)
            all.push_back(word);
    }
    return all;
}

// 8.0 for "80", "sm_80" and "8.0,8.6".
std::string as_torch_reads(std::string word) {
    word = word.substr(0, word.find_first_of("+,"));
    const std::size_t digits = word.find_first_of("0123456789");
    word.erase(0, digits == npos ? 0 : digits);
    if (word.find('.') == npos && word.size() > 1) word.insert(word.find_last_of("0123456789"), ".");
    return word;
}

// Something is compiled by nvcc that CMake starts, so CUDA is one of its languages.
bool cmake_compiles(const RecipeFacts& recipe) {
    return any_of(recipe.compiles, [](const CompileStep& step) { return step.needs_nvcc && !step.by_torch; });
}

// set(CMAKE_CUDA_ARCHITECTURES later) in a script: a word that what includes it replaces, as tests of
// functions do.
bool is_placeholder(const RecipeArchs& one) {
    return ends_with(one.origin.path, ".cmake") && one.archs.text.find_first_of("0123456789") == npos;
}

}  // namespace

void judge_torch_spelling(const RecipeFacts& recipe, Findings& findings) {
    const bool builds =
        any_of(recipe.compiles, [](const CompileStep& step) { return step.by_torch && !step.own_archs; });
    for (const RecipeArchs& one : recipe.arch_lists) {
        const auto wrong = one.name == "TORCH_CUDA_ARCH_LIST" ? misread_by_torch(one.archs.text)
                                                              : std::vector<std::string>{};
        if (!builds || wrong.empty()) continue;
        const std::string& first = wrong.front();
        const std::string right = as_torch_reads(first);
        add(findings, "CC203", Level::error, one.name,
            SAY("torch does not read {} in TORCH_CUDA_ARCH_LIST", wrong))
            .found("architectures", one.archs.text, one.origin)
            .expected("architectures", right, {})
            .because(
                "torch's builder separates by ';' or blanks, and ends with 'Unknown CUDA arch' at what is no "
                "number with a dot")
            .by_hand(SAY("write {} instead of {}", right, first));
    }
}

namespace {

// "Hopper", "10.0": none of FindCUDA's names, and two digits in front of the dot.
void judge_findcuda_names(const RecipeFacts& recipe, Findings& findings) {
    for (const RecipeArchs& one : recipe.arch_lists) {
        if (one.name != "cuda_select_nvcc_arch_flags" || !one.archs.targets.empty()) continue;
        add(findings, "CC203", Level::error, one.name,
            SAY("{} of FindCUDA does not have {}", one.name, one.archs.text))
            .found("architectures", one.archs.text, one.origin)
            .expected("architectures", "a name up to Ampere, or a number up to 9.9", {})
            .at(one.origin)
            .because("it ends with 'Unknown CUDA Architecture Name'")
            .by_hand("use the language CUDA of CMake, and set CMAKE_CUDA_ARCHITECTURES");
    }
}

}  // namespace

void judge_cmake_spelling(const RecipeFacts& recipe, Findings& findings) {
    judge_findcuda_names(recipe, findings);
    std::vector<std::string> reported;
    for (const RecipeArchs& one : recipe.arch_lists) {
        const bool read = one.name == "CMAKE_CUDA_ARCHITECTURES" || one.name == "CUDAARCHS";
        const auto wrong = read ? misspelt_in(one.archs.text) : std::nullopt;
        if (!wrong || contains(reported, one.archs.text)) continue;
        reported.push_back(one.archs.text);
        // Projects that do not enable the language may read the variable themselves.
        const bool is_read = cmake_compiles(recipe) && !is_placeholder(one);
        const Level level = !is_read ? Level::note : one.origin.overridable ? Level::warning : Level::error;
        const std::string right = wrong->right.empty() ? "80;90" : wrong->right;
        add(findings, "CC203", level, one.name,
            SAY("CMake does not read {} in {}", quoted(wrong->entries), one.name))
            .found("architectures", one.archs.text, one.origin)
            .expected("architectures", right, {})
            .because(
                "where CUDA is a language it ends with an error, or passes the entry to nvcc: each one is a "
                "number such as 80 or 90a, alone or with -real or -virtual, separated by ';'")
            .by_hand(SAY("write \"{}\"", right));
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
