// .gitlab-ci.yml: jobs at the top level, `include: local`, `extends`, `!reference`, `default`,
// `parallel: matrix`.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <list>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "formats/yaml.hpp"
#include "host/paths.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "recipes/ci/cibuildwheel.hpp"
#include "recipes/ci/expressions.hpp"
#include "recipes/ci/joined_script.hpp"
#include "recipes/ci/matrix.hpp"
#include "recipes/ci/never_run.hpp"
#include "recipes/ci/workflow.hpp"
#include "recipes/shell/job.hpp"

namespace ptxguard::recipes {
namespace {

constexpr Limit k_most_bases{50, "templates that one job extends", "further ones"};
constexpr Limit k_most_included{150, "included files", "later ones", "GitLab"};
constexpr Limit k_most_gitlab_bytes{4u << 20, "bytes of included files", "this file"};
constexpr Limit k_deepest_reference{10, "references to references", "deeper ones", "GitLab"};
constexpr Limit k_deepest_script{10, "lists in lists of a script", "deeper ones", "GitLab"};
constexpr Limit k_most_parallel{256, "rows of all matrices of a job", "later rows", "GitLab"};

bool is_keyword(const std::string& name) {
    for (const char* word : {"default", "include", "stages", "variables", "workflow", "image", "services",
                             "cache", "before_script", "after_script", "spec"})
        if (name == word) return true;
    return false;
}

// A value and its file.
struct Node {
    const Tree* tree = nullptr;
    const std::string* file = nullptr;
    explicit operator bool() const { return tree != nullptr; }
    Node find(std::string_view key) const { return {tree->find(key), file}; }
    std::vector<Node> each() const {
        std::vector<Node> nodes;
        for (const Tree* one : tree->each()) nodes.push_back({one, file});
        return nodes;
    }
};

class GitLab {
public:
    GitLab(const Tree& root, Recipe& recipe, const ReadFile& files) : m_recipe(recipe), m_files(files) {
        m_documents.push_back({&root, &recipe.file});
        add_includes(m_documents.front());
    }

    void read() {
        std::set<std::string> seen;
        for (const Node& workflow : named("workflow"))
            if (never_adds(rules_in(workflow.find("rules")))) return;
        find_off();
        for (const Node& document : m_documents)
            for (const auto& [name, job] : document.tree->members) {
                if (!is_job(name, job) || !seen.insert(name.text).second || m_off.count(name.text) > 0)
                    continue;
                const std::vector<Node> line = line_of(name.text);
                if (member(line, "script") && !read_job(name.text, line)) return;
            }
    }

private:
    static bool is_job(const Tree& name, const Tree& job) {
        return job.is_map() && !is_keyword(name.text) && !starts_with(name.text, ".");
    }

    // With those of `!reference`.
    std::vector<Node> nodes_of_rules(Node rules) const {
        std::vector<Node> all;
        rules = resolved(rules);
        if (!rules) return all;
        for (const Node one : rules.each()) {
            const Node rule = resolved(one);
            if (rule && rule.tree->is_map()) all.push_back(rule);
            if (rule && rule.tree->is_list())
                for (const Node inner : rule.each()) all.push_back(inner);
        }
        return all;
    }
    std::vector<const Tree*> rules_in(Node rules) const {
        std::vector<const Tree*> all;
        for (const Node& one : nodes_of_rules(rules)) all.push_back(one.tree);
        return all;
    }

    // Jobs that are in no pipeline, and those that need one of them.
    void find_off() {
        NeedsOfJobs needs;
        for (const Node& document : m_documents)
            for (const auto& [name, job] : document.tree->members) {
                if (!is_job(name, job)) continue;
                const std::vector<Node> line = line_of(name.text);
                if (never_adds(rules_in(member(line, "rules")))) m_off.insert(name.text);
                needs.emplace_back(name.text, needs_of(member(line, "needs")));
            }
        add_those_that_need(m_off, needs);
    }
    static std::vector<std::string> needs_of(const Node& needs) {
        std::vector<std::string> names;
        if (needs)
            for (const Tree* one : needs.tree->each())
                if ((*one)["optional"].text != "true" && !(*one)["pipeline"] && !(*one)["project"])
                    names.push_back(one->is_map() ? (*one)["job"].text : one->text);
        return names;
    }

    // A later include overrides an earlier one, and the including file overrides both.
    void add_includes(const Node document) {
        const Node include = document.find("include");
        if (!include) return;
        std::vector<Node> entries = include.each();
        std::reverse(entries.begin(), entries.end());
        for (const Node entry : entries) {
            const Tree& path = entry.tree->is_map() ? (*entry.tree)["local"] : *entry.tree;
            if (!path.is_scalar() || path.text.find("://") != std::string::npos) continue;
            Written name = written(path, *entry.file);
            name.text.erase(0, name.text.find_first_not_of('/'));
            if (name.text.find_first_of("*$") != std::string::npos) {
                m_recipe.problems.push_back({name, "names files by a pattern, which is not followed"});
                continue;
            }
            // The first document is the pipeline itself.
            if (!m_seen.insert(name.text).second ||
                m_recipe.problems.exceeds(k_most_included, m_documents.size(), name))
                continue;
            const auto file = m_files ? m_files(name.text, name) : std::nullopt;
            if (!file)
                m_recipe.problems.push_back(not_in_repository(name));
            else
                add_document(*file);
        }
    }

    void add_document(const FileText& file) {
        m_bytes += file.text.size();
        if (m_recipe.problems.exceeds(k_most_gitlab_bytes, m_bytes, Written{"", file.file})) return;
        auto documents = read_yaml(file.text, file.file);
        if (!documents) {
            m_recipe.problems.push_back(not_parsed(file.file, documents.trouble()));
            return;
        }
        // A header with `spec:` is a separate document.
        if (documents->empty()) return;
        m_names.push_back(file.file);
        m_recipe.parts.push_back(file.file);
        m_trees.push_back(std::move(documents->back()));
        m_documents.push_back({&m_trees.back(), &m_names.back()});
        add_includes(m_documents.back());
    }

    // The values of one name in all files, highest priority first.
    std::vector<Node> named(const std::string& name) const {
        std::vector<Node> nodes;
        for (const Node& document : m_documents)
            if (const Node one = document.find(name)) nodes.push_back(one);
        return nodes;
    }

    // The job and what it extends, nearest first: of several the last one wins.
    std::vector<Node> line_of(const std::string& name) const {
        std::vector<Node> line = named(name);
        for (std::size_t i = 0; i < line.size(); ++i) {
            const Node extends = line[i].find("extends");
            if (!extends) continue;
            const std::vector<Node> bases = extends.each();
            for (auto base = bases.rbegin(); base != bases.rend(); ++base)
                for (const Node& parent : named(base->tree->text)) {
                    const auto is_parent = [&](const Node& one) { return one.tree == parent.tree; };
                    if (any_of(line, is_parent)) continue;
                    if (m_recipe.problems.exceeds(k_most_bases, line.size(), [&] { return at(*base); }))
                        return line;
                    line.push_back(parent);
                }
        }
        return line;
    }
    static Written at(const Node& node) { return written(*node.tree, *node.file); }

    Node member(const std::vector<Node>& line, std::string_view name) const {
        for (const Node& one : line)
            if (const Node own = one.find(name)) return resolved(own);
        return {};
    }
    // Including `default:` and the top level.
    Node inherited(const std::vector<Node>& line, std::string_view name) const {
        if (const Node own = member(line, name)) return own;
        if (const Node own = member(named("default"), name)) return own;
        const std::vector<Node> outer = named(std::string(name));
        return outer.empty() ? Node{} : resolved(outer.front());
    }

    // The target of `!reference [JOB, KEY ...]`; nothing if it does not exist.
    Node resolved(Node node, std::size_t depth = 0) const {
        if (!node || !node.tree->is_reference) return node;
        const std::vector<Tree>& path = node.tree->items;
        if (path.empty() || m_recipe.problems.exceeds(k_deepest_reference, depth, [&] { return at(node); }))
            return {};
        for (Node found : named(path[0].text)) {
            for (std::size_t i = 1; i < path.size() && found; ++i)
                found = resolved(found.find(path[i].text), depth + 1);
            if (found) return found;
        }
        return {};
    }

    // {value: A, options: [A, B]}
    const Tree& chosen_value(const Tree& variable) const {
        for (const Tree& option : variable["options"].items)
            if (&option == m_option) return option;
        return variable["value"];
    }
    // The values other than the default that users may choose for variables of the pipeline.
    std::vector<const Tree*> options() const {
        std::vector<const Tree*> all;
        for (const Node variables : named("variables"))
            for (const auto& [name, variable] : variables.tree->members)
                for (const Tree& option : variable["options"].items)
                    if (option.text != variable["value"].text) all.push_back(&option);
        return all;
    }
    // What each rule that starts the job sets for it; an empty one for rules that set nothing.
    std::vector<Node> variables_of_rules(const std::vector<Node>& line) const {
        std::vector<Node> all;
        bool plain = true;
        if (const Node rules = member(line, "rules")) {
            plain = false;
            for (const Node one : nodes_of_rules(rules)) {
                if (!one.tree->is_map() || (*one.tree)["when"].text == "never") continue;
                if (const Node variables = one.find("variables"))
                    all.push_back(variables);
                else
                    plain = true;
            }
        }
        if (plain || all.empty()) all.insert(all.begin(), Node{});
        return all;
    }

    void set_all(Node variables, Job& out) const {
        variables = resolved(variables);
        if (!variables) return;
        for (const auto& [name, value] : variables.tree->members) {
            const Node own = resolved({&value, variables.file});
            if (!own) continue;
            const Tree& text = own.tree->is_map() ? chosen_value(*own.tree) : *own.tree;
            if (text.is_scalar()) out.set(name.text, expanded({&text, own.file}, out));
        }
    }
    Written expanded(Node value, const Job& out) const {
        Written result = expand_whole(at(value), out.variables(), m_recipe.problems);
        result.known = result.known && value.tree->text.find("$[[") == std::string::npos;
        return result;
    }

    void add_texts(Node lines, std::vector<PlacedText>& texts, std::size_t depth = 0) const {
        lines = resolved(lines);
        if (!lines || m_recipe.problems.exceeds(k_deepest_script, depth, [&] { return at(lines); })) return;
        for (const Node line : lines.each()) {
            if (line.tree->is_list())
                add_texts(line, texts, depth + 1);
            else
                texts.push_back(script(*line.tree, *line.file, Scope(m_recipe.problems)));
        }
    }

    void run_all(Node lines, Job& out) const {
        std::vector<PlacedText> texts;
        add_texts(lines, texts);
        bool joins = true;
        for (std::size_t i = 0; i < texts.size(); ++i) {
            if (joins && i + 1 < texts.size() && !parse_shell(texts[i].text).problem.empty()) {
                const auto whole = joined_from(i, texts);
                joins = whole.has_value();
                const PlacedText& text = whole ? *whole : texts[i];
                out.go_on(text);
                run_cibuildwheel(text, false, false, m_files, out);
            } else {
                out.go_on(texts[i]);
                run_cibuildwheel(texts[i], false, false, m_files, out);
            }
        }
    }

    bool read_job(const std::string& name, const std::vector<Node>& line) {
        const Node parallel = member(line, "parallel");
        std::vector<MatrixRow> rows;
        // A list of maps, each with separate combinations; a value may be a list or a text.
        if (parallel)
            for (const Tree* one : (*parallel.tree)["matrix"].each())
                for (MatrixRow& row : matrix_rows(*one, k_most_parallel, *parallel.file, m_recipe.problems)) {
                    for (const auto& [key, value] : one->members)
                        if (value.is_scalar()) row.values.emplace_back(key.text, &value);
                    if (m_recipe.problems.exceeds(k_most_parallel, rows.size() + 1,
                                                  [&] { return written(*one, *parallel.file); }))
                        break;
                    rows.push_back(std::move(row));
                }
        if (rows.empty()) rows.emplace_back();
        m_reports = rows.size() == 1;
        const std::string& file = parallel ? *parallel.file : m_recipe.file;
        const std::vector<Node> rules = variables_of_rules(line);
        std::vector<const Tree*> chosen = options();
        chosen.insert(chosen.begin(), nullptr);
        m_reports = m_reports && rules.size() == 1 && chosen.size() == 1;
        std::size_t count = 0;
        for (const MatrixRow& row : rows)
            for (const Node rule : rules)
                for (const Tree* option : chosen) {
                    if (++count > rows.size() &&
                        m_recipe.problems.exceeds(k_most_parallel, count, Written{"", file}))
                        return true;
                    m_option = option;
                    if (!read_row(name, line, row, file, rule)) return false;
                }
        return true;
    }

    bool read_row(const std::string& name, const std::vector<Node>& line, const MatrixRow& row,
                  const std::string& file_of_row, const Node rule) {
        Job out(m_recipe, m_files);
        JobTitle title{name, ""};
        title.add_row(row.text());
        // From all levels, outer ones first.
        const std::vector<Node> outer = named("variables");
        for (auto one = outer.rbegin(); one != outer.rend(); ++one) set_all(*one, out);
        for (auto one = line.rbegin(); one != line.rend(); ++one) set_all(one->find("variables"), out);
        for (const auto& [variable, value] : row.values)
            if (value->is_scalar()) out.set(variable, written(*value, file_of_row));
        if (rule) {
            set_all(rule, out);
            title.add(" by the rule of line " + std::to_string(rule.tree->line));
        }
        if (m_option) title.add(" with " + m_option->text);
        out.name(title);
        // GitLab's own runners: saas-linux-small-arm64, saas-macos-medium-m1.
        if (const Node tags = inherited(line, "tags"))
            for (const Node tag : tags.each())
                if (const Written one = expanded(tag, out); one.known && starts_with(one.text, "saas-"))
                    out.stage.platform = one;
        if (const Node image = inherited(line, "image")) {
            const Tree& text = image.tree->is_map() ? (*image.tree)["name"] : *image.tree;
            const bool machine = out.stage.platform.text.find("macos") != npos;  // a virtual one
            if (text.is_scalar() && !machine) out.stage.image = expanded({&text, image.file}, out);
        }
        take_reports(line, out);
        run_all(inherited(line, "before_script"), out);
        run_all(member(line, "script"), out);
        note_report(name, line, out);
        return out.finish();
    }

    // artifacts: reports: dotenv: FILE, for the jobs behind it.
    void note_report(const std::string& name, const std::vector<Node>& line, Job& out) {
        const Node artifacts = member(line, "artifacts");
        const Tree& file = artifacts ? (*artifacts.tree)["reports"]["dotenv"] : Tree{};
        if (!file.is_scalar() || !m_reports) return;
        for (const SetVariable& one : out.pairs_in(file.text, false)) m_reported.emplace_back(name, one);
    }
    void take_reports(const std::vector<Node>& line, Job& out) const {
        const Node needs = member(line, "needs") ? member(line, "needs") : member(line, "dependencies");
        for (const auto& [job, variable] : m_reported) {
            bool wanted = !needs;
            for (const Node one : needs ? needs.each() : std::vector<Node>{})
                wanted = wanted || (one.tree->is_map() ? (*one.tree)["job"].text : one.tree->text) == job;
            if (wanted) out.set(variable.name, variable.value);
        }
    }

    Recipe& m_recipe;
    const ReadFile& m_files;
    std::list<std::string> m_names;  // of included files; nodes point to these
    std::list<Tree> m_trees;
    std::vector<Node> m_documents;
    std::set<std::string> m_seen;
    std::set<std::string> m_off;  // jobs that never run
    std::size_t m_bytes = 0;
    const Tree* m_option = nullptr;  // of a variable, instead of its default
    bool m_reports = true;           // one run of the job that is read: what it reports is one value
    std::vector<std::pair<std::string, SetVariable>> m_reported;  // with the job
};

}  // namespace

void read_gitlab_ci(const Tree& root, Recipe& recipe, const ReadFile& files) {
    GitLab(root, recipe, files).read();
}

}  // namespace ptxguard::recipes
