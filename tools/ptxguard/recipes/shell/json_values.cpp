// SPDX-License-Identifier: Apache-2.0
#include "recipes/shell/json_values.hpp"

#include "formats/toml.hpp"
#include "formats/yaml.hpp"
#include "model/text.hpp"
#include "recipes/base/arguments.hpp"

namespace ptxguard::recipes {
namespace {

constexpr std::size_t k_deepest_value = 24;  // values in each other

std::string in_json_quotes(const std::string& text) {
    std::string all = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') all += '\\';
        all += c == '\n' ? "\\n" : c == '\t' ? "\\t" : std::string(1, c);
    }
    return all + "\"";
}

}  // namespace

Tree scalar_of(std::string text, bool quoted) {
    Tree value;
    value.kind = Tree::Kind::scalar;
    value.text = std::move(text);
    value.quoted = quoted;
    return value;
}

bool is_null(const Tree& value) {
    return !value || (value.is_scalar() && !value.quoted && is_one_of(value.text, {"null", "~", ""}));
}
bool is_false(const Tree& value) {
    return is_null(value) || (value.is_scalar() && !value.quoted && value.text == "false");
}

bool is_bare(const Tree& value) {
    if (value.quoted) return false;
    const std::size_t point = value.text.find('.');
    const std::string_view whole = std::string_view(value.text).substr(value.text.substr(0, 1) == "-");
    const std::size_t digits = whole.find_first_not_of("0123456789.");
    const bool number =
        !whole.empty() && digits == npos && value.text.find('.', point + 1) == npos && is_digit(whole[0]);
    return number || is_one_of(value.text, {"true", "false", "null"});
}

std::string compact(const Tree& value, std::size_t depth) {
    if (is_null(value) || depth > k_deepest_value) return "null";
    if (value.is_scalar()) return is_bare(value) ? value.text : in_json_quotes(value.text);
    std::vector<std::string> parts;
    for (const Tree& item : value.items) parts.push_back(compact(item, depth + 1));
    for (const auto& [key, member] : value.members)
        parts.push_back(in_json_quotes(key.text) + ":" + compact(member, depth + 1));
    return value.is_map() ? "{" + joined(parts, ",") + "}" : "[" + joined(parts, ",") + "]";
}

std::string raw(const Tree& value) {
    return value.is_scalar() && !is_null(value) ? value.text : compact(value);
}

Tree list_of(std::vector<Tree> items) {
    Tree all;
    all.kind = Tree::Kind::list;
    all.items = std::move(items);
    return all;
}

Tree map_of(std::vector<std::pair<Tree, Tree>> members) {
    Tree all;
    all.kind = Tree::Kind::map;
    all.members = std::move(members);
    return all;
}

Tree entry_of(const std::pair<Tree, Tree>& member) {
    return map_of({{scalar_of("key"), scalar_of(member.first.text)}, {scalar_of("value"), member.second}});
}

std::optional<Tree> document_of(const std::string& text, bool toml, const std::string& file) {
    static constexpr Limit k_most_bytes{1u << 18, "bytes of a file that a query or Python code reads",
                                        "the file"};
    if (toml) {
        auto read = read_toml(text, file, k_most_bytes);
        return read ? std::optional(std::move(*read)) : std::nullopt;
    }
    auto documents = read_yaml(text, file);
    return documents && !documents->empty() ? std::optional(std::move(documents->front())) : std::nullopt;
}

}  // namespace ptxguard::recipes
