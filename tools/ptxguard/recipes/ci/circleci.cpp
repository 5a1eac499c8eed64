// .circleci/config.yml: jobs with their executors, commands and the matrices of workflows.
// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <set>
#include <utility>

#include "model/text.hpp"
#include "recipes/base/template_text.hpp"
#include "recipes/ci/cibuildwheel.hpp"
#include "recipes/ci/expressions.hpp"
#include "recipes/ci/matrix.hpp"
#include "recipes/ci/workflow.hpp"
#include "recipes/shell/job.hpp"

namespace ptxguard::recipes {
namespace {

constexpr Limit k_deepest_step{8, "commands in commands", "deeper ones"};
constexpr Limit k_most_calls{20000, "calls of commands", "later calls"};
constexpr Limit k_most_job_rows{256, "uses of one job", "later ones"};

using Parameters = std::map<std::string, std::string>;

// Replaces "<< parameters.cuda >>" in a text; `known` is false if one has no value.
std::string with_parameters(const std::string& text, const Parameters& parameters, const Written& place,
                            Problems& problems, bool& known) {
    std::string result;
    std::size_t at = 0, grown = 0;
    for (;;) {
        const std::size_t begin = text.find("<<", at);
        const std::size_t end = begin == std::string::npos ? begin : text.find(">>", begin);
        if (end == std::string::npos) return result += text.substr(at);
        result += text.substr(at, begin - at);
        std::string name(trimmed(std::string_view(text).substr(begin + 2, end - begin - 2)));
        if (starts_with(name, "parameters.")) name.erase(0, 11);
        if (starts_with(name, "matrix.")) name.erase(0, 7);
        const auto found = parameters.find(name);
        if (found != parameters.end() &&
            !problems.exceeds(k_most_filled, grown += found->second.size(), place)) {
            result += found->second;
        } else {
            known = false;
            result += "${";
            for (const char c : name) result += c == '.' || c == '-' ? '_' : c;
            result += '}';
        }
        at = end + 2;
    }
}

class CircleCi {
    using Calls = std::vector<std::pair<std::string, Parameters>>;

public:
    CircleCi(const Tree& root, Recipe& recipe, const ReadFile& files)
        : m_root(root), m_recipe(recipe), m_files(files) {}

    void read() {
        read_calls();
        for (const auto& [name, job] : m_root["jobs"].members) {
            Calls calls = m_calls_of[name.text];
            if (calls.empty() && m_off.count(name.text) > 0) continue;
            if (calls.empty()) calls.emplace_back("", Parameters{});
            for (const auto& [text, given] : calls) {
                Parameters parameters = defaults(job);
                for (const auto& [key, value] : given) parameters[key] = value;
                JobTitle title{name.text, ""};
                title.add_row(text);
                if (!read_job(title, job, parameters)) return;
            }
        }
    }

private:
    static Parameters defaults(const Tree& of) {
        Parameters result;
        for (const auto& [name, parameter] : of["parameters"].members)
            if (parameter["default"].is_scalar()) result[name.text] = parameter["default"].text;
        return result;
    }

    // Each use of a job in a workflow, with its parameters.
    void read_calls() {
        for (const auto& [name, workflow] : m_root["workflows"].members)
            for (const Tree* item : workflow["jobs"].each()) {
                const bool off = workflow["when"].text == "false" || workflow["unless"].text == "true";
                if (off && item->is_scalar()) m_off.insert(item->text);
                for (const auto& [job, call] : item->members)
                    if (off)
                        m_off.insert(job.text);
                    else
                        add_call(m_calls_of[job.text], job, call);
            }
    }
    void add_call(Calls& calls, const Tree& job, const Tree& call) const {
        for (const MatrixRow& row :
             matrix_rows(call["matrix"]["parameters"], k_most_job_rows, m_recipe.file, m_recipe.problems)) {
            if (m_recipe.problems.exceeds(k_most_job_rows, calls.size() + 1, written(job, m_recipe.file)))
                return;
            Parameters parameters;
            for (const auto& [key, value] : call.members)
                if (value.is_scalar()) parameters[key.text] = value.text;
            for (const auto& [key, value] : row.values) parameters[key] = value->text;
            calls.emplace_back(row.text(), std::move(parameters));
        }
    }

    Written value(const Tree& tree, const Parameters& parameters) const {
        Written result = written(tree, m_recipe.file);
        result.text = filled(tree, tree.text, parameters, result.known);
        return result;
    }
    std::string filled(const Tree& tree, const std::string& text, const Parameters& parameters,
                       bool& known) const {
        return with_parameters(text, parameters, written(tree, m_recipe.file), m_recipe.problems, known);
    }

    bool read_job(const JobTitle& title, const Tree& job, const Parameters& parameters) {
        Job out(m_recipe, m_files);
        out.name(title);
        m_shell.clear();
        const Tree& executor = job["executor"];
        const std::string named = executor.is_map() ? executor["name"].text : executor.text;
        for (const Tree* place : {&m_root["executors"][named], &job}) {
            for (const Tree* image : (*place)["docker"].each())
                if ((*image)["image"].is_scalar() && !out.stage.image)
                    out.stage.image = value((*image)["image"], parameters);
            const Tree& machine = (*place)["machine"];
            if (machine["image"].is_scalar()) out.stage.platform = value(machine["image"], parameters);
            for (const Tree* of : {&machine, place})
                if ((*of)["shell"].is_scalar()) m_shell = (*of)["shell"].text;
            set_all((*place)["environment"], parameters, out);
        }
        steps(job["steps"], parameters, out, 0);
        return out.finish();
    }

    void set_all(const Tree& variables, const Parameters& parameters, Job& out) const {
        for (const auto& [name, text] : variables.members)
            if (text.is_scalar()) out.set(name.text, value(text, parameters));
    }

    void steps(const Tree& list, const Parameters& parameters, Job& out, int depth) const {
        for (const Tree* step : list.each()) {
            for (const auto& [name, with] : step->members) {
                if (name.text == "run")
                    run(with, parameters, out);
                else if (name.text == "when" || name.text == "unless")
                    steps(with["steps"], parameters, out, depth + 1);
                else
                    command(name, with, parameters, out, depth);
            }
            if (step->is_scalar()) command(*step, {}, parameters, out, depth);
        }
    }

    void command(const Tree& name, const Tree& with, const Parameters& outer, Job& out, int depth) const {
        const Tree& command_ = m_root["commands"][name.text];
        if (!command_) return;
        const auto at = [&] { return written(name, m_recipe.file); };
        if (m_recipe.problems.exceeds(k_deepest_step, static_cast<std::size_t>(depth) + 1, at) ||
            m_recipe.problems.exceeds(k_most_calls, ++m_calls, at))
            return;
        Parameters parameters = defaults(command_);
        bool known = true;
        for (const auto& [key, text] : with.members)
            if (text.is_scalar()) parameters[key.text] = filled(text, text.text, outer, known);
        steps(command_["steps"], parameters, out, depth + 1);
    }

    void run(const Tree& with, const Parameters& parameters, Job& out) const {
        Tree text = with.is_map() ? with["command"] : with;
        if (!text.is_scalar()) return;
        bool known = true;
        text.text = filled(text, text.text, parameters, known);
        if (!text.lines.empty()) text.lines = filled(text, text.lines, parameters, known);
        const auto shell =
            shell_of_setting(with["shell"].is_scalar() ? with["shell"].text : m_shell, ShellKind::posix);
        if (!shell) return;
        const PlacedText whole = script(text, m_recipe.file, Scope(m_recipe.problems));
        out.run(whole, with["working_directory"].text, *shell, false);
        const bool windows = *shell != ShellKind::posix;
        if (!with["working_directory"]) run_cibuildwheel(whole, windows, false, m_files, out);
    }

    const Tree& m_root;
    Recipe& m_recipe;
    const ReadFile& m_files;
    std::map<std::string, Calls> m_calls_of;  // by job
    std::set<std::string> m_off;              // jobs of workflows that never run
    std::string m_shell;                      // of the job's steps without an own one
    mutable std::size_t m_calls = 0;
};

}  // namespace

void read_circleci(const Tree& root, Recipe& recipe, const ReadFile& files) {
    CircleCi(root, recipe, files).read();
}

}  // namespace ptxguard::recipes
