// SPDX-License-Identifier: Apache-2.0
#include "commands/linting.hpp"

#include "discover/discover.hpp"
#include "recipes/base/suppressions.hpp"
#include "recipes/installers/locks.hpp"
#include "recipes/meaning/meaning.hpp"
#include "recipes/shell/scripts.hpp"

namespace ptxguard {

using recipes::FoundRecipe;
using recipes::Recipe;

namespace {

constexpr std::size_t k_times_for_reading = 4;  // a file's bytes are copied, split and interpreted
constexpr std::size_t k_part_for_copying = 8;   // of these

}  // namespace

void Linting::add_problem(const Recipe::Problem& problem, const std::string& file) {
    Unreadable one;
    const std::string& at = problem.at.file.empty() ? file : problem.at.file;
    one.subject = at + (problem.at.line ? ":" + std::to_string(problem.at.line) : "");
    one.why = problem.why;
    one.limit = problem.limit;
    one.origin = Origin::from_file(at, problem.at.line);
    one.origin.column = problem.at.column;
    if (problem.missing) one.origin.variable = problem.at.text;
    m_unread.push_back(std::move(one));
}

void Linting::add_unread(const Trouble& trouble, bool named) {
    const std::string why = trouble.what + (trouble.cause.empty() ? "" : ": " + trouble.cause);
    m_unread.push_back({trouble.subject, why, named, Origin::from_file(trouble.subject), trouble.limit});
}

// Once where the budget ended, and once for the first recipe after it.
void Linting::add_over_budget(const std::string& file) {
    constexpr int k_said = 2;
    if (m_over_budget >= k_said) return;
    const recipes::Budget::Place& place = m_budget->place();
    Recipe::Problem problem;
    if (m_over_budget++ == 0) {
        problem.at = {"", place.file.empty() ? file : place.file, place.line, place.column};
        problem.why = m_budget->limit().why();
    } else {
        problem.at.file = file;
        problem.why = "and the recipes after it were not read: an earlier one took too many steps";
    }
    problem.limit = m_budget->limit().text();
    add_problem(problem, file);
}

Result<std::string> Linting::text(const std::string& path) const {
    const auto changed = m_changed.find(path);
    return changed == m_changed.end() ? m_files.read(path) : Result<std::string>(changed->second);
}

Result<std::string> Linting::text_with_comments(const std::string& path) {
    auto bytes = text(path);
    if (!bytes) return bytes;
    if (!m_seen.insert(path).second) {
        const std::size_t times = recipes::keeps_content(path) ? 1 : k_times_for_reading;
        m_budget->spend_bytes(recipes::keeps_parsed(path) ? bytes->size() / k_part_for_copying
                                                          : bytes->size() * times);
        return bytes;
    }
    m_budget->add_input(bytes->size());
    recipes::Problems problems;
    for (Suppression& one : recipes::read_suppressions(path, *bytes, problems))
        m_suppressions.push_back(std::move(one));
    for (const Recipe::Problem& problem : problems) add_problem(problem, path);
    return bytes;
}

void Linting::read_file(const FoundRecipe& found, bool named) {
    if (m_budget->is_over()) return add_over_budget(found.path);
    const auto bytes = text_with_comments(found.path);
    if (!bytes) return add_unread(bytes.trouble(), named);
    const auto read = [this](const std::string& path,
                             const recipes::Written&) -> std::optional<recipes::FileText> {
        if (!m_budget->spend()) return std::nullopt;
        auto other = text_with_comments(path);
        if (!other && !other.trouble().limit.empty() && m_seen.insert(path).second)
            add_unread(other.trouble(), false);
        if (!other) return std::nullopt;
        return recipes::FileText{path, std::move(*other)};
    };
    const auto outside = [this](const std::string& path) { return m_files.outside(path); };
    Recipe recipe = recipes::read_recipe(found, *bytes, recipes::ReadFile(read, m_budget), outside);
    for (const Recipe::Problem& problem : recipe.problems) add_problem(problem, found.path);
    if (m_budget->is_over()) add_over_budget(found.path);
    m_recipes.push_back(std::move(recipe));
}

void Linting::read(const std::string& path) {
    if (m_files.host().status(path).type == FileType::directory) {
        recipes::Search search;
        search.excluded = m_excluded;
        recipes::find_recipes(m_files.host(), path, search);
        for (const Trouble& trouble : search.troubles) add_unread(trouble, false);
        for (const FoundRecipe& found : search.found) read_file(found, false);
        return;
    }
    if (m_excluded && m_excluded(path, false)) return;  // hooks name every file
    const auto kind = recipes::recipe_kind(path, [&] { return text_with_comments(path); });
    if (kind) return read_file({path, *kind}, true);
    add_unread({path, "is not a recipe",
                "lint reads files named Dockerfile, requirements.txt, pyproject.toml, environment.yml, "
                "CMakeLists.txt, *.sh, workflows of CI systems and the like"},
               true);
}

std::vector<Scenario> Linting::scenarios(const Facts& facts, const Request& machines) {
    std::vector<Scenario> all = recipes::scenarios_of(m_recipes, facts, *m_budget);
    for (Scenario& one : all) declare_drivers_and_gpus(m_files.host(), facts, machines, one);
    if (m_budget->is_over() && m_over_budget == 0) add_over_budget("");
    if (m_unread.empty() && !all.empty()) return all;
    Scenario unread;
    unread.name = "recipes";
    unread.source = SourceKind::binary;
    unread.probe_mode = ProbeMode::off;
    unread.unreadable = m_unread;
    all.push_back(std::move(unread));
    return all;
}

}  // namespace ptxguard
