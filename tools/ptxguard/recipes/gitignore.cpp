// SPDX-License-Identifier: Apache-2.0
#include "recipes/gitignore.hpp"

#include "formats/text_lines.hpp"
#include "host/paths.hpp"
#include "host/questions.hpp"
#include "model/text.hpp"

namespace ptxguard::recipes {
namespace {

constexpr Limit k_most_ignored{20000, "rules of .gitignore", "later ones"};

// Component by component; "**" matches any number of them.
bool matches_path(std::string_view path, std::string_view pattern, int depth = 0) {
    if (depth > 40) return false;
    const std::size_t cut = pattern.find('/');
    const std::string_view first = pattern.substr(0, cut);
    const std::string_view others = cut == npos ? std::string_view() : pattern.substr(cut + 1);
    if (first == "**") {
        if (others.empty()) return true;
        for (std::size_t at = 0;;) {
            if (matches_path(path.substr(at), others, depth + 1)) return true;
            const std::size_t slash = path.find('/', at);
            if (slash == npos) return false;
            at = slash + 1;
        }
    }
    const std::size_t slash = path.find('/');
    if (!matches_pattern(path.substr(0, slash), first)) return false;
    if (slash == npos || cut == npos) return slash == npos && cut == npos;
    return matches_path(path.substr(slash + 1), others, depth + 1);
}

}  // namespace

std::optional<Trouble> GitIgnore::add(const std::string& folder, std::string_view text) {
    for (std::string_view line : lines_of(text)) {
        while (!line.empty() && (line.back() == ' ' || line.back() == '\t')) line.remove_suffix(1);
        if (line.empty() || line.front() == '#') continue;
        Rule rule;
        rule.folder = folder;
        rule.negated = line.front() == '!';
        if (rule.negated || line.front() == '\\') line.remove_prefix(1);
        rule.folders_only = !line.empty() && line.back() == '/';
        if (rule.folders_only) line.remove_suffix(1);
        rule.anchored = line.find('/') != npos;
        if (!line.empty() && line.front() == '/') line.remove_prefix(1);
        rule.pattern = line;
        if (rule.pattern.empty()) continue;
        if (auto trouble = k_most_ignored.trouble_beyond(m_rules.size() + 1, join_path(folder, ".gitignore")))
            return trouble;
        m_rules.push_back(std::move(rule));
    }
    return std::nullopt;
}

bool GitIgnore::excludes(const std::string& path, bool is_folder) const {
    const std::string name = file_name(path);
    for (auto rule = m_rules.rbegin(); rule != m_rules.rend(); ++rule) {
        if (rule->folders_only && !is_folder) continue;
        std::string_view below = path;
        if (!rule->folder.empty()) below.remove_prefix(std::min(rule->folder.size() + 1, below.size()));
        if (rule->anchored ? matches_path(below, rule->pattern) : matches_pattern(name, rule->pattern))
            return !rule->negated;
    }
    return false;
}

}  // namespace ptxguard::recipes
