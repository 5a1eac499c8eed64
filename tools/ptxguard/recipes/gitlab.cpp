// .gitlab-ci.yml: jobs at the top level, `extends`, `default`, `parallel: matrix`.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "model/text.hpp"
#include "recipes/job.hpp"
#include "recipes/workflow.hpp"

namespace ptxguard::recipes {
namespace {

constexpr int k_deepest = 11;  // GitLab's limit of `extends`

bool is_keyword(const std::string& name) {
    for (const char* word : {"default", "include", "stages", "variables", "workflow", "image", "services",
                             "cache", "before_script", "after_script", "spec"})
        if (name == word) return true;
    return false;
}

class GitLab {
public:
    GitLab(const Tree& root, Recipe& recipe, const ReadFile& files)
        : m_root(root), m_recipe(recipe), m_files(files) {}

    void read() {
        for (const auto& [name, job] : m_root.members)
            if (job.is_map() && !is_keyword(name.text) && !starts_with(name.text, ".") &&
                member(job, "script", 0))
                read_job(name.text, job);
    }

private:
    // Of the job, or of what it extends; the last one named counts.
    const Tree* member(const Tree& job, const char* name, int depth) const {
        if (const Tree* own = job.find(name)) return own;
        const auto bases = job["extends"].each();
        for (auto base = bases.rbegin(); base != bases.rend() && depth < k_deepest; ++base)
            if (const Tree* parent = m_root.find((*base)->text))
                if (const Tree* found = member(*parent, name, depth + 1)) return found;
        return nullptr;
    }
    // With `default:` and the top level.
    const Tree* inherited(const Tree& job, const char* name) const {
        if (const Tree* own = member(job, name, 0)) return own;
        if (const Tree* own = m_root["default"].find(name)) return own;
        return m_root.find(name);
    }

    // Variables of all levels, the outer ones first.
    void set_variables(const Tree& job, Job& out, int depth) const {
        for (const Tree* base : job["extends"].each())
            if (const Tree* parent = m_root.find(base->text); parent && depth < k_deepest)
                set_variables(*parent, out, depth + 1);
        set_all(job["variables"], out);
    }
    void set_all(const Tree& variables, Job& out) const {
        for (const auto& [name, value] : variables.members) {
            const Tree& text = value.is_map() ? value["value"] : value;
            if (text.is_scalar()) out.set(name.text, expanded(text, out));
        }
    }
    Written expanded(const Tree& value, const Job& out) const {
        PlacedText text(m_recipe.file);
        text.append(value.text, {value.line, value.column});
        return expand_whole(text, {0, text.text.size()}, out.variables());
    }

    void run_all(const Tree* script_, Job& out, int depth = 0) const {
        if (!script_ || depth > 8) return;
        for (const Tree* line : script_->each()) {
            if (line->is_list())
                run_all(line, out, depth + 1);
            else
                out.go_on(script(*line, m_recipe.file, {}));
        }
    }

    void read_job(const std::string& name, const Tree& job) {
        const Tree* parallel = member(job, "parallel", 0);
        std::vector<MatrixRow> rows;
        bool cut = false;
        // A list of maps, each with its own combinations; a value may be a list or a text.
        if (parallel)
            for (const Tree* one : (*parallel)["matrix"].each())
                for (MatrixRow& row : matrix_rows(*one, cut)) {
                    for (const auto& [key, value] : one->members)
                        if (value.is_scalar()) row.values.emplace_back(key.text, &value);
                    if (rows.size() < k_most_rows) rows.push_back(std::move(row));
                }
        if (rows.empty()) rows.emplace_back();
        for (const MatrixRow& row : rows) read_row(name, job, row);
    }

    void read_row(const std::string& name, const Tree& job, const MatrixRow& row) {
        Job out(m_recipe, m_files);
        const std::string values = row.text();
        out.stage.name = "job " + name + (values.empty() ? "" : " (" + values + ")");
        set_all(m_root["variables"], out);
        set_variables(job, out, 0);
        for (const auto& [variable, value] : row.values)
            if (value->is_scalar()) out.set(variable, written(*value, m_recipe.file));
        if (const Tree* image = inherited(job, "image")) {
            const Tree& text = image->is_map() ? (*image)["name"] : *image;
            if (text.is_scalar()) out.stage.image = expanded(text, out);
        }
        run_all(inherited(job, "before_script"), out);
        run_all(member(job, "script", 0), out);
        out.finish();
    }

    const Tree& m_root;
    Recipe& m_recipe;
    const ReadFile& m_files;
};

}  // namespace

void read_gitlab_ci(const Tree& root, Recipe& recipe, const ReadFile& files) {
    GitLab(root, recipe, files).read();
}

}  // namespace ptxguard::recipes
