// Workflows of GitHub (and Gitea, Forgejo): jobs, matrices, containers, and the actions that install CUDA or
// Python.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "host/paths.hpp"
#include "model/text.hpp"
#include "recipes/conda_command.hpp"
#include "recipes/job.hpp"
#include "recipes/workflow.hpp"

namespace ptxguard::recipes {
namespace {

// "ubuntu-22.04", "[self-hosted, linux, gpu]".
std::string runner_of(const std::string& platform) {
    const std::string text = lower(platform);
    const auto has = [&](const char* word) { return text.find(word) != std::string::npos; };
    return has("windows") ? "Windows" : has("macos") ? "macOS" : has("ubuntu") || has("linux") ? "Linux" : "";
}

class JobReader {
public:
    JobReader(const Tree& root, const Tree& job, const MatrixRow& row, Recipe& recipe, const ReadFile& files)
        : m_root(root), m_job(job), m_file(recipe.file), m_files(files), m_out(recipe, files) {
        m_scope.row = &row;
        for (const Tree* inputs :
             {&root["on"]["workflow_dispatch"]["inputs"], &root["on"]["workflow_call"]["inputs"],
              &root["true"]["workflow_dispatch"]["inputs"]})
            for (const auto& [name, input] : inputs->members)
                if (input["default"].is_scalar()) m_scope.inputs[name.text] = input["default"].text;
    }

    bool read(const std::string& name) {
        m_out.stage.name = name;
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
            m_scope.runner = "Linux";
        }
        for (const Tree* variables : {&m_root["env"], &m_job["env"], &container["env"]})
            set_all(*variables, true);
        for (const Tree* step : m_job["steps"].each()) read_step(*step);
        return m_out.finish();
    }

private:
    void set_all(const Tree& variables, bool lasts) {
        for (const auto& [name, value] : variables.members) {
            if (!value.is_scalar()) continue;
            const Written text = filled(value, m_file, m_scope);
            m_out.set(name.text, text, lasts);
            if (text.known) m_scope.variables[name.text] = text.text;
        }
    }

    void read_step(const Tree& step) {
        const Truth runs = step["if"].is_scalar() ? condition(step["if"].text, m_scope) : Truth::yes;
        if (runs == Truth::no) return;
        m_open = runs == Truth::unknown;
        const std::map<std::string, std::string> before = m_scope.variables;
        const Variables shell_before = m_out.variables();
        set_all(step["env"], false);
        if (step["run"].is_scalar()) {
            const auto setting = [&](const char* name) -> const Tree& {
                if (step[name]) return step[name];
                const Tree& own = m_job["defaults"]["run"][name];
                return own ? own : m_root["defaults"]["run"][name];
            };
            const std::string program = setting("shell").text;
            const ShellKind shell = !program.empty() ? shell_kind(program.substr(0, program.find(' ')))
                                    : m_scope.runner == "Windows" ? ShellKind::powershell
                                                                  : ShellKind::posix;
            if (program != "python") {
                const std::string folder = filled(setting("working-directory"), m_file, m_scope).text;
                m_out.run(script(step["run"], m_file, m_scope), folder, shell, m_open);
            }
        } else if (step["uses"].is_scalar()) {
            read_action(step["uses"], step["with"]);
        }
        for (const auto& [name, value] : step["env"].members) {
            m_out.unset(name.text);
            if (const auto old = shell_before.find(name.text); old != shell_before.end())
                m_out.set(name.text, old->second.value, false);
        }
        m_scope.variables = before;
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

    void read_action(const Tree& uses, const Tree& with) {
        const std::string action = lower(uses.text.substr(0, uses.text.find('@')));
        const std::string name = file_name(action);
        if (name == "setup-python" || name == "setup-uv") python(input(with, "python-version"));
        if (name == "cuda-toolkit" && starts_with(action, "jimver/")) cuda(uses, input(with, "cuda"));
        if (name == "setup-cuda" || name == "install-cuda" || name == "install-cuda-toolkit")
            cuda(uses, input(with, with["cuda-version"] ? "cuda-version" : "cuda"));
        if (name == "setup-miniconda" || name == "setup-micromamba" || name == "provision-with-micromamba") {
            python(input(with, "python-version"));
            conda(uses, with);
        }
    }

    // As the package of that release of NVIDIA's repository, which these actions install or unpack.
    void cuda(const Tree& uses, const Written& version) {
        if (!version) return;
        AptInstall install;
        install.whole = written(uses, m_file);
        const auto parts = split(version.text, ".");
        const std::string release = parts.size() > 1 ? parts[0] + "-" + parts[1] : version.text;
        install.packages.push_back({"cuda-toolkit-" + release, version.text, version});
        add(std::move(install));
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
        for (Step& step : interpret(command, m_files)) {
            if (const auto* install = std::get_if<CondaInstall>(&step)) m_out.activate(install->environment);
            add(std::move(step));
        }
    }

    const Tree& m_root;
    const Tree& m_job;
    const std::string& m_file;
    const ReadFile& m_files;
    Scope m_scope;
    Job m_out;
    bool m_open = false;  // the step may not run
};

}  // namespace

void read_github_workflow(const Tree& root, Recipe& recipe, const ReadFile& files) {
    for (const auto& [name, job] : root["jobs"].members) {
        bool cut = false;
        for (const MatrixRow& row : matrix_rows(job["strategy"]["matrix"], cut)) {
            const std::string values = row.text();
            JobReader reader(root, job, row, recipe, files);
            if (!reader.read("job " + name.text + (values.empty() ? "" : " (" + values + ")"))) return;
        }
        if (cut)
            recipe.problems.push_back(
                {written(name, recipe.file), "has more than 256 rows in its matrix: the first 256 are read"});
    }
}

}  // namespace ptxguard::recipes
