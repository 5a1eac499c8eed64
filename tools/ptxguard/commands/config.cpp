// ptxguard.toml and [tool.ptxguard]: keys are the options' names; `ignore` is a table of CODE = "reason",
// `per-file-ignores` a table of such tables by pattern.
// SPDX-License-Identifier: Apache-2.0
#include <string_view>

#include "commands/options.hpp"
#include "commands/settings.hpp"
#include "formats/toml.hpp"
#include "host/host.hpp"
#include "host/paths.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"

namespace ptxguard {
namespace {

std::string place(const std::string& path, const Tree& value) {
    return path + ":" + std::to_string(value.line);
}

constexpr Limit k_most_bytes{256u << 10, "bytes of a configuration file", "it"};

// For lint: authors of recipes may also write the comments that suppress findings in them.
bool suppresses(const OptionSpec& option) {
    const std::string_view name = option.name;
    return name == "ignore" || name == "per-file-ignores" || name == "select" || name == "exclude";
}

// Anyone who can write a file above the working folder, or send a pull request, must not select what runs or
// is loaded here, nor what counts as success.
bool only_if_named(const OptionSpec& option, const std::vector<std::string>& values) {
    const std::string name = option.name;
    const auto is = [&](const char* key, const char* value) {
        return name == key && contains(values, value);
    };
    return names_a_place(option) || name == "os" || suppresses(option) || is("fail-on", "never") ||
           is("probe", "off");
}

// A relative place is relative to the folder of its configuration file. "python3" is a program on the search
// path, unless that folder contains it.
std::string place_from(const std::string& config, const OptionSpec& option, const std::string& value) {
    if (value.empty() || is_absolute(value, System::linux_) || is_absolute(value, System::windows))
        return value;
    const std::string place = join_path(parent_path(config), value);
    const bool program =
        std::string_view(option.name) == "python" && value.find_first_of("/\\") == std::string::npos;
    return program && real_host()->status(place).type == FileType::missing ? value : place;
}

// Strings, numbers and true as the option's text; nothing for other types.
std::optional<std::string> scalar(const Tree& value) {
    if (!value.is_scalar()) return std::nullopt;
    if (value.quoted) return value.text;
    if (value.text == "true" || value.text == "false") return value.text == "true" ? "1" : "0";
    const bool number = !value.text.empty() &&
                        value.text.find_first_not_of("0123456789", value.text[0] == '-') == std::string::npos;
    return number ? std::optional(value.text) : std::nullopt;
}

// "PATTERN:CODE=reason" of [per-file-ignores.PATTERN].
std::optional<std::vector<std::string>> values_by_pattern(const Tree& value) {
    std::vector<std::string> values;
    for (const auto& [pattern, codes] : value.members) {
        if (!codes.is_map()) return std::nullopt;
        for (const auto& [code, reason] : codes.members) {
            const auto text = scalar(reason);
            if (!text) return std::nullopt;
            values.push_back(pattern.text + ":" + code.text + "=" + *text);
        }
    }
    return value.is_map() ? std::optional(values) : std::nullopt;
}

std::optional<std::vector<std::string>> values_of(const Tree& value) {
    std::vector<std::string> values;
    for (const auto& [key, item] : value.members) {
        auto text = scalar(item);
        if (!text) return std::nullopt;
        values.push_back(key.text + "=" + *text);
    }
    if (value.is_map()) return values;
    for (const Tree* item : value.each()) {
        auto text = scalar(*item);
        if (!text) return std::nullopt;
        values.push_back(*text);
    }
    return values;
}

// "NAME=GPU:DRIVER" of [nodes]: h100 = {gpu = "H100", driver = "580.65.06"}, or h100 = "H100:580.65.06".
std::optional<std::vector<std::string>> values_of_nodes(const Tree& value) {
    std::vector<std::string> values;
    for (const auto& [name, node] : value.members) {
        if (!node.is_map()) {
            const auto text = scalar(node);
            if (!text) return std::nullopt;
            values.push_back(name.text + "=" + *text);
            continue;
        }
        std::string gpus;
        for (const Tree* gpu : node["gpu"].each()) gpus += (gpus.empty() ? "" : ",") + gpu->text;
        values.push_back(name.text + "=" + gpus + ":" + node["driver"].text);
    }
    return value.is_map() ? std::optional(values) : std::nullopt;
}

std::vector<std::string> known_keys() {
    std::vector<std::string> keys;
    for (const OptionSpec& option : option_table())
        if (option.in_config && !option.hidden) keys.push_back(option.name);
    return keys;
}

// As values of the option; `where`: the place, for the problem.
Result<std::vector<std::string>> values_for(const std::string& key, const Tree& value,
                                            const std::string& where) {
    if (key == "per-file-ignores") {
        if (auto values = values_by_pattern(value)) return std::move(*values);
        return Trouble{where, "has a value for 'per-file-ignores' that is not a table of tables",
                       "[per-file-ignores.\"tests/\"] with lines such as CC603 = \"reason\""};
    }
    if (key == "nodes") {
        if (auto values = values_of_nodes(value)) return std::move(*values);
        return Trouble{where, "has a value for 'nodes' that is not a table",
                       "[nodes] with lines such as h100 = {gpu = \"H100\", driver = \"580.65.06\"}"};
    }
    auto values = values_of(value);
    if (values && (!value.is_map() || key == "ignore")) return std::move(*values);
    return Trouble{where, "has a value for '" + key + "' that is neither text, number nor list", ""};
}

// A configuration that was found and not named: whether this value of it does not count.
bool is_left_out(const Settings& settings, const OptionSpec& option, const std::vector<std::string>& values) {
    if (!settings.configuration.found || (settings.judges_recipes && suppresses(option))) return false;
    return only_if_named(option, values);
}

// The line of each value of a table; `by_pattern`: of a table of tables.
void add_lines(const Tree& table, bool by_pattern, Origin origin, std::vector<Origin>& origins) {
    const auto add = [&](int line) {
        origin.line = line;
        origins.push_back(origin);
    };
    for (const auto& [key, item] : table.members) {
        if (!by_pattern) add(item.line);
        if (by_pattern)
            for (const auto& [code, reason] : item.members) add(reason.line);
    }
}

std::optional<Trouble> add_key(Settings& settings, const std::string& path, const std::string& name,
                               const Tree& value) {
    const std::string where = place(path, value), key = name == "nodes" ? "node" : name;
    const OptionSpec* option = find_option(key);
    if (!option || !option->in_config || option->hidden)
        return Trouble{where, "has the unknown key '" + key + "'" + did_you_mean(key, known_keys()), ""};
    auto values = values_for(name, value, where);
    if (!values) return values.trouble();
    if (option->kind == OptionKind::flag) {
        if (*values == std::vector<std::string>{"0"}) return std::nullopt;
        if (*values != std::vector<std::string>{"1"})
            return Trouble{where, "needs true or false for '" + key + "'", ""};
    }
    const bool ours = !settings.has(key);
    if (ours && is_left_out(settings, *option, *values)) {
        settings.configuration.not_taken.push_back(key);
        return std::nullopt;
    }
    Origin origin = Origin::from_file(path, value.line);
    origin.certainty = Certainty::declared;
    if (names_a_place(*option))
        for (std::string& one : *values) one = place_from(path, *option, one);
    if (auto trouble = set_option(settings, key, std::move(*values), origin)) return trouble;
    if (ours) add_lines(value, key == "per-file-ignores", origin, settings.options[key].origins);
    return std::nullopt;
}

}  // namespace

std::optional<Trouble> add_configuration(Settings& settings, const std::string& path, const std::string& text,
                                         bool found) {
    const auto parsed = read_toml(text, path, k_most_bytes);
    if (!parsed) return parsed.trouble();
    settings.configuration = {path, found, {}};
    const Tree& ours = file_name(path) == "pyproject.toml" ? (*parsed)["tool"]["ptxguard"] : *parsed;
    for (const auto& [key, value] : ours.members)
        if (auto trouble = add_key(settings, path, key.text, value)) return trouble;
    return std::nullopt;
}

}  // namespace ptxguard
