// SPDX-License-Identifier: Apache-2.0
#include "recipes/shell/shell_expand.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "model/text.hpp"
#include "recipes/shell/shell_parameter.hpp"
#include "recipes/shell/shell_pipeline.hpp"

namespace ptxguard::recipes {
namespace {

constexpr Limit k_most_fields{10000, "words from one expansion", "later words"};

bool blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// After the expansion at `at`, at most `end`. `read`: false if it is too deep.
std::size_t behind_expansion(const PlacedText& text, std::size_t at, std::size_t end, Problems& problems,
                             bool& read) {
    const Limit* reached = nullptr;
    const std::size_t behind = end_of_dollar(text.text, at, reached);
    read = !reached;
    if (reached) problems.push_back({text.written(at, ""), reached->why(), false, reached->text()});
    return std::min(behind, end);
}

class Expander {
public:
    Expander(const PlacedText& text, const Variables& variables, Problems& problems, const ExpandRules& rules)
        : m_text(text), m_variables(variables), m_problems(problems), m_rules(rules) {}

    std::vector<Written> run(Range range, bool quoted = false) {
        start(range.begin);
        walk(range.begin, range.end, quoted);
        finish();
        return std::move(m_fields);
    }

private:
    void start(std::size_t at) {
        m_field = m_text.written(at, "");
        m_started = false;
    }
    void finish() {
        if (m_started && !m_problems.exceeds(k_most_fields, m_fields.size() + 1, m_field))
            m_fields.push_back(m_field);
        m_started = false;
    }
    void add(std::string_view more) {
        if (m_problems.exceeds(k_longest_field, m_field.text.size() + more.size(), m_field))
            m_field.known = false;
        else
            m_field.text += more;
        m_started = true;
    }

    void walk(std::size_t at, std::size_t end, bool quoted) {
        const std::string& text = m_text.text;
        while (at < end) {
            const char c = text[at];
            if (c == m_rules.escape) {
                at = escape(at, end, quoted);
            } else if (c == '"' && !quoted) {
                at = quote(at, end);
            } else if (c == '\'' && !quoted) {
                const std::size_t close = std::min(text.find('\'', at + 1), end);
                add(std::string_view(text).substr(at + 1, close - at - 1));
                at = close + 1;
            } else if (c == '$') {
                at = dollar(at, end, quoted);
            } else if (c == '`' && m_rules.escape != '`') {
                at = backticks(at, end, quoted);
            } else {
                std::size_t stop = at + 1;
                while (stop < end && text[stop] != m_rules.escape && !std::strchr("\"'$`", text[stop]))
                    ++stop;
                add(std::string_view(text).substr(at, stop - at));
                at = stop;
            }
        }
    }

    std::size_t quote(std::size_t at, std::size_t end) {
        const std::size_t close = closing_quote(at, end);
        const bool started = std::exchange(m_started, true);
        m_no_words = false;
        walk(at + 1, close, true);
        // "$@" without arguments is no word.
        if (m_no_words && !started && m_field.text.empty()) m_started = false;
        return close + 1;
    }

    std::size_t closing_quote(std::size_t at, std::size_t end) {
        const std::string& text = m_text.text;
        for (std::size_t i = at + 1; i < end; ++i) {
            if (text[i] == m_rules.escape) {
                ++i;
            } else if (text[i] == '$') {
                bool read = true;
                i = behind_expansion(m_text, i, end, m_problems, read) - 1;
            } else if (text[i] == '"') {
                return i;
            }
        }
        return end;
    }

    std::size_t escape(std::size_t at, std::size_t end, bool quoted) {
        const std::string& text = m_text.text;
        if (at + 1 >= end) {
            add(std::string_view(&text[at], 1));
            return at + 1;
        }
        const char next = text[at + 1];
        if (next == '\n') return at + 2;
        if (next == '\r' && at + 2 < end && text[at + 2] == '\n') return at + 3;
        if (quoted && std::string_view("$`\"\\").find(next) == npos && next != m_rules.escape)
            add(std::string_view(&text[at], 2));
        else
            add(std::string_view(&text[at + 1], 1));
        return at + 2;
    }

    std::size_t dollar(std::size_t at, std::size_t end, bool quoted) {
        const std::string_view text = m_text.text;
        bool read = true;
        const std::size_t behind = behind_expansion(m_text, at, end, m_problems, read);
        if (!read) {
            add(text.substr(at, behind - at));
            m_field.known = false;
            return behind;
        }
        if (behind == at + 1) {  // a "$" without an expansion, or `$"..."`
            if (quoted || at + 1 >= end || text[at + 1] != '"') add("$");
            return behind;
        }
        if (text[at + 1] == '\'') {
            if (quoted) {
                add("$");
                return at + 1;
            }
            add(text.substr(at + 2, behind - at - 3));
            return behind;
        }
        if (text[at + 1] == '(' && text.substr(at, 3) != "$((")
            if (const auto output = output_of({at + 2, behind - 1})) {
                add_value(*output, quoted, at);
                return behind;
            }
        const Parameter value = parameter_at(m_text, {at, behind}, m_variables, m_problems, m_rules);
        if (value.several)
            add_several(value, quoted, at);
        else
            add_value(value.value, quoted, at);
        return behind;
    }

    std::size_t backticks(std::size_t at, std::size_t end, bool quoted) {
        const std::size_t close = std::min(m_text.text.find('`', at + 1), end);
        const std::string_view inside = std::string_view(m_text.text).substr(at + 1, close - at - 1);
        bool plain = close < end;
        for (const std::string_view escaped : {"\\$", "\\`", "\\\\"})
            plain = plain && inside.find(escaped) == npos;
        const auto output = plain ? output_of({at + 1, close}) : std::nullopt;
        if (output) {
            add_value(*output, quoted, at);
        } else {
            add(std::string_view(m_text.text).substr(at, close + 1 - at));
            m_field.known = false;
        }
        return close + 1;
    }

    std::optional<Written> output_of(Range inner) const {
        auto output = output_of_pipeline(m_text, inner, m_variables, m_problems, m_rules.source);
        if (!output && m_rules.source && m_rules.source->printed)
            output = m_rules.source->printed(m_text, inner);
        return output;
    }

    void take_certainty(const Written& of) {
        m_field.known = m_field.known && of.known;
        m_field.fixed = m_field.fixed && of.fixed;
    }

    void add_value(const Written& value, bool quoted, std::size_t at) {
        if (quoted || !m_rules.split || !value.known) {
            take_certainty(value);
            if (!value.text.empty() || quoted) add(value.text);
            return;
        }
        const std::string& text = value.text;
        for (std::size_t i = 0; i < text.size();) {
            if (blank(text[i])) {
                finish();
                start(at);
                while (i < text.size() && blank(text[i])) ++i;
                continue;
            }
            std::size_t end = i;
            while (end < text.size() && !blank(text[end])) ++end;
            take_certainty(value);
            add(std::string_view(text).substr(i, end - i));
            i = end;
        }
    }

    // "${A[@]}": the first item continues the current field, the next text continues the last one.
    void add_several(const Parameter& value, bool quoted, std::size_t at) {
        m_no_words = value.items->empty();
        for (std::size_t i = 0; i < value.items->size(); ++i) {
            if (i > 0 && m_rules.split) {
                finish();
                start(at);
            } else if (i > 0) {
                add(" ");
            }
            add_value((*value.items)[i], quoted, at);
        }
    }

    const PlacedText& m_text;
    const Variables& m_variables;
    Problems& m_problems;
    const ExpandRules m_rules;
    Written m_field;
    bool m_started = false;
    bool m_no_words = false;  // the last list had none
    std::vector<Written> m_fields;
};

}  // namespace

std::vector<Written> expand(const PlacedText& text, Range range, const Variables& variables,
                            Problems& problems, const ExpandRules& rules) {
    return Expander(text, variables, problems, rules).run(range);
}

Written expand_whole(const PlacedText& text, Range range, const Variables& variables, Problems& problems,
                     char escape, const OutputSource* source) {
    auto fields = expand(text, range, variables, problems, {escape, false, source});
    return fields.empty() ? text.written(range.begin, "") : std::move(fields.front());
}

Written expand_document(const PlacedText& text, Range range, const Variables& variables, Problems& problems,
                        const OutputSource* source) {
    auto fields = Expander(text, variables, problems, {'\\', false, source}).run(range, true);
    return fields.empty() ? text.written(range.begin, "") : std::move(fields.front());
}

Written expand_whole(const Written& value, const Variables& variables, Problems& problems) {
    const PlacedText text(value);
    return expand_whole(text, {0, text.text.size()}, variables, problems);
}

PlacedText unquoted(const PlacedText& text, Range range, const Variables& variables, Problems& problems) {
    PlacedText result(text.file);
    const std::string& bytes = text.text;
    char quote = 0;
    for (std::size_t i = range.begin; i < range.end;) {
        const char c = bytes[i];
        if (quote ? c == quote : c == '"' || c == '\'') {
            quote = quote ? 0 : c;
            ++i;
        } else if (c == '\\' && quote != '\'' && i + 1 < range.end) {
            result.append(std::string_view(&bytes[i + 1], 1), text.place(i + 1));
            i += 2;
        } else if (c == '$' && quote != '\'') {
            bool read = true;
            const std::size_t behind = behind_expansion(text, i, range.end, problems, read);
            const Written value = expand_whole(text, {i, behind}, variables, problems);
            result.append(value.text, text.place(i));
            i = behind;
        } else {
            const std::size_t end = std::min(bytes.find_first_of("\"'\\$", i + 1), range.end);
            result.append(std::string_view(bytes).substr(i, end - i), text.place(i));
            i = end;
        }
    }
    return result;
}

}  // namespace ptxguard::recipes
