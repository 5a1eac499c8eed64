// devcontainer.json.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "host/paths.hpp"
#include "model/text.hpp"
#include "recipes/base/tree_places.hpp"
#include "recipes/base/yaml_files.hpp"
#include "recipes/ci/expressions.hpp"
#include "recipes/containers/compose.hpp"
#include "recipes/containers/compose_build.hpp"
#include "recipes/shell/interpret.hpp"
#include "recipes/shell/job.hpp"

namespace ptxguard::recipes {
namespace {

// Replaces comments, and commas before a closing bracket, by blanks.
std::string without_comments(std::string_view text) {
    std::string result(text);
    for (std::size_t at = 0; at < result.size(); ++at) {
        if (result[at] == '"') {
            for (++at; at < result.size() && result[at] != '"' && result[at] != '\n'; ++at)
                if (result[at] == '\\') ++at;
        } else if (result[at] == '\t') {
            result[at] = ' ';
        } else if (result.compare(at, 2, "//") == 0) {
            for (; at < result.size() && result[at] != '\n'; ++at) result[at] = ' ';
        } else if (result.compare(at, 2, "/*") == 0) {
            const std::size_t end = std::min(result.find("*/", at + 2), result.size() - 2) + 2;
            for (; at < end; ++at)
                if (result[at] != '\n') result[at] = ' ';
            --at;
        }
    }
    return result;
}

// "ghcr.io/devcontainers/features/nvidia-cuda:1": {"cudaVersion": "12.4", "installCudnn": true}.
void add_features(const Tree& features, const std::string& file, Stage& stage) {
    for (const auto& [name, options] : features.members) {
        const std::string feature = file_name(name.text.substr(0, name.text.find_first_of("@:")));
        if (feature == "python" && options["version"].is_scalar() &&
            options["version"].text.find_first_not_of("0123456789.") == std::string::npos)
            stage.python = options["version"].text;
        if (feature != "nvidia-cuda") continue;
        const auto parts = split(options["cudaVersion"].text, ".");
        if (parts.size() < 2) continue;  // its default changes
        const std::string release = parts[0] + "-" + parts[1];
        const bool toolkit = options["installToolkit"].truth();
        AptInstall install;
        install.whole = written(name, file);
        const Written version = written(options["cudaVersion"], file);
        install.packages.push_back({(toolkit ? "cuda-toolkit-" : "cuda-libraries-") + release, "", version});
        stage.steps.push_back(std::move(install));
    }
}

void add_commands(const Tree& root, const std::string& file, const ReadFile& files, Recipe& recipe) {
    for (const char* key : {"onCreateCommand", "updateContentCommand", "postCreateCommand"}) {
        const Tree& command = root[key];
        Job job(recipe, files);
        if (command.is_list()) {
            Command words;
            for (const Tree& word : command.items) words.words.push_back(written(word, file));
            for (Step& step : interpret(words, files, Inherited(recipe.problems))) job.add(std::move(step));
        } else if (command.is_scalar()) {
            job.run(script(command, file, Scope(recipe.problems)), "", ShellKind::posix, false);
        }
        for (const auto& [name, one] : command.members)
            if (one.is_scalar())
                job.run(script(one, file, Scope(recipe.problems)), "", ShellKind::posix, false);
        for (Step& step : job.stage.steps) recipe.stages.back().steps.push_back(std::move(step));
    }
}

// hostRequirements.gpu, which may also be "optional", and what docker is asked for.
Written gpu_of_container(const Tree& root, const std::string& file) {
    const Tree& required = root["hostRequirements"]["gpu"];
    if (required.is_map() || required.truth()) {
        Written gpu = written(required, file);
        gpu.text = "hostRequirements.gpu";
        return gpu;
    }
    for (const Tree* word : root["runArgs"].each())
        if (starts_with(word->text, "--gpus") || word->text == "--runtime=nvidia")
            return written(*word, file);
    return {};
}

// The service of a compose file in which the container runs. Several files that are merged are not read.
bool add_service(const Tree& root, const std::string& file, const std::string& folder, const ReadFile& files,
                 Recipe& recipe) {
    const auto names = root["dockerComposeFile"].each();
    if (names.size() != 1 || !root["service"].is_scalar() || !files) return false;
    const std::string path = normal_path(join_path(folder, names[0]->text), System::linux_);
    const auto composed = files(path, written(*names[0], file));
    if (!composed || !composed->known) return false;
    const ReadFile beside = files.instead([&](const std::string& name, const Written& by) {
        return files(normal_path(join_path(parent_path(path), name), System::linux_), by);
    });
    Recipe service = read_compose(composed->file, composed->text, beside, {}, {root["service"].text});
    for (Stage& stage : service.stages) recipe.stages.push_back(std::move(stage));
    recipe.problems.take(service.problems);
    return !recipe.stages.empty();
}

}  // namespace

Recipe read_devcontainer(const std::string& file, std::string_view text, const ReadFile& files) {
    Recipe recipe;
    recipe.kind = RecipeKind::devcontainer;
    recipe.file = file;
    const std::vector<Tree> documents = yaml_of(without_comments(text), recipe);
    if (documents.empty()) return recipe;
    const Tree& root = documents.front();
    // Paths of the build start at the file's folder; commands run in the repository's root, where `files`
    // starts.
    const std::string folder = file_name(parent_path(file)) == ".devcontainer" ? ".devcontainer" : "";
    BuildArguments arguments;
    each_pair(root["build"]["args"], [&](const std::string& name, const Tree& value) {
        arguments.values[name] = written(value, file);
    });
    arguments.target = root["build"]["target"].text;
    std::size_t bytes = 0;
    const Tree& build = root["build"] ? root["build"] : root["dockerFile"] ? root : root["build"];
    if (root["image"].is_scalar()) {
        recipe.stages.emplace_back();
        recipe.stages.back().image = written(root["image"], file);
    } else if (root["dockerComposeFile"]) {
        if (!add_service(root, file, folder, files, recipe)) return recipe;
    } else if (!build || !add_build(build, arguments, {}, file, folder, files, recipe, bytes) ||
               recipe.stages.empty()) {
        return recipe;
    }
    for (const char* key : {"containerEnv", "remoteEnv"})
        each_pair(root[key], [&](const std::string& name, const Tree& value) {
            recipe.stages.back().steps.push_back(SetVariable{name, written(value, file), true});
        });
    if (const Written gpu = gpu_of_container(root, file)) recipe.stages.back().gpu = gpu;
    add_features(root["features"], file, recipe.stages.back());
    add_commands(root, file, files, recipe);
    return recipe;
}

}  // namespace ptxguard::recipes
