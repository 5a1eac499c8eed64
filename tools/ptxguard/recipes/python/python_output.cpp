// SPDX-License-Identifier: Apache-2.0
#include "recipes/python/python_output.hpp"

#include <string_view>
#include <utility>

#include "model/ranges.hpp"
#include "recipes/base/arguments.hpp"
#include "recipes/python/python_follower.hpp"

namespace ptxguard::recipes {
namespace {

using Kind = PythonValue::Kind;

std::string quoted_json(const std::string& text) {
    std::string all = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') all += '\\';
        all += c == '\n' ? "\\n" : c == '\t' ? "\\t" : std::string(1, c);
    }
    return all + "\"";
}

std::string scalar_of_json(const PythonValue& value) {
    static constexpr std::pair<std::string_view, std::string_view> k_words[] = {
        {"True", "true"}, {"False", "false"}, {"None", "null"}};
    const std::string& text = value.text.text;
    if (value.is_text()) return quoted_json(text);
    const auto* found = first_where(k_words, [&](const auto& row) { return row.first == text; });
    return found ? std::string(found->second) : text;
}

// False: a part is not known.
bool add_json(const PythonValue& value, std::string& into) {
    const bool table = value.kind == Kind::table;
    if (!table && value.kind != Kind::list) {
        if (value.is_known()) into += scalar_of_json(value);
        return value.is_known();
    }
    std::vector<std::string> keys;
    const std::size_t step = table ? 2 : 1;
    const std::string_view brackets = table ? "{}" : "[]";
    into += brackets[0];
    for (std::size_t i = 0; i < value.items.size(); i += step) {
        const std::string& key = value.items[i].text.text;
        if (table && (i + 1 >= value.items.size() || !value.items[i].is_known())) return false;
        if (table && contains(keys, key)) continue;  // the first entry counts
        keys.push_back(key);
        into += keys.size() == 1 ? "" : ", ";
        if (table) into += quoted_json(key) + ": ";
        if (!add_json(value.items[i + step - 1], into)) return false;
    }
    into += brackets[1];
    return true;
}

}  // namespace

PythonValue json_of(const PythonValue& value) {
    Written text = value.text;
    text.text.clear();
    if (!add_json(value, text.text)) return {};
    text.fixed = is_fixed(value);
    return PythonValue::of_text(std::move(text));
}

void PythonFollower::print(const PythonCall& call) {
    const bool known = all_of(call.given, [](const PythonValue& one) { return one.is_known(); });
    const PythonValue* file = call.argument("file");
    Written text = call.at;
    text.text.clear();
    for (const PythonValue& one : call.given) {
        text.text += (&one == &call.given.front() ? "" : " ") + text_in(one);
        text.fixed = text.fixed && is_fixed(one);
    }
    text.text += '\n';
    if (file && file->kind == Kind::file && call.named.size() == 1)
        return write(*file, known ? PythonValue::of_text(std::move(text)) : PythonValue{});
    if (!known || !m_certain || !call.named.empty()) m_printed.reset();
    if (!m_printed) return;
    m_printed->text += text.text;
    m_printed->fixed = m_printed->fixed && text.fixed;
}

}  // namespace ptxguard::recipes
