// Files that Python code opens: what it writes into them, and what it reads from those of the repository.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "formats/text_lines.hpp"
#include "host/paths.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "recipes/base/arguments.hpp"
#include "recipes/python/python_commands.hpp"
#include "recipes/python/python_follower.hpp"
#include "recipes/shell/json_values.hpp"
#include "recipes/shell/shell_run.hpp"

namespace ptxguard::recipes {
namespace {

using Kind = PythonValue::Kind;

constexpr std::size_t k_deepest_loaded = 12;  // values in each other

Written place_in(const FileText& file, int line, int column, std::string text) {
    return {std::move(text), file.file, file.lines_before + line, column, file.fixed};
}

// 2.10 of YAML is the number 2.1.
std::string as_number(std::string text) {
    if (text.find('.') == npos) return text;
    while (ends_with(text, "0") && !ends_with(text, ".0")) text.pop_back();
    return text;
}

PythonValue value_of(const Tree& tree, const FileText& file, std::size_t depth = 0) {
    const Written at = place_in(file, tree.line, tree.column, "");
    if (depth > k_deepest_loaded) return {};
    if (tree.is_scalar()) {
        static constexpr std::pair<std::string_view, std::string_view> k_words[] = {
            {"true", "True"}, {"false", "False"}, {"null", "None"}, {"~", "None"}, {"", "None"}};
        const auto* word = first_where(k_words, [&](const auto& row) { return row.first == tree.text; });
        if (word && !tree.quoted) return PythonValue::of_number(at, std::string(word->second));
        const std::size_t point = tree.text.find('.');
        const bool number = !tree.quoted && !tree.text.empty() && is_digit(tree.text[0]) &&
                            tree.text.find_first_not_of("0123456789.") == npos &&
                            (point == npos || tree.text.find('.', point + 1) == npos);
        if (number) return PythonValue::of_number(at, as_number(tree.text));
        return PythonValue::of_text(place_in(file, tree.line, tree.column, tree.text));
    }
    std::vector<PythonValue> items;
    for (const Tree& item : tree.items) items.push_back(value_of(item, file, depth + 1));
    for (const auto& [key, member] : tree.members) {
        items.push_back(PythonValue::of_text(place_in(file, key.line, key.column, key.text)));
        items.push_back(value_of(member, file, depth + 1));
    }
    return PythonValue::of_items(tree.is_map() ? Kind::table : Kind::list, at, std::move(items));
}

// json.load(FILE), yaml.safe_load(TEXT), tomllib.loads(TEXT): the value of such a text.
std::optional<PythonValue> loaded(const std::string& function, const FileText& file) {
    const auto document = document_of(file.text, starts_with(function, "toml"), file.file);
    return document ? std::optional(value_of(*document, file)) : std::nullopt;
}

bool loads(const std::string& function) {
    return is_one_of(
        function, {"json.load", "json.loads", "yaml.safe_load", "yaml.full_load", "yaml.load", "tomllib.load",
                   "tomllib.loads", "tomli.load", "tomli.loads", "toml.load", "toml.loads"});
}

}  // namespace

PythonValue parent_of(const PythonValue& path) {
    const std::string& text = path.text.text;
    PythonValue parent = path;
    const bool above = text == ".." || ends_with(text, "/..");
    const std::string folder = parent_path(text);
    parent.text.text = text == "." ? ".." : above ? text + "/.." : folder.empty() ? "." : folder;
    return parent;
}

std::optional<PythonValue> attribute_of_path(const PythonValue& value, const std::string& name) {
    if (!value.is_text() || !value.is_known()) return std::nullopt;
    if (name == "parent") return parent_of(value);
    if (name == "parents") {
        std::vector<PythonValue> all = {parent_of(value)};
        for (int i = 0; i < 3; ++i) all.push_back(parent_of(all.back()));
        return PythonValue::of_items(Kind::list, value.text, std::move(all));
    }
    PythonValue part = value;
    part.text.text = file_name(value.text.text);
    if (name == "name") return part;
    if (name != "stem") return std::nullopt;
    part.text.text.erase(std::min(part.text.text.rfind('.'), part.text.text.size()));
    return part;
}

void PythonFollower::write(const PythonValue& file, const PythonValue& text) {
    if (m_observer) return;
    const bool known = text.is_text() && text.is_known();
    FileText part{file.text.file, known ? text.text.text : "", file.text.line - 1};
    part.known = known;
    part.fixed = known && is_fixed(text) && is_fixed(file) && m_certain;
    m_shell->written->write(file.text.text, part, true);
}

std::optional<PythonValue> PythonFollower::opened_file(const PythonCall& call, const PythonValue& path,
                                                       std::size_t mode_at) {
    if (!path.is_text() || !path.is_known()) return std::nullopt;
    const PythonValue* mode = call.given.size() > mode_at ? &call.given[mode_at] : call.argument("mode");
    if (mode && !mode->is_known()) return std::nullopt;
    PythonValue file{Kind::file, call.at};
    file.text.text = path.text.text;
    file.text.fixed = is_fixed(path);
    if (mode && mode->text.text.find('w') != npos) m_shell->written->write(file.text.text, FileText{});
    return file;
}

std::optional<FileText> PythonFollower::text_of_file(const PythonValue& file) const {
    const std::string& path = file.text.text;
    const FileText* written = m_shell->written->find(path);
    auto text = written ? std::optional(*written)
                        : file_now(*m_shell, folder_below(m_shell->folder, path), file.text);
    if (!text || !text->known) return std::nullopt;
    text->fixed = text->fixed && file.text.fixed;
    return text;
}

PythonValue PythonFollower::lines_of_file(const PythonValue& file) const {
    const auto text = text_of_file(file);
    if (!text) return {};
    std::vector<PythonValue> lines;
    for (const std::string_view line : lines_of(text->text))
        lines.push_back(PythonValue::of_text(
            place_in(*text, static_cast<int>(lines.size()) + 1, 1, std::string(line) + "\n")));
    if (!lines.empty() && lines.back().text.text == "\n") lines.pop_back();
    return PythonValue::of_items(Kind::list, file.text, std::move(lines));
}

// FILE.read(), json.load(FILE), Path(NAME).read_text()
std::optional<PythonValue> PythonFollower::read_of_file(const PythonCall& call) {
    const std::string name = last_name(call.path);
    const PythonValue& object = call.object;
    const bool is_path = object.is_text() && object.is_known();
    if (loads(call.path) && !call.given.empty()) {
        const PythonValue& from = call.given.front();
        const bool names = from.kind == Kind::file || (call.path == "toml.load" && from.is_known());
        if (!names && !(from.is_text() && from.is_known())) return std::nullopt;
        const auto text = names ? text_of_file(from)
                                : std::optional(FileText{from.text.file, from.text.text, from.text.line - 1});
        return text ? loaded(call.path, *text) : std::nullopt;
    }
    if (object.kind == Kind::file && name == "readlines") return lines_of_file(object);
    if (is_path && name == "open") return opened_file(call, object, 0);
    if (is_path && is_one_of(name, {"resolve", "absolute"})) return object;
    const bool reads = (object.kind == Kind::file && name == "read") ||
                       (is_path && is_one_of(name, {"read_text", "read_bytes"}));
    const auto text = reads ? text_of_file(object) : std::nullopt;
    if (!text) return std::nullopt;
    return PythonValue::of_text(place_in(*text, 1, 1, text->text));
}

void PythonFollower::set_path(const std::string& path) { m_globals["__file__"] = PythonValue::of_word(path); }

std::optional<PythonValue> PythonFollower::of_files(const PythonCall& call) {
    if ((call.path == "open" || call.path == "io.open") && !call.given.empty())
        return opened_file(call, call.given[0], 1);
    if (auto read = read_of_file(call)) return read;
    if (last_name(call.path) != "write" || call.given.size() != 1 || call.object.kind != Kind::file)
        return std::nullopt;
    write(call.object, call.given[0]);
    return PythonValue{};
}

void PythonFollower::enter(const PythonLine& line) {
    const std::size_t colon = sign_in(line, ":");
    const bool named = colon > 3 && line.tokens[colon - 2].is("as") && line.tokens[colon - 1].is_name();
    PythonValue value = evaluated(line, 1, named ? colon - 2 : colon);
    if (named) set(line.tokens[colon - 1].text, std::move(value));
}

}  // namespace ptxguard::recipes
