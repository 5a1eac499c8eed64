// SPDX-License-Identifier: Apache-2.0
#include "recipes/shell/line_pattern.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "model/text.hpp"

namespace ptxguard::recipes {
namespace {

constexpr std::size_t k_bytes = 256, k_steps = 20000, k_longest_pattern = 500, k_deepest_group = 8;
constexpr std::size_t k_most_rounds = 50;  // of a group that is repeated

struct CharacterClass {
    std::string_view name;
    bool (*accepts)(char c);
};
bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_blank_character(char c) { return c == ' ' || c == '\t'; }
bool is_alphanumeric(char c) { return is_letter(c) || is_digit(c); }
bool is_of_any_word(char c) { return is_word_character(c); }
bool is_hexadecimal(char c) {
    return is_digit(c) || (lower(std::string(1, c)) >= "a" && lower(std::string(1, c)) <= "f");
}
constexpr CharacterClass k_classes[] = {{":space:]", is_blank_character}, {":blank:]", is_blank_character},
                                        {":digit:]", is_digit},           {":alpha:]", is_letter},
                                        {":alnum:]", is_alphanumeric},    {":lower:]", is_lower},
                                        {":upper:]", is_upper},           {":xdigit:]", is_hexadecimal}};
constexpr CharacterClass k_escapes[] = {
    {"s", is_blank_character}, {"w", is_of_any_word}, {"d", is_digit}};  // "S", "W", "D": all others

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
    std::size_t groups() const { return m_groups; }

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

    void accept(Atom& atom, const CharacterClass& all) const {
        for (std::size_t i = 0; i < k_bytes; ++i)
            if (all.accepts(static_cast<char>(i))) accept(atom, static_cast<unsigned char>(i));
    }

    bool atom(Atoms& to) {
        Atom one;
        one.bytes.assign(k_bytes, false);
        if (m_form.perl && m_text.substr(m_at, 2) == "(?") return around(to);
        if (take('(')) {
            one.kind = Atom::Kind::group;
            one.number = m_groups++;
            if (!choices(one.choices) || !take(')')) return false;
        } else if (m_form.perl && m_text.substr(m_at, 2) == "\\K") {
            one.kind = Atom::Kind::from;
            m_at += 2;
        } else if (!single(one, to.empty())) {
            return false;
        }
        if (!repetition(one)) return false;
        to.push_back(std::move(one));
        return true;
    }

    // "(?<=TEXT)" at the beginning, "(?=TEXT)" at the end, "(?:TEXT)".
    bool around(Atoms& to) {
        static constexpr std::pair<std::string_view, Atom::Kind> k_forms[] = {
            {"(?<=", Atom::Kind::from}, {"(?=", Atom::Kind::to}, {"(?:", Atom::Kind::group}};
        const auto* form = first_where(
            k_forms, [&](const auto& row) { return m_text.substr(m_at, row.first.size()) == row.first; });
        if (!form) return false;
        Atom mark, group;
        mark.kind = form->second;
        const bool behind = mark.kind == Atom::Kind::from, ahead = mark.kind == Atom::Kind::to;
        if ((behind && !to.empty()) || (mark.kind != Atom::Kind::group && m_depth > 1)) return false;
        m_at += form->first.size();
        group.kind = Atom::Kind::group;
        if (!choices(group.choices) || !take(')')) return false;
        if (ahead) to.push_back(mark);
        to.push_back(std::move(group));
        if (behind) to.push_back(mark);
        const bool last = m_at == m_text.size() || is_operator('|');
        return behind || (ahead ? last : repetition(to.back()));
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
        } else if (const CharacterClass* found = first_where(
                       k_escapes,
                       [&](const CharacterClass& row) { return row.name == lower(std::string(1, c)); });
                   found && (found->name != "d" || m_form.perl)) {
            accept(one, *found);
            if (is_upper(c)) one.bytes.flip();
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
        for (const CharacterClass& one_class : k_classes) {
            if (m_text.substr(m_at, one_class.name.size()) != one_class.name) continue;
            accept(one, one_class);
            m_at += one_class.name.size();
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
        } else if (take('{')) {
            if (!interval(one)) return false;
        }
        return one.kind == Atom::Kind::one || one.kind == Atom::Kind::group || one.most == 1;
    }
    // "{2}", "{2,}", "{,3}", "{2,3}": behind the bracket.
    bool interval(Atom& one) {
        const std::size_t end = std::min(m_text.find('}', m_at), m_text.size());
        const std::vector<std::string> numbers =
            split_fields(m_text.substr(m_at, end - m_at - (m_form.extended ? 0 : 1)), ',');
        const auto number = [](const std::string& text, std::size_t absent) -> std::size_t {
            return text.empty() ? absent : static_cast<std::size_t>(std::atoi(text.c_str()));
        };
        for (const std::string& text : numbers)
            if (text.size() > 3 || text.find_first_not_of("0123456789") != npos) return false;
        if (numbers.size() > 2 || (numbers.size() == 1 && numbers[0].empty())) return false;
        one.least = number(numbers.front(), 0);
        one.most = numbers.size() == 1 ? one.least : number(numbers.back(), npos);
        m_at = end - (m_form.extended ? 0 : 1);
        return one.least <= one.most && take('}');
    }

    std::string_view m_text;
    PatternForm m_form;
    std::size_t m_at = 0, m_depth = 0, m_groups = 0;
};

// All ends of matches from one start; the longest one counts.
struct LinePattern::Run {
    using Then = std::function<void(std::size_t)>;
    std::string_view line;
    std::vector<Range> groups = {};
    std::size_t from = npos, to = npos;  // where the match begins and ends, if the pattern says it
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
    void mark(std::size_t& place, std::size_t at, const Then& rest) {
        const std::size_t before = std::exchange(place, at);
        rest(at);
        place = before;
    }
    // Longer ones first.
    void group(const Atom& atom, std::size_t count, std::size_t at, const Then& rest) {
        if (count >= k_most_rounds) steps = k_steps;
        if (is_over()) return;
        if (count < atom.most)
            choices(atom.choices, at, [&](std::size_t end) {
                if (end == at && count >= atom.least) return;  // an empty round changes nothing
                if (atom.number == npos) return group(atom, count + 1, end, rest);
                const Range before = std::exchange(groups[atom.number], Range{at, end});
                group(atom, count + 1, end, rest);
                groups[atom.number] = before;
            });
        if (count >= atom.least) rest(at);
    }
    void sequence(const Atoms& atoms, std::size_t i, std::size_t at, const Then& then) {
        if (is_over()) return;
        if (i == atoms.size()) return then(at);
        const Atom& atom = atoms[i];
        const auto rest = [&](std::size_t next) { sequence(atoms, i + 1, next, then); };
        if (atom.kind == Atom::Kind::group) return group(atom, 0, at, rest);
        if (atom.kind == Atom::Kind::from) return mark(from, at, rest);
        if (atom.kind == Atom::Kind::to) return mark(to, at, rest);
        if (atom.kind != Atom::Kind::one) return is_at(atom.kind, at) ? rest(at) : void();
        std::size_t most = 0;
        while (most < atom.most && at + most < line.size() &&
               atom.bytes[static_cast<unsigned char>(line[at + most])])
            ++most;
        for (std::size_t count = most + 1; count > atom.least && !is_over();) rest(at + --count);
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
    pattern.m_groups = reader.groups();
    pattern.m_first = form.perl;
    return pattern;
}

LinePattern::Found LinePattern::find(std::string_view line, std::size_t from) const {
    Run run{line, std::vector<Range>(m_groups, Range{npos, npos})};
    Found found;
    for (std::size_t begin = from; begin <= line.size() && found.begin == npos; ++begin) {
        std::size_t longest = 0;
        run.choices(m_choices, begin, [&](std::size_t end) {
            if (found.begin != npos && (m_first || end <= longest)) return;
            longest = end;
            found.begin = run.from == npos ? begin : run.from;
            found.end = run.to == npos ? end : run.to;
            found.groups = run.groups;
        });
    }
    found.known = run.steps <= k_steps;
    return found;
}

}  // namespace ptxguard::recipes
