// ptxguard.toml and [tool.ptxguard]: only this translation unit includes the TOML library. Keys are the
// options' names; `ignore` is a table of CODE = "reason".
// SPDX-License-Identifier: Apache-2.0
#define TOML_HEADER_ONLY 1
#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>

#include "commands/options.hpp"
#include "commands/settings.hpp"
#include "host/paths.hpp"
#include "model/spelling.hpp"

namespace ptxguard {
namespace {

std::string place(const std::string& path, const toml::source_region& at) {
    return path + ":" + std::to_string(at.begin.line);
}

// Strings, numbers and true as the option's text; nothing for other types.
std::optional<std::string> scalar(const toml::node& node) {
    if (auto text = node.value_exact<std::string>()) return text;
    if (auto number = node.value_exact<std::int64_t>()) return std::to_string(*number);
    if (auto yes = node.value_exact<bool>()) return *yes ? "1" : "0";
    return std::nullopt;
}

std::optional<std::vector<std::string>> values_of(const toml::node& node) {
    std::vector<std::string> values;
    if (auto value = scalar(node)) return std::vector<std::string>{*value};
    if (const toml::array* array = node.as_array()) {
        for (const toml::node& item : *array) {
            auto value = scalar(item);
            if (!value) return std::nullopt;
            values.push_back(*value);
        }
        return values;
    }
    if (const toml::table* table = node.as_table()) {
        for (auto&& [key, item] : *table) {
            auto value = scalar(item);
            if (!value) return std::nullopt;
            values.push_back(std::string(key.str()) + "=" + *value);
        }
        return values;
    }
    return std::nullopt;
}

std::vector<std::string> known_keys() {
    std::vector<std::string> keys;
    for (const OptionSpec& option : option_table())
        if (option.in_config && !option.hidden) keys.push_back(option.name);
    return keys;
}

std::optional<Trouble> add_key(Settings& settings, const std::string& path, const std::string& key,
                               const toml::node& node) {
    std::string where = place(path, node.source());
    const OptionSpec* option = find_option(key);
    if (!option || !option->in_config || option->hidden)
        return Trouble{where, "has the unknown key '" + key + "'" + did_you_mean(key, known_keys()), ""};
    auto values = values_of(node);
    if (!values || (node.is_table() && key != "ignore"))
        return Trouble{where, "has a value for '" + key + "' that is neither text, number nor list", ""};
    if (option->kind == OptionKind::flag) {
        if (values->size() != 1 || (values->front() != "0" && values->front() != "1"))
            return Trouble{where, "needs true or false for '" + key + "'", ""};
        if (values->front() == "0") return std::nullopt;
    }
    Origin origin = Origin::from_file(path, static_cast<int>(node.source().begin.line));
    origin.certainty = Certainty::declared;
    const bool ours = !settings.has(key);
    if (auto trouble = set_option(settings, key, std::move(*values), origin)) return trouble;
    if (const toml::table* table = ours ? node.as_table() : nullptr)
        for (auto&& [name, item] : *table) {
            origin.line = static_cast<int>(item.source().begin.line);
            settings.options[key].origins.push_back(origin);
        }
    return std::nullopt;
}

}  // namespace

std::optional<Trouble> add_configuration(Settings& settings, const std::string& path,
                                         const std::string& text) {
    toml::parse_result parsed = toml::parse(text, path);
    if (!parsed)
        return Trouble{place(path, parsed.error().source()), "is no valid TOML",
                       std::string(parsed.error().description())};
    const toml::table* table = &parsed.table();
    if (file_name(path) == "pyproject.toml") table = parsed.table()["tool"]["ptxguard"].as_table();
    if (!table) return std::nullopt;
    for (auto&& [key, node] : *table)
        if (auto trouble = add_key(settings, path, std::string(key.str()), node)) return trouble;
    return std::nullopt;
}

}  // namespace ptxguard
