// SPDX-License-Identifier: Apache-2.0
#include "recipes/containers/compose.hpp"

#include <algorithm>
#include <map>

#include "host/paths.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "recipes/base/env_files.hpp"
#include "recipes/base/yaml_files.hpp"
#include "recipes/ci/expressions.hpp"
#include "recipes/containers/docker_builds.hpp"
#include "recipes/containers/dockerfile.hpp"
#include "recipes/shell/interpret.hpp"
#include "recipes/shell/job.hpp"

namespace ptxguard::recipes {
namespace {

constexpr Limit k_most_services{300, "services", "later ones"};
constexpr Limit k_most_extended_files{300, "files of services that others extend", "later ones"};
constexpr Limit k_most_compose_bytes{1u << 20, "bytes of a compose file", "the file"};
constexpr Limit k_most_built{4u << 20, "bytes of Dockerfiles, counted for each build", "later services"};
constexpr Limit k_deepest_extends{8, "services that extend each other", "further ones"};

// NAME=VALUE lines of the .env beside a compose file.
Variables dot_env(const std::string& compose_file, const ReadFile& files) {
    Variables result;
    const auto file = files ? files(".env", {".env", compose_file}) : std::nullopt;
    if (!file) return result;
    for (SetVariable& one : variables_in(*file)) result.set(one.name, {std::move(one.value)});
    return result;
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

// The stages of the Dockerfile in `build`: "context", or {context, dockerfile, args, target}. `own_file`: the
// file that contains `build`.
bool add_build(const Tree& build, const BuildArguments& arguments, const Variables& variables,
               const std::string& own_file, const std::string& own_folder, const ReadFile& files,
               Recipe& recipe, std::size_t& bytes) {
    const auto value = [&](const Tree& text) {
        return expand_whole(written(text, own_file), variables, recipe.problems).text;
    };
    const std::string context = build.is_scalar()  ? value(build)
                                : build["context"] ? value(build["context"])
                                                   : ".";
    const Tree& named = build["dockerfile"] ? build["dockerfile"] : build["dockerFile"];
    const std::string name = named.text.empty() ? "Dockerfile" : value(named);
    const Tree& here = build["dockerfile_inline"];
    if ((!files && !here) || context.find("://") != std::string::npos) return false;
    const ReadFile in_context = files.instead([&](const std::string& path, const Written& by) {
        return files(normal_path(join_path(join_path(own_folder, context), path), System::linux_), by);
    });
    auto file = here.is_scalar() ? std::optional(FileText{own_file, here.text})
                                 : in_context(name, written(named ? named : build, own_file));
    if (!file) return false;
    bytes += file->text.size();
    const Place first = here.is_scalar() ? Place{here.line, here.column} : Place{1, 1};
    Recipe built = read_dockerfile(file->file, file->text, in_context, arguments, first);
    recipe.problems.take(built.problems);
    for (Stage& stage : built.stages) recipe.stages.push_back(std::move(stage));
    return true;
}

// What gives a service a GPU: runtime: nvidia, gpus: all, a reserved device with the capability gpu.
const Tree& gpu_of(const Tree& service) {
    if (service["runtime"].text == "nvidia") return service["runtime"];
    if (service["gpus"]) return service["gpus"].is_scalar() ? service["gpus"] : service["gpus"]["driver"];
    for (const Tree* device : service["deploy"]["resources"]["reservations"]["devices"].each())
        for (const Tree* capability : (*device)["capabilities"].each())
            if (capability->text == "gpu") return *capability;
    return service["gpus"];
}

// A service and its file.
struct Service {
    const Tree* tree = nullptr;
    const Tree* services = nullptr;
    const std::string* file = nullptr;
    std::string folder;  // relative to the recipe's; paths of the service start there
};

class Compose {
public:
    Compose(const Tree& root, Recipe& recipe, const ReadFile& files,
            const std::map<std::string, Written>& environment, const std::vector<std::string>& wanted)
        : m_root(root),
          m_recipe(recipe),
          m_files(files),
          m_variables(dot_env(recipe.file, files)),
          m_wanted(wanted),
          m_extended(files, recipe, k_most_extended_files) {
        for (const auto& [name, value] : environment) {
            Variable variable;
            variable.value = value;
            m_variables.set(name, std::move(variable));
        }
    }

    void read() {
        std::size_t count = 0;
        const Tree& services = m_root["services"];
        for (const auto& [name, service] : services.members) {
            if (!m_wanted.empty() && !contains(m_wanted, name.text)) continue;
            const Written at = written(name, m_recipe.file);
            if (m_recipe.problems.exceeds(k_most_services, ++count, at) ||
                m_recipe.problems.exceeds(k_most_built, m_built, at))
                break;
            read_service(name.text, {&service, &services, &m_recipe.file, ""});
        }
    }

private:
    Service parent_of(const Service& service) {
        const Tree& extends = (*service.tree)["extends"];
        const std::string name = extends.is_scalar() ? extends.text : extends["service"].text;
        Service parent = service;
        if (extends["file"].is_scalar()) {
            const std::string path =
                normal_path(join_path(service.folder, extends["file"].text), System::linux_);
            const Written by = written(extends["file"], *service.file);
            const YamlFiles::File* file = m_extended.at(path, by, true);
            if (!file) return {};
            parent = {nullptr, &file->root["services"], &file->name, parent_path(path)};
        }
        parent.tree = name.empty() ? nullptr : parent.services->find(name);
        return parent;
    }

    // The service and those that it extends, itself first.
    std::vector<Service> line_of(const Service& service) {
        std::vector<Service> line = {service};
        for (;;) {
            Service parent = parent_of(line.back());
            const auto at = [&] { return written(*parent.tree, *parent.file); };
            if (!parent.tree || m_recipe.problems.exceeds(k_deepest_extends, line.size(), at)) return line;
            line.push_back(std::move(parent));
        }
    }

    Written value_of(const Tree& value, const Service& service) const {
        Written whole = written(value, *service.file);
        Budget& budget = m_files.budget();
        if (budget.is_over_at(whole)) return whole;
        Written result = expand_whole(whole, m_variables, m_recipe.problems);
        budget.spend_bytes(result.text.size());
        return result;
    }

    // FROM me/base, which another service builds.
    std::optional<Recipe> built_by_another(const std::string& name, const Written& wanted) {
        const Tree& services = m_root["services"];
        for (const auto& [other, tree] : services.members) {
            const Service service{&tree, &services, &m_recipe.file, ""};
            if (other.text == name || !tree["build"] || !tree["image"].is_scalar()) continue;
            const Written image = value_of(tree["image"], service);
            if (!image.known || image.text != wanted.text) continue;
            BuildArguments arguments;
            arguments.linked = true;
            each_pair(tree["build"]["args"], [&](const std::string& argument, const Tree& value) {
                arguments.values[argument] = value_of(value, service);
            });
            arguments.target = tree["build"]["target"].text;
            Recipe built;
            if (add_build(tree["build"], arguments, m_variables, m_recipe.file, "", m_files, built, m_built))
                return built;
        }
        return std::nullopt;
    }

    void read_service(const std::string& name, const Service& service) {
        const std::size_t first = m_recipe.stages.size();
        const std::vector<Service> line = line_of(service);
        // A service that only adds arguments builds what it extends.
        const Service* build = nullptr;
        const Service* image = nullptr;
        BuildArguments arguments;
        for (auto one = line.rbegin(); one != line.rend(); ++one) {
            const Tree& own = (*one->tree)["build"];
            if (own.is_scalar() || own.find("context") || own.find("dockerfile_inline") || (own && !build))
                build = &*one;
            each_pair(own["args"], [&](const std::string& argument, const Tree& value) {
                arguments.values[argument] = value_of(value, *one);
            });
            if (own["target"]) arguments.target = own["target"].text;
            if ((*one->tree)["image"].is_scalar()) image = &*one;
        }
        arguments.built = [&](const Written& other) { return built_by_another(name, other); };
        if (build && add_build((*build->tree)["build"], arguments, m_variables, *build->file, build->folder,
                               m_files, m_recipe, m_built)) {
            prefix_stages(m_recipe, first, "service " + name);
        } else if (image && !build) {
            Stage stage;
            stage.name = "service " + name;
            stage.image = value_of((*image->tree)["image"], *image);
            m_recipe.stages.push_back(std::move(stage));
        } else {
            return;
        }
        if (m_recipe.stages.size() == first) return;
        fill(line, m_recipe.stages.back());
        run_command(line);
    }

    // A `command:` that installs, in the container of the service.
    void run_command(const std::vector<Service>& line) {
        const Service* own =
            first_where(line, [](const Service& one) { return bool((*one.tree)["command"]); });
        if (!own) return;
        const Tree& command = (*own->tree)["command"];
        Job job(m_recipe, m_files);
        Stage& stage = m_recipe.stages.back();
        for (const Step& step : stage.steps)
            if (const auto* variable = std::get_if<SetVariable>(&step))
                if (variable->lasts) job.set(variable->name, variable->value, false);
        if (command.is_scalar()) {
            job.run(script(dollars_unescaped(command), *own->file, Scope(m_recipe.problems)), "",
                    ShellKind::posix, false);
        } else {
            Shell shell;
            shell.files = m_files;
            shell.variables = job.variables();
            std::vector<Written> words;
            for (const Tree& word : command.items) words.push_back(value_of(dollars_unescaped(word), *own));
            if (!words.empty())
                for (Step& step : read_command(std::move(words), shell)) job.add(std::move(step));
            m_recipe.problems.take(shell.problems);
        }
        for (Step& step : job.stage.steps) stage.steps.push_back(std::move(step));
    }

    // "$$" is a "$" for the container.
    static Tree dollars_unescaped(Tree text) {
        text.text = replace_all(text.text, "$$", "$");
        return text;
    }

    // env_file: FILE, or a list of files and {path: FILE}.
    void read_env_files(const Service& service, Stage& last) const {
        for (const Tree* one : (*service.tree)["env_file"].each()) {
            const Tree& named = one->is_map() ? (*one)["path"] : *one;
            if (!named.is_scalar() || !m_files) continue;
            const Written name = value_of(named, service);
            const auto file =
                m_files(normal_path(join_path(service.folder, name.text), System::linux_), name);
            if (!name.known || !file) continue;
            for (SetVariable& variable : variables_in(*file)) last.steps.push_back(std::move(variable));
        }
    }

    // What the service sets for its container.
    void fill(const std::vector<Service>& line, Stage& last) const {
        for (auto one = line.rbegin(); one != line.rend(); ++one) {
            if ((*one->tree)["platform"].is_scalar())
                last.platform = value_of((*one->tree)["platform"], *one);
            if (const Tree& gpu = gpu_of(*one->tree)) last.gpu = written(gpu, *one->file);
            read_env_files(*one, last);
            each_pair((*one->tree)["environment"], [&](const std::string& variable, const Tree& value) {
                last.steps.push_back(SetVariable{variable, value_of(value, *one), true});
            });
        }
    }

    const Tree& m_root;
    Recipe& m_recipe;
    const ReadFile& m_files;
    Variables m_variables;
    const std::vector<std::string>& m_wanted;  // services; empty = all
    std::size_t m_built = 0;
    YamlFiles m_extended;
};

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

}  // namespace

Recipe read_compose(const std::string& file, std::string_view text, const ReadFile& files) {
    return read_compose(file, text, files, {}, {});
}

Recipe read_compose(const std::string& file, std::string_view text, const ReadFile& files,
                    const std::map<std::string, Written>& environment,
                    const std::vector<std::string>& services) {
    Recipe recipe;
    recipe.kind = RecipeKind::compose;
    recipe.file = file;
    if (recipe.problems.exceeds(k_most_compose_bytes, text.size(), Written{"", file})) return recipe;
    for (const Tree& root : yaml_of(text, recipe)) Compose(root, recipe, files, environment, services).read();
    return recipe;
}

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
    } else if (!build || !add_build(build, arguments, {}, file, folder, files, recipe, bytes) ||
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
