// ptxguard.toml and [tool.ptxguard]: only this translation unit includes the TOML library. Keys are the
// options' names; `ignore` is a table of CODE = "reason".
// SPDX-License-Identifier: Apache-2.0
#define TOML_HEADER_ONLY 1
#define TOML_EXCEPTIONS 0
#define TOML_MAX_NESTED_VALUES 32
#include <toml++/toml.h>

#include <algorithm>
#include <string_view>

#include "commands/options.hpp"
#include "commands/settings.hpp"
#include "host/host.hpp"
#include "host/paths.hpp"
#include "model/text.hpp"

namespace ptxguard {
namespace {

std::string place(const std::string& path, const toml::source_region& at) {
    return path + ":" + std::to_string(at.begin.line);
}

constexpr std::size_t k_most_bytes = 256u << 10;
constexpr int k_deepest = 32;  // "a.b.c": the library nests a table for each, and calls itself for each

// Behind the string that starts at `at`: basic or literal, of one or of several lines.
std::size_t end_of_string(std::string_view text, std::size_t at) {
    const char quote = text[at];
    const bool several = text.substr(at, 3) == std::string(3, quote);
    const std::string_view end = text.substr(at, several ? 3 : 1);
    for (at += end.size(); at < text.size(); ++at) {
        if (text[at] == '\\' && quote == '"')
            ++at;
        else if (text.substr(at, end.size()) == end) {
            // Behind the last of several lines up to two quotes more belong to the text.
            at += end.size();
            for (int more = 0; several && more < 2 && at < text.size() && text[at] == quote; ++more) ++at;
            return at;
        } else if (text[at] == '\n' && !several)
            return at;
    }
    return text.size();
}

// What the library takes for granted of a file, which may be anybody's.
std::optional<Trouble> check_form(const std::string& path, std::string_view text) {
    if (text.size() > k_most_bytes)
        return Trouble{path, "is larger than " + std::to_string(k_most_bytes) + " bytes", ""};
    const auto trouble = [&](std::size_t at, const char* why) {
        const auto line = std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n') + 1;
        return Trouble{path + ":" + std::to_string(line), "is not valid TOML", why};
    };
    int depth = 0;
    for (std::size_t at = text.substr(0, 3) == "\xEF\xBB\xBF" ? 3 : 0; at < text.size();) {
        const char c = text[at];
        if (c == '"' || c == '\'') {
            at = end_of_string(text, at);
            continue;
        }
        if (c == '#') {
            at = std::min(text.find('\n', at), text.size());
            continue;
        }
        if (static_cast<unsigned char>(c) > 0x7e)
            return trouble(at, "a character outside of ASCII and of strings");
        depth = c == '.'                                                         ? depth + 1
                : std::string_view("=,[]{}\n").find(c) != std::string_view::npos ? 0
                                                                                 : depth;
        if (depth > k_deepest) return trouble(at, "a key with more than 32 parts");
        ++at;
    }
    return std::nullopt;
}

// Whoever can write a file above the working folder, or send a pull request, must not choose what runs or
// loads here, nor what counts as success.
bool only_if_named(const OptionSpec& option, const std::vector<std::string>& values) {
    const std::string name = option.name;
    const auto is = [&](const char* key, const char* value) {
        return name == key && std::find(values.begin(), values.end(), value) != values.end();
    };
    return names_a_place(option) || name == "os" || name == "ignore" || is("fail-on", "never") ||
           is("probe", "off");
}

// A relative place counts from the file that names it. "python3" is a program in the search path, unless it
// lies there.
std::string place_from(const std::string& config, const OptionSpec& option, const std::string& value) {
    if (value.empty() || is_absolute(value, System::linux_) || is_absolute(value, System::windows))
        return value;
    const std::string place = join_path(parent_path(config), value);
    const bool program =
        std::string_view(option.name) == "python" && value.find_first_of("/\\") == std::string::npos;
    return program && real_host()->status(place).type == FileType::missing ? value : place;
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
    Configuration& configuration = settings.configuration;
    if (ours && configuration.found && only_if_named(*option, *values)) {
        configuration.not_taken.push_back(key);
        return std::nullopt;
    }
    if (names_a_place(*option))
        for (std::string& value : *values) value = place_from(path, *option, value);
    if (auto trouble = set_option(settings, key, std::move(*values), origin)) return trouble;
    if (const toml::table* table = ours ? node.as_table() : nullptr)
        for (auto&& [name, item] : *table) {
            origin.line = static_cast<int>(item.source().begin.line);
            settings.options[key].origins.push_back(origin);
        }
    return std::nullopt;
}

}  // namespace

std::optional<Trouble> add_configuration(Settings& settings, const std::string& path, const std::string& text,
                                         bool found) {
    if (auto trouble = check_form(path, text)) return trouble;
    settings.configuration = {path, found, {}};
    toml::parse_result parsed = toml::parse(text, path);
    if (!parsed)
        return Trouble{place(path, parsed.error().source()), "is not valid TOML",
                       std::string(parsed.error().description())};
    const toml::table* table = &parsed.table();
    if (file_name(path) == "pyproject.toml") table = parsed.table()["tool"]["ptxguard"].as_table();
    if (!table) return std::nullopt;
    for (auto&& [key, node] : *table)
        if (auto trouble = add_key(settings, path, std::string(key.str()), node)) return trouble;
    return std::nullopt;
}

}  // namespace ptxguard
