// CC625 build_part_removed: a build uses what its toolkit, its cuDNN or its CMake no longer has.
// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "facts/recipe_tables.hpp"
#include "judge/recipe_questions.hpp"
#include "model/text.hpp"

namespace ptxguard {
namespace {

// That of the image, or of a package.
const Known<Version>& cudnn_here(const RecipeFacts& recipe) {
    return recipe.libraries_cudnn ? recipe.libraries_cudnn : recipe.image.cudnn;
}

// Of cuDNN's releases the majors count.
std::string words_of_last(const std::string& tool, const Version& version) {
    return tool == "cuDNN" ? std::to_string(version.major()) : version.release();
}

bool is_after(const std::string& tool, const Known<Version>& here, const std::optional<Version>& last) {
    if (!here || !last) return false;
    return tool == "cuDNN" ? last->major() < here->major() : *last < *here && !same_release(*last, *here);
}

Fix use_last(const std::string& tool, const std::string& release) {
    return by_hand(tool == "CMake"  ? SAY("use a CMake up to {}", release)
                   : tool == "CUDA" ? SAY("use a toolkit of CUDA {}", release)
                                    : SAY("use {} {}", tool, release));
}

// `tool`: "CUDA", "CMake", "cuDNN"
void report_gone(const PartRequest& one, const BuildFeature& row, const std::string& tool,
                 const Known<Version>& here, const Version& last, Findings& findings) {
    const std::string release = words_of_last(tool, *here), end = words_of_last(tool, last);
    add(findings, "CC625", Level::error, one.by,
        SAY("{} {} has no {}: the last one with it is {}", tool, release, one.part, end))
        .found("request", one.by, one.origin)
        .found(tool, release, here.origin)
        .expected(tool, SAY("<= {}", end), row.origin)
        .at(one.origin)
        .because(row.effect.empty() ? "the build ends with an error: what it names is not found" : row.effect)
        .by_hand(SAY("use {}", row.instead))
        .fix(use_last(tool, end));
}

// "cudaMemPrefetchAsync with 3 arguments" for "cudaMemPrefetchAsync/3".
std::string as_read(const std::string& name) {
    const std::size_t slash = starts_with(name, "<") ? std::string::npos : name.find('/');
    return slash == std::string::npos
               ? name
               : SAY("{} with {} arguments", name.substr(0, slash), name.substr(slash + 1));
}

// "a, b, c and 4 more"
std::string some_names(const std::vector<const PartRequest*>& requests) {
    constexpr std::size_t k_shown = 3;
    std::vector<std::string> names;
    for (const PartRequest* one : requests) add_once(names, as_read(one->part));
    return some_of(names, names.size() > k_shown + 1 ? k_shown : k_shown + 1);
}

// Names that sources use and the toolkit's headers no longer declare: one finding for each library.
void report_names(const RecipeFacts& recipe, const Facts& facts, const Known<Version>& cuda,
                  Findings& findings) {
    std::map<const RemovedNames*, std::vector<const PartRequest*>> all;
    for (const PartRequest& one : recipe.parts)
        if (const RemovedNames* row = recipe_tables(facts).removed_name(one.part)) all[row].push_back(&one);
    for (const auto& [row, requests] : all) {
        const bool of_cudnn = row->cudnn_to.has_value();
        const Known<Version>& here = of_cudnn ? cudnn_here(recipe) : cuda;
        const std::optional<Version>& last = of_cudnn ? row->cudnn_to : row->cuda_to;
        const std::string tool = of_cudnn ? "cuDNN" : "CUDA";
        if (!is_after(tool, here, last)) continue;
        const PartRequest& first = *requests.front();
        add(findings, "CC625", Level::error, first.part,
            SAY("{} {} no longer declares {}; {} {} was the last to", tool, here->release(),
                some_names(requests), tool, last->release()))
            .found("name", as_read(first.part), first.origin)
            .found(tool, here->release(), here.origin)
            .expected(tool, SAY("<= {}", last->release()), row->origin)
            .at(first.origin)
            .because("the source that uses it does not compile")
            .by_hand(SAY("use {}", row->instead))
            .fix(use_last(tool, last->release()));
    }
}

}  // namespace

PTXGUARD_RULE(CC625) {
    if (!is_recipe(scenario)) return;
    const RecipeFacts& recipe = scenario.recipe;
    const Toolkit* toolkit = scenario.build_toolkit();
    const Part* nvcc = toolkit ? toolkit->part(PartKind::nvcc) : nullptr;
    // A project that requires a newer CMake gets one.
    const Known<Version>& cmake = recipe.cmake ? recipe.cmake : recipe.cmake_minimum;
    report_names(recipe, facts, nvcc ? nvcc->version : Known<Version>{}, findings);
    for (const PartRequest& one : recipe.parts) {
        const BuildFeature* row = recipe_tables(facts).build_feature(one.part);
        if (!row) continue;
        if (nvcc && is_after("CUDA", nvcc->version, row->cuda_to))
            report_gone(one, *row, "CUDA", nvcc->version, *row->cuda_to, findings);
        if (one.of_cmake && is_after("CMake", cmake, row->cmake_to))
            report_gone(one, *row, "CMake", cmake, *row->cmake_to, findings);
        if (const Known<Version>& cudnn = cudnn_here(recipe); is_after("cuDNN", cudnn, row->cudnn_to))
            report_gone(one, *row, "cuDNN", cudnn, *row->cudnn_to, findings);
    }
}

}  // namespace ptxguard
