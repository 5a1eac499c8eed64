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

class Fixer {
public:
    explicit Fixer(const Trials& trials) : m_by(trials) {}

    FixedTexts fixed() {
        for (int round = 0; round < k_rounds; ++round) {
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
    };
    using Changes = std::vector<Changed>;
    using Change = Changes::const_iterator;

    Changes changes_of(const Linting& linting, const std::vector<Finding>& findings) const {
        // Read once: the files may change meanwhile.
        std::map<std::string, std::optional<TextWithLines>> texts;
        std::map<std::string, std::vector<Rewrite>> rewrites;
        for (const Finding& finding : findings) {
            if (!finding.location) continue;
            const std::string& file = finding.location->file;
            const auto [known, fresh] = texts.try_emplace(file);
            if (fresh)
                if (auto text = linting.text(file)) known->second.emplace(std::move(*text));
            const auto one = known->second ? rewrite_of(finding, *known->second) : std::nullopt;
            if (one && m_by.may_change(file)) rewrites[file].push_back(*one);
        }
        Changes changes;
        for (const auto& [file, all] : rewrites) {
            const std::string& old = texts.at(file)->text;
            std::string text = rewritten(old, all);
            if (text != old) changes.push_back({file, old, std::move(text)});
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
            for (Change one = begin; one != end; ++one) m_fixed.before.try_emplace(one->file, one->before);
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

}  // namespace ptxguard
