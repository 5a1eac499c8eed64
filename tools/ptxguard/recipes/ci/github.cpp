// Workflows of GitHub (and Gitea, Forgejo): jobs, matrices, containers, the actions that install CUDA or
// Python, and the workflows and composite actions of the repository itself.
// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <set>
#include <utility>

#include "formats/yaml.hpp"
#include "host/paths.hpp"
#include "model/text.hpp"
#include "recipes/base/arguments.hpp"
#include "recipes/base/yaml_files.hpp"
#include "recipes/ci/build_actions.hpp"
#include "recipes/ci/cibuildwheel.hpp"
#include "recipes/ci/github_files.hpp"
#include "recipes/ci/never_run.hpp"
#include "recipes/ci/toolkit_action.hpp"
#include "recipes/ci/workflow.hpp"
#include "recipes/installers/conda_command.hpp"
#include "recipes/installers/match_spec.hpp"
#include "recipes/shell/interpret.hpp"
#include "recipes/shell/job.hpp"

namespace ptxguard::recipes {
namespace {

constexpr Limit k_deepest_action{10, "actions in actions", "deeper ones", "GitHub"};
constexpr Limit k_deepest_workflow{10, "workflows that call workflows", "deeper ones", "GitHub"};
constexpr Limit k_most_rows{256, "rows of a matrix", "later rows", "GitHub"};

using Outputs = std::map<std::string, std::string>;

class JobReader {
public:
    JobReader(const Tree& root, const Tree& job, const MatrixRow& row, Recipe& recipe, const ReadFile& files,
              OwnFiles& own, const std::string& file, const Inputs& given, const Outputs& earlier)
        : m_root(root),
          m_job(job),
          m_file(file),
          m_recipe(recipe),
          m_files(files),
          m_own(own),
          m_scope(recipe.problems),
          m_out(recipe, files) {
        m_scope.row = &row;
        m_scope.outputs = earlier;
        const Tree& on = triggers_of(root);
        for (const Tree* inputs :
             {&on["workflow_dispatch"]["inputs"], &on["workflow_call"]["inputs"], &root["inputs"]})
            add_defaults(*inputs, m_scope.inputs);
        for (const auto& [name, value] : given) m_scope.inputs[name] = value;
    }

    const Scope& scope() const { return m_scope; }

    // `outputs:` of the job, after its steps are read.
    Outputs outputs() const {
        Outputs values;
        for (const auto& [name, value] : m_job["outputs"].members) {
            const Written text = filled(value, m_file, m_scope);
            if (value.is_scalar() && text.known) values[name.text] = text.text;
        }
        return values;
    }

    // Alone: those of a composite action without the job that uses it.
    bool read_steps() {
        for (const Tree* step : m_job["steps"].each()) read_step(*step);
        return m_out.finish();
    }

    bool read(const JobTitle& title) {
        m_out.name(title);
        Written platform;
        for (const Tree* word : m_job["runs-on"].each()) {
            const Written one = filled(*word, m_file, m_scope);
            if (!platform)
                platform = one;
            else
                platform.text += ", " + one.text;
        }
        m_scope.runner = platform.known ? runner_of(platform.text) : "";
        m_out.stage.platform = platform;
        const Tree& container = m_job["container"];
        const Tree& image = container.is_scalar() ? container : container["image"];
        if (image.is_scalar()) {
            m_out.stage.image = filled(image, m_file, m_scope);
            if (m_out.stage.image) m_scope.runner = "Linux";
        }
        m_out.environment_file("GITHUB_ENV");
        m_out.output_file("GITHUB_OUTPUT");
        m_out.set("GITHUB_WORKSPACE", {std::string(k_workspace), m_file}, false);
        for (const Tree* variables : {&m_root["env"], &m_job["env"], &container["env"]})
            set_all(*variables, true);
        return read_steps();
    }

private:
    void set_all(const Tree& variables, bool lasts) {
        for (const auto& [name, value] : variables.members) {
            if (!value.is_scalar()) continue;
            const Written text = filled(value, m_file, m_scope);
            m_out.set(name.text, text, lasts);
            if (text.known) m_scope.variables.set(name.text, text.text);
        }
    }

    void read_step(const Tree& step) {
        const Truth runs = step["if"].is_scalar()
                               ? condition(step["if"].text, m_scope, written(step["if"], m_file))
                               : Truth::yes;
        if (runs == Truth::no) return;
        m_open = m_open_around || runs == Truth::unknown;
        const SharedMap<std::string> before = m_scope.variables;
        const std::size_t first = m_out.lasting().size();
        const Variables shell_before = m_out.variables();
        set_all(step["env"], false);
        run_cibuildwheel(step, m_job["env"], m_root["env"], m_file, m_scope, m_open, m_files, m_out);
        if (step["run"].is_scalar()) {
            const auto setting = [&](const char* name) -> const Tree& {
                if (step[name]) return step[name];
                const Tree& own = m_job["defaults"]["run"][name];
                return own ? own : m_root["defaults"]["run"][name];
            };
            const bool windows = m_scope.runner == "Windows";
            const ShellKind usual = windows ? ShellKind::powershell : ShellKind::posix;
            const std::string folder = filled(setting("working-directory"), m_file, m_scope).text;
            m_out.run(script(step["run"], m_file, m_scope), folder, setting("shell").text, usual, m_open);
            for (const SetVariable& one : m_out.outputs(m_open))
                set_output(step["id"].text, one.name,
                           one.value.known && one.value.fixed ? &one.value.text : nullptr);
        } else if (step["uses"].is_scalar()) {
            read_action(step);
        }
        for (const auto& [name, value] : step["env"].members) m_out.unset(name.text, shell_before);
        m_scope.variables = before;
        for (std::size_t i = first; i < m_out.lasting().size(); ++i) keep(m_out.lasting()[i]);
    }

    // `env.NAME` of later steps.
    void keep(const SetVariable& one) {
        m_scope.variables.erase(one.name);
        if (one.value.known && one.value.fixed) m_scope.variables.set(one.name, one.value.text);
    }

    // `value`: null = not known.
    void set_output(const std::string& step, const std::string& name, const std::string* value) {
        const std::string key = "steps." + step + ".outputs." + name;
        m_scope.outputs.erase(key);
        if (value) m_scope.outputs[key] = *value;
    }

    Written input(const Tree& with, const char* name) const { return filled(with[name], m_file, m_scope); }

    void add(Step step) {
        if (m_open) make_open(step);
        m_out.add(std::move(step));
    }

    void python(const Written& version) {
        if (version && version.known && version.text.find_first_not_of("0123456789.") == std::string::npos)
            m_out.stage.python = version.text;
    }

    // `uses: ./FOLDER`
    void read_own_action(const Tree& step) {
        const Tree &uses = step["uses"], &with = step["with"];
        const Written at = written(uses, m_file);
        const bool deep = m_recipe.problems.exceeds(k_deepest_action, m_depth + 1, at);
        const OwnFiles::File* action = deep ? nullptr : m_own.action(at);
        if (!action || action->root["runs"]["using"].text != "composite") return;
        Inputs inputs;
        add_defaults(action->root["inputs"], inputs);
        add_given(with, m_file, m_scope, inputs);
        const std::string file = std::exchange(m_file, action->name);
        const bool around = std::exchange(m_open_around, m_open);
        std::swap(m_scope.inputs, inputs);
        Outputs outer = std::exchange(m_scope.outputs, {});
        ++m_depth;
        for (const Tree* inner : action->root["runs"]["steps"].each()) read_step(*inner);
        --m_depth;
        Outputs own;
        for (const auto& [name, output] : action->root["outputs"].members) {
            const Written value = filled(output["value"], m_file, m_scope);
            if (value && value.known) own[name.text] = value.text;
        }
        std::swap(m_scope.inputs, inputs);
        m_scope.outputs = std::move(outer);
        m_open = std::exchange(m_open_around, around);
        m_file = file;
        for (const auto& [name, value] : own) set_output(step["id"].text, name, &value);
    }

    void read_action(const Tree& step) {
        const Tree &uses = step["uses"], &with = step["with"];
        if (starts_with(uses.text, "./")) return read_own_action(step);
        const std::string action = lower(uses.text.substr(0, uses.text.find('@')));
        const std::string name = file_name(action);
        const bool is_conda = name == "setup-miniconda" || ends_with(name, "-micromamba");
        if (is_conda || name == "setup-python" || name == "setup-uv") python(input(with, "python-version"));
        if (is_conda) conda(uses, with);
        if (name == "cuda-toolkit")  // of jimver, and its forks
            cuda(uses, with, "cuda", input(with, "method").text == "network");
        if (name == "build-push-action") docker_build(uses, with);
        build(action, written(uses, m_file), with);
        if (is_one_of(name, {"setup-cuda", "install-cuda", "install-cuda-toolkit"}))
            cuda(uses, with, with["cuda-version"] ? "cuda-version" : "cuda", false);
    }

    void build(const std::string& action, const Written& at, const Tree& with) {
        const ActionInput of = [&](const char* name) { return input(with, name); };
        if (m_scope.runner == "Windows" && may_enter_prompt(action)) add(studio_of_action(at, of));
        if (auto cmake = cmake_of_action(action, at, of)) add(std::move(*cmake));
    }

    // A line without a value does not make the others unknown.
    std::vector<Written> lines_of_input(const Tree& value) const {
        std::vector<Written> lines;
        Tree line = value;
        for (const std::string& text : split_fields(value.text, '\n')) {
            line.text = trim(text);
            if (!line.text.empty()) lines.push_back(filled(line, m_file, m_scope));
            if (value.is_block) ++line.line;
        }
        return lines;
    }

    void docker_build(const Tree& uses, const Tree& with) {
        Command command;
        const auto word = [&](const Written& at, const std::string& text) {
            command.words.push_back(at);
            command.words.back().text = text;
        };
        const Written at = written(uses, m_file), file = input(with, "file"), target = input(with, "target"),
                      platforms = input(with, "platforms"), context = input(with, "context");
        word(at, "docker"), word(at, "build");
        if (platforms) word(platforms, "--platform"), word(platforms, platforms.text);
        if (file) word(file, "--file"), word(file, file.text);
        if (target) word(target, "--target"), word(target, target.text);
        for (const Written& tag : lines_of_input(with["tags"])) word(tag, "--tag"), word(tag, tag.text);
        for (const Written& given : lines_of_input(with["build-args"]))
            word(given, "--build-arg"), word(given, without_quotes(given.text));
        word(context ? context : at, context ? context.text : ".");
        add(std::move(command));
    }

    // As the packages of that release in NVIDIA's repository, which these actions install or unpack.
    void cuda(const Tree& uses, const Tree& with, const char* version, bool network) {
        ToolkitInputs inputs{written(uses, m_file), input(with, version), network, {}, {}, m_scope.runner};
        inputs.components = input(with, "sub-packages");
        inputs.others = input(with, "non-cuda-sub-packages");
        if (inputs.version) add(toolkit_of_action(inputs));
        const Written path = path_of_toolkit(inputs);
        if (path && !m_open) m_out.set("CUDA_PATH", path, false);
    }

    void conda(const Tree& uses, const Tree& with) {
        Command command;
        const auto word = [&](const Written& at, const std::string& text) {
            command.words.push_back(at);
            command.words.back().text = text;
        };
        const Written at = written(uses, m_file);
        const Written file = input(with, "environment-file"), arguments = input(with, "create-args");
        const Written name = input(with, "activate-environment");
        if (name.known && name) m_out.activate(name.text);
        if (!file && !arguments) return;
        word(at, "conda");
        if (file) word(at, "env");
        word(at, "create");
        if (file) word(at, "-f"), word(file, file.text);
        for (const std::string& argument : split(arguments.text, " \n")) word(arguments, argument);
        if (name) word(at, "-n"), word(name, name.text);
        for (const std::string& channel : split(input(with, "channels").text, ", "))
            word(at, "-c"), word(at, channel);
        for (Step& step : interpret(command, m_files, Inherited(m_recipe.problems))) {
            if (const auto* install = std::get_if<CondaInstall>(&step)) m_out.activate(install->environment);
            add(std::move(step));
        }
    }

    const Tree& m_root;
    const Tree& m_job;
    std::string m_file;  // of the current steps: the workflow's, or an action's
    Recipe& m_recipe;
    const ReadFile& m_files;
    OwnFiles& m_own;
    Scope m_scope;
    Job m_out;
    bool m_open = false;         // the step may not run
    bool m_open_around = false;  // the step that uses the action may not run
    std::size_t m_depth = 0;
};

class Workflows {
public:
    Workflows(Recipe& recipe, const ReadFile& files)
        : m_recipe(recipe), m_files(files), m_own(files, recipe) {}

    // False: the recipe has too many steps to continue.
    bool read(const Tree& root, const std::string& file, const JobTitle& prefix, const Inputs& given,
              std::size_t depth) {
        std::map<std::string, Outputs> outputs;  // of each job
        const std::set<std::string> off = jobs_that_never_run(root["jobs"], file, m_recipe.problems);
        for (const auto& [name, job] : root["jobs"].members) {
            if (off.count(name.text) > 0) continue;
            Outputs earlier;
            for (const Tree* need : job["needs"].each())
                for (const auto& [output, value] : outputs[need->text])
                    earlier["needs." + need->text + ".outputs." + output] = value;
            const Tree matrix = evaluated(job["strategy"]["matrix"], root, file, given, earlier);
            const std::vector<MatrixRow> rows = matrix_rows(matrix, k_most_rows, file, m_recipe.problems);
            for (const MatrixRow& row : rows) {
                JobTitle title = prefix;
                title.add(name.text);
                title.add_row(row.text());
                JobReader reader(root, job, row, m_recipe, m_files, m_own, file, given, earlier);
                const bool goes_on = starts_with(job["uses"].text, "./")
                                         ? read_called(job, file, title, reader.scope(), depth)
                                         : reader.read(title);
                if (!goes_on) return false;
                if (rows.size() == 1) outputs[name.text] = reader.outputs();
            }
        }
        return true;
    }

    void read_action(const Tree& root) {
        const MatrixRow none;
        JobReader reader(root, root["runs"], none, m_recipe, m_files, m_own, m_recipe.file, {}, {});
        reader.read_steps();
    }

private:
    // "${{ fromJson(needs.setup.outputs.cuda) }}" of the matrix, and of its members.
    Tree evaluated(const Tree& matrix, const Tree& root, const std::string& file, const Inputs& given,
                   const Outputs& earlier) {
        if (matrix.kind == Tree::Kind::none) return {};
        const MatrixRow none;
        JobReader reader(root, matrix, none, m_recipe, m_files, m_own, file, given, earlier);
        Tree result = evaluated(matrix, file, reader.scope());
        for (auto& [name, values] : result.members) values = evaluated(values, file, reader.scope());
        return result;
    }
    static Tree evaluated(const Tree& value, const std::string& file, const Scope& scope) {
        if (!value.is_scalar() || value.text.find("${{") == std::string::npos) return value;
        const Written text = filled(value, file, scope);
        if (!text.known) return value;
        auto documents = read_yaml(text.text, file);
        if (!documents || documents->size() != 1) return value;
        place_all(documents->front(), value);
        return std::move(documents->front());
    }
    // They are written where the expression is.
    static void place_all(Tree& tree, const Tree& at) {
        tree.line = at.line;
        tree.column = at.column;
        for (Tree& item : tree.items) place_all(item, at);
        for (auto& [name, value] : tree.members) place_all(name, at), place_all(value, at);
    }

    // `uses: ./.github/workflows/x.yml`
    bool read_called(const Tree& job, const std::string& file, JobTitle title, const Scope& scope,
                     std::size_t depth) {
        const Written at = written(job["uses"], file);
        const bool deep = m_recipe.problems.exceeds(k_deepest_workflow, depth + 1, at);
        const OwnFiles::File* called = deep ? nullptr : m_own.workflow(at);
        if (!called) return true;
        Inputs inputs;
        for (const char* on : {"on", "true"})
            add_defaults(called->root[on]["workflow_call"]["inputs"], inputs);
        add_given(job["with"], file, scope, inputs);
        title.add(" / ");
        return read(called->root, called->name, title, inputs, depth + 1);
    }

    Recipe& m_recipe;
    const ReadFile& m_files;
    OwnFiles m_own;
};

}  // namespace

void read_github_workflow(const Tree& root, Recipe& recipe, const ReadFile& files) {
    if (!Workflows(recipe, files).read(root, recipe.file, {}, {}, 0)) return;
    for (const auto& [name, value] : choices_of(root, recipe, files))
        Workflows(recipe, files)
            .read(root, recipe.file, {"with " + name + "=" + value + " / ", ""}, {{name, value}}, 0);
}

void read_github_action(const Tree& root, Recipe& recipe, const ReadFile& files) {
    if (root["runs"]["using"].text == "composite") Workflows(recipe, files).read_action(root);
}

}  // namespace ptxguard::recipes
