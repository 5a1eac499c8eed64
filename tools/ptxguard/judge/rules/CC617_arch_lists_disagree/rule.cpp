// CUDAARCHS and -DCMAKE_CUDA_ARCHITECTURES name different architectures.
// SPDX-License-Identifier: Apache-2.0
#include "judge/recipe_questions.hpp"

namespace ptxguard {
namespace {

std::string text_of(const RecipeArchs& list) {
    return list.archs.text.empty() ? words_of(list.archs.targets) : list.archs.text;
}

}  // namespace

PTXGUARD_RULE(CC617) {
    const RecipeArchs *variable = nullptr, *option = nullptr;
    for (const RecipeArchs& list : scenario.recipe.arch_lists) {
        if (list.name == "CUDAARCHS") variable = &list;
        if (list.name == "CMAKE_CUDA_ARCHITECTURES") option = &list;
    }
    if (!variable || !option) return;
    if (variable->archs.targets == option->archs.targets && variable->archs.words == option->archs.words)
        return;
    add(findings, "CC617", Level::warning, "CUDAARCHS",
        SAY("CUDAARCHS names {}, and CMAKE_CUDA_ARCHITECTURES {}", text_of(*variable), text_of(*option)))
        .found("CUDAARCHS", text_of(*variable), variable->origin)
        .found("CMAKE_CUDA_ARCHITECTURES", text_of(*option), option->origin)
        .expected("architectures", "one list", {})
        .because("CMake reads CUDAARCHS only where CMAKE_CUDA_ARCHITECTURES is not set")
        .by_hand("remove one of them");
}

}  // namespace ptxguard
