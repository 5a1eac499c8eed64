// Every trial reads and judges all recipes, so there is one for all files at once. Only if they do harm
// together, the harmful ones are looked for by halves.
// SPDX-License-Identifier: Apache-2.0
#include "commands/lint_trials.hpp"

#include <optional>
#include <utility>
#include <vector>

#include "commands/lint_fix.hpp"

namespace ptxguard {
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
                m_fixed.findings += one->findings;
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
