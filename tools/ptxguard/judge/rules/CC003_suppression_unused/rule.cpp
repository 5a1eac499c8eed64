// CC003 suppression_unused: only apply_suppressions has all findings; its cases run with all other rules.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "judge/after_rules.hpp"
#include "judge/rule.hpp"
#include "model/covered_lines.hpp"

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

Composed add_unused(const Suppression& suppression, std::string subject, std::string message,
                    Findings& findings) {
    const Composed finding = add(findings, "CC003", Level::warning, std::move(subject), std::move(message));
    finding->name = "suppression_unused";
    if (!suppression.origin.path.empty()) finding.at(suppression.origin);
    return finding;
}

void add_invalid(const Suppression& suppression, const std::string& subject, Findings& findings) {
    const std::string& code = suppression.code;
    add_unused(suppression, code.empty() ? SAY("comment in {}", suppression.origin.path) : subject,
               code.empty() ? SAY("this comment has no effect: {}", suppression.invalid)
                            : SAY("the suppression of {} has no effect: {}", code, suppression.invalid),
               findings)
        .found("comment", code.empty() ? "ptxguard" : code, suppression.origin)
        .expected("comment", "# ptxguard: ignore=CODE reason", {})
        .because("the findings that it is about are still reported")
        .by_hand(code.empty() ? "# ptxguard: ignore=CC603 why this is right here"
                              : SAY("# ptxguard: ignore={} why this is right here", code));
}

void add_unused(const std::vector<Rule>& table, const Suppression& suppression, Findings& findings) {
    const std::string& code = suppression.code;
    const std::string subject = suppression.covers ? SAY("{} in {}", code, suppression.origin.path) : code;
    if (!suppression.invalid.empty()) return add_invalid(suppression, subject, findings);
    const Evidence here{"suppression", SAY("{}={}", code, suppression.reason), suppression.origin};
    const Fix removal{FixKind::edit, SAY("remove the suppression {}", code)};
    if (rule_named(table, code)) {
        add_unused(suppression, subject, SAY("suppression of {} matches no finding", code), findings)
            .found(here)
            .expected(SAY("findings of {}", code), "at least 1", {})
            .because("it suppresses nothing now, and would hide the next finding of this kind")
            .fix(removal);
        return;
    }
    const std::string nearest = meant(table, code);
    add_unused(suppression, subject,
               nearest.empty() ? SAY("unknown rule {} in a suppression", code)
                               : SAY("unknown rule {} in a suppression, did you mean '{}'?", code, nearest),
               findings)
        .found(here)
        .expected("code or name of a rule", nearest.empty() ? "CCnnn" : nearest, {})
        .because("this version has no rule with that code or name, so the suppression has no effect")
        .fix(nearest.empty() ? removal : Fix{FixKind::edit, SAY("{}={}", nearest, suppression.reason)});
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
            add_unused(table, suppression, useless);
    by_line.reset();
    append(findings, useless);
    // A suppression of CC003 itself can only be checked after all others.
    std::vector<Finding> also_useless;
    for (const Suppression& suppression : suppressions)
        if (is_for_unused(suppression) && !has_effect(suppression, from_rules) && !of_files)
            add_unused(table, suppression, also_useless);
    append(findings, also_useless);
}

PTXGUARD_RULE(CC003) {}

}  // namespace ptxguard
