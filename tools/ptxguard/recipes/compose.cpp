// SPDX-License-Identifier: Apache-2.0
#include "recipes/compose.hpp"

#include <algorithm>

#include "formats/text_lines.hpp"
#include "formats/yaml.hpp"
#include "host/paths.hpp"
#include "model/text.hpp"
#include "recipes/dockerfile.hpp"
#include "recipes/job.hpp"

namespace ptxguard::recipes {
namespace {

constexpr std::size_t k_most_services = 300;
constexpr std::size_t k_most_bytes = 1u << 20;
constexpr std::size_t k_most_built = 4u << 20;  // bytes of Dockerfiles, each as often as it is built
constexpr int k_deepest = 8;                    // services that extend each other

// NAME=VALUE lines of the .env beside a compose file.
Variables dot_env(const ReadFile& files) {
    Variables result;
    const auto file = files ? files(".env") : std::nullopt;
    if (!file) return result;
    int number = 0;
    for (const std::string_view line : lines_of(file->text)) {
        ++number;
        const std::size_t equals = line.find('=');
        const std::string_view name = trimmed(line.substr(0, equals));
        if (equals == line.npos || name.empty() || name[0] == '#') continue;
        std::string text(trimmed(line.substr(equals + 1)));
        if (text.size() > 1 && (text[0] == '"' || text[0] == '\'') && text.back() == text[0])
            text = text.substr(1, text.size() - 2);
        Variable variable;
        variable.value = {text, file->file, number, static_cast<int>(equals) + 2};
        result[std::string(name)] = std::move(variable);
    }
    return result;
}

Written expanded(const Tree& value, const std::string& file, const Variables& variables) {
    PlacedText text(file);
    text.append(value.text, {value.line, value.column});
    return expand_whole(text, {0, text.text.size()}, variables);
}

// "NAME: value" or a list of "NAME=value".
template <class Each>
void each_pair(const Tree& values, const Each& each) {
    for (const auto& [name, value] : values.members)
        if (value.is_scalar()) each(name.text, value);
    for (const Tree& item : values.items) {
        const std::size_t equals = item.text.find('=');
        if (equals == std::string::npos) continue;
        Tree value = item;
        value.text = item.text.substr(equals + 1);
        value.column += static_cast<int>(equals) + 1;
        each(item.text.substr(0, equals), value);
    }
}

// The stages of the Dockerfile that `build` names: "context", or {context, dockerfile, args, target}.
bool add_build(const Tree& build, const BuildArguments& arguments, const std::string& own_folder,
               const ReadFile& files, Recipe& recipe, std::size_t& bytes) {
    const std::string context = build.is_scalar()  ? build.text
                                : build["context"] ? build["context"].text
                                                   : ".";
    std::string name = build["dockerfile"] ? build["dockerfile"].text : build["dockerFile"].text;
    if (name.empty()) name = "Dockerfile";
    if (!files || context.find("://") != std::string::npos) return false;
    const auto in_context = [&](const std::string& path) {
        return files(normal_path(join_path(join_path(own_folder, context), path), System::linux_));
    };
    auto file = in_context(name);
    if (!file) return false;
    bytes += file->text.size();
    Recipe built = read_dockerfile(file->file, file->text, in_context, arguments);
    for (Recipe::Problem& problem : built.problems) recipe.problems.push_back(std::move(problem));
    for (Stage& stage : built.stages) recipe.stages.push_back(std::move(stage));
    return true;
}

class Compose {
public:
    Compose(const Tree& root, Recipe& recipe, const ReadFile& files)
        : m_root(root), m_recipe(recipe), m_files(files), m_variables(dot_env(files)) {}

    void read() {
        std::size_t count = 0;
        for (const auto& [name, service] : m_root["services"].members) {
            if (++count > k_most_services || m_built > k_most_built) {
                m_recipe.problems.push_back({written(name, m_recipe.file),
                                             "and the services behind it were not read: there are too many"});
                break;
            }
            read_service(name.text, service);
        }
    }

private:
    const Tree* parent_of(const Tree& service) const {
        const Tree& extends = service["extends"];
        const std::string name = extends.is_scalar() ? extends.text
                                 : extends["file"]   ? ""
                                                     : extends["service"].text;
        return name.empty() ? nullptr : m_root["services"].find(name);
    }

    // The outer service's arguments first.
    void arguments_of(const Tree& service, BuildArguments& arguments, int depth) const {
        if (const Tree* parent = parent_of(service); parent && depth < k_deepest)
            arguments_of(*parent, arguments, depth + 1);
        each_pair(service["build"]["args"], [&](const std::string& name, const Tree& value) {
            arguments.values[name] = expanded(value, m_recipe.file, m_variables);
        });
        if (service["build"]["target"]) arguments.target = service["build"]["target"].text;
    }

    const Tree* member(const Tree& service, const char* name, int depth) const {
        if (const Tree* own = service.find(name)) return own;
        const Tree* parent = parent_of(service);
        return parent && depth < k_deepest ? member(*parent, name, depth + 1) : nullptr;
    }

    void read_service(const std::string& name, const Tree& service) {
        const std::size_t first = m_recipe.stages.size();
        // A service that only adds arguments builds what it extends.
        const Tree* build = &service["build"];
        const Tree* at = &service;
        for (int depth = 0; depth < k_deepest && (at = parent_of(*at)); ++depth)
            if (!*build || (build->is_map() && !build->find("context"))) {
                if ((*at)["build"]) build = &(*at)["build"];
            }
        BuildArguments arguments;
        arguments_of(service, arguments, 0);
        if (*build && add_build(*build, arguments, "", m_files, m_recipe, m_built)) {
            // Names of stages stay unique in the recipe.
            for (std::size_t i = first; i < m_recipe.stages.size(); ++i) {
                Stage& stage = m_recipe.stages[i];
                const std::string prefix = "service " + name;
                stage.name = stage.name.empty() ? prefix : prefix + " " + stage.name;
                if (!stage.base.empty()) stage.base = prefix + " " + stage.base;
                for (Step& step : stage.steps)
                    if (auto* copy = std::get_if<CopyFrom>(&step))
                        copy->stage.text = prefix + " " + copy->stage.text;
            }
        } else if (const Tree* image = member(service, "image", 0); image && image->is_scalar() && !*build) {
            Stage stage;
            stage.name = "service " + name;
            stage.image = expanded(*image, m_recipe.file, m_variables);
            m_recipe.stages.push_back(std::move(stage));
        } else {
            return;
        }
        Stage& last = m_recipe.stages.back();
        if (service["platform"].is_scalar())
            last.platform = expanded(service["platform"], m_recipe.file, m_variables);
        if (const Tree* environment = member(service, "environment", 0))
            each_pair(*environment, [&](const std::string& variable, const Tree& value) {
                last.steps.push_back(
                    SetVariable{variable, expanded(value, m_recipe.file, m_variables), true});
            });
    }

    const Tree& m_root;
    Recipe& m_recipe;
    const ReadFile& m_files;
    Variables m_variables;
    std::size_t m_built = 0;
};

// Comments and commas before a closing bracket become blanks.
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
        const std::string feature = file_name(name.text.substr(0, name.text.rfind(':')));
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
            for (Step& step : interpret(words, files)) job.add(std::move(step));
        } else if (command.is_scalar()) {
            job.run(script(command, file, {}), "", ShellKind::posix, false);
        }
        for (const auto& [name, one] : command.members)
            if (one.is_scalar()) job.run(script(one, file, {}), "", ShellKind::posix, false);
        for (Step& step : job.stage.steps) recipe.stages.back().steps.push_back(std::move(step));
    }
}

}  // namespace

Recipe read_compose(const std::string& file, std::string_view text, const ReadFile& files) {
    Recipe recipe;
    recipe.kind = RecipeKind::compose;
    recipe.file = file;
    if (text.size() > k_most_bytes) {
        recipe.problems.push_back({{"", file}, "was not read: it is larger than 1 MiB"});
        return recipe;
    }
    const auto documents = read_yaml(text, file);
    if (!documents)
        recipe.problems.push_back(not_parsed(file, documents.trouble()));
    else
        for (const Tree& root : *documents) Compose(root, recipe, files).read();
    return recipe;
}

Recipe read_devcontainer(const std::string& file, std::string_view text, const ReadFile& files) {
    Recipe recipe;
    recipe.kind = RecipeKind::devcontainer;
    recipe.file = file;
    const auto documents = read_yaml(without_comments(text), file);
    if (!documents) recipe.problems.push_back(not_parsed(file, documents.trouble()));
    if (!documents || documents->empty()) return recipe;
    const Tree& root = documents->front();
    // Paths of the build start at the file's folder, commands run in the repository's root, where `files`
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
    } else if (!build || !add_build(build, arguments, folder, files, recipe, bytes) ||
               recipe.stages.empty()) {
        return recipe;
    }
    for (const char* key : {"containerEnv", "remoteEnv"})
        each_pair(root[key], [&](const std::string& name, const Tree& value) {
            recipe.stages.back().steps.push_back(SetVariable{name, written(value, file), true});
        });
    add_features(root["features"], file, recipe.stages.back());
    add_commands(root, file, files, recipe);
    return recipe;
}

}  // namespace ptxguard::recipes
