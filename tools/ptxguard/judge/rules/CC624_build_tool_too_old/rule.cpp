// CC624 build_tool_too_old: CMake or nvcc of a recipe is older than what the build requests of it.
// SPDX-License-Identifier: Apache-2.0
#include "facts/recipe_tables.hpp"
#include "judge/build_questions.hpp"
#include "judge/fixes.hpp"
#include "judge/recipe_questions.hpp"
#include "model/text.hpp"

namespace ptxguard {
namespace {

struct Request {
    std::string what;     // "CMAKE_CUDA_ARCHITECTURES=all-major", "CMAKE_CUDA_STANDARD 20"
    std::string feature;  // "all-major", "C++20 for CUDA"
    Origin origin;
};

Fix newer_cmake(const Version& from) { return pip_fix(SAY("'cmake>={}'", from.text)); }

Composed say(const Request& request, const std::string& tool, const Known<Version>& here, const Version& from,
             const Origin& row, bool stops, Findings& findings) {
    return add(findings, "CC624", stops ? Level::error : Level::warning, request.what,
               SAY("{} {} does not have {}, which is new in {} {}", tool, here->text, request.feature, tool,
                   from.text))
        .found(tool, here->text, here.origin)
        .found("request", request.what, request.origin)
        .expected(tool, SAY(">= {}", from.text), row)
        .at(request.origin);
}

std::string error_of_cmake(const StandardRequest& one) {
    return SAY("it ends with 'requires the language dialect \"CUDA{}\"'", one.standard);
}

// CMake ends before it reads anything else of the project.
bool is_refused(const RecipeFacts& recipe) {
    return recipe.cmake && recipe.cmake_minimum && *recipe.cmake < *recipe.cmake_minimum;
}

// all, all-major and native in a list that CMake reads.
void judge_words(const RecipeFacts& recipe, const Facts& facts, Findings& findings) {
    for (const RecipeArchs& list : recipe.arch_lists) {
        const bool of_cmake = list.name == "CMAKE_CUDA_ARCHITECTURES" || list.name == "CUDAARCHS" ||
                              list.name == "CUDA_ARCHITECTURES";
        if (list.by_installer || !of_cmake) continue;
        for (const std::string& word : list.archs.words) {
            const BuildFeature* row = recipe_tables(facts).build_feature(word);
            if (!row || !row->cmake || !(*recipe.cmake < *row->cmake)) continue;
            say({SAY("{}={}", list.name, word), word, list.origin}, "CMake", recipe.cmake, *row->cmake,
                row->origin, true, findings)
                .because("it takes the word for an architecture, and ends with an error")
                .fix(newer_cmake(*row->cmake))
                .by_hand("name the architectures, for example 80;90");
        }
    }
}

// find_package(CUDAToolkit), CUDA::nvtx3, the version of presets
void judge_parts(const RecipeFacts& recipe, const Facts& facts, Findings& findings) {
    for (const PartRequest& one : recipe.parts) {
        const BuildFeature* row = recipe_tables(facts).build_feature(one.part);
        if (!one.of_cmake || !row || !row->cmake || !(*recipe.cmake < *row->cmake)) continue;
        say({one.by, one.by, one.origin}, "CMake", recipe.cmake, *row->cmake, row->origin, true, findings)
            .because("it ends with an error: it has no such package or target, or does not read the file")
            .fix(newer_cmake(*row->cmake));
    }
}

void judge_standards(const Scenario& scenario, const Facts& facts, Findings& findings) {
    const RecipeFacts& recipe = scenario.recipe;
    const Toolkit* toolkit = scenario.build_toolkit();
    const Known<Version> nvcc =
        toolkit && toolkit->part(PartKind::nvcc) ? toolkit->part(PartKind::nvcc)->version : Known<Version>{};
    for (const StandardRequest& one : recipe.standards) {
        const std::string standard = SAY("C++{}", one.standard);
        const BuildFeature* row = recipe_tables(facts).build_feature(standard);
        if (!row) continue;
        const Request request{one.name, SAY("{} for CUDA", standard), one.origin};
        const std::string because =
            one.required ? "" : "CMake then takes an older standard, and code that needs the newer one fails";
        if (nvcc && row->cuda && *nvcc < *row->cuda)
            say(request, "nvcc", nvcc, *row->cuda, row->origin, one.required, findings)
                .because(one.required ? "the build ends with an error" : because)
                .by_hand(SAY("use a toolkit of CUDA {} or newer", row->cuda->text))
                .by_hand(SAY("request a standard that nvcc {} has", nvcc->text));
        else if (one.by_cmake && recipe.cmake && !is_refused(recipe) && row->cmake &&
                 *recipe.cmake < *row->cmake)
            say(request, "CMake", recipe.cmake, *row->cmake, row->origin, one.required, findings)
                .because(one.required ? error_of_cmake(one) : because)
                .fix(newer_cmake(*row->cmake));
    }
}

// cmake_minimum_required() of the project that it configures.
void judge_demand(const RecipeFacts& recipe, Findings& findings) {
    const Known<Version>&here = recipe.cmake, &wanted = recipe.cmake_minimum;
    add(findings, "CC624", Level::error, "cmake",
        SAY("CMake {} is older than {}, which the project requires", here->text, wanted->text))
        .found("CMake", here->text, here.origin)
        .expected("CMake", SAY(">= {}", wanted->text), wanted.origin)
        .at(here.origin)
        .because(SAY("it ends with 'CMake {} or higher is required'", wanted->text))
        .fix(newer_cmake(*wanted));
}

// The newest CMake of a system's own packages between these two, the later one not included.
const SystemRelease* system_cmake(const Facts& facts, const Version& from, const Version& to) {
    const SystemRelease* newest = nullptr;
    for (const SystemRelease& row : recipe_tables(facts).system_cmakes)
        if (!(*row.version < from) && *row.version < to && (!newest || *newest->version < *row.version))
            newest = &row;
    return newest;
}

// A project whose own minimum lets in a CMake without the standard that it requires.
void judge_minimum(const RecipeFacts& recipe, const Facts& facts, Findings& findings) {
    for (const StandardRequest& one : recipe.standards) {
        if (!one.by_cmake || !one.required || one.origin.overridable) continue;
        const std::string standard = SAY("C++{}", one.standard);
        const BuildFeature* row = recipe_tables(facts).build_feature(standard);
        if (!row || !row->cmake || !(*recipe.cmake_minimum < *row->cmake)) continue;
        const SystemRelease* system = system_cmake(facts, *recipe.cmake_minimum, *row->cmake);
        if (!system) continue;
        const Origin& at = recipe.cmake_minimum.origin;
        add(findings, "CC624", Level::warning, one.name,
            SAY("this project admits CMake {}, which does not have {} for CUDA: that is new in CMake {}",
                system->version->text, standard, row->cmake->text))
            .found("minimum", recipe.cmake_minimum->text, at)
            .found("request", one.name, one.origin)
            .found(SAY("CMake of {}", system->system), system->version->text, system->origin)
            .expected("CMake", SAY(">= {}", row->cmake->text), row->origin)
            .at(at)
            .because(error_of_cmake(one))
            .by_hand(SAY("write cmake_minimum_required(VERSION {})", row->cmake->text));
        return;
    }
}

}  // namespace

PTXGUARD_RULE(CC624) {
    if (!is_recipe(scenario)) return;
    const RecipeFacts& recipe = scenario.recipe;
    if (is_refused(recipe))
        judge_demand(recipe, findings);
    else if (recipe.cmake)
        judge_words(recipe, facts, findings), judge_parts(recipe, facts, findings);
    else if (recipe.cmake_minimum)
        judge_minimum(recipe, facts, findings);
    judge_standards(scenario, facts, findings);
}

}  // namespace ptxguard
