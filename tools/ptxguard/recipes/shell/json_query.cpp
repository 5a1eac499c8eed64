// SPDX-License-Identifier: Apache-2.0
#include "recipes/shell/json_query.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <utility>

#include "host/paths.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "recipes/base/arguments.hpp"
#include "recipes/base/prefixes.hpp"
#include "recipes/shell/json_values.hpp"

namespace ptxguard::recipes {
namespace {

using Values = std::vector<Tree>;
using Output = std::optional<std::string>;

constexpr std::size_t k_most_results = 512;   // of one filter
constexpr std::size_t k_deepest_filter = 24;  // brackets of a query

// Reads a query and applies it at once; `m_known` is false behind what is not read.
class Query {
public:
    Query(std::string_view text, const std::map<std::string, std::string>& given)
        : m_text(text), m_given(given) {}

    std::optional<Values> of(const Tree& document) {
        Values all = pipe({document});
        skip();
        return m_known && m_at == m_text.size() ? std::optional(std::move(all)) : std::nullopt;
    }

private:
    void skip() {
        while (m_at < m_text.size() && std::string_view(" \t\r\n").find(m_text[m_at]) != npos) ++m_at;
    }
    bool take(std::string_view sign) {
        skip();
        if (m_text.substr(m_at, sign.size()) != sign) return false;
        m_at += sign.size();
        return true;
    }
    bool is_at(std::string_view sign) {
        skip();
        return m_text.substr(m_at, sign.size()) == sign;
    }
    Values fail() {
        m_known = false;
        m_at = m_text.size();
        return {};
    }
    std::string name() {
        const std::size_t length = length_of_name(m_text.substr(m_at));
        m_at += length;
        return std::string(m_text.substr(m_at - length, length));
    }

    // A | B
    Values pipe(Values input) {
        if (++m_depth > k_deepest_filter) return fail();
        Values all = comma(input);
        while (m_known && is_at("|") && take("|")) all = comma(all);
        --m_depth;
        return all.size() > k_most_results ? fail() : all;
    }

    // The part of the query from here for each value, which all end at the same place.
    template <class Part>
    Values each(const Values& input, const Part& part) {
        const std::size_t begin = m_at;
        Values all;
        if (input.empty()) part(Tree{});  // only to get behind it
        for (const Tree& value : input) {
            m_at = begin;
            append(all, part(value));
            if (!m_known || all.size() > k_most_results) return fail();
        }
        return all;
    }

    Values comma(const Values& input) {
        return each(input, [&](const Tree& value) {
            Values all = alternative(value);
            while (m_known && take(",")) append(all, alternative(value));
            return all;
        });
    }

    // A // B
    Values alternative(const Tree& value) {
        Values all = compared(value);
        while (m_known && take("//")) {
            const Values other = compared(value);
            erase_if(all, is_false);
            if (all.empty()) all = other;
        }
        return all;
    }

    // A == B, A != B
    Values compared(const Tree& value) {
        Values left = sum(value);
        const bool equal = take("=="), differs = !equal && take("!=");
        if (!equal && !differs) return left;
        const Values right = sum(value);
        if (left.size() != 1 || right.size() != 1) return fail();
        const bool same = raw(left[0]) == raw(right[0]);
        return {scalar_of(same == equal ? "true" : "false", false)};
    }

    // A + B of texts
    Values sum(const Tree& value) {
        Values left = term(value);
        while (m_known && take("+")) {
            const Values right = term(value);
            const bool texts = left.size() == 1 && right.size() == 1 && left[0].is_scalar() &&
                               right[0].is_scalar() && !is_bare(left[0]) && !is_bare(right[0]);
            if (!texts) return fail();
            left = {scalar_of(left[0].text + right[0].text)};
        }
        return left;
    }

    Values term(const Tree& value) {
        skip();
        if (m_at >= m_text.size()) return fail();
        const char c = m_text[m_at];
        Values all;
        if (c == '.')
            all = member_or_value(value);
        else if (c == '"')
            all = {scalar_of(text(value))};
        else if (take("("))
            all = bracketed(value, ")");
        else if (take("["))
            all = {list_of(is_at("]") && take("]") ? Values{} : bracketed(value, "]"))};
        else if (take("{"))
            all = {object(value)};
        else if (take("$"))
            all = argument();
        else if (is_digit(c) || c == '-')
            all = {number()};
        else
            all = function(value);
        while (m_known && m_at < m_text.size() &&
               (m_text[m_at] == '[' || m_text[m_at] == '.' || m_text[m_at] == '?'))
            all = behind(all);
        return all;
    }

    Values bracketed(const Tree& value, std::string_view close) {
        Values all = pipe({value});
        return take(close) ? all : fail();
    }

    Tree number() {
        const std::size_t end = std::min(m_text.find_first_not_of("0123456789.", m_at + 1), m_text.size());
        Tree value = scalar_of(std::string(m_text.substr(m_at, end - m_at)), false);
        m_at = end;
        return value;
    }

    Values argument() {
        const auto found = m_given.find(name());
        return found == m_given.end() ? fail() : Values{scalar_of(found->second)};
    }

    Values member_or_value(const Tree& value) {
        const char next = m_at + 1 < m_text.size() ? m_text[m_at + 1] : ' ';
        if (is_letter(next) || next == '_' || next == '"') return behind({value});
        ++m_at;
        return next == '.' ? fail() : Values{value};
    }

    // .NAME, ."NAME", [0], ["NAME"], [], ?
    Values behind(const Values& input) {
        if (take("?")) return input;
        if (take("[")) {
            if (take("]")) return items(input);
            return each(input, [&](const Tree& value) {
                const Values keys = pipe({value});
                return take("]") && keys.size() == 1 ? Values{found(value, keys[0])} : fail();
            });
        }
        ++m_at;
        if (m_at < m_text.size() && m_text[m_at] == '[') return input;
        const bool is_text = m_at < m_text.size() && m_text[m_at] == '"';
        return each(input, [&](const Tree& value) {
            std::string key = is_text ? text(value) : name();
            // yq of Go reads `.a-b`, too.
            while (!is_text && m_at < m_text.size() && (is_word_character(m_text[m_at], "_-")))
                key += m_text[m_at++];
            return key.empty() ? fail() : Values{found(value, scalar_of(key))};
        });
    }

    static Tree found(const Tree& value, const Tree& key) {
        if (value.is_map()) return value[key.text];
        const bool negative = key.text.substr(0, 1) == "-";
        const std::string digits = key.text.substr(negative);
        if (!value.is_list() || !all_digits(digits) || digits.size() > 4) return {};
        const auto number = static_cast<std::size_t>(std::atoi(digits.c_str()));
        const std::size_t index = negative ? value.items.size() - number : number;
        return index < value.items.size() ? value.items[index] : Tree{};
    }

    Values items(const Values& input) {
        Values all;
        for (const Tree& value : input) {
            if (value.is_scalar()) return fail();
            append(all, value.items);
            for (const auto& member : value.members) all.push_back(member.second);
        }
        return all;
    }

    // "cu\(.cuda)"
    std::string text(const Tree& value) {
        std::string all;
        for (++m_at; m_at < m_text.size() && m_text[m_at] != '"';) {
            if (m_text[m_at] != '\\') {
                all += m_text[m_at++];
                continue;
            }
            const char c = m_at + 1 < m_text.size() ? m_text[m_at + 1] : ' ';
            m_at += 2;
            if (c == '(') {
                const Values inner = bracketed(value, ")");
                if (inner.size() != 1) return fail(), "";
                all += raw(inner[0]);
            } else {
                all += c == 'n' ? '\n' : c == 't' ? '\t' : c;
            }
        }
        ++m_at;
        return all;
    }

    // {NAME: VALUE, NAME}
    Tree object(const Tree& value) {
        std::vector<std::pair<Tree, Tree>> members;
        while (m_known && !take("}")) {
            skip();
            const bool is_text = is_at("\"");
            const std::string key = is_text ? text(value) : name();
            const Values own = take(":") ? alternative(value) : Values{found(value, scalar_of(key))};
            if (key.empty() || own.size() != 1) return fail(), Tree{};
            members.emplace_back(scalar_of(key), own[0]);
            if (!take(",") && !is_at("}")) fail();
        }
        return map_of(std::move(members));
    }

    Values function(const Tree& value) {
        const std::string called = name();
        if (called.empty()) return fail();
        if (take("(")) return with_argument(called, value);
        static constexpr std::pair<std::string_view, Values (*)(const Tree&)> k_plain[] = {
            {"tostring", [](const Tree& one) { return Values{scalar_of(raw(one))}; }},
            {"tojson", [](const Tree& one) { return Values{scalar_of(compact(one))}; }},
            {"keys", keys_of},
            {"keys_unsorted", keys_of},
            {"to_entries",
             [](const Tree& one) {
                 Values all;
                 for (const auto& member : one.members) all.push_back(entry_of(member));
                 return Values{list_of(std::move(all))};
             }},
            {"length",
             [](const Tree& one) {
                 const std::size_t size =
                     one.is_scalar() ? one.text.size() : one.items.size() + one.members.size();
                 return Values{scalar_of(std::to_string(size), false)};
             }},
            {"first", [](const Tree& one) { return Values{found(one, scalar_of("0"))}; }},
            {"last", [](const Tree& one) { return Values{found(one, scalar_of("-1"))}; }}};
        const auto* row = first_where(k_plain, [&](const auto& one) { return one.first == called; });
        if (row) return row->second(value);
        if (is_one_of(called, {"true", "false", "null"})) return {scalar_of(called, false)};
        return called == "empty" ? Values{} : fail();
    }

    static Values keys_of(const Tree& value) {
        Values all;
        for (const auto& member : value.members) all.push_back(scalar_of(member.first.text));
        std::sort(all.begin(), all.end(), [](const Tree& a, const Tree& b) { return a.text < b.text; });
        return {list_of(std::move(all))};
    }

    // map(F), select(F), join(TEXT), split(TEXT), ltrimstr(TEXT), rtrimstr(TEXT), has(KEY)
    Values with_argument(const std::string& called, const Tree& value) {
        if (called == "map") return {list_of(mapped(value))};
        const Values given = bracketed(value, ")");
        if (given.size() != 1) return fail();
        const std::string &text = given[0].text, &own = value.text;
        if (called == "select") return is_false(given[0]) ? Values{} : Values{value};
        if (called == "has") return {scalar_of(value.find(text) ? "true" : "false", false)};
        if (called == "join") {
            std::vector<std::string> parts;
            for (const Tree& one : value.items) parts.push_back(raw(one));
            return {scalar_of(joined(parts, text))};
        }
        if (!value.is_scalar()) return fail();
        if (called == "ltrimstr") return {scalar_of(starts_with(own, text) ? own.substr(text.size()) : own)};
        if (called == "rtrimstr")
            return {scalar_of(ends_with(own, text) ? own.substr(0, own.size() - text.size()) : own)};
        if (called != "split" || text.size() != 1) return fail();
        Values parts;
        for (std::string& one : split_fields(own, text[0])) parts.push_back(scalar_of(std::move(one)));
        return {list_of(std::move(parts))};
    }

    Values mapped(const Tree& value) {
        Values all = each(value.items, [&](const Tree& one) { return pipe({one}); });
        return take(")") ? all : fail();
    }

    std::string_view m_text;
    const std::map<std::string, std::string>& m_given;
    std::size_t m_at = 0, m_depth = 0;
    bool m_known = true;
};

struct Asked {
    std::string query;
    std::map<std::string, std::string> given = {};  // --arg NAME VALUE
    bool raw = false, joins = false, toml = false, known = true;
};

Asked read_options(const std::vector<Written>& words) {
    Asked asked;
    const std::string program = program_name(words[0].text);
    // The yq of Go writes texts without quotes; what needs the other one's -r has it.
    asked.raw = program == "yq";
    asked.toml = program == "tomlq";
    bool named = false;
    for (std::size_t i = 1; i < words.size(); ++i) {
        const std::string& word = words[i].text;
        if (word == "--arg" && i + 2 < words.size()) {
            asked.given[words[i + 1].text] = words[i + 2].text;
            i += 2;
        } else if (is_one_of(word, {"-p", "-o"}) && i + 1 < words.size()) {
            asked.toml = asked.toml || words[++i].text == "toml";
        } else if (is_one_of(word, {"-p=toml", "-ptoml", "--input-format=toml"})) {
            asked.toml = true;
        } else if (is_one_of(word, {"--raw-output", "--join-output", "--compact-output", "--exit-status", "e",
                                    "eval", "-o=json", "-ojson", "-o=y", "-oy"})) {
            asked.raw = asked.raw || word == "--raw-output" || word == "--join-output";
            asked.joins = asked.joins || word == "--join-output";
        } else if (word.size() > 1 && word[0] == '-') {
            asked.known = asked.known && word.find_first_not_of("rcejMSP", 1) == npos;
            asked.raw = asked.raw || word.find_first_of("rj", 1) != npos;
            asked.joins = asked.joins || word.find('j') != npos;
        } else {
            asked.known = asked.known && !std::exchange(named, true);
            asked.query = word;
        }
    }
    if (!named) asked.query = ".";
    return asked;
}

}  // namespace

std::optional<std::string> written_by_query(const std::vector<Written>& words, const std::string& text) {
    const Asked asked = read_options(words);
    const auto document = asked.known ? document_of(text, asked.toml) : std::nullopt;
    if (!document) return std::nullopt;
    const auto values = Query(asked.query, asked.given).of(*document);
    if (!values) return std::nullopt;
    std::string all;
    for (const Tree& value : *values) {
        all += asked.raw ? raw(value) : compact(value);
        if (!asked.joins) all += '\n';
    }
    return all;
}

}  // namespace ptxguard::recipes
