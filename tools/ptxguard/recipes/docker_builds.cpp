// SPDX-License-Identifier: Apache-2.0
#include "recipes/docker_builds.hpp"

#include <algorithm>

#include "host/paths.hpp"
#include "model/text.hpp"
#include "recipes/arguments.hpp"
#include "recipes/dockerfile.hpp"
#include "recipes/prefixes.hpp"

namespace ptxguard::recipes {
namespace {

constexpr Limit k_most_docker_builds{200, "commands that build Dockerfiles", "later ones"};
constexpr Limit k_most_docker_bytes{4u << 20, "bytes of Dockerfiles, counted for each command",
                                    "later commands"};

struct DockerBuild {
    BuildArguments arguments;
    std::string file, context = ".";
    Written at;  // the text that names the file
};

// The index behind `docker build`, `docker buildx build`, `podman build`, `buildah bud`; 0 = another command.
std::size_t behind_build(const std::vector<Written>& words) {
    if (!is_one_of(program_name(words[0].text), {"docker", "podman", "nerdctl", "buildah"})) return 0;
    for (std::size_t i = 1; i < std::min<std::size_t>(words.size(), 3); ++i)
        if (words[i].text == "build" || words[i].text == "bud") return i + 1;
    return 0;
}

// Nothing for a command that passes no arguments.
std::optional<DockerBuild> build_of(const Command& command) {
    const std::size_t first = command.words.empty() ? 0 : behind_build(command.words);
    if (!first) return std::nullopt;
    static const std::vector<OptionForm> options = {
        {"-f --file"},     {"--build-arg"},  {"-t --tag"},     {"--target"},       {"--platform"},
        {"--network"},     {"--cache-from"}, {"--cache-to"},   {"--label"},        {"--secret"},
        {"--ssh"},         {"--progress"},   {"-m --memory"},  {"--shm-size"},     {"--ulimit"},
        {"--add-host"},    {"--iidfile"},    {"-o --output"},  {"--builder"},      {"--build-context"},
        {"--cpuset-cpus"}, {"--isolation"},  {"--annotation"}, {"--metadata-file"}};
    DockerBuild build;
    build.at = command.words[0];
    for (const Argument& argument : split_arguments(command.words, first, options, false)) {
        const Written& value = argument.value;
        if (argument.option == "--file") build.file = value.known ? value.text : "?", build.at = value;
        if (argument.option == "--target" && value.known) build.arguments.target = value.text;
        if (argument.option.empty() && value.known) build.context = value.text;
        const std::size_t equals = value.text.find('=');
        if (argument.option != "--build-arg" || equals == npos) continue;
        Written given = value;
        given.text.erase(0, equals + 1);
        if (given.known) build.arguments.values[value.text.substr(0, equals)] = std::move(given);
    }
    if (build.file.empty()) build.file = join_path(build.context, "Dockerfile");
    const bool remote = build.context.find("://") != npos || build.context == "-";
    if (build.arguments.values.empty() || remote) return std::nullopt;
    return build;
}

// A script runs in the root of the repository more often than in its own folder.
std::size_t folders_above(const Recipe& recipe) {
    if (recipe.kind == RecipeKind::workflow || is_absolute(recipe.file, System::linux_)) return 0;
    return static_cast<std::size_t>(std::count(recipe.file.begin(), recipe.file.end(), '/'));
}

bool add_build_of(const DockerBuild& build, const std::string& prefix, const ReadFile& files,
                  std::size_t& bytes, Recipe& recipe) {
    std::string above;
    for (std::size_t i = folders_above(recipe) + 1; i > 0; --i, above += "../") {
        const auto file = files(normal_path(above + build.file, System::linux_), build.at);
        if (!file) continue;
        bytes += file->text.size();
        if (recipe.problems.exceeds(k_most_docker_bytes, bytes, build.at)) return false;
        const ReadFile in_context = files.instead([&](const std::string& path, const Written& by) {
            return files(normal_path(join_path(above + build.context, path), System::linux_), by);
        });
        const std::size_t first = recipe.stages.size();
        Recipe built = read_dockerfile(file->file, file->text, in_context, build.arguments);
        for (Stage& stage : built.stages) recipe.stages.push_back(std::move(stage));
        prefix_stages(recipe, first, prefix);
        return true;
    }
    return true;
}

}  // namespace

void prefix_stages(Recipe& recipe, std::size_t first, const std::string& prefix) {
    for (std::size_t i = first; i < recipe.stages.size(); ++i) {
        Stage& stage = recipe.stages[i];
        stage.name = stage.name.empty() ? prefix : prefix + " " + stage.name;
        if (!stage.base.empty()) stage.base = prefix + " " + stage.base;
        for (Step& step : stage.steps)
            if (auto* copy = std::get_if<CopyFrom>(&step)) copy->stage.text = prefix + " " + copy->stage.text;
    }
}

void add_docker_builds(Recipe& recipe, const ReadFile& files) {
    if (!files || recipe.kind == RecipeKind::dockerfile || recipe.kind == RecipeKind::compose) return;
    std::vector<DockerBuild> builds;
    for (const Stage& stage : recipe.stages)
        for (const Step& step : stage.steps) {
            const auto* command = std::get_if<Command>(&step);
            auto build = command ? build_of(*command) : std::nullopt;
            if (!build) continue;
            if (recipe.problems.exceeds(k_most_docker_builds, builds.size() + 1, build->at)) break;
            builds.push_back(std::move(*build));
        }
    std::size_t bytes = 0, number = 0;
    for (const DockerBuild& build : builds)
        if (!add_build_of(build, "docker build " + std::to_string(++number), files, bytes, recipe)) return;
}

}  // namespace ptxguard::recipes
