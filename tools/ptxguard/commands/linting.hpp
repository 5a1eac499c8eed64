// The recipes of a `lint` run, read and turned into scenarios. Inner header of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "facts/facts.hpp"
#include "host/host.hpp"
#include "model/finding.hpp"
#include "model/request.hpp"
#include "model/scenario.hpp"
#include "recipes/find/find.hpp"

namespace ptxguard {

class Linting {
public:
    // `changed`: texts to use instead of the files with these names.
    explicit Linting(const recipes::AllowedFiles& files, std::map<std::string, std::string> changed = {},
                     recipes::Excluded excluded = {})
        : m_files(files), m_changed(std::move(changed)), m_excluded(std::move(excluded)) {}

    // A recipe, or a folder with recipes: one of those for which `files` was made.
    void read(const std::string& path);
    // Each recipe with the drivers and GPUs of `machines`.
    std::vector<Scenario> scenarios(const Facts& facts, const Request& machines = {});
    // From the comments in the files.
    const std::vector<Suppression>& suppressions() const { return m_suppressions; }
    Result<std::string> text(const std::string& path) const;
    const std::set<std::string>& files() const { return m_seen; }  // that were read

private:
    void read_file(const recipes::FoundRecipe& found, bool named);
    Result<std::string> text_with_comments(const std::string& path);
    void add_problem(const recipes::Recipe::Problem& problem, const std::string& file);
    void add_unread(const Trouble& trouble, bool named);
    void add_over_budget(const std::string& file);

    const recipes::AllowedFiles& m_files;
    std::map<std::string, std::string> m_changed;
    recipes::Excluded m_excluded;
    std::vector<recipes::Recipe> m_recipes;
    std::vector<Unreadable> m_unread;
    std::vector<Suppression> m_suppressions;
    std::set<std::string> m_seen;  // files whose comments were read
    int m_over_budget = 0;         // how often it was said
    std::shared_ptr<recipes::Budget> m_budget = std::make_shared<recipes::Budget>();
};

}  // namespace ptxguard
