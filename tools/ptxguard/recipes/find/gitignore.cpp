// SPDX-License-Identifier: Apache-2.0
#include "recipes/find/gitignore.hpp"

#include "formats/text_lines.hpp"
#include "host/paths.hpp"
#include "host/questions.hpp"
#include "model/text.hpp"

namespace ptxguard::recipes {
namespace {

constexpr Limit k_most_ignored{20000, "rules of .gitignore", "later ones"};

// The component at the start of `path`, which is cut off with its "/". `last`: nothing follows it.
struct Component {
    std::string_view text;
    bool last = false;
};
Component take_component(std::string_view& path) {
    const std::size_t slash = path.find('/');
    const Component first{path.substr(0, slash), slash == npos};
    path.remove_prefix(first.last ? path.size() : slash + 1);
    return first;
}

// `text`: the path of an anchored rule, else the name.
std::string key_of(bool folders_only, bool anchored, const std::string& text) {
    return (folders_only ? "/" : "-") + ((anchored ? "/" : "-") + text);
}

}  // namespace

bool matches_path(std::string_view path, std::string_view pattern) {
    // As in matches_pattern(): only the last "**" is extended if the rest does not match.
    bool path_ends = false, pattern_ends = false, any = false;
    std::string_view rest_of_path, rest_of_pattern;  // where the last "**" is extended
    while (!path_ends) {
        std::string_view after = pattern;
        const Component wanted = pattern_ends ? Component{} : take_component(after);
        if (!pattern_ends && wanted.text == "**") {
            if (wanted.last) return true;
            any = true;
            rest_of_path = path;
            rest_of_pattern = pattern = after;
            continue;
        }
        std::string_view behind = path;
        const Component own = take_component(behind);
        if (!pattern_ends && matches_pattern(own.text, wanted.text)) {
            path = behind;
            pattern = after;
            path_ends = own.last;
            pattern_ends = wanted.last;
        } else if (any && !take_component(rest_of_path).last) {
            path = rest_of_path;
            pattern = rest_of_pattern;
            pattern_ends = false;
        } else {
            return false;
        }
    }
    return pattern_ends;
}

GitIgnore::Rule GitIgnore::rule_of(const std::string& folder, std::string_view line) {
    Rule rule;
    rule.folder = folder.empty() || folder.back() == '/' ? folder : folder + "/";
    rule.negated = starts_with(line, "!");
    if (rule.negated || starts_with(line, "\\")) line.remove_prefix(1);
    rule.folders_only = ends_with(line, "/");
    if (rule.folders_only) line.remove_suffix(1);
    rule.anchored = line.find('/') != npos;
    if (starts_with(line, "/")) line.remove_prefix(1);
    rule.pattern = line;
    return rule;
}

std::optional<Trouble> GitIgnore::add(const std::string& folder, std::string_view text) {
    for (std::string_view line : lines_of(text)) {
        line = line.substr(0, line.find_last_not_of(" \t") + 1);
        if (line.empty() || line.front() == '#') continue;
        Rule rule = rule_of(folder, line);
        if (rule.pattern.empty()) continue;
        if (auto trouble = k_most_ignored.trouble_beyond(m_rules.size() + 1, join_path(folder, ".gitignore")))
            return trouble;
        const std::string key = key_of(rule);
        (key.empty() ? m_patterns : m_names[key]).push_back(m_rules.size());
        m_rules.push_back(std::move(rule));
    }
    return std::nullopt;
}

void GitIgnore::resize(std::size_t size) {
    for (; m_rules.size() > size; m_rules.pop_back()) {
        const std::string key = key_of(m_rules.back());
        (key.empty() ? m_patterns : m_names[key]).pop_back();
    }
}

std::string GitIgnore::key_of(const Rule& rule) {
    if (rule.pattern.find_first_of("*?[") != npos) return "";
    return recipes::key_of(rule.folders_only, rule.anchored,
                           rule.anchored ? rule.folder + rule.pattern : rule.pattern);
}

bool GitIgnore::fits(const Rule& rule, const std::string& path, bool is_folder) const {
    if (rule.folders_only && !is_folder) return false;
    const auto below = std::string_view(path).substr(std::min(rule.folder.size(), path.size()));
    m_work += 1 + below.size() * rule.pattern.size() / 64;
    return rule.anchored ? matches_path(below, rule.pattern) : matches_pattern(file_name(path), rule.pattern);
}

bool GitIgnore::excludes(const std::string& path, bool is_folder) const {
    constexpr std::size_t none = static_cast<std::size_t>(-1);
    std::size_t last = none;  // the last rule that fits decides
    const std::string name = file_name(path);
    for (const bool folders_only : {false, true})
        for (const bool anchored : {false, true}) {
            if (folders_only && !is_folder) continue;
            const auto found = m_names.find(recipes::key_of(folders_only, anchored, anchored ? path : name));
            if (found == m_names.end() || found->second.empty()) continue;
            if (last == none || found->second.back() > last) last = found->second.back();
        }
    for (auto at = m_patterns.rbegin(); at != m_patterns.rend() && (last == none || *at > last); ++at)
        if (fits(m_rules[*at], path, is_folder)) return !m_rules[*at].negated;
    return last != none && !m_rules[last].negated;
}

}  // namespace ptxguard::recipes
