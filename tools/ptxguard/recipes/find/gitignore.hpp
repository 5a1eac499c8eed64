// The rules of .gitignore files, and patterns of that kind.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/limit.hpp"

namespace ptxguard::recipes {

// "a/**/b*.txt": component by component; "**" matches any number of them, at the end at least one. Takes at
// most as many steps as the product of both lengths.
bool matches_path(std::string_view path, std::string_view pattern);

class GitIgnore {
public:
    // The rules of a file in `folder`, after those of the folders above it.
    std::optional<Trouble> add(const std::string& folder, std::string_view text);
    // `path` is below the folders of the rules.
    bool excludes(const std::string& path, bool is_folder) const;
    std::size_t size() const { return m_rules.size(); }
    void resize(std::size_t size);
    // Compared patterns so far; long ones count more than once.
    std::size_t work() const { return m_work; }

private:
    struct Rule {
        std::string folder;   // its pattern is relative to this: "", "docs/"
        std::string pattern;  // "build", "docs/*.txt", "**/cache"
        bool anchored = false, negated = false, folders_only = false;
    };
    static std::string key_of(const Rule& rule);
    static Rule rule_of(const std::string& folder, std::string_view line);
    bool fits(const Rule& rule, const std::string& path, bool is_folder) const;

    std::vector<Rule> m_rules;
    // Places in m_rules, ascending: of the rules with wildcards; of those that name one file, by its name.
    std::vector<std::size_t> m_patterns;
    std::unordered_map<std::string, std::vector<std::size_t>> m_names;
    mutable std::size_t m_work = 0;
};

}  // namespace ptxguard::recipes
