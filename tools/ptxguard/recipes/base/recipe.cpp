// SPDX-License-Identifier: Apache-2.0
#include "recipes/base/recipe.hpp"

#include "model/text.hpp"

namespace ptxguard::recipes {
const char* to_string(RecipeKind kind) {
    static constexpr const char* k_names[] = {
        // in the order of the kinds
        "Dockerfile",       "definition file", "compose file",      "requirements file", "pyproject.toml",
        "Pipfile",          "setup.py",        "conda environment", "conda recipe",      "lock file",
        "pixi manifest",    "CMakeLists.txt",  "CMake presets",     "Makefile",          "shell script",
        "workflow",         "Slurm script",    "Python script",     "justfile",          "bake file",
        "devcontainer.json"};
    return k_names[static_cast<std::size_t>(kind)];
}

Origin origin_of(const Written& written) {
    Origin origin = Origin::from_file(written.file, written.line);
    origin.column = written.column;
    origin.overridable = !written.fixed;
    return origin;
}

void Problems::push_back(Problem problem) {
    if (!problem.limit.empty() && !m_limits.emplace(problem.limit, problem.at.file).second) return;
    m_all.push_back(std::move(problem));
}

void Problems::take(Problems& more) {
    for (Problem& problem : more.m_all) push_back(std::move(problem));
    more = {};
}

void open_values(Step& step, const WhichValues& which) {
    const auto open = [&](Written& value) {
        if (which(value)) value.fixed = false;
    };
    const auto open_all = [&](std::vector<WrittenRequirement>& list) {
        for (WrittenRequirement& one : list) open(one.whole), open(one.index);
    };
    if (auto* set = std::get_if<SetVariable>(&step)) {
        open(set->value);
    } else if (auto* pip = std::get_if<PipInstall>(&step)) {
        open_all(pip->requirements);
        open_all(pip->constraints);
        for (Written* one : {&pip->index, &pip->torch_backend, &pip->whole}) open(*one);
        for (Written& index : pip->extra_indexes) open(index);
        for (SetVariable& one : pip->arch_lists) open(one.value);
    } else if (auto* conda = std::get_if<CondaInstall>(&step)) {
        for (CondaSpec& spec : conda->specs) open(spec.whole);
        open(conda->whole);
    } else if (auto* apt = std::get_if<AptInstall>(&step)) {
        for (AptPackage& package : apt->packages) open(package.whole);
        open(apt->whole);
    } else if (auto* command = std::get_if<Command>(&step)) {
        for (Written& word : command->words) open(word);
        for (SetVariable& one : command->arch_lists) open(one.value);
    } else if (auto* other = std::get_if<InOtherStage>(&step)) {
        Stage stage = *other->stage;
        open(stage.image);
        for (Step& inner : stage.steps) open_values(inner, which);
        other->stage = std::make_shared<const Stage>(std::move(stage));
    }
}

void make_open(Step& step) {
    open_values(step, [](const Written&) { return true; });
}

Step in_container(const Written& image, std::vector<Step> steps, const Written& gpu) {
    Stage stage;
    stage.name = "container " + image.text;
    stage.image = image;
    if (const std::size_t scheme = image.text.find("://"); scheme != npos)
        stage.image.text.erase(0, scheme + 3);
    stage.gpu = gpu;
    stage.steps = std::move(steps);
    return InOtherStage{std::make_shared<const Stage>(std::move(stage))};
}

void take_other_stages(Recipe& recipe) {
    for (std::size_t i = 0; i < recipe.stages.size(); ++i) {  // those that are added too
        std::vector<Step> all = std::move(recipe.stages[i].steps), own;
        for (Step& step : all) {
            if (const auto* other = std::get_if<InOtherStage>(&step)) {
                Stage stage = *other->stage;
                stage.name = recipe.stages[i].name + (recipe.stages[i].name.empty() ? "" : " ") + stage.name;
                recipe.stages.push_back(std::move(stage));
            } else {
                own.push_back(std::move(step));
            }
        }
        recipe.stages[i].steps = std::move(own);
    }
}

Problem not_in_repository(const Written& name) {
    const std::string start = std::string(k_workspace) + "/";
    Written at = name;
    if (starts_with(at.text, start)) at.text.erase(0, start.size());
    return {at, "was not found in the repository", true};
}

Problem not_parsed(const std::string& file, const Trouble& trouble) {
    Written at{"", file};
    if (starts_with(trouble.subject, file + ":"))
        at.line = std::atoi(trouble.subject.c_str() + file.size() + 1);
    return {at, trouble.what + (trouble.cause.empty() ? "" : ": " + trouble.cause), false, trouble.limit};
}

}  // namespace ptxguard::recipes
