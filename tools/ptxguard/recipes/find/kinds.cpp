// The kinds of recipes by file name.
// SPDX-License-Identifier: Apache-2.0
#include "formats/text_lines.hpp"
#include "host/paths.hpp"
#include "host/questions.hpp"
#include "model/text.hpp"
#include "recipes/find/find.hpp"

namespace ptxguard::recipes {
namespace {

struct Name {
    const char* pattern;  // of the file's name, lower case
    RecipeKind kind;
    const char* folder = "";  // that contains it
};
// The first matching row is used.
constexpr Name k_names[] = {
    {"*.dockerignore", RecipeKind::dockerfile, "-"},
    {"*dockerfile", RecipeKind::dockerfile},
    {"*dockerfile.*", RecipeKind::dockerfile},
    {"*dockerfile-*", RecipeKind::dockerfile},
    {"*dockerfile_*", RecipeKind::dockerfile},
    {"*containerfile", RecipeKind::dockerfile},
    {"containerfile.*", RecipeKind::dockerfile},
    {"containerfile-*", RecipeKind::dockerfile},
    {"singularity", RecipeKind::definition_file},
    {"singularity.*", RecipeKind::definition_file},
    {"apptainer", RecipeKind::definition_file},
    {"apptainer.*", RecipeKind::definition_file},
    {"*.def", RecipeKind::definition_file},
    {"vcpkg*.txt", RecipeKind::requirements, "-"},  // lists of other programs
    {"apt-requirements*.txt", RecipeKind::requirements, "-"},
    {"apt_requirements*.txt", RecipeKind::requirements, "-"},
    {"requirements-apt.txt", RecipeKind::requirements, "-"},
    {"requirements_apt.txt", RecipeKind::requirements, "-"},
    {"brew-requirements*.txt", RecipeKind::requirements, "-"},
    {"*requirements*.txt", RecipeKind::requirements},
    {"*requirements*.in", RecipeKind::requirements},
    {"constraints*.txt", RecipeKind::requirements},
    {"*.txt", RecipeKind::requirements, "requirements"},
    {"*.in", RecipeKind::requirements, "requirements"},
    {"pyproject.toml", RecipeKind::pyproject},
    {"pipfile", RecipeKind::pipfile},
    {"pipfile.lock", RecipeKind::pipfile},
    {"setup.py", RecipeKind::setup_script},
    {"setup.cfg", RecipeKind::setup_script},
    {"test_*.py", RecipeKind::python_script, "-"},
    {"*_test.py", RecipeKind::python_script, "-"},
    {"noxfile.py", RecipeKind::python_script},
    {"tasks.py", RecipeKind::python_script},
    {"fabfile.py", RecipeKind::python_script},
    {"*install*.py", RecipeKind::python_script},
    {"*bootstrap*.py", RecipeKind::python_script},
    {"*setup*.py", RecipeKind::python_script},
    {"launch*.py", RecipeKind::python_script},
    {"build.py", RecipeKind::python_script},
    {"build_*.py", RecipeKind::python_script},
    {"make.py", RecipeKind::python_script},
    {"ci.py", RecipeKind::python_script},
    {"*environment*.yml", RecipeKind::conda_environment},
    {"*environment*.yaml", RecipeKind::conda_environment},
    {"env.y*ml", RecipeKind::conda_environment},
    {"env-*.y*ml", RecipeKind::conda_environment},
    {"env_*.y*ml", RecipeKind::conda_environment},
    {"*-env.y*ml", RecipeKind::conda_environment},
    {"*_env.y*ml", RecipeKind::conda_environment},
    {"meta.yaml", RecipeKind::conda_recipe},
    {"recipe.yaml", RecipeKind::conda_recipe},
    {"pixi.toml", RecipeKind::pixi_manifest},
    {"uv.lock", RecipeKind::lock_file},
    {"poetry.lock", RecipeKind::lock_file},
    {"pdm.lock", RecipeKind::lock_file},
    {"pixi.lock", RecipeKind::lock_file},
    {"conda-lock.y*ml", RecipeKind::lock_file},
    {"*.conda-lock.y*ml", RecipeKind::lock_file},
    {"conda_build_config.yaml", RecipeKind::conda_environment, "-"},
    {"conda*.y*ml", RecipeKind::conda_environment},
    {"*-conda*.y*ml", RecipeKind::conda_environment},
    {"*_conda*.y*ml", RecipeKind::conda_environment},
    {"*.y*ml", RecipeKind::conda_environment, "conda"},
    {"*.y*ml", RecipeKind::conda_environment, "envs"},
    {"*.y*ml", RecipeKind::conda_environment, "conda_envs"},
    {"pylock*.toml", RecipeKind::lock_file},
    {"cmakelists.txt", RecipeKind::cmake_lists},
    {"*.cmake", RecipeKind::cmake_lists},
    {"cmakepresets.json", RecipeKind::cmake_presets},
    {"cmakeuserpresets.json", RecipeKind::cmake_presets},
    {"makefile", RecipeKind::makefile},
    {"gnumakefile", RecipeKind::makefile},
    {"makefile.*", RecipeKind::makefile},
    {"*.mk", RecipeKind::makefile},
    {"justfile", RecipeKind::justfile},
    {".justfile", RecipeKind::justfile},
    {"*.just", RecipeKind::justfile},
    {"*bake*.hcl", RecipeKind::bake_file},
    {"*.slurm", RecipeKind::slurm_script},
    {"*.sbatch", RecipeKind::slurm_script},
    {"*.sh", RecipeKind::shell_script},
    {"*.bash", RecipeKind::shell_script},
    {"*.bat", RecipeKind::shell_script},
    {"*.cmd", RecipeKind::shell_script},
    {"*.ps1", RecipeKind::shell_script},
    {"*.yml", RecipeKind::workflow, "workflows"},
    {"*.yaml", RecipeKind::workflow, "workflows"},
    {".gitlab-ci*.y*ml", RecipeKind::workflow},
    {".travis.y*ml", RecipeKind::workflow},
    {"action.yml", RecipeKind::workflow},
    {"action.yaml", RecipeKind::workflow},
    {"*.y*ml", RecipeKind::workflow, ".circleci"},
    {"azure-pipeline*.y*ml", RecipeKind::workflow},
    {".azure-pipeline*.y*ml", RecipeKind::workflow},
    {"azure-*.yml", RecipeKind::workflow, "azure"},
    {"*.yml", RecipeKind::workflow, ".azure-pipelines"},
    {"*.yml", RecipeKind::workflow, "azure-pipelines"},
    {"*.yml", RecipeKind::workflow, ".azuredevops"},
    {"compose*.y*ml", RecipeKind::compose},
    {"docker-compose*.y*ml", RecipeKind::compose},
    {"devcontainer.json", RecipeKind::devcontainer},
    {".devcontainer.json", RecipeKind::devcontainer},
};

// Which file it is by the keys at its top.
std::optional<RecipeKind> kind_of_yaml(std::string_view text) {
    const auto has = [&](std::string_view key) {
        return starts_with(text, key) || text.find("\n" + std::string(key)) != std::string_view::npos;
    };
    if (has("dependencies:") && (has("channels:") || has("name:"))) return RecipeKind::conda_environment;
    // A pipeline of Azure lies under any name.
    if ((has("jobs:") || has("stages:")) && (has("pool:") || has("resources:") || has("trigger:")))
        return RecipeKind::workflow;
    return std::nullopt;
}

// docker/cuda12, cuda.docker, docker.gpu: names that only a Dockerfile's text makes one.
bool may_be_dockerfile(std::string_view path) {
    const std::string name = lower(file_name(path)), folder = lower(file_name(parent_path(path)));
    const bool plain = name.find('.') == std::string::npos && folder.find("docker") != std::string::npos;
    return plain || ends_with(name, ".docker") || starts_with(name, "docker.");
}

// apptainer_recipe, my-singularity, gpu.recipe: the same for definition files.
bool may_be_definition(std::string_view path) {
    const std::string name = lower(file_name(path));
    const bool plain = name.find('.') == npos;
    return ends_with(name, ".recipe") ||
           (plain && (name.find("apptainer") != npos || name.find("singularity") != npos));
}

// Its header begins with Bootstrap, behind comments.
bool is_definition_text(std::string_view text) {
    for (const std::string_view line : lines_of(text)) {
        const std::string_view words = trimmed(line);
        if (words.empty() || words[0] == '#') continue;
        return starts_with(lower(words.substr(0, 16)), "bootstrap");
    }
    return false;
}

// Its first instruction is FROM, behind comments and ARG.
bool is_dockerfile_text(std::string_view text) {
    for (const std::string_view line : lines_of(text)) {
        const std::vector<std::string> words = split(line, " \t\r");
        if (words.empty() || words[0][0] == '#' || words[0] == "ARG") continue;
        return words[0] == "FROM" && words.size() > 1;
    }
    return false;
}

// DockerfileGPU, DockerfileTGWUI: no "Dockerfiles", no "Dockerfile2.md".
bool is_named_dockerfile(const std::string& name) {
    constexpr std::string_view start = "Dockerfile";
    return starts_with(name, start) && name.size() > start.size() && name.find('.') == std::string::npos &&
           name[start.size()] >= 'A' && name[start.size()] <= 'Z';
}

}  // namespace

std::optional<RecipeKind> recipe_kind(std::string_view path) {
    if (is_named_dockerfile(file_name(std::string(path)))) return RecipeKind::dockerfile;
    const std::string name = lower(file_name(path));
    const std::string folder = file_name(parent_path(path));
    for (const Name& one : k_names) {
        if (!matches_pattern(name, one.pattern)) continue;
        if (*one.folder == '-') return std::nullopt;
        if (!*one.folder || folder == one.folder) return one.kind;
    }
    return std::nullopt;
}

std::optional<RecipeKind> recipe_kind(std::string_view path,
                                      const std::function<Result<std::string>()>& read) {
    if (const auto by_name = recipe_kind(path)) return by_name;
    const std::string name = lower(path);
    const bool yaml = ends_with(name, ".yml") || ends_with(name, ".yaml");
    const bool definition = may_be_definition(path);
    const auto text = yaml || definition || may_be_dockerfile(path) ? read() : Result<std::string>(Trouble());
    if (!text) return std::nullopt;
    if (yaml) return kind_of_yaml(*text);
    if (definition && is_definition_text(*text)) return RecipeKind::definition_file;
    return is_dockerfile_text(*text) ? std::optional(RecipeKind::dockerfile) : std::nullopt;
}

}  // namespace ptxguard::recipes
