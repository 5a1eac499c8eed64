// SPDX-License-Identifier: Apache-2.0
#include "commands/lint_fix.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "formats/text_lines.hpp"
#include "model/text.hpp"
#include "model/visible.hpp"

namespace ptxguard {
namespace {

std::size_t name_length(std::string_view text) {
    std::size_t i = 0;
    while (i < text.size() && is_word_character(text[i], "-_.")) ++i;
    return i;
}

// "torch", "==" and "2.5.1" of "torch[opt]==2.5.1".
struct Pin {
    std::string name, op, version;
    std::size_t value_at = 0;  // offset of the version
    std::size_t end = 0;
};
std::optional<Pin> pin_at(std::string_view text) {
    Pin pin;
    std::size_t at = name_length(text);
    pin.name = lower(text.substr(0, at));
    std::replace(pin.name.begin(), pin.name.end(), '_', '-');
    if (text.substr(at, 1) == "[") at = std::min(text.find(']', at), text.size() - 1) + 1;
    const std::size_t op_at = at;
    while (at < text.size() && text[at] == '=') ++at;
    pin.op = text.substr(op_at, at - op_at);
    pin.value_at = at;
    while (at < text.size() && std::string_view(" \t\r\n\"'`,;#)]\\").find(text[at]) == npos) ++at;
    pin.end = at;
    pin.version = text.substr(pin.value_at, at - pin.value_at);
    const bool range = text.substr(at, 1) == ",";
    if (pin.name.empty() || pin.op.empty() || pin.op.size() > 2 || pin.version.empty() || range ||
        pin.version.find_first_of("$*{<>%") != npos)
        return std::nullopt;
    return pin;
}

// The line starts with FROM, and the place is that of the image.
std::optional<Rewrite> image_rewrite(std::string_view line, std::size_t column, const std::string& by) {
    const std::size_t first = std::min(line.find_first_not_of(" \t"), line.size());
    if (lower(line.substr(first, 5)) != "from " || column <= first + 4 || column >= line.size())
        return std::nullopt;
    const std::size_t end = std::min(line.find_first_of(" \t\r", column), line.size());
    const std::string_view image = line.substr(column, end - column);
    if (image.empty() || image.find('$') != npos || line[column - 1] == '=') return std::nullopt;
    return Rewrite{column, end, by};
}

// As git and GNU patch write it: between quotes, with octal numbers for the bytes that may not leave
// (visible.hpp).
std::string diff_name(const std::string& file) {
    if (next_unsafe(file, 0).at == file.size() && !starts_with(file, "\"")) return file;
    std::string name = "\"";
    for (std::size_t at = 0; at < file.size();) {
        const Unsafe next = next_unsafe(file, at);
        for (; at < next.at; ++at) {
            if (file[at] == '"' || file[at] == '\\') name += '\\';
            name += file[at];
        }
        for (const std::size_t end = std::min(at + std::max<std::size_t>(next.letter.bytes, 1), file.size());
             at < end; ++at) {
            const auto byte = static_cast<unsigned char>(file[at]);
            name += '\\';
            for (int shift = 6; shift >= 0; shift -= 3) name += static_cast<char>('0' + (byte >> shift & 7));
        }
    }
    return name + "\"";
}

}  // namespace

TextWithLines::TextWithLines(std::string text_) : text(std::move(text_)) {
    starts.push_back(text.size() - without_mark(text).size());
    for (std::size_t at = text.find('\n', starts.front()); at != npos; at = text.find('\n', at + 1))
        starts.push_back(at + 1);
}

namespace {

std::optional<Rewrite> rewrite_at(const Location& at, const std::string& fix, const TextWithLines& lines) {
    const auto number = static_cast<std::size_t>(at.line);
    if (number > lines.starts.size()) return std::nullopt;
    const std::string& text = lines.text;
    const std::size_t start = lines.starts[number - 1];
    const std::string_view line = std::string_view(text).substr(start, text.find('\n', start) - start);
    std::size_t column = static_cast<std::size_t>(at.column - 1);
    if (column >= line.size()) return std::nullopt;
    std::optional<Rewrite> result;
    if (starts_with(fix, "FROM ")) {
        result = image_rewrite(line, column, fix.substr(5));
    } else {
        if (line[column] == '"' || line[column] == '\'') ++column;
        const auto now = pin_at(line.substr(column)), wanted = pin_at(fix);
        if (!now || !wanted || wanted->end != fix.size() || now->name != wanted->name ||
            now->op != wanted->op || now->version == wanted->version)
            return std::nullopt;
        result = Rewrite{column + now->value_at, column + now->end, wanted->version};
    }
    if (!result) return std::nullopt;
    result->at = {at.file, at.line, static_cast<int>(result->begin) + 1};
    result->begin += start;
    result->end += start;
    return result;
}

// The only one among commands for a shell. A fix in words is another repair, so there is a choice.
const Fix* only_edit(const Finding& finding) {
    const Fix* edit = nullptr;
    for (const Fix& fix : finding.fix) {
        if (fix.kind == FixKind::command) continue;
        if (fix.kind != FixKind::edit || edit) return nullptr;
        edit = &fix;
    }
    return edit;
}

std::vector<Location> places_of(const Finding& finding) {
    std::vector<Location> places;
    if (finding.location) places.push_back(*finding.location);
    for (const auto* side : {&finding.found, &finding.expected})
        for (const Evidence& one : *side)
            if (one.origin.kind == OriginKind::file)
                places.push_back({one.origin.path, one.origin.line, one.origin.column});
    return places;
}

std::vector<std::string> whole_lines(const std::string& text) {
    std::vector<std::string> lines;
    for (std::size_t at = 0; at < text.size(); at += lines.back().size())
        lines.push_back(text.substr(at, std::min(text.find('\n', at), text.size() - 1) + 1 - at));
    return lines;
}

}  // namespace

std::optional<Rewrite> rewrite_of(const Finding& finding, const TextOfFile& text_of) {
    const Fix* fix = finding.suppressed ? nullptr : only_edit(finding);
    if (!fix) return std::nullopt;
    std::optional<Rewrite> only;
    for (const Location& at : places_of(finding)) {
        const TextWithLines* text = at.line > 0 && at.column > 0 ? text_of(at.file) : nullptr;
        const auto one = text ? rewrite_at(at, fix->text, *text) : std::nullopt;
        if (!one) continue;
        if (only && (only->at.file != one->at.file || only->begin != one->begin)) return std::nullopt;
        only = one;
    }
    return only;
}

std::string rewritten(const std::string& text, std::vector<Rewrite> rewrites) {
    std::stable_sort(rewrites.begin(), rewrites.end(),
                     [](const Rewrite& a, const Rewrite& b) { return a.begin < b.begin; });
    std::string result;
    std::size_t done = 0;
    for (std::size_t i = 0; i < rewrites.size();) {
        std::size_t last = i;
        bool agree = true;
        while (last < rewrites.size() && rewrites[last].begin == rewrites[i].begin)
            agree = rewrites[last++].by == rewrites[i].by && agree;
        const Rewrite& one = rewrites[i];
        if (agree && one.begin >= done) {
            result += std::string_view(text).substr(done, one.begin - done);
            result += one.by;
            done = one.end;
        }
        i = last;
    }
    return result += std::string_view(text).substr(done);
}

std::string unified_diff(const std::string& file, const std::string& before, const std::string& after) {
    // A rewrite keeps the number of lines.
    const std::vector<std::string> old_lines = whole_lines(before), new_lines = whole_lines(after);
    std::string text = "--- " + diff_name(file) + "\n+++ " + diff_name(file) + "\n";
    const auto line = [&](char mark, const std::string& content) {
        text += mark + content;
        if (content.empty() || content.back() != '\n') text += "\n\\ No newline at end of file\n";
    };
    constexpr std::size_t k_around = 3;
    for (std::size_t i = 0; i < old_lines.size();) {
        if (old_lines[i] == new_lines[i]) {
            ++i;
            continue;
        }
        std::size_t last = i;
        for (std::size_t k = i; k < old_lines.size() && k <= last + 2 * k_around; ++k)
            if (old_lines[k] != new_lines[k]) last = k;
        const std::size_t begin = i < k_around ? 0 : i - k_around;
        const std::size_t end = std::min(last + k_around + 1, old_lines.size());
        const std::string range = std::to_string(begin + 1) + "," + std::to_string(end - begin);
        text += "@@ -" + range + " +" + range + " @@\n";
        for (std::size_t k = begin; k < end;) {
            std::size_t run = k;
            while (run < end && old_lines[run] != new_lines[run]) ++run;
            for (std::size_t m = k; m < run; ++m) line('-', old_lines[m]);
            for (std::size_t m = k; m < run; ++m) line('+', new_lines[m]);
            if (run < end) line(' ', old_lines[run]);
            k = run + 1;
        }
        i = end;
    }
    return text;
}

// Every trial reads and judges all recipes, so there is one for all files at once. Only if they do harm
// together, the harmful ones are looked for by halves.

namespace {

constexpr int k_rounds = 5;        // a fix may uncover another one
constexpr int k_most_trials = 50;  // then the findings of the other fixes stay

// Read once: the files may change meanwhile.
class TextsOnce {
public:
    explicit TextsOnce(const Linting& linting) : m_linting(linting) {}
    const TextWithLines* text_of(const std::string& file) {
        const auto [known, fresh] = m_texts.try_emplace(file);
        if (fresh)
            if (auto text = m_linting.text(file)) known->second.emplace(std::move(*text));
        return known->second ? &*known->second : nullptr;
    }
    std::optional<Rewrite> rewrite(const Finding& finding) {
        return rewrite_of(finding, [&](const std::string& file) { return text_of(file); });
    }

private:
    const Linting& m_linting;
    std::map<std::string, std::optional<TextWithLines>> m_texts;
};

class Fixer {
public:
    explicit Fixer(const Trials& trials) : m_by(trials) {}

    FixedTexts fixed(int rounds = k_rounds) {
        for (int round = 0; round < rounds; ++round) {
            Linting linting = m_by.read(m_fixed.after);
            const Judgement before = m_by.judged(linting);
            m_before = before.counts;
            const Changes changes = changes_of(linting, before.findings);
            if (!apply(changes.begin(), changes.end())) break;
        }
        return std::move(m_fixed);
    }

private:
    struct Changed {
        std::string file, before, after;
        std::size_t findings = 0;
    };
    using Changes = std::vector<Changed>;
    using Change = Changes::const_iterator;

    Changes changes_of(const Linting& linting, const std::vector<Finding>& findings) const {
        TextsOnce texts(linting);
        std::map<std::string, std::vector<Rewrite>> rewrites;
        for (const Finding& finding : findings) {
            const auto one = texts.rewrite(finding);
            if (one && m_by.may_change(one->at.file)) rewrites[one->at.file].push_back(*one);
        }
        Changes changes;
        for (const auto& [file, all] : rewrites) {
            const std::string& old = texts.text_of(file)->text;
            std::string text = rewritten(old, all);
            if (text != old) changes.push_back({file, old, std::move(text), all.size()});
        }
        return changes;
    }

    // Whether some of them are applied.
    bool apply(Change begin, Change end) {
        if (begin == end || ++m_trials > k_most_trials) return false;
        Texts tried = m_fixed.after;
        for (Change one = begin; one != end; ++one) tried[one->file] = one->after;
        Linting linting = m_by.read(tried);
        const Counts after = m_by.judged(linting).counts;
        if (after.error <= m_before.error &&
            after.error + after.warning <= m_before.error + m_before.warning) {
            m_fixed.after = std::move(tried);
            for (Change one = begin; one != end; ++one) {
                m_fixed.before.try_emplace(one->file, one->before);
                m_fixed.findings[one->file] += one->findings;
            }
            return true;
        }
        if (end - begin == 1) return false;
        const Change middle = begin + (end - begin) / 2;
        const bool first = apply(begin, middle);
        return apply(middle, end) || first;
    }

    const Trials& m_by;
    FixedTexts m_fixed;
    Counts m_before;
    int m_trials = 0;
};

}  // namespace

FixedTexts fixed_texts(const Trials& trials) { return Fixer(trials).fixed(); }

void add_edits(const Linting& linting, const Trials& trials, std::vector<Finding>& findings) {
    TextsOnce texts(linting);
    std::optional<Texts> changed;  // only if something can be
    for (Finding& finding : findings) {
        const auto one = texts.rewrite(finding);
        if (!one) continue;
        if (!changed) changed = Fixer(trials).fixed(1).after;
        if (changed->count(one->at.file) == 0) continue;
        const int length = static_cast<int>(one->end - one->begin);
        for (Fix& fix : finding.fix)
            if (fix.kind == FixKind::edit) fix.edit = Edit{one->at, one->at.column + length, one->by};
    }
}

}  // namespace ptxguard
