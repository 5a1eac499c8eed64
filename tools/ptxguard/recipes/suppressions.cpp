// SPDX-License-Identifier: Apache-2.0
#include "recipes/suppressions.hpp"

#include "formats/text_lines.hpp"
#include "host/paths.hpp"
#include "model/covered_lines.hpp"
#include "model/text.hpp"

namespace ptxguard::recipes {
namespace {

constexpr std::string_view k_mark = "ptxguard:";
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

}  // namespace

std::vector<Suppression> read_suppressions(const std::string& file, std::string_view text,
                                           Problems& problems) {
    std::vector<Suppression> all;
    if (text.find(k_mark) == npos) return all;
    const std::vector<std::string_view> lines = lines_of(text);
    const Covered covered(lines);
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const std::size_t mark = lines[i].find(k_mark);
        const std::size_t comment = mark == npos ? npos : comment_before(lines[i], mark);
        if (comment == npos) continue;
        const std::string_view said = trimmed(lines[i].substr(mark + k_mark.size()));
        if (said.substr(0, 7) != "ignore=") continue;
        const std::size_t blank = std::min(said.find_first_of(" \t"), said.size());
        const std::string_view reason = trimmed(said.substr(blank)).substr(0, k_longest_reason);
        const bool alone = trimmed(lines[i].substr(0, comment)).empty();
        const CoveredLines where = covered.by(file, i, alone);
        for (const std::string& code : split(said.substr(7, blank - 7), ",")) {
            Origin origin = Origin::from_file(file, static_cast<int>(i) + 1);
            origin.column = static_cast<int>(comment) + 1;
            if (reason.empty()) {
                Written at;
                at.file = file;
                at.line = origin.line;
                at.column = origin.column;
                problems.push_back({at, "ignores " + code + " without a reason, which has no effect"});
                continue;
            }
            if (problems.exceeds(k_most_suppressions, all.size() + 1,
                                 Written{"", file, origin.line, origin.column}))
                return all;
            Suppression one{code, std::string(reason), origin, {}};
            one.covers = where;
            all.push_back(std::move(one));
        }
    }
    return all;
}

}  // namespace ptxguard::recipes
