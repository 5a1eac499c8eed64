// .gitlab-ci.yml: jobs at the top level, `extends`, `default`, `parallel: matrix`.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "model/text.hpp"
#include "recipes/job.hpp"
#include "recipes/workflow.hpp"

namespace ptxguard::recipes {
namespace {

constexpr std::size_t k_most_bases = 50;  // of one job

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
                member(job, "script") && !read_job(name.text, job))
                return;
    }

private:
    // The job and what it extends, the nearest first: of several the last one named counts.
    std::vector<const Tree*> line_of(const Tree& job) const {
        std::vector<const Tree*> line = {&job};
        for (std::size_t i = 0; i < line.size(); ++i) {
            const auto bases = (*line[i])["extends"].each();
            for (auto base = bases.rbegin(); base != bases.rend() && line.size() < k_most_bases; ++base)
                if (const Tree* parent = m_root.find((*base)->text);
                    parent && std::find(line.begin(), line.end(), parent) == line.end())
                    line.push_back(parent);
        }
        return line;
    }
    const Tree* member(const Tree& job, const char* name) const {
        for (const Tree* one : line_of(job))
            if (const Tree* own = one->find(name)) return own;
        return nullptr;
    }
    // With `default:` and the top level.
    const Tree* inherited(const Tree& job, const char* name) const {
        if (const Tree* own = member(job, name)) return own;
        if (const Tree* own = m_root["default"].find(name)) return own;
        return m_root.find(name);
    }

    // Variables of all levels, the outer ones first.
    void set_variables(const Tree& job, Job& out) const {
        const auto line = line_of(job);
        for (auto one = line.rbegin(); one != line.rend(); ++one) set_all((**one)["variables"], out);
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

    bool read_job(const std::string& name, const Tree& job) {
        const Tree* parallel = member(job, "parallel");
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
        for (const MatrixRow& row : rows)
            if (!read_row(name, job, row)) return false;
        return true;
    }

    bool read_row(const std::string& name, const Tree& job, const MatrixRow& row) {
        Job out(m_recipe, m_files);
        const std::string values = row.text();
        out.stage.name = "job " + name + (values.empty() ? "" : " (" + values + ")");
        set_all(m_root["variables"], out);
        set_variables(job, out);
        for (const auto& [variable, value] : row.values)
            if (value->is_scalar()) out.set(variable, written(*value, m_recipe.file));
        if (const Tree* image = inherited(job, "image")) {
            const Tree& text = image->is_map() ? (*image)["name"] : *image;
            if (text.is_scalar()) out.stage.image = expanded(text, out);
        }
        run_all(inherited(job, "before_script"), out);
        run_all(member(job, "script"), out);
        return out.finish();
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
