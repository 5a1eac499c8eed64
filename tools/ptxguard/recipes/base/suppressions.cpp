// SPDX-License-Identifier: Apache-2.0
#include "recipes/base/suppressions.hpp"

#include <optional>

#include "formats/text_lines.hpp"
#include "host/paths.hpp"
#include "model/covered_lines.hpp"
#include "model/text.hpp"

namespace ptxguard::recipes {
namespace {

constexpr std::string_view k_name = "ptxguard";
constexpr const char* k_how = "write '# ptxguard: ignore=CODE reason'";
constexpr Limit k_most_suppressions{10000, "comments that ignore findings", "later ones"};
constexpr std::size_t k_longest_reason = 1000;  // that is shown; each code of the comment has a copy

bool begins_comment(std::string_view line) {
    line = trimmed(line);
    return !line.empty() && (line[0] == '#' || line.substr(0, 2) == "//" || line.substr(0, 2) == "{#");
}

// The offset of the comment that contains `mark`; npos = none.
std::size_t comment_before(std::string_view line, std::size_t mark) {
    const std::string_view before = trimmed(line.substr(0, mark));
    if (before.empty()) return npos;
    const bool slashes = before.size() > 1 && before.substr(before.size() - 2) == "//";
    if (!slashes && before.back() != '#') return npos;
    return static_cast<std::size_t>(before.data() - line.data()) + before.size() - (slashes ? 2 : 1);
}

bool goes_on(std::string_view line) {
    line = trimmed(line);
    return !line.empty() && (line.back() == '\\' || line.back() == '`');
}

// To which lines comments apply. Lines count from 0.
class Covered {
public:
    explicit Covered(const std::vector<std::string_view>& lines)
        : m_code(lines.size() + 1, lines.size()), m_end(lines.size() + 1, lines.size()) {
        for (std::size_t i = lines.size(); i-- > 0;) {
            const bool comment = begins_comment(lines[i]);
            m_code[i] = comment || trimmed(lines[i]).empty() ? m_code[i + 1] : i;
            m_end[i] = i + 1 < lines.size() && (comment || goes_on(lines[i])) ? m_end[i + 1] : i;
        }
    }
    // `alone`: on a separate line.
    CoveredLines by(const std::string& file, std::size_t comment, bool alone) const {
        const std::size_t first = alone ? m_code[comment] : comment;
        const std::size_t last = alone ? m_end[first] : first;
        return {file, static_cast<int>(first) + 1, static_cast<int>(last) + 1};
    }

private:
    std::vector<std::size_t> m_code;  // the next line that is not a comment
    std::vector<std::size_t> m_end;   // the last continuation
};

// A comment that starts with our name.
struct Directive {
    std::size_t comment = 0;  // offset in its line
    std::string_view said;    // after the name and its colon
    bool exact = false;       // "ptxguard:", as it has to be written
};

std::optional<Directive> directive_in(std::string_view line) {
    if (line.find_first_of("#/") == npos) return std::nullopt;
    const std::size_t mark = lower(line).find(k_name);
    const std::size_t comment = mark == npos ? npos : comment_before(line, mark);
    if (comment == npos) return std::nullopt;
    const std::string_view after = line.substr(mark + k_name.size());
    const bool colon = after.substr(0, 1) == ":";
    const std::string_view said = after.substr(std::min(after.find_first_not_of(": \t-="), after.size()));
    return Directive{comment, trimmed(said), colon && line.substr(mark, k_name.size()) == k_name};
}

// Whether somebody wants to suppress a finding, in the words of any linter.
bool wants_to_suppress(std::string_view said) {
    const std::string text = lower(said.substr(0, 10));
    for (const char* word : {"ignore", "disable", "noqa", "nolint", "skip", "suppress", "allow"})
        if (starts_with(text, word)) return true;
    return false;
}

// "CC602,CC603 reason"
struct IgnoredRules {
    std::vector<std::string> codes;
    std::string_view reason;
};
IgnoredRules ignored_rules(std::string_view said) {
    const std::size_t blank = std::min(said.find_first_of(" \t"), said.size());
    return {split(said.substr(0, blank), ","), trimmed(said.substr(blank)).substr(0, k_longest_reason)};
}

}  // namespace

std::vector<Suppression> read_suppressions(const std::string& file, std::string_view text,
                                           Problems& problems) {
    std::vector<Suppression> all;
    if (lower(text).find(k_name) == npos) return all;
    const std::vector<std::string_view> lines = lines_of(text);
    std::optional<Covered> covered;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const auto directive = directive_in(lines[i]);
        if (!directive || !wants_to_suppress(directive->said)) continue;
        Origin origin = Origin::from_file(file, static_cast<int>(i) + 1);
        origin.column = static_cast<int>(directive->comment) + 1;
        if (!covered) covered.emplace(lines);
        const bool alone = trimmed(lines[i].substr(0, directive->comment)).empty();
        const CoveredLines where = covered->by(file, i, alone);
        const bool parses = directive->exact && starts_with(directive->said, "ignore=");
        const IgnoredRules parts = parses ? ignored_rules(directive->said.substr(7)) : IgnoredRules();
        const auto add = [&](const std::string& code, const std::string& invalid) {
            if (problems.exceeds(k_most_suppressions, all.size() + 1,
                                 Written{"", file, origin.line, origin.column}))
                return false;
            all.push_back({code, std::string(parts.reason), origin, where, invalid});
            return true;
        };
        if (parts.codes.empty() && !add("", k_how)) return all;
        for (const std::string& code : parts.codes)
            if (!add(code, parts.reason.empty() ? "it has no reason" : "")) return all;
    }
    return all;
}

}  // namespace ptxguard::recipes
