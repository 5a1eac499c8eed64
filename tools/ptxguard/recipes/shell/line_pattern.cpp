// SPDX-License-Identifier: Apache-2.0
#include "recipes/shell/line_pattern.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "model/text.hpp"

namespace ptxguard::recipes {
namespace {

constexpr std::size_t k_bytes = 256, k_steps = 20000, k_longest_pattern = 500, k_deepest_group = 8;

bool is_of_word(std::string_view line, std::size_t at) {
    return at < line.size() && is_word_character(line[at]);
}

}  // namespace

class LinePattern::Reader {
public:
    Reader(std::string_view text, PatternForm form) : m_text(text), m_form(form) {}

    // All alternatives up to the end of the group.
    bool choices(std::vector<Atoms>& all) {
        if (++m_depth > k_deepest_group) return false;
        all.emplace_back();
        while (m_at < m_text.size() && !is_operator(')')) {
            if (take('|'))
                all.emplace_back();
            else if (!atom(all.back()))
                return false;
        }
        --m_depth;
        return true;
    }
    bool is_at_end() const { return m_at == m_text.size(); }

private:
    // '|' and the like: with a backslash in basic expressions.
    bool is_operator(char c) const {
        if (m_form.extended) return m_text[m_at] == c;
        return m_text[m_at] == '\\' && m_at + 1 < m_text.size() && m_text[m_at + 1] == c;
    }
    bool take(char c) {
        if (m_at >= m_text.size() || !is_operator(c)) return false;
        m_at += m_form.extended ? 1 : 2;
        return true;
    }
    void accept(Atom& atom, unsigned char c) const {
        atom.bytes[c] = true;
        if (!m_form.any_case) return;
        const std::string letter(1, static_cast<char>(c));
        atom.bytes[static_cast<unsigned char>(lower(letter)[0])] = true;
        if (c >= 'a' && c <= 'z') atom.bytes[c - ('a' - 'A')] = true;
    }

    bool atom(Atoms& to) {
        Atom one;
        one.bytes.assign(k_bytes, false);
        if (take('(')) {
            one.kind = Atom::Kind::group;
            if (!choices(one.choices) || !take(')')) return false;
        } else if (!single(one, to.empty())) {
            return false;
        }
        if (!repetition(one)) return false;
        to.push_back(std::move(one));
        return true;
    }

    bool single(Atom& one, bool first) {
        const char c = m_text[m_at++];
        const bool last = m_at == m_text.size() || is_operator('|') || is_operator(')');
        if (c == '^' && (first || m_form.extended)) {
            one.kind = Atom::Kind::begin;
        } else if (c == '$' && (last || m_form.extended)) {
            one.kind = Atom::Kind::end;
        } else if (c == '.') {
            one.bytes.assign(k_bytes, true);
        } else if (c == '[') {
            return set(one);
        } else if (c == '\\') {
            return escape(one);
        } else if (m_form.extended && std::string_view("*+?{}").find(c) != npos) {
            return false;
        } else {
            accept(one, static_cast<unsigned char>(c));
        }
        return true;
    }

    bool escape(Atom& one) {
        if (m_at == m_text.size()) return false;
        const char c = m_text[m_at++];
        if (c == 'b' || c == '<' || c == '>') {
            one.kind = Atom::Kind::edge;
        } else if (c == 's') {
            accept(one, ' ');
            accept(one, '\t');
        } else if (c == 'w') {
            for (std::size_t i = 0; i < k_bytes; ++i) one.bytes[i] = is_word_character(static_cast<char>(i));
        } else if (is_letter(c) || is_digit(c)) {
            return false;  // "\1", "\t"
        } else {
            accept(one, static_cast<unsigned char>(c));
        }
        return true;
    }

    // Behind "[".
    bool set(Atom& one) {
        const bool negated = m_text.substr(m_at, 1) == "^";
        m_at += negated;
        for (bool first = true;; first = false) {
            if (m_at >= m_text.size()) return false;
            const char c = m_text[m_at++];
            if (c == ']' && !first) break;
            if (c == '[' && m_text.substr(m_at, 1).find_first_of(":.=") != npos) {
                if (!named_class(one)) return false;
                continue;
            }
            auto last = static_cast<unsigned char>(c);
            if (m_at + 1 < m_text.size() && m_text[m_at] == '-' && m_text[m_at + 1] != ']') {
                last = static_cast<unsigned char>(m_text[m_at + 1]);
                m_at += 2;
            }
            for (std::size_t i = static_cast<unsigned char>(c); i <= last; ++i)
                accept(one, static_cast<unsigned char>(i));
        }
        if (negated) one.bytes.flip();
        return true;
    }
    bool named_class(Atom& one) {
        static const std::pair<std::string_view, std::string_view> k_classes[] = {
            {":space:]", " \t"}, {":blank:]", " \t"}, {":digit:]", "0123456789"}};
        for (const auto& [name, bytes] : k_classes) {
            if (m_text.substr(m_at, name.size()) != name) continue;
            for (const char c : bytes) accept(one, static_cast<unsigned char>(c));
            m_at += name.size();
            return true;
        }
        return false;
    }

    bool repetition(Atom& one) {
        if (m_at >= m_text.size()) return true;
        if (m_text[m_at] == '*') {
            ++m_at;
            one.least = 0, one.most = npos;
        } else if (take('+')) {
            one.most = npos;
        } else if (take('?')) {
            one.least = 0;
        } else {
            return !is_operator('{');
        }
        return one.kind == Atom::Kind::one || one.most == 1;
    }

    std::string_view m_text;
    PatternForm m_form;
    std::size_t m_at = 0, m_depth = 0;
};

// All ends of matches from one start; the longest one counts.
struct LinePattern::Run {
    using Then = std::function<void(std::size_t)>;
    std::string_view line;
    std::size_t steps = 0;

    bool is_over() { return ++steps > k_steps; }

    bool is_at(Atom::Kind place, std::size_t at) const {
        if (place == Atom::Kind::begin) return at == 0;
        if (place == Atom::Kind::end) return at == line.size();
        return (at > 0 && is_of_word(line, at - 1)) != is_of_word(line, at);
    }
    void choices(const std::vector<Atoms>& all, std::size_t at, const Then& then) {
        for (const Atoms& one : all) sequence(one, 0, at, then);
    }
    void sequence(const Atoms& atoms, std::size_t i, std::size_t at, const Then& then) {
        if (is_over()) return;
        if (i == atoms.size()) return then(at);
        const Atom& atom = atoms[i];
        const auto rest = [&](std::size_t next) { sequence(atoms, i + 1, next, then); };
        if (atom.kind == Atom::Kind::group) {
            if (atom.least == 0) rest(at);
            return choices(atom.choices, at, rest);
        }
        if (atom.kind != Atom::Kind::one) return is_at(atom.kind, at) ? rest(at) : void();
        for (std::size_t count = 0;; ++count, ++at) {
            if (count >= atom.least) rest(at);
            if (count == atom.most || at == line.size() || is_over() ||
                !atom.bytes[static_cast<unsigned char>(line[at])])
                return;
        }
    }
};

std::optional<LinePattern> LinePattern::read(std::string_view text, PatternForm form) {
    if (text.size() > k_longest_pattern) return std::nullopt;
    std::string escaped;
    if (form.literal) {
        form.extended = false;
        for (const char c : text)
            escaped += (std::string_view("\\.*[]^$").find(c) != npos ? "\\" : "") + std::string(1, c);
        text = escaped;
    }
    LinePattern pattern;
    Reader reader(text, form);
    if (!reader.choices(pattern.m_choices) || !reader.is_at_end()) return std::nullopt;
    return pattern;
}

LinePattern::Found LinePattern::find(std::string_view line, std::size_t from) const {
    Run run{line};
    Found found;
    for (std::size_t begin = from; begin <= line.size() && found.begin == npos; ++begin)
        run.choices(m_choices, begin, [&](std::size_t end) {
            found.end = found.begin == npos ? end : std::max(found.end, end);
            found.begin = begin;
        });
    found.known = run.steps <= k_steps;
    return found;
}

}  // namespace ptxguard::recipes
