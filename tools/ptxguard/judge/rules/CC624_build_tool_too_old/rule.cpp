// CC624 build_tool_too_old: CMake or nvcc of a recipe is older than what the build requests of it.
// SPDX-License-Identifier: Apache-2.0
#include "facts/recipe_tables.hpp"
#include "judge/build_questions.hpp"
#include "judge/recipe_questions.hpp"
#include "model/text.hpp"

namespace ptxguard {
namespace {

struct Request {
    std::string what;     // "CMAKE_CUDA_ARCHITECTURES=all-major", "CMAKE_CUDA_STANDARD 20"
    std::string feature;  // "all-major", "C++20 for CUDA"
    Origin origin;
};

Fix newer_cmake(const Version& from) {
    return {FixKind::command, "python3 -m pip install 'cmake>=" + from.text + "'"};
}

Finding& say(const Request& request, const std::string& tool, const Known<Version>& here, const Version& from,
             const Origin& row, bool stops, Findings& findings) {
    Finding& finding = add(findings, "CC624", stops ? Level::error : Level::warning, request.what,
                           tool + " " + here->text + " does not have " + request.feature +
                               ", which is new in " + tool + " " + from.text);
    finding.found = {{tool, here->text, here.origin}, {"request", request.what, request.origin}};
    finding.expected = {{tool, ">= " + from.text, row}};
    finding.location = Location{request.origin.path, request.origin.line, request.origin.column};
    return finding;
}

std::string error_of_cmake(const StandardRequest& one) {
    return "it ends with 'requires the language dialect \"CUDA" + std::to_string(one.standard) + "\"'";
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
            Finding& finding = say({list.name + "=" + word, word, list.origin}, "CMake", recipe.cmake,
                                   *row->cmake, row->origin, true, findings);
            finding.because = "it takes the word for an architecture, and ends with an error";
            finding.fix = {newer_cmake(*row->cmake),
                           {FixKind::manual, "name the architectures, for example 80;90"}};
        }
    }
}

void judge_standards(const Scenario& scenario, const Facts& facts, Findings& findings) {
    const RecipeFacts& recipe = scenario.recipe;
    const Toolkit* toolkit = scenario.build_toolkit();
    const Known<Version> nvcc =
        toolkit && toolkit->part(PartKind::nvcc) ? toolkit->part(PartKind::nvcc)->version : Known<Version>{};
    for (const StandardRequest& one : recipe.standards) {
        const std::string standard = "C++" + std::to_string(one.standard);
        const BuildFeature* row = recipe_tables(facts).build_feature(standard);
        if (!row) continue;
        const Request request{one.name, standard + " for CUDA", one.origin};
        const std::string because =
            one.required ? "" : "CMake then takes an older standard, and code that needs the newer one fails";
        if (nvcc && row->cuda && *nvcc < *row->cuda) {
            Finding& finding = say(request, "nvcc", nvcc, *row->cuda, row->origin, one.required, findings);
            finding.because = one.required ? "the build ends with an error" : because;
            finding.fix = {{FixKind::manual, "use a toolkit of CUDA " + row->cuda->text + " or newer"},
                           {FixKind::manual, "request a standard that nvcc " + nvcc->text + " has"}};
        } else if (one.by_cmake && recipe.cmake && row->cmake && *recipe.cmake < *row->cmake) {
            Finding& finding =
                say(request, "CMake", recipe.cmake, *row->cmake, row->origin, one.required, findings);
            finding.because = one.required ? error_of_cmake(one) : because;
            finding.fix = {newer_cmake(*row->cmake)};
        }
    }
}

// The newest CMake of a system's own packages between these two, the later one not included.
const SystemCMake* system_cmake(const Facts& facts, const Version& from, const Version& to) {
    const SystemCMake* newest = nullptr;
    for (const SystemCMake& row : recipe_tables(facts).system_cmakes)
        if (!(*row.version < from) && *row.version < to && (!newest || *newest->version < *row.version))
            newest = &row;
    return newest;
}

// A project whose own minimum lets in a CMake without the standard that it requires.
void judge_minimum(const RecipeFacts& recipe, const Facts& facts, Findings& findings) {
    for (const StandardRequest& one : recipe.standards) {
        if (!one.by_cmake || !one.required || one.origin.overridable) continue;
        const std::string standard = "C++" + std::to_string(one.standard);
        const BuildFeature* row = recipe_tables(facts).build_feature(standard);
        if (!row || !row->cmake || !(*recipe.cmake_minimum < *row->cmake)) continue;
        const SystemCMake* system = system_cmake(facts, *recipe.cmake_minimum, *row->cmake);
        if (!system) continue;
        const Origin& at = recipe.cmake_minimum.origin;
        Finding& finding =
            add(findings, "CC624", Level::warning, one.name,
                "this project admits CMake " + system->version->text + ", which does not have " + standard +
                    " for CUDA: that is new in CMake " + row->cmake->text);
        finding.found = {{"minimum", recipe.cmake_minimum->text, at},
                         {"request", one.name, one.origin},
                         {"CMake of " + system->system, system->version->text, system->origin}};
        finding.expected = {{"CMake", ">= " + row->cmake->text, row->origin}};
        finding.location = Location{at.path, at.line, at.column};
        finding.because = error_of_cmake(one);
        finding.fix = {by_hand("write cmake_minimum_required(VERSION " + row->cmake->text + ")")};
        return;
    }
}

}  // namespace

PTXGUARD_RULE(CC624) {
    if (!is_recipe(scenario)) return;
    if (scenario.recipe.cmake) judge_words(scenario.recipe, facts, findings);
    judge_standards(scenario, facts, findings);
    if (scenario.recipe.cmake_minimum) judge_minimum(scenario.recipe, facts, findings);
}

}  // namespace ptxguard
