// SPDX-License-Identifier: Apache-2.0
#include "recipes/containers/docker_builds.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "formats/text_lines.hpp"
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

// Nothing for a command that builds no file of the repository.
std::optional<DockerBuild> build_of(const Command& command, const Environment& environment) {
    auto build = docker_build_of(command, environment);
    const bool remote = build && (build->context.find("://") != npos || build->context == "-");
    return remote && !build->written ? std::nullopt : build;
}

// Without arguments the file means what it means as a recipe.
bool passes_any(const DockerBuild& build) {
    return build.written || !build.arguments.values.empty() || build.arguments.platform;
}

// "acme/core" of "ghcr.io/acme/core:1.2" and its tag; empty = the name is not known.
std::pair<std::string, std::string> parts_of_image(const Written& image) {
    const std::size_t slash = image.text.rfind('/'), colon = image.text.rfind(':');
    const bool tagged = colon != npos && (slash == npos || colon > slash);
    const std::string name = image.text.substr(0, tagged ? colon : npos);
    const std::string tag = tagged ? image.text.substr(colon + 1) : "latest";
    const bool known = name.find_first_of("$*@") == npos;
    return {known ? name : "", tag.find_first_of("$*") == npos ? tag : ""};
}

bool is_same_image(const Written& image, const Written& built) {
    const auto [name, tag] = parts_of_image(image);
    const auto [own_name, own_tag] = parts_of_image(built);
    return !name.empty() && name == own_name && (tag.empty() || own_tag.empty() || tag == own_tag);
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

// The words before its own: 2 of `docker compose`, 1 of `docker-compose`, 0 of others.
std::size_t words_of_compose(const std::vector<Written>& words) {
    const std::string program = words.empty() ? "" : program_name(words[0].text);
    if (is_one_of(program, {"docker-compose", "podman-compose"})) return 1;
    const bool may_have = is_one_of(program, {"docker", "podman"}) && words.size() > 1;
    return may_have && words[1].text == "compose" ? 2 : 0;
}

std::optional<ComposeCall> compose_call(const Command& command, const Environment& environment) {
    const std::vector<Written>& words = command.words;
    const std::size_t first = words_of_compose(words);
    if (first == 0) return std::nullopt;
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
    for (const Argument& argument : split_arguments(words, first, options, false)) {
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

namespace {

class DockerBuilds {
public:
    DockerBuilds(Recipe& recipe, const ReadFile& files) : m_recipe(recipe), m_files(files) {
        for (const Stage& stage : m_recipe.stages) collect(stage);
        for (const DockerBuild& build : m_all)
            for (const Written& tag : build.tags) m_names.insert(parts_of_image(tag).first);
        m_names.erase("");
    }

    void add_stages() {
        std::size_t number = 0;
        for (const DockerBuild& build : m_all) {
            if (!passes_any(build) && !starts_from_another(build)) continue;
            const std::size_t first = m_recipe.stages.size();
            auto built = recipe_of(build, {});
            if (m_over) return;
            if (!built) continue;
            for (Stage& stage : built->stages) m_recipe.stages.push_back(std::move(stage));
            prefix_stages(m_recipe, first, "docker build " + std::to_string(++number));
        }
    }

private:
    using Open = std::set<const DockerBuild*>;  // those in whose images others are

    void collect(const Stage& stage) {
        Environment environment;
        for (const Step& step : stage.steps) {
            if (const auto* set = std::get_if<SetVariable>(&step)) environment[set->name] = set->value;
            const auto* command = std::get_if<Command>(&step);
            auto build = command ? build_of(*command, environment) : std::nullopt;
            if (!build || is_one_of_them(*build, m_all)) continue;
            if (m_recipe.problems.exceeds(k_most_docker_builds, m_all.size() + 1, build->at)) return;
            m_all.push_back(std::move(*build));
        }
    }

    const DockerBuild* builder_of(const Written& image, const Open& open) const {
        return first_where(m_all, [&](const DockerBuild& one) {
            return open.count(&one) == 0 &&
                   any_of(one.tags, [&](const Written& tag) { return is_same_image(image, tag); });
        });
    }

    std::optional<FileText> file_of(const DockerBuild& build, std::string& above) {
        if (build.written) return *build.written;
        for (std::size_t i = folders_above(m_recipe) + 1; i > 0; --i, above += "../")
            if (auto file = m_files(normal_path(above + build.file, System::linux_), build.at)) return file;
        return std::nullopt;
    }

    // Whether its file names the image of another command in a FROM or ARG.
    bool starts_from_another(const DockerBuild& build) {
        std::string above;
        const auto file = m_names.empty() ? std::nullopt : file_of(build, above);
        if (!file) return false;
        for (const std::string_view line : lines_of(file->text)) {
            if (!starts_with(line, "FROM ") && !starts_with(line, "ARG ")) continue;
            Written image;
            for (const std::string& word : split(std::string(line.substr(4)), " ='\"\r")) {
                image.text = word;
                if (m_names.count(parts_of_image(image).first) > 0) return true;
            }
        }
        return false;
    }

    std::optional<Recipe> recipe_of(const DockerBuild& build, Open open) {
        std::string above;
        const auto file = file_of(build, above);
        if (!file) return std::nullopt;
        m_bytes += file->text.size();
        m_over = m_over || m_recipe.problems.exceeds(k_most_docker_bytes, m_bytes, build.at);
        if (m_over) return std::nullopt;
        const ReadFile in_context = m_files.instead([&](const std::string& path, const Written& by) {
            return m_files(normal_path(join_path(above + build.context, path), System::linux_), by);
        });
        BuildArguments arguments = build.arguments;
        arguments.linked = !open.empty();
        open.insert(&build);
        arguments.built = [&](const Written& image) -> std::optional<Recipe> {
            const DockerBuild* other = builder_of(image, open);
            return other ? recipe_of(*other, open) : std::nullopt;
        };
        return read_dockerfile(file->file, file->text, in_context, arguments, {file->lines_before + 1, 1});
    }

    Recipe& m_recipe;
    const ReadFile& m_files;
    std::vector<DockerBuild> m_all;
    std::set<std::string> m_names;  // of the images that they build
    std::size_t m_bytes = 0;
    bool m_over = false;  // a limit is reached
};

}  // namespace

void add_docker_builds(Recipe& recipe, const ReadFile& files) {
    if (!files || recipe.kind == RecipeKind::dockerfile || recipe.kind == RecipeKind::compose) return;
    DockerBuilds builds(recipe, files);
    ComposeCalls(recipe, files).read();
    builds.add_stages();
}

}  // namespace ptxguard::recipes
