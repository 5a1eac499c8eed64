// The reader for each kind of recipe.
// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "host/paths.hpp"
#include "model/text.hpp"
#include "recipes/base/machines.hpp"
#include "recipes/builds/justfile.hpp"
#include "recipes/ci/workflow.hpp"
#include "recipes/containers/bake.hpp"
#include "recipes/containers/compose.hpp"
#include "recipes/containers/definition_file.hpp"
#include "recipes/containers/docker_builds.hpp"
#include "recipes/containers/dockerfile.hpp"
#include "recipes/find/find.hpp"
#include "recipes/installers/conda_environment.hpp"
#include "recipes/installers/conda_recipe.hpp"
#include "recipes/installers/locks.hpp"
#include "recipes/installers/pipfile.hpp"
#include "recipes/installers/pixi.hpp"
#include "recipes/installers/pyproject.hpp"
#include "recipes/python/python_script.hpp"
#include "recipes/python/requirements.hpp"
#include "recipes/shell/scripts.hpp"

namespace ptxguard::recipes {
namespace {

constexpr Limit k_most_switches{8, "switches of a Dockerfile", "later ones"};

// A branch that is off by default is built by somebody: once more with each switch on.
Recipe read_with_switches(const std::string& file, std::string_view text, const ReadFile& files) {
    Recipe recipe = read_dockerfile(file, text, files);
    std::size_t count = 0;
    const std::vector<SetVariable> switches = recipe.switches;
    for (const SetVariable& one : switches) {
        if (recipe.problems.exceeds(k_most_switches, ++count, one.value)) break;
        if (!files.budget().spend_at(one.value, 1, text.size())) break;
        BuildArguments arguments;
        arguments.values[one.name] = one.value;
        Recipe on = read_dockerfile(file, text, files, arguments);
        prefix_stages(on, 0, "with " + one.name + "=" + one.value.text);
        for (Stage& stage : on.stages) {
            stage.by_switch = true;
            recipe.stages.push_back(std::move(stage));
        }
    }
    return recipe;
}

Recipe read_pipenv(const std::string& file, std::string_view text) {
    return lower(file_name(file)) == "pipfile.lock" ? read_pipfile_lock(file, text)
                                                    : read_pipfile(file, text);
}

Recipe read_lock(const std::string& file, std::string_view text, const ReadFile& files) {
    if (lower(file_name(file)) == "pixi.lock") return read_pixi_lock(file, text);
    return ends_with(file, ".yml") || ends_with(file, ".yaml") ? read_conda_environment(file, text, files)
                                                               : read_lock_file(file, text, files);
}

Recipe read_setup(const std::string& file, std::string_view text, const ReadFile& files) {
    Recipe recipe = read_setup_script(file, text, files);
    if (ends_with(file, ".py")) add_commands_of_python(file, text, files, recipe);
    return recipe;
}

using Reader = Recipe (*)(const std::string& file, std::string_view text, const ReadFile& files);

// Those that read no other file.
template <Recipe (*Read)(const std::string&, std::string_view)>
Recipe alone(const std::string& file, std::string_view text, const ReadFile&) {
    return Read(file, text);
}

template <RecipeKind Kind>
Recipe script_of(const std::string& file, std::string_view text, const ReadFile& files) {
    return read_script(Kind, file, text, files);
}

Recipe read_make(const std::string& file, std::string_view text, const ReadFile& files) {
    return read_makefile(file, text, files);
}

Recipe read_cmake(const std::string& file, std::string_view text, const ReadFile& files) {
    return read_cmake_lists(file, text, files.instead({}));
}

Recipe read_one(const FoundRecipe& found, std::string_view text, const ReadFile& files) {
    static const std::map<RecipeKind, Reader> readers = {
        {RecipeKind::dockerfile, read_with_switches},
        {RecipeKind::definition_file, read_definition_file},
        {RecipeKind::requirements, read_requirements_recipe},
        {RecipeKind::pyproject, read_pyproject},
        {RecipeKind::pipfile, alone<read_pipenv>},
        {RecipeKind::conda_environment, read_conda_environment},
        {RecipeKind::pixi_manifest, read_pixi_manifest},
        {RecipeKind::lock_file, read_lock},
        {RecipeKind::shell_script, script_of<RecipeKind::shell_script>},
        {RecipeKind::slurm_script, script_of<RecipeKind::slurm_script>},
        {RecipeKind::justfile, read_justfile},
        {RecipeKind::bake_file, alone<read_bake_file>},
        {RecipeKind::python_script, read_python_script},
        {RecipeKind::makefile, read_make},
        {RecipeKind::setup_script, read_setup},
        {RecipeKind::cmake_lists, read_cmake},
        {RecipeKind::cmake_presets, alone<read_cmake_presets>},
        {RecipeKind::conda_recipe, read_conda_recipe},
        {RecipeKind::workflow, read_workflow},
        {RecipeKind::compose, read_compose},
        {RecipeKind::devcontainer, read_devcontainer}};
    const auto reader = readers.find(found.kind);
    return reader == readers.end() ? Recipe() : reader->second(found.path, text, files);
}

// The base folder for paths in the file: its own folder; for files that CI systems and editors keep in a
// special folder, the folder above.
std::string folder_of(const FoundRecipe& found) {
    std::string folder = parent_path(found.path);
    // Actions run in the repository's root.
    const std::size_t github = ("/" + found.path).rfind("/.github/");
    if (found.kind == RecipeKind::workflow && github != std::string::npos)
        return found.path.substr(0, github ? github - 1 : 0);
    const auto leave = [&](const char* name) {
        if (file_name(folder) == name) folder = parent_path(folder);
    };
    if (found.kind == RecipeKind::workflow) leave("workflows"), leave(".github"), leave(".circleci");
    if (found.kind == RecipeKind::devcontainer) leave(".devcontainer");
    return folder;
}

// "docker" and "../pyproject.toml" give "pyproject.toml": a file has one name for all references.
std::string path_from(std::string folder, std::string path) {
    while (starts_with(path, "../") && !folder.empty() && folder != "/" && file_name(folder) != "." &&
           file_name(folder) != "..") {
        folder = parent_path(folder);
        path.erase(0, 3);
    }
    return folder.empty() ? path : join_path(folder, path);
}

// A file that the recipe must not refer to.
struct Refused {
    Written by;
    std::string path;
    Outside outside;
    bool is_absolute = false;  // as the recipe writes it: of the machine that it runs on, not of this one
};

// Where the reader has reported such a file as missing, says why. Where it only looked for a file that may be
// there, such as the pyproject.toml of a folder, reports one that is there, except for /proc/cpuinfo and the
// like. One problem for each place.
void report_refused(std::vector<Refused> all, Recipe& recipe) {
    using Place = std::tuple<std::string, int, int, std::string>;
    const auto place_of = [](const Written& at) { return Place(at.file, at.line, at.column, at.text); };
    std::map<Place, Refused> by_place;
    for (Refused& one : all) {
        Refused& known = by_place.try_emplace(place_of(one.by), one).first->second;
        if (!known.outside.is_there) known = std::move(one);
    }
    std::set<Place> reported;
    for (Recipe::Problem& problem : recipe.problems) {
        const auto found = problem.missing ? by_place.find(place_of(problem.at)) : by_place.end();
        if (found == by_place.end()) continue;
        const Refused& one = found->second;
        reported.insert(found->first);
        if (one.is_absolute && !one.outside.is_there) continue;
        problem.why = one.outside.why;
    }
    for (const auto& [place, one] : by_place) {
        if (!one.outside.is_there || one.is_absolute || reported.count(place) != 0) continue;
        Written at = one.by;
        at.text = one.path;
        recipe.problems.push_back({at, one.outside.why, true});
    }
}

// requirements-aarch64.txt: for the machine in its name, where nothing in it names one.
void set_platform_of_file(Recipe& recipe) {
    const bool of_one_machine =
        recipe.kind == RecipeKind::requirements || recipe.kind == RecipeKind::conda_environment ||
        recipe.kind == RecipeKind::shell_script || recipe.kind == RecipeKind::definition_file;
    const Written platform = of_one_machine ? platform_of_file(recipe.file) : Written{};
    for (Stage& stage : recipe.stages)
        if (!stage.platform) stage.platform = platform;
}

// The context of docker/Dockerfile is often a folder above, tools/install.sh is run from one, and so is
// `apptainer build`. The pipelines of Azure and GitLab run in the repository's root.
bool runs_above(RecipeKind kind, const std::string& folder) {
    static const std::set<RecipeKind> kinds = {RecipeKind::dockerfile, RecipeKind::definition_file,
                                               RecipeKind::shell_script, RecipeKind::slurm_script,
                                               RecipeKind::python_script};
    return kinds.count(kind) != 0 || (kind == RecipeKind::workflow && file_name(folder) != ".github");
}

}  // namespace

Recipe read_recipe(const FoundRecipe& found, std::string_view text, const ReadFile& files,
                   const WhyOutside& outside) {
    const std::string folder = folder_of(found);
    // Without `outside` nothing ends the way up.
    const bool named_above = is_absolute(folder, System::linux_) || is_absolute(folder, System::windows) ||
                             starts_with(folder, "..");
    const bool may_be_above = runs_above(found.kind, folder) && (outside || !named_above);
    std::vector<Refused> refused;
    const auto read = [&](const std::string& path, const Written& by) -> std::optional<FileText> {
        for (std::string from = folder;; from = parent_path(from)) {
            const std::string at = path_from(from, path);
            if (auto file = files(at, by)) return file;
            if (auto why = outside ? outside(at) : std::nullopt) {
                if (from == folder) refused.push_back({by, at, *why, is_absolute(path, System::linux_)});
                return std::nullopt;
            }
            if (!may_be_above || from.empty() || from == "." || parent_path(from) == from)
                return std::nullopt;
        }
    };
    Recipe recipe = read_one(found, text, files.instead(read));
    take_other_stages(recipe);
    set_platform_of_file(recipe);
    add_docker_builds(recipe, files.instead(read));
    report_refused(std::move(refused), recipe);
    return recipe;
}

}  // namespace ptxguard::recipes
