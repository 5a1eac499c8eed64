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

void PythonFollower::write(const PythonValue& file, const PythonValue& text) {
    if (m_observer) return;
    const bool known = text.is_text() && text.is_known();
    FileText part{file.text.file, known ? text.text.text : "", file.text.line - 1};
    part.known = known;
    part.fixed = known && is_fixed(text) && is_fixed(file) && m_certain;
    m_shell->written->write(file.text.text, part, true);
}

std::optional<PythonValue> PythonFollower::of_files(const PythonCall& call) {
    const std::size_t dot = call.path.rfind('.');
    if (call.path == "open" || call.path == "io.open") {
        if (call.given.empty() || !call.given[0].is_known()) return std::nullopt;
        const PythonValue* mode = call.given.size() > 1 ? &call.given[1] : call.argument("mode");
        if (!mode || !mode->is_known() || mode->text.text.find_first_of("wa+") == npos) return std::nullopt;
        PythonValue file{Kind::file, call.at};
        file.text.text = call.given[0].text.text;
        file.text.fixed = is_fixed(call.given[0]);
        if (mode->text.text.find('w') != npos) m_shell->written->write(file.text.text, FileText{});
        return file;
    }
    if (dot == npos || call.path.substr(dot) != ".write" || call.given.size() != 1) return std::nullopt;
    const PythonValue file = variable(call.path.substr(0, dot));
    if (file.kind != Kind::file) return std::nullopt;
    write(file, call.given[0]);
    return PythonValue{};
}

void PythonFollower::enter(const PythonLine& line) {
    const std::size_t colon = sign_in(line, ":");
    const bool named = colon > 3 && line.tokens[colon - 2].is("as") && line.tokens[colon - 1].is_name();
    PythonValue value = evaluated(line, 1, named ? colon - 2 : colon);
    if (named) set(line.tokens[colon - 1].text, std::move(value));
}

}  // namespace ptxguard::recipes
