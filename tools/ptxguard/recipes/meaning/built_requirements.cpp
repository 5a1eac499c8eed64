// SPDX-License-Identifier: Apache-2.0
#include "recipes/meaning/built_requirements.hpp"

#include "facts/index_builds.hpp"
#include "facts/recipe_tables.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "python/specifier.hpp"
#include "recipes/builds/compile_commands.hpp"
#include "recipes/resolution/pins.hpp"
#include "recipes/resolution/sources.hpp"

namespace ptxguard::recipes {
namespace {

// CMAKE_ARGS="-DGGML_CUDA=on" pip install llama-cpp-python
bool turns_cuda_on(const PipInstall& step, RecipeFacts& recipe) {
    std::vector<Written> words;
    for (const std::string& option : split(step.cmake_args.text, " \t")) {
        words.push_back(step.cmake_args);
        words.back().text = option;
    }
    const std::size_t before = recipe.arch_lists.size();
    const bool on = step.cmake_args.known && reads_cuda_on(words, recipe);
    for (std::size_t i = before; i < recipe.arch_lists.size(); ++i) recipe.arch_lists[i].by_installer = true;
    return on;
}

// Whether pip or uv builds it in an environment of its own.
bool isolates(const PipInstall& step, const std::string& package) {
    const auto& excepted = step.not_isolated;
    return !step.no_build_isolation && !contains(excepted, package);
}

// Links and indexes other than PyPI and PyTorch's, which may have wheels of what PyPI has as sources only.
bool has_other_files(const PipInstall& step) {
    const auto is_other = [](const Written& index) {
        return index.text.find("pypi") == npos && index.text.find("/simple") == npos &&
               index.text.find("download.pytorch.org") == npos;
    };
    return !step.find_links.empty() || step.no_index || (step.index && is_other(step.index)) ||
           any_of(step.extra_indexes, is_other);
}

// What the table of sources tells of a package.
void describe(const DeviceSources& row, const WrittenRequirement& requirement, CompileStep& compile) {
    const auto version = exact_version(requirement.specifier);
    const auto since = [&](const std::optional<Version>& first) {
        return first && (!version || !(*version < *first));  // unpinned: the newest
    };
    compile.imports_torch = row.imports_torch && requirement.url.text.empty();
    compile.isolates = since(row.isolated_from);
    compile.brings_torch = since(row.builds_with_torch_from) && !compile.isolates;
    compile.own_archs = row.own_archs || row.by_cmake_args;
    compile.needs_nvcc = row.needs_nvcc;
    compile.by_torch = !row.by_cmake_args && row.variables.empty() && !row.pins_torch;
}

// What `pip install` compiles of its requirements.
struct BuiltByPip {
    const PipInstall& step;
    const Facts& facts;
    bool cuda;  // CMAKE_ARGS turns CUDA on

    const DeviceSources* row_of(const WrittenRequirement& requirement) const {
        const DeviceSources* row =
            requirement.url.text.empty() ? nullptr : source_of(requirement.url.text, facts);
        return row ? row : recipe_tables(facts).device_source(requirement.name);
    }
    bool is_built(const WrittenRequirement& requirement, const DeviceSources& row) const {
        return is_asked(requirement, row) || is_on(row.variables) || is_from_source(requirement, row);
    }

private:
    bool is_asked(const WrittenRequirement& requirement, const DeviceSources& row) const {
        return cuda && row.by_cmake_args && !step.index && !ends_with(requirement.url.text, ".whl") &&
               all_of(step.extra_indexes, [&](const Written& index) { return lacks(index, requirement); });
    }
    // An index with a folder for each CUDA, without that release: pip builds PyPI's sources.
    bool lacks(const Written& index, const WrittenRequirement& requirement) const {
        const auto version = exact_version(requirement.specifier);
        const IndexBuilds* row = version ? index_builds(facts, requirement.name, *version) : nullptr;
        return row && index.text.find(row->index) != npos &&
               !contains(row->builds, build_of_index(index.text));
    }
    bool is_from_source(const WrittenRequirement& requirement, const DeviceSources& row) const {
        if (is_on(row.skipped_by) || step.whole.text.find(row.by_option) == std::string::npos) return false;
        const std::string& url = requirement.url.text;
        if (!url.empty()) return !ends_with(url, ".whl");
        return row.by_name && (is_forced(row.package) || !has_other_files(step));
    }
    bool is_forced(const std::string& package) const {
        return contains(step.no_binary, package) || contains(step.no_binary, ":all:");
    }
    bool is_on(const std::vector<std::string>& names) const {
        return any_of(step.variables, [&](const SetVariable& one) {
            return contains(names, one.name) && one.value.known && one.value && one.value.text != "0";
        });
    }
};

}  // namespace

void add_built_requirements(const PipInstall& step, int group, const Facts& facts, RecipeFacts& recipe) {
    const BuiltByPip pip{step, facts, turns_cuda_on(step, recipe)};
    for (const WrittenRequirement& requirement : step.requirements) {
        const DeviceSources* row = pip.row_of(requirement);
        if (!row || !pip.is_built(requirement, *row)) continue;
        CompileStep compile = compile_step(
            step.tool + " install " + (requirement.name.empty() ? requirement.whole.text : requirement.name),
            requirement.whole);
        compile.package = requirement.name.empty() ? requirement.url.text : requirement.name;
        compile.isolated = isolates(step, compile.package);
        compile.group = group;
        describe(*row, requirement, compile);
        recipe.compiles.push_back(std::move(compile));
    }
    if (step.projects.empty() || step.whole.text.find("cuda_ext") == std::string::npos) return;
    recipe.compiles.push_back(compile_step(step.tool + " install " + step.projects.front().text, step.whole));
    recipe.compiles.back().imports_torch = step.no_build_isolation;
}

}  // namespace ptxguard::recipes
