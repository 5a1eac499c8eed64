// Architectures in TORCH_CUDA_ARCH_LIST that a release of torch does not accept, whatever nvcc does: 10.0f,
// or 8.9 in torch 1.13.
// SPDX-License-Identifier: Apache-2.0

#include "facts/recipe_tables.hpp"
#include "judge/framework_questions.hpp"
#include "judge/rules/CC203_arch_unknown_to_tool/parts.hpp"

namespace ptxguard {
namespace {

// A release, none of NVIDIA's images or a build of one's own (2.7.0a0).
bool is_plain_release(const Version& version) {
    return version.text.find_first_not_of("0123456789.") == std::min(version.text.find('+'), npos);
}

const TorchArchs* row_of(const Facts& facts, const Version& torch) {
    return first_where(recipe_tables(facts).torch_archs, [&](const TorchArchs& row) {
        return *row.from <= torch && (torch <= *row.to || same_release(torch, *row.to));
    });
}

// Names such as "Hopper", and what no release reads (judge_torch_spelling), are not meant.
bool is_number_with_dot(const std::string& entry) {
    const std::size_t dot = entry.find('.');
    return dot != npos && parse_arch(entry);
}

std::vector<std::string> refused_by(const TorchArchs& row, const std::string& list_here) {
    std::vector<std::string> all;
    for (const std::string& word : split(list_here, "; ")) {
        const std::string entry = word.substr(0, word.find("+PTX"));
        if (is_number_with_dot(entry) && !contains(row.archs, entry)) add_once(all, entry);
    }
    return all;
}

// The first release with all of them; null: none.
const TorchArchs* first_with(const Facts& facts, const std::vector<std::string>& archs) {
    return first_where(recipe_tables(facts).torch_archs, [&](const TorchArchs& row) {
        return all_of(archs, [&](const std::string& arch) { return contains(row.archs, arch); });
    });
}

// The step whose torch reads the list: that of the same command, else any one.
const CompileStep* reader_of(const RecipeArchs& list_here, const RecipeFacts& recipe) {
    const auto is_there = [&](const CompileStep& step) {
        return step.origin.path == list_here.origin.path && step.origin.line == list_here.origin.line;
    };
    const bool of_command = any_of(recipe.compiles, is_there);
    return first_where(recipe.compiles, [&](const CompileStep& step) {
        return step.by_torch && !step.own_archs && !step.isolated && (!of_command || is_there(step));
    });
}

}  // namespace

void judge_torch_archs(const Scenario& scenario, const Facts& facts, Findings& findings) {
    const RecipeFacts& recipe = scenario.recipe;
    const auto* torch = first_where(scenario.expectations, [](const Expectation& one) {
        return one.framework == "PyTorch" && one.version && is_plain_release(*one.version);
    });
    const TorchArchs* row = torch ? row_of(facts, *torch->version) : nullptr;
    if (!row) return;
    for (const RecipeArchs& one : recipe.arch_lists) {
        const CompileStep* step = reader_of(one, recipe);
        const auto refused = one.name == "TORCH_CUDA_ARCH_LIST" ? refused_by(*row, one.archs.text)
                                                                : std::vector<std::string>{};
        if (!step || refused.empty()) continue;
        const bool open = one.origin.overridable || torch->version.origin.overridable || torch->newest ||
                          step->origin.overridable;
        const TorchArchs* first = first_with(facts, refused);
        const Composed finding =
            add(findings, "CC203", open ? Level::warning : Level::error, one.name,
                SAY("{} does not accept {} in TORCH_CUDA_ARCH_LIST", name_of(*torch), refused))
                .found("architectures", one.archs.text, one.origin)
                .expected("architectures", joined(row->archs, " "), row->origin)
                .because("torch's builder ends with 'Unknown CUDA arch' before it calls nvcc");
        if (first && *first->from > *torch->version)
            finding.by_hand(SAY("remove {}, or use torch {} or newer", refused, first->from->text));
        else
            finding.by_hand(SAY("remove {} from TORCH_CUDA_ARCH_LIST", refused));
    }
}

}  // namespace ptxguard
