// What a recipe does (Dockerfile, requirements file, environment.yml, workflow ...), as steps in the order in
// which its tools run them. A reader for each format fills it, meaning.hpp turns it into scenarios. Nothing
// is run or downloaded.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "model/limit.hpp"
#include "model/origin.hpp"
#include "model/result.hpp"
#include "python/requirement.hpp"
#include "recipes/base/budget.hpp"
#include "recipes/base/shared_map.hpp"

// Command and Step have other meanings in host/ and model/.
namespace ptxguard::recipes {

// The repository's folder in jobs of CI systems; paths below it are those of the repository.
inline constexpr std::string_view k_workspace = "/github/workspace";

// A text and its position in the user's file; after a substitution, the position of the replaced text.
struct Written {
    std::string text;
    std::string file;   // as the user named it or as found, relative to the named folder
    int line = 0;       // 1-based; 0 = unknown
    int column = 0;     // 1-based, in bytes
    bool fixed = true;  // false: a default that others override (an ARG, a workflow's input), or one of
                        // several alternatives
    bool known = true;  // false: a variable in it has no known value
    explicit operator bool() const { return !text.empty(); }
};

Origin origin_of(const Written& written);

// ENV, export, an assignment before a command, a job's `env:`.
struct SetVariable {
    std::string name;
    Written value;
    bool lasts = true;        // false: only for one command
    bool by_project = false;  // in a file of what a command builds, which reads it
};

// One requirement of PEP 508, or a pin in a lock file, with its places.
struct WrittenRequirement : Requirement {
    Written url;          // `direct`: of a direct reference, path or VCS
    Written index;        // index for only this package: uv's and poetry's sources
    Written whole;        // as written
    bool locked = false;  // a lock file decides it, and all that it brings
    bool source = false;  // built from a repository: `specifier` is of its tag, its wheels are not taken
    bool behind_option = false;  // in a file, behind an option on its line, where pip reads nothing
    // uv's: an index for each marker, shared by the requirements of one package; null = none
    std::shared_ptr<const std::vector<std::pair<std::string, Written>>> sources;
};

// The extras and groups of a project that `uv sync` is asked for.
struct ChosenParts {
    std::vector<std::string> extras, groups;
    std::vector<std::string> without_extras, without_groups;
    bool all_extras = false, all_groups = false, no_default_groups = false;
    bool only_groups = false;  // neither the project nor what it requires
    bool known = true;         // false: another part may be excluded, or added
};

// Two of them that the project's [tool.uv] conflicts exclude together.
struct ExcludedParts {
    std::string first, second;  // "the extra cpu"
    bool by_default = false;    // the first one is a group that uv installs by default
    Written conflict;           // the first one, in the list of conflicts
};

// pip, uv, poetry, pdm: what is requested and where the tool searches.
// A source of uv for a package that the project does not request itself.
struct IgnoredSource {
    std::string package;
    Written source;     // its name of the index
    std::string index;  // the index's URL
};

// What the files of a project show of its build.
enum class ProjectBuild {
    plain,    // nothing is compiled
    native,   // something, without torch's builder and CMake files
    unknown,  // its files are not there, or another one decides
    torch
};

struct PipInstall {
    std::string tool;  // "pip", "uv", "poetry", "lock"
    std::vector<WrittenRequirement> requirements;
    std::vector<WrittenRequirement> constraints;
    Written index;  // empty = PyPI
    std::vector<Written> extra_indexes, find_links;
    std::vector<Written> ignored_indexes;  // after a requirement in a file, where pip ignores them
    std::vector<IgnoredSource> ignored_sources;
    Written torch_backend;  // uv --torch-backend
    std::string
        index_strategy;       // uv: "unsafe-best-match"; empty = uv's default, the first index with the name
    std::string python;       // "3.11"; empty = the stage's
    std::string environment;  // "pipx", "uvx": an isolated one; else those into which it may install, as in
                              // environments.hpp
    std::string makes;        // the environment that it creates: uv sync
    bool no_index = false, no_deps = false, pre = false, no_build_isolation = false, upgrade = false;
    bool exact = false;          // it removes what it does not request: uv sync
    bool frozen = false;         // its lock file counts as it is: uv sync --frozen
    bool only_required = false;  // what its projects require, without them: uv sync --no-install-project
    bool unread = false;         // a file with requirements or constraints could not be read
    std::vector<std::string> no_binary;     // names; ":all:"
    std::vector<std::string> not_isolated;  // uv: packages that it builds in the environment itself
    std::vector<std::string> removed;       // `pip uninstall`
    std::vector<Written> pythons;           // Requires-Python of `projects`, in PEP 440's notation
    Written admitted_pythons;               // of the project whose file this is, if no lock file is beside it
    ChosenParts parts;                      // uv sync: of `projects`
    std::vector<ExcludedParts> excluded;    // of `parts`
    std::vector<Written> projects;          // ".", "-e ./dir", a requirement with sources only is not one
    // Those of `projects` that are in repositories which the recipe clones, with `url`.
    std::vector<WrittenRequirement> checkouts;
    std::vector<SetVariable> variables;   // those that setup.py files of known packages read: DS_BUILD_OPS
    std::vector<SetVariable> arch_lists;  // variables that list architectures, as it gets them
    ProjectBuild build = ProjectBuild::unknown;  // of `projects`
    std::vector<Written> config_settings;        // -C of pip: "cmake.define.NAME=VALUE"
    Written cmake_args;  // CMAKE_ARGS, which scikit-build-core and setup.py files pass to CMake
    Written whole;
};

struct CondaSpec {
    std::string name, version, build, channel;  // "pytorch", "2.5.*", "*cuda12*", "pytorch"
    Written whole;
};
struct CondaInstall {
    std::vector<CondaSpec> specs;
    std::vector<std::string> channels;  // highest priority first
    std::string environment;            // -n, -p, or the active one, as in environments.hpp
    bool creates = false;               // it creates that environment
    Written whole;
};

struct AptPackage {
    std::string name, version;  // "libcudnn8", "8.6.0.163-1+cuda11.8"
    Written whole;
};
struct AptInstall {  // apt, apt-get, dnf, yum, zypper, apk
    std::vector<AptPackage> packages;
    Written whole;
    std::string manager;                  // the program: "apt-get"
    std::string action;                   // of a CI system, that installs them instead: "jimver/cuda-toolkit"
    Written release;                      // of the action: "v0.2.19"
    bool packaged = true;                 // from a package repository; false: with NVIDIA's installer
    std::vector<std::string> components;  // of the installer, that the action selects; empty = all
    bool changes_held = false;            // --allow-change-held-packages
};

struct FileText;
// Any other command, split into words like its shell: nvcc, cmake, make, python setup.py, module load.
struct Command {
    std::vector<Written> words;
    std::vector<SetVariable> variables;          // assigned only for this command
    SharedMap<Written> exports;                  // of the shell that runs it; `variables` override them
    std::vector<SetVariable> arch_lists;         // variables that list architectures, as it gets them
    ProjectBuild build = ProjectBuild::unknown;  // of the project that it builds
    std::string environment;                     // in which it runs, as in environments.hpp
    std::string makes;                           // the environment that it creates: python -m venv
    std::string repository;                      // the cloned one that it builds, as a direct reference
    // The Dockerfile that it builds, if an earlier command or its here-document has written it.
    std::shared_ptr<const FileText> dockerfile;
};

// COPY --from=STAGE.
struct CopyFrom {
    Written stage;
    std::vector<Written> sources;
    Written destination;
};

// The torch of the environment in which an installer builds a project: what its [build-system] requires.
enum class BuildTorch { unknown, none, newest, pinned };

// The project built by the previous step compiles device code: CUDAExtension in a setup.py, or CUDA as a
// language of CMake.
struct DeviceExtension {
    Written at;
    bool by_cmake = false;
    BuildTorch torch = BuildTorch::unknown;
};

// A container that a command starts and in which it runs others: docker run IMAGE COMMAND.
struct Stage;
struct InOtherStage {
    std::shared_ptr<const Stage> stage;
};

using Step = std::variant<SetVariable, PipInstall, CondaInstall, AptInstall, Command, CopyFrom,
                          DeviceExtension, InOtherStage>;

// Everything in one file system: a stage of a Dockerfile, a row of a workflow's matrix, the environment of a
// requirements file.
struct Stage {
    std::string name;    // "build", "job test (cuda=12.1)", "" for the only one
    std::string row;     // the end of a job's name that says which it is of several: "(cuda=12.1)"
    Written image;       // FROM, container:, image:
    std::string base;    // name of the earlier stage that it starts from; then `image` is empty
    Written platform;    // --platform, "linux/arm64"; "windows-latest"
    std::string python;  // "3.11", if the recipe contains it
    Written gpu;         // what gives it a GPU: "runtime: nvidia"
    std::vector<Step> steps;
    bool last = true;          // it is what runs: the last stage, or the target
    bool by_switch = false;    // of a file that is read once more, with a switch on that is off by default
    bool alternative = false;  // an extra or group of a project that excludes others
};
// Marks the step's values as alternatives: all, or those that `which` selects.
using WhichValues = std::function<bool(const Written&)>;
void open_values(Step& step, const WhichValues& which);
void make_open(Step& step);

// `image`: with or without the scheme docker://; `gpu`: what gives the container one.
Step in_container(const Written& image, std::vector<Step> steps, const Written& gpu = {});

enum class RecipeKind {
    dockerfile,
    definition_file,
    compose,
    requirements,
    pyproject,
    pipfile,
    setup_script,
    conda_environment,
    conda_recipe,
    lock_file,
    pixi_manifest,
    cmake_lists,
    cmake_presets,
    makefile,
    shell_script,
    workflow,
    slurm_script,
    python_script,
    justfile,
    bake_file,
    devcontainer
};
const char* to_string(RecipeKind kind);

// Another file that a recipe refers to, such as `-r requirements.txt`: nothing if it is missing, too large or
// not text, or if a recipe must not refer to it (allowed_files.hpp), which is reported at `by`, the text that
// refers to it. Relative paths start at the folder of the recipe.
struct FileText {
    std::string file;  // as Written::file: where it was found
    std::string text;
    int lines_before = 0;  // in `file`, if the text is a part of it
    bool known = true;     // false: an earlier command writes it, with a text that is not known
    bool fixed = true;     // false: the command may not run, or others may override a value in it
    // In `file`, of each line, where they are not one after the other: of printf 'a\nb\n'.
    std::vector<int> line_numbers = {};

    int line_number(std::size_t index) const {
        return index < line_numbers.size() ? line_numbers[index] : lines_before + static_cast<int>(index) + 1;
    }
};
// Reads them, within the budget of the run.
class ReadFile {
public:
    using Read = std::function<std::optional<FileText>(const std::string& path, const Written& by)>;

    ReadFile() = default;
    template <class Any, class = std::enable_if_t<!std::is_same_v<Any, ReadFile>>>
    ReadFile(Any read) : m_read(std::move(read)) {}
    ReadFile(Read read, std::shared_ptr<Budget> budget)
        : m_read(std::move(read)), m_budget(std::move(budget)) {}

    // Other files of the same run; null = none.
    ReadFile instead(Read read) const { return {std::move(read), m_budget}; }
    explicit operator bool() const { return static_cast<bool>(m_read); }
    std::optional<FileText> operator()(const std::string& path, const Written& by) const {
        return m_read(path, by);
    }
    Budget& budget() const { return *m_budget; }

private:
    Read m_read;
    std::shared_ptr<Budget> m_budget = std::make_shared<Budget>();
};

struct Problem {
    Written at;
    std::string why;         // predicate of the place, or of the file that is missing
    bool missing = false;    // the file that `at` names
    std::string limit = {};  // at which reading ended (Limit::text)
};
// What could not be read. A limit is reported once for each file.
class Problems {
public:
    void push_back(Problem problem);
    // Moves all of them.
    void take(Problems& more);
    // Whether `count` is beyond the limit; reports it at the first place that was not read. `at`: a Written,
    // or a function that makes one.
    template <class At>
    bool exceeds(const Limit& limit, std::size_t count, const At& at) {
        return limit.is_exceeded(count, [&](const Limit& reached) {
            if constexpr (std::is_invocable_v<const At&>)
                push_back({at(), reached.why(), false, reached.text()});
            else
                push_back({at, reached.why(), false, reached.text()});
        });
    }

    bool empty() const { return m_all.empty(); }
    std::size_t size() const { return m_all.size(); }
    const Problem& operator[](std::size_t i) const { return m_all[i]; }
    std::vector<Problem>::iterator begin() { return m_all.begin(); }
    std::vector<Problem>::iterator end() { return m_all.end(); }
    std::vector<Problem>::const_iterator begin() const { return m_all.begin(); }
    std::vector<Problem>::const_iterator end() const { return m_all.end(); }

private:
    std::vector<Problem> m_all;
    std::set<std::pair<std::string, std::string>> m_limits;  // with the file
};

struct GatedScript;  // arch_gates.hpp

struct Recipe {
    using Problem = recipes::Problem;
    RecipeKind kind = RecipeKind::dockerfile;
    std::string file;
    std::vector<Stage> stages;
    std::vector<std::string> parts;  // files of its kind that it uses and that have no meaning without it
    Problems problems;
    std::vector<SetVariable>
        switches;  // arguments that are off by default, with the value that turns them on
    std::shared_ptr<const GatedScript> gated;  // a CMake file that compares the release of CUDA
};
Problem not_in_repository(const Written& name);  // a file that a recipe refers to
// The stages of containers that steps start become stages of the recipe.
void take_other_stages(Recipe& recipe);
// From a parser, whose error is about `file`, or "FILE:LINE".
Problem not_parsed(const std::string& file, const Trouble& trouble);

}  // namespace ptxguard::recipes
