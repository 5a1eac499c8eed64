// SPDX-License-Identifier: Apache-2.0
#include "recipes/containers/docker_builds.hpp"

#include <algorithm>
#include <set>

#include "host/paths.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "recipes/base/arguments.hpp"
#include "recipes/base/docker_command.hpp"
#include "recipes/base/prefixes.hpp"
#include "recipes/containers/compose.hpp"
#include "recipes/containers/dockerfile.hpp"

namespace ptxguard::recipes {
namespace {

constexpr Limit k_most_docker_builds{200, "commands that build Dockerfiles", "later ones"};
constexpr Limit k_most_docker_bytes{4u << 20, "bytes of Dockerfiles, counted for each command",
                                    "later commands"};

// Nothing for a command that passes no arguments.
std::optional<DockerBuild> build_of(const Command& command, const Environment& environment) {
    auto build = docker_build_of(command, environment);
    if (!build || build->written) return build;
    const bool remote = build->context.find("://") != npos || build->context == "-";
    if ((build->arguments.values.empty() && !build->arguments.platform) || remote) return std::nullopt;
    return build;
}

// Rows of a matrix often build the same.
bool is_one_of_them(const DockerBuild& build, const std::vector<DockerBuild>& builds) {
    const auto same_value = [](const auto& a, const auto& b) {
        return a.first == b.first && a.second.text == b.second.text && a.second.fixed == b.second.fixed;
    };
    return any_of(builds, [&](const DockerBuild& other) {
        const auto &a = build.arguments, &b = other.arguments;
        return build.file == other.file && build.written == other.written && build.context == other.context &&
               a.target == b.target && a.platform.text == b.platform.text &&
               a.values.size() == b.values.size() &&
               std::equal(a.values.begin(), a.values.end(), b.values.begin(), same_value);
    });
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
        const auto file = build.written ? std::optional(*build.written)
                                        : files(normal_path(above + build.file, System::linux_), build.at);
        if (!file) continue;
        bytes += file->text.size();
        if (recipe.problems.exceeds(k_most_docker_bytes, bytes, build.at)) return false;
        const ReadFile in_context = files.instead([&](const std::string& path, const Written& by) {
            return files(normal_path(join_path(above + build.context, path), System::linux_), by);
        });
        const std::size_t first = recipe.stages.size();
        Recipe built =
            read_dockerfile(file->file, file->text, in_context, build.arguments, {file->lines_before + 1, 1});
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

namespace {

// docker compose -f FILE build SERVICE
struct ComposeCall {
    std::string file;
    std::vector<std::string> services;
    Environment environment;
    Written at;
};

std::optional<ComposeCall> compose_call(const Command& command, const Environment& environment) {
    const std::vector<Written>& words = command.words;
    if (words.empty()) return std::nullopt;
    const std::string program = program_name(words[0].text);
    const bool plugin =
        is_one_of(program, {"docker", "podman"}) && words.size() > 1 && words[1].text == "compose";
    if (!plugin && program != "docker-compose" && program != "podman-compose") return std::nullopt;
    static const std::vector<OptionForm> options = {
        {"-f --file"}, {"-p --project-name"}, {"--env-file"}, {"--profile"},  {"--project-directory"},
        {"-e --env"},  {"-v --volume"},       {"--scale"},    {"--progress"}, {"--build-arg"}};
    ComposeCall call;
    call.at = words[0];
    call.environment = environment;
    command.exports.each(
        [&](const std::string& name, const Written& value) { call.environment[name] = value; });
    for (const SetVariable& one : command.variables) call.environment[one.name] = one.value;
    std::string verb;
    for (const Argument& argument : split_arguments(words, plugin ? 2 : 1, options, false)) {
        if (argument.option == "--file" && argument.value.known) call.file = argument.value.text;
        if (!argument.option.empty()) continue;
        const bool is_verb = verb.empty();
        if (is_verb) verb = argument.value.text;
        if (is_verb || !argument.value.known || (verb == "run" && !call.services.empty())) continue;
        call.services.push_back(argument.value.text);
    }
    const bool runs = is_one_of(verb, {"build", "up", "run", "create", "pull"});
    if (starts_with(call.file, "**/")) call.file.erase(0, 3);
    return runs ? std::optional(std::move(call)) : std::nullopt;
}

// "$NAME", "${NAME:-x}"
bool names_variable(const std::string& text, const std::string& name) {
    return text.find("${" + name) != npos || text.find("$" + name) != npos;
}

class ComposeCalls {
public:
    ComposeCalls(Recipe& recipe, const ReadFile& files) : m_recipe(recipe), m_files(files) {}

    void read() {
        std::vector<ComposeCall> calls;
        for (const Stage& stage : m_recipe.stages) {
            Environment environment;
            for (const Step& step : stage.steps) {
                if (const auto* set = std::get_if<SetVariable>(&step))
                    environment[set->name] = set->value;
                else if (const auto* command = std::get_if<Command>(&step))
                    if (auto call = compose_call(*command, environment)) calls.push_back(std::move(*call));
            }
        }
        for (const ComposeCall& call : calls) add(call);
    }

private:
    void add(const ComposeCall& call) {
        std::optional<FileText> file;
        std::string folder;
        for (const std::string& name : names_of(call)) {
            if (file) break;
            file = m_files(normal_path(name, System::linux_), call.at);
            folder = parent_path(name);
        }
        if (!file) return;
        Environment used;
        std::string key = file->file;
        for (const std::string& service : call.services) key += " " + service;
        for (const auto& [name, value] : call.environment) {
            if (!names_variable(file->text, name)) continue;
            used[name] = value;
            key += " " + name + "=" + value.text;
        }
        // Without its own values the file means what it means as a recipe.
        if (used.empty() || !m_seen.insert(key).second ||
            m_recipe.problems.exceeds(k_most_docker_builds, m_seen.size(), call.at))
            return;
        const std::size_t first = m_recipe.stages.size();
        const ReadFile beside = m_files.instead([&](const std::string& path, const Written& by) {
            return m_files(normal_path(join_path(folder, path), System::linux_), by);
        });
        Recipe built = read_compose(file->file, file->text, beside, used, call.services);
        for (Stage& stage : built.stages) m_recipe.stages.push_back(std::move(stage));
        prefix_stages(m_recipe, first, "docker compose " + std::to_string(m_seen.size()));
    }

    static std::vector<std::string> names_of(const ComposeCall& call) {
        if (!call.file.empty()) return {call.file};
        return {"compose.yaml", "compose.yml", "docker-compose.yml", "docker-compose.yaml"};
    }

    Recipe& m_recipe;
    const ReadFile& m_files;
    std::set<std::string> m_seen;
};

}  // namespace

void add_docker_builds(Recipe& recipe, const ReadFile& files) {
    if (!files || recipe.kind == RecipeKind::dockerfile || recipe.kind == RecipeKind::compose) return;
    std::vector<DockerBuild> builds;
    for (const Stage& stage : recipe.stages) {
        Environment environment;
        for (const Step& step : stage.steps) {
            if (const auto* set = std::get_if<SetVariable>(&step)) environment[set->name] = set->value;
            const auto* command = std::get_if<Command>(&step);
            auto build = command ? build_of(*command, environment) : std::nullopt;
            if (!build || is_one_of_them(*build, builds)) continue;
            if (recipe.problems.exceeds(k_most_docker_builds, builds.size() + 1, build->at)) break;
            builds.push_back(std::move(*build));
        }
    }
    ComposeCalls(recipe, files).read();
    std::size_t bytes = 0, number = 0;
    for (const DockerBuild& build : builds)
        if (!add_build_of(build, "docker build " + std::to_string(++number), files, bytes, recipe)) return;
}

}  // namespace ptxguard::recipes
