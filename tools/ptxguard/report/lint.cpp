// The findings of `lint` as compilers print them: one line that editors and problem matchers read, the source
// line with the place marked, then why, the fix, and where the other values are.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "model/ranges.hpp"
#include "model/text.hpp"
#include "model/visible.hpp"
#include "report/findings.hpp"
#include "report/table.hpp"

namespace ptxguard {
namespace {

constexpr std::size_t k_gutter = 5;   // of line numbers
constexpr std::size_t k_before = 20;  // characters of a cut line that stay before the place

std::vector<std::string_view> letters_of(std::string_view line) {
    std::vector<std::string_view> letters;
    for (std::size_t at = 0; at < line.size(); at += letters.back().size())
        letters.push_back(line.substr(at, std::max<std::size_t>(letter_at(line, at).bytes, 1)));
    return letters;
}

// A tab is one blank, so that the mark below is at the right column.
std::string shown_letter(std::string_view letter) { return letter == "\t" ? " " : visible(letter); }

std::size_t letters_in(const std::string& shown) { return letters_of(shown).size(); }

// Whether a word of a recipe ends before this letter.
bool ends_word(std::string_view letter) {
    return letter.size() == 1 && std::string_view(" \t\r\n\"'`,;()[]{}").find(letter) != npos;
}

class LintText {
public:
    LintText(const Report& report, const ReportOptions& options) : m_report(report), m_options(options) {}

    std::string text() {
        for (const Group& group : groups()) add(group);
        for (const Finding& finding : m_report.judgement.findings)
            if (finding.suppressed && !m_options.quiet) add_suppressed(finding);
        return m_text;
    }

private:
    using Group = std::vector<const Finding*>;

    // Findings of one cause: the same sentence at several places, or several sentences at one place.
    std::vector<Group> groups() const {
        std::vector<Group> all;
        std::map<std::string, std::size_t> first;  // by cause with the sentence, and with the place
        for (const Finding* finding : shown(m_report, m_options)) {
            const bool alone = m_options.quiet || finding->caused_by;
            std::size_t at = all.size();
            const std::vector<std::string> keys = alone ? std::vector<std::string>() : keys_of(*finding);
            for (const std::string& key : keys)
                if (const auto known = first.find(key); known != first.end())
                    at = std::min(at, known->second);
            if (at == all.size()) {
                all.emplace_back();
                for (const std::string& key : keys) first.emplace(key, at);
            }
            all[at].push_back(finding);
        }
        return all;
    }

    static std::vector<std::string> keys_of(const Finding& finding) {
        const std::string end(1, '\0');
        std::vector<std::string> words = {finding.code, to_string(finding.level), finding.because};
        for (const Fix& fix : finding.fix) words.push_back(fix.text);
        words.emplace_back("to check");
        append(words, finding.decide);
        const std::string cause = joined(words, end) + end;
        std::vector<std::string> keys = {cause + finding.message};
        if (const auto& at = finding.location)
            keys.push_back(cause + end + at->file + ":" + std::to_string(at->line) + ":" +
                           std::to_string(at->column));
        return keys;
    }

    std::string colored(const char* color, const std::string& text) const {
        return m_options.color ? color + text + "\x1b[0m" : text;
    }

    // "  7 | text" or "    | ^~~~"; the number is blank where the line is no source line.
    void add_beside(const std::string& number, const std::string& text) {
        std::string line = std::string(k_gutter - std::min(k_gutter, number.size()), ' ') + number + " |";
        m_text += colored("\x1b[34m", line) + (text.empty() ? "" : " " + text) + "\n";
    }

    void add_note(const std::string& label, const std::string& text, bool whole) {
        const std::string before = std::string(k_gutter + 1, ' ') + "= " + label + ": ";
        m_text += folded_line(before + visible(text), k_gutter + 3, whole ? 0 : m_options.width) + "\n";
    }

    // Characters from the place to the end of its word.
    std::size_t marked(const Finding& finding, const std::vector<std::string_view>& letters,
                       std::size_t begin) const {
        const Location& at = *finding.location;
        if (is_fixable(finding)) {
            const Edit& edit = *edit_of(finding);
            if (edit.at.file == at.file && edit.at.line == at.line && edit.end_column > at.column)
                return static_cast<std::size_t>(edit.end_column - at.column);
        }
        std::size_t end = begin + 1;
        while (end < letters.size() && !ends_word(letters[end])) ++end;
        return end - begin;
    }

    void add_source(const Finding& finding) {
        const Location& at = *finding.location;
        const std::string line = at.line && m_report.source_line ? m_report.source_line(at) : "";
        if (trim(line).empty()) return;
        const std::vector<std::string_view> letters = letters_of(line);
        const auto begin = static_cast<std::size_t>(std::max(at.column, 1) - 1);
        std::string text, mark;
        const std::size_t room = m_options.width < 40 ? letters.size() + 1 : m_options.width - k_gutter - 9;
        const bool cut = letters.size() > room && begin > k_before;
        if (cut) text = mark = "...";
        std::fill(mark.begin(), mark.end(), ' ');
        const std::size_t end = at.column > 0 ? begin + marked(finding, letters, begin) : begin;
        for (std::size_t i = cut ? begin - k_before : 0; i < letters.size(); ++i) {
            const std::string one = shown_letter(letters[i]);
            if (letters_in(text) + letters_in(one) > room) {
                text += "...";
                break;
            }
            text += one;
            if (i < end) mark.append(letters_in(one), i < begin ? ' ' : "~^"[i == begin]);
        }
        add_beside(std::to_string(at.line), text);
        if (at.column > 0 && begin < letters.size()) add_beside("", colored("\x1b[1;32m", mark));
    }

    void add_head(const Finding& finding) {
        std::string head = compiler_line(finding);
        const std::string level = std::string(": ") + to_string(finding.level) + ": ";
        const std::size_t at = head.find(level);
        if (m_options.color && at != npos) {
            const char* color = finding.level == Level::error     ? "\x1b[1;31m"
                                : finding.level == Level::warning ? "\x1b[1;33m"
                                                                  : "\x1b[1;36m";
            head = colored("\x1b[1m", head.substr(0, at)) + ": " +
                   colored(color, level.substr(2, level.size() - 4)) + head.substr(at + level.size() - 2);
        }
        m_text += head + "\n";
    }

    // Where it was found, if its place does not say that: the row of a job's matrix, the recipe that installs
    // what another file names.
    void add_context(const Finding& finding) {
        const RecipePlace& place = finding.place;
        if (!place.pass.empty()) add_note("for", place.pass, false);
        bool named = finding.location->file == place.file;
        for (const auto* side : {&finding.found, &finding.expected})
            for (const Evidence& one : *side) named = named || one.origin.path == place.file;
        if (!named && !place.file.empty())
            add_note("in", place.file + (place.stage.empty() ? "" : ", " + place.stage_and_row()), false);
        else if (!place.row.empty())
            add_note("in", place.stage + ", for example " + place.row, false);
    }

    // What is said about a place: "torch 2.4.0".
    using Said = std::map<std::string, std::vector<std::string>>;

    // "torch==2.5.1" of "torch", "TensorFlow 2.5.3" of "tensorflow".
    static bool begins_with_word(const std::string& value, const std::string& word) {
        return starts_with(lower(value), lower(word)) && value.find_first_of(" =<>~!") == word.size();
    }

    // The values at other places, without a source line.
    void add_places(const Finding& finding, Said& said) {
        for (const auto* side : {&finding.found, &finding.expected})
            for (const Evidence& one : *side) {
                const Origin& origin = one.origin;
                const Location& at = *finding.location;
                if (origin.kind != OriginKind::file || origin.line == 0 ||
                    (origin.path == at.file && origin.line == at.line))
                    continue;
                const bool says = one.what.empty() || begins_with_word(one.value, one.what);
                const std::string place = origin.path + ":" + std::to_string(origin.line) + ": note: ";
                const std::string text = (says ? "" : one.what + " ") + one.value;
                // "pip torch==2.4.0" and "torch 2.4.0" of one line are the same.
                const std::string words = " " + lower(replace_all(one.value, "==", " "));
                std::vector<std::string>& before = said[place];
                if (any_of(before, [&](const std::string& other) { return ends_with(other, words); }))
                    continue;
                before.push_back(" " + lower(replace_all(text, "==", " ")));
                m_text += visible(place + text) + "\n";
            }
    }

    void add(const Group& group) {
        const Finding& finding = *group.front();
        if (!m_text.empty() && !m_options.quiet) m_text += "\n";
        for (const Finding* one : group) add_head(*one);
        if (m_options.quiet) return;
        if (finding.location) add_source(finding);
        if (!finding.because.empty()) add_note("note", finding.because, false);
        for (std::size_t i = 0; i < finding.fix.size(); ++i) {
            const Fix& fix = finding.fix[i];
            add_note(i ? "or" : "fix", fix.text, fix.kind != FixKind::manual);
        }
        for (const std::string& decide : finding.decide) add_note("to check", decide, false);
        const std::string follows = also("", finding, m_report);
        if (!follows.empty()) add_note("also", follows, false);
        if (!finding.location) return;
        add_context(finding);
        Said said;
        for (const Finding* one : group) add_places(*one, said);
    }

    void add_suppressed(const Finding& finding) {
        if (!m_text.empty()) m_text += "\n";
        Finding plain = finding;
        plain.level = Level::note;  // editors and problem matchers would mark an error
        plain.message += ", ignored: " + *finding.suppressed;
        m_text += compiler_line(plain) + "\n";
    }

    const Report& m_report;
    const ReportOptions& m_options;
    std::string m_text;
};

std::string counted(std::size_t count, const char* one) {
    return std::to_string(count) + " " + one + (count == 1 ? "" : "s");
}

// "fixed 2; 7 errors, 1 warning; 1 fixable with --fix"
std::string summary(const Report& report, const ReportOptions& options) {
    const std::vector<Finding>& all = report.judgement.findings;
    std::size_t fixable = 0;
    int following = 0, ignored = 0;
    Counts counts;
    for (const Finding& one : all) {
        fixable += is_fixable(one) ? 1 : 0;
        if (one.suppressed)
            ++ignored;
        else if (one.caused_by)
            ++following;
        else
            ++(one.level == Level::error     ? counts.error
               : one.level == Level::warning ? counts.warning
               : one.level == Level::note    ? counts.note
                                             : counts.unknown);
    }
    std::string text = report.fixed ? "fixed " + std::to_string(report.fixed) + "; " : "";
    if (!all.empty())
        text += counts_text(counts, following, ignored);
    else if (report.files_read == 0)
        text += "not checked: no Dockerfile, requirements file or other recipe found";
    else
        text += "no problems in " + counted(report.files_read, "file");
    if (fixable) text += "; " + std::to_string(fixable) + " fixable with --fix";
    if (!options.color) return text;
    const char* color = report.judgement.verdict == Verdict::fail ? "\x1b[1;31m"
                        : all.empty()                             ? "\x1b[1;32m"
                                                                  : "\x1b[1m";
    return color + text + "\x1b[0m";
}

}  // namespace

std::string lint_text(const Report& report, const ReportOptions& options) {
    const std::string findings = LintText(report, options).text();
    return findings + (findings.empty() || options.quiet ? "" : "\n") + summary(report, options) + "\n";
}

}  // namespace ptxguard
