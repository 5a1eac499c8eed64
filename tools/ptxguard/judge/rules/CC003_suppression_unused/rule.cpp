// CC003 suppression_unused: only apply_suppressions has all findings; its cases run with all other rules.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "judge/after_rules.hpp"
#include "judge/rule.hpp"
#include "model/covered_lines.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"

namespace ptxguard {
namespace {

bool names(const Suppression& suppression, const Finding& finding) {
    if (suppression.covers && !(finding.location && suppression.covers(*finding.location))) return false;
    return suppression.code == finding.code || suppression.code == finding.name;
}

const Rule* rule_named(const std::vector<Rule>& table, const std::string& word) {
    return first_where(table, [&](const Rule& rule) { return word == rule.code || word == rule.name; });
}

// A mistyped rule name, or a code in lower case. Codes are too similar to suggest one by edit distance.
std::string meant(const std::vector<Rule>& table, const std::string& word) {
    const std::string code = upper(word);
    std::vector<std::string> names_of_rules;
    for (const Rule& rule : table) {
        if (code == rule.code) return rule.code;
        names_of_rules.push_back(rule.name);
    }
    return nearest_word(word, names_of_rules);
}

Finding unused(const std::vector<Rule>& table, const Suppression& suppression) {
    Finding finding;
    finding.code = "CC003";
    finding.name = "suppression_unused";
    finding.level = Level::warning;
    finding.subject = suppression.code;
    if (suppression.covers) finding.subject += SAY(" in {}", suppression.origin.path);
    finding.found = {{"suppression", SAY("{}={}", suppression.code, suppression.reason), suppression.origin}};
    if (!suppression.origin.path.empty())
        finding.location =
            Location{suppression.origin.path, suppression.origin.line, suppression.origin.column};
    if (!suppression.invalid.empty()) {
        const std::string what =
            suppression.code.empty() ? "this comment" : SAY("the suppression of {}", suppression.code);
        finding.subject =
            suppression.code.empty() ? SAY("comment in {}", suppression.origin.path) : finding.subject;
        finding.message = SAY("{} has no effect: {}", what, suppression.invalid);
        finding.found = {
            {"comment", suppression.code.empty() ? "ptxguard" : suppression.code, suppression.origin}};
        finding.expected = {{"comment", "# ptxguard: ignore=CODE reason", {}}};
        finding.because = "the findings that it is about are still reported";
        finding.fix = {by_hand(suppression.code.empty()
                                   ? "# ptxguard: ignore=CC603 why this is right here"
                                   : SAY("# ptxguard: ignore={} why this is right here", suppression.code))};
        return finding;
    }
    if (rule_named(table, suppression.code)) {
        finding.message = SAY("suppression of {} matches no finding", suppression.code);
        finding.expected = {{SAY("findings of {}", suppression.code), "at least 1", {}}};
        finding.because = "it suppresses nothing now, and would hide the next finding of this kind";
        finding.fix = {{FixKind::edit, SAY("remove the suppression {}", suppression.code)}};
        return finding;
    }
    const std::string nearest = meant(table, suppression.code);
    finding.message = nearest.empty() ? SAY("unknown rule {} in a suppression", suppression.code)
                                      : SAY("unknown rule {} in a suppression, did you mean '{}'?",
                                            suppression.code, nearest);
    finding.expected = {{"code or name of a rule", nearest.empty() ? "CCnnn" : nearest, {}}};
    finding.because = "this version has no rule with that code or name, so the suppression has no effect";
    if (nearest.empty())
        finding.fix = {{FixKind::edit, SAY("remove the suppression {}", suppression.code)}};
    else
        finding.fix = {{FixKind::edit, SAY("{}={}", nearest, suppression.reason)}};
    return finding;
}

// The findings of each rule in each file by line: a file may have thousands of comments that suppress, and
// as many findings.
class FindingsByLine {
public:
    FindingsByLine(std::vector<Finding>& findings, std::size_t first) {
        for (std::size_t i = first; i < findings.size(); ++i) {
            if (!findings[i].location) continue;
            const Location& at = *findings[i].location;
            for (const std::string& word : {findings[i].code, findings[i].name})
                m_lists[{at.file, word}].entries.push_back({at.line, &findings[i]});
        }
        for (auto& [key, list] : m_lists) {
            std::stable_sort(list.entries.begin(), list.entries.end(),
                             [](const Entry& a, const Entry& b) { return a.line < b.line; });
            for (std::size_t i = 0; i <= list.entries.size(); ++i) list.open.push_back(i);
        }
    }

    bool silence(const Suppression& suppression, const CoveredLines& lines) {
        const auto found = m_lists.find({lines.file, suppression.code});
        if (found == m_lists.end()) return false;
        List& list = found->second;
        const auto begin = std::lower_bound(list.entries.begin(), list.entries.end(), lines.first,
                                            [](const Entry& one, int line) { return one.line < line; });
        if (begin == list.entries.end() || begin->line > lines.last) return false;
        for (std::size_t i = list.next(static_cast<std::size_t>(begin - list.entries.begin()));
             i < list.entries.size() && list.entries[i].line <= lines.last; i = list.next(i)) {
            Finding& finding = *list.entries[i].finding;
            if (!finding.suppressed) finding.suppressed = suppression.reason;
            list.open[i] = i + 1;
        }
        return true;
    }

private:
    struct Entry {
        int line;
        Finding* finding;
    };
    struct List {
        std::vector<Entry> entries;     // ascending
        std::vector<std::size_t> open;  // from each entry a step towards the next one that is not suppressed
        std::size_t next(std::size_t i) {
            std::size_t end = i;
            while (open[end] != end) end = open[end];
            while (open[i] != end && i != end) i = std::exchange(open[i], end);
            return end;
        }
    };
    std::map<std::pair<std::string, std::string>, List> m_lists;  // by file and by code or name
};

// One configuration serves many runs: other files may have the problem although this one does not, and a
// machine never has a problem that only files can have.
bool may_serve_elsewhere(const std::vector<Rule>& table, const Suppression& suppression, bool of_files,
                         const std::set<std::string>& elsewhere) {
    const Rule* rule = rule_named(table, suppression.code);
    // A comment in a recipe applies to that file; the configuration applies to all.
    const bool comment = suppression.covers && suppression.origin.certainty == Certainty::read;
    return rule && !comment && (of_files || rule->files_only || elsewhere.count(rule->code) != 0);
}

bool is_for_unused(const Suppression& suppression) {
    return suppression.code == "CC003" || suppression.code == "suppression_unused";
}

}  // namespace

bool silence(const Suppression& suppression, std::vector<Finding>& findings, std::size_t first) {
    bool matched = false;
    for (std::size_t i = first; i < findings.size(); ++i) {
        if (!names(suppression, findings[i])) continue;
        matched = true;
        if (!findings[i].suppressed) findings[i].suppressed = suppression.reason;
    }
    return matched;
}

void apply_suppressions(const std::vector<Rule>& table, const std::vector<Suppression>& suppressions,
                        bool of_files, const std::set<std::string>& elsewhere,
                        std::vector<Finding>& findings) {
    const std::size_t from_rules = findings.size();
    std::vector<Finding> useless;
    std::optional<FindingsByLine> by_line;
    const auto has_effect = [&](const Suppression& suppression, std::size_t first) {
        if (!suppression.invalid.empty()) return false;
        const auto* lines = suppression.covers.target<CoveredLines>();
        if (!lines) return silence(suppression, findings, first);
        if (!by_line) by_line.emplace(findings, first);
        return by_line->silence(suppression, *lines);
    };
    for (const Suppression& suppression : suppressions)
        if (!is_for_unused(suppression) && !has_effect(suppression, 0) &&
            !may_serve_elsewhere(table, suppression, of_files, elsewhere))
            useless.push_back(unused(table, suppression));
    by_line.reset();
    append(findings, useless);
    // A suppression of CC003 itself can only be checked after all others.
    std::vector<Finding> also_useless;
    for (const Suppression& suppression : suppressions)
        if (is_for_unused(suppression) && !has_effect(suppression, from_rules) && !of_files)
            also_useless.push_back(unused(table, suppression));
    append(findings, also_useless);
}

PTXGUARD_RULE(CC003) {}

}  // namespace ptxguard
