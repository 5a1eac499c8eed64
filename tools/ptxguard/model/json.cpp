// Json's members, and its text form.
// SPDX-License-Identifier: Apache-2.0
#include "model/json.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unordered_map>

#include "model/visible.hpp"

namespace ptxguard {
namespace {

// Most keys that are not the same differ in their last letter.
bool same_key(std::string_view a, std::string_view b) {
    return a.size() == b.size() && (a.empty() || (a.back() == b.back() && a == b));
}

// Whether a key occurs twice.
bool has_doubles(const std::vector<Json::Member>& members) {
    constexpr std::size_t k_few = 16;
    if (members.size() <= k_few) {
        for (auto one = members.begin(); one != members.end(); ++one)
            for (auto other = members.begin(); other != one; ++other)
                if (same_key(one->first, other->first)) return true;
        return false;
    }
    std::vector<std::string_view> keys;
    for (const auto& member : members) keys.push_back(member.first);
    std::sort(keys.begin(), keys.end());
    return std::adjacent_find(keys.begin(), keys.end()) != keys.end();
}

// The shortest text that parses to the same number; JSON has no infinity.
void add_real(double value, std::string& text) {
    if (!std::isfinite(value)) {
        text += "null";
        return;
    }
    char digits[32];
    for (int precision = 15; precision <= 17; ++precision) {
        std::snprintf(digits, sizeof digits, "%.*g", precision, value);
        if (std::strtod(digits, nullptr) == value) break;
    }
    text += digits;
    if (!std::strpbrk(digits, ".e")) text += ".0";
}

// What may not leave as it is (visible.hpp). A reader gets the true text, except for bytes that are not
// UTF-8.
void add_escaped(const Letter& letter, std::string& text) {
    constexpr std::string_view k_meant = "\b\f\n\r\t", k_letters = "bfnrt",
                               k_hexadecimal = "0123456789abcdef";
    if (letter.bytes == 0) {
        text += "\xef\xbf\xbd";  // U+FFFD
        return;
    }
    const std::size_t known =
        letter.bytes == 1 ? k_meant.find(static_cast<char>(letter.code)) : std::string_view::npos;
    text += '\\';
    if (known != std::string_view::npos) {
        text += k_letters[known];
        return;
    }
    text += 'u';
    for (int shift = 12; shift >= 0; shift -= 4) text += k_hexadecimal[letter.code >> shift & 15];
}

void add_string(std::string_view value, std::string& text) {
    text += '"';
    for (std::size_t at = 0; at < value.size();) {
        const Unsafe next = next_unsafe(value, at);
        for (; at < next.at; ++at) {
            if (value[at] == '"' || value[at] == '\\') text += '\\';
            text += value[at];
        }
        if (at == value.size()) break;
        add_escaped(next.letter, text);
        at += std::max<std::size_t>(next.letter.bytes, 1);
    }
    text += '"';
}

class Writer {
public:
    Writer(std::string& text, int indent) : m_text(text), m_indent(indent) {}

    void add(const Json& json, int depth) {
        switch (json.kind()) {
            case Json::Kind::null: m_text += "null"; break;
            case Json::Kind::boolean: m_text += json.as_bool() ? "true" : "false"; break;
            case Json::Kind::integer: m_text += std::to_string(json.as_int()); break;
            case Json::Kind::real: add_real(json.as_real(), m_text); break;
            case Json::Kind::string: add_string(json.as_string(), m_text); break;
            case Json::Kind::array:
                add_all(json.items(), "[]", depth, [&](const Json& item) { add(item, depth + 1); });
                break;
            case Json::Kind::object:
                add_all(json.members(), "{}", depth, [&](const Json::Member& member) {
                    add_string(member.first, m_text);
                    m_text += m_indent < 0 ? ":" : ": ";
                    add(member.second, depth + 1);
                });
        }
    }

private:
    template <typename Value, typename Add>
    void add_all(const std::vector<Value>& values, const char* brackets, int depth, const Add& add_one) {
        m_text += brackets[0];
        for (const Value& value : values) {
            if (&value != &values.front()) m_text += ',';
            start_line(depth + 1);
            add_one(value);
        }
        if (!values.empty()) start_line(depth);
        m_text += brackets[1];
    }
    void start_line(int depth) {
        if (m_indent < 0) return;
        m_text += '\n';
        m_text.append(static_cast<std::size_t>(m_indent) * static_cast<std::size_t>(depth), ' ');
    }

    std::string& m_text;
    const int m_indent;
};

template <typename T, typename Value>
const T& value_or_empty(const Value& value) {
    static const T none;
    const T* own = std::get_if<T>(&value);
    return own ? *own : none;
}

}  // namespace

double Json::as_real(double fallback) const {
    const double* value = std::get_if<double>(&m_value);
    return value ? *value : is_integer() ? static_cast<double>(as_int()) : fallback;
}

const std::string& Json::as_string() const { return value_or_empty<std::string>(m_value); }

const std::vector<Json>& Json::items() const { return value_or_empty<std::vector<Json>>(m_value); }

const std::vector<Json::Member>& Json::members() const {
    return value_or_empty<std::vector<Member>>(m_value);
}

const Json* Json::find(std::string_view key) const {
    for (const auto& member : members())
        if (same_key(member.first, key)) return &member.second;
    return nullptr;
}

const Json& Json::operator[](std::string_view key) const {
    static const Json none;
    const Json* value = find(key);
    return value ? *value : none;
}

Json& Json::set(std::string key, Json value) {
    if (!is_object()) m_value = std::vector<Member>();
    auto& members = std::get<std::vector<Member>>(m_value);
    for (auto& member : members)
        if (member.first == key) {
            member.second = std::move(value);
            return *this;
        }
    members.emplace_back(std::move(key), std::move(value));
    return *this;
}

Json Json::object(std::vector<Member> members) {
    Json json = object();
    if (has_doubles(members)) {
        std::unordered_map<std::string_view, std::size_t> first;  // index of each key; `members` is kept
        std::vector<Member> kept;
        for (Member& member : members) {
            const auto [known, is_new] = first.emplace(member.first, kept.size());
            if (is_new)
                kept.emplace_back(member.first, std::move(member.second));
            else
                kept[known->second].second = std::move(member.second);
        }
        members = std::move(kept);
    }
    json.m_value = std::move(members);
    return json;
}

Json& Json::push(Json value) {
    if (!is_array()) m_value = std::vector<Json>();
    std::get<std::vector<Json>>(m_value).push_back(std::move(value));
    return *this;
}

std::string to_text(const Json& json, int indent) {
    std::string text;
    Writer(text, indent).add(json, 0);
    return text;
}

}  // namespace ptxguard
