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
#include "recipes/containers/compose_build.hpp"
#include "recipes/containers/docker_builds.hpp"
#include "recipes/containers/dockerfile.hpp"
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
    std::string folder;     // relative to the recipe's; paths of the service start there
    std::string name = {};  // empty: one that another extends
};

// Only arguments, variables and the like: `docker compose -f docker-compose.yml -f docker-compose.gpu.yml`
// takes the rest from the file before.
bool is_overlay(const Tree& service) {
    const Tree& build = service["build"];
    return service.is_map() && !service["image"] && !service["extends"] && !build.is_scalar() &&
           !build["context"] && !build["dockerfile"] && !build["dockerfile_inline"];
}

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
            read_service(name.text, {&service, &services, &m_recipe.file, "", name.text});
        }
    }

private:
    Service parent_of(const Service& service) {
        const Tree& extends = (*service.tree)["extends"];
        const std::string name = extends.is_scalar() ? extends.text : extends["service"].text;
        Service parent = service;
        if (!service.name.empty() && is_overlay(*service.tree)) return base_of(service);
        parent.name.clear();
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

    // The service of that name in the file that has a usual name; nothing if it is not beside this one.
    Service base_of(const Service& service) {
        for (const std::string name :
             {"compose.yaml", "compose.yml", "docker-compose.yaml", "docker-compose.yml"}) {
            if (file_name(m_recipe.file) == name) continue;
            const Written by = written(*service.tree, *service.file);
            if (!m_files || !m_files(name, by)) continue;
            const YamlFiles::File* file = m_extended.at(name, by, false);
            const Tree* own = file ? file->root["services"].find(service.name) : nullptr;
            if (own) return {own, &file->root["services"], &file->name, ""};
        }
        return {};
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

}  // namespace ptxguard::recipes
