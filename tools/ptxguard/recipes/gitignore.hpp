// The rules of .gitignore files, and patterns of that kind.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/limit.hpp"

namespace ptxguard::recipes {

class GitIgnore {
public:
    // The rules of a file in `folder`, after those of the folders above it.
    std::optional<Trouble> add(const std::string& folder, std::string_view text);
    // `path` is below the folders of the rules.
    bool excludes(const std::string& path, bool is_folder) const;
    std::size_t size() const { return m_rules.size(); }
    void resize(std::size_t size) { m_rules.resize(size); }

private:
    struct Rule {
        std::string folder;   // its pattern is relative to this
        std::string pattern;  // "build", "docs/*.txt", "**/cache"
        bool anchored = false, negated = false, folders_only = false;
    };
    std::vector<Rule> m_rules;
};

}  // namespace ptxguard::recipes
