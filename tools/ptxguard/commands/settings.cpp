// Checks option values, merges their sources, and passes them on.
// SPDX-License-Identifier: Apache-2.0
#include "commands/settings.hpp"

#include <algorithm>

#include "commands/components.hpp"
#include "commands/lint_write.hpp"
#include "commands/node_types.hpp"
#include "commands/options.hpp"
#include "discover/host_compiler.hpp"
#include "judge/judge.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"

namespace ptxguard {

std::string written(const std::string& name, const Origin& origin) {
    if (origin.kind == OriginKind::file) return origin.for_people() + ": " + name;
    if (origin.kind == OriginKind::variable) return origin.variable;
    if (origin.kind == OriginKind::option && !origin.variable.empty()) return origin.variable;
    return "--" + name;
}

namespace {

std::vector<std::string> rule_names() {
    std::vector<std::string> names;
    for (const Rule& rule : rules()) names.insert(names.end(), {rule.code, rule.name});
    return names;
}

// For "CC6" all rules whose codes start with it; case does not matter.
std::vector<std::string> codes_starting_with(const std::string& start) {
    std::vector<std::string> codes;
    for (const Rule& rule : rules())
        if (start.size() > 2 && starts_with(lower(rule.code), lower(start))) codes.push_back(rule.code);
    return codes;
}

std::optional<Trouble> check_word(const OptionSpec& option, const std::string& value,
                                  const std::string& subject) {
    if (option.words.empty()) return std::nullopt;
    std::vector<std::string> words(option.words.begin(), option.words.end());
    if (contains(words, value)) return std::nullopt;
    std::string known;
    for (const std::string& word : words) known += (known.empty() ? "" : ", ") + word;
    return Trouble{subject, "cannot be '" + value + "'" + did_you_mean(lower(value), words),
                   "choose one of " + known};
}

// Checks of values with a form of their own: `subject` names the option where it was given.
using Checked = std::optional<Trouble>;

Checked check_archs(const std::string& subject, const std::string& value, const Origin&) {
    const auto list = parse_arch_list(value, guess_dialect(value));
    if (list) return std::nullopt;
    return Trouble{subject + ": " + list.trouble().subject, list.trouble().what, list.trouble().cause};
}

Checked check_driver(const std::string& subject, const std::string& value, const Origin&) {
    const auto driver = parse_version(value);
    if (driver ? driver->major() < 100 : starts_with(lower(value), "cuda"))
        return Trouble{subject, "'" + value + "' looks like a CUDA version",
                       "give the driver version, which nvidia-smi shows beside it, such as 550.54.14"};
    if (!driver)
        return Trouble{subject,
                       "needs a version such as 550.54.14 or a branch such as 550, not '" + value + "'", ""};
    if (driver->major() > 999)
        return Trouble{subject, "names an unknown driver '" + value + "'",
                       "a version such as 550.54.14 or a branch such as 550"};
    return std::nullopt;
}

Checked check_env(const std::string& subject, const std::string& value, const Origin&) {
    if (value.find('=') != std::string::npos && value[0] != '=') return std::nullopt;
    return Trouble{subject, "needs NAME=VALUE, not '" + value + "'", ""};
}

Checked check_node(const std::string& subject, const std::string& value, const Origin&) {
    const auto node = parse_node_type(value);
    if (node) return std::nullopt;
    return Trouble{subject, node.trouble().what, node.trouble().cause};
}

Checked check_write(const std::string& subject, const std::string& value, const Origin&) {
    const std::size_t equals = value.find('=');
    if (equals == std::string::npos || equals + 1 == value.size())
        return Trouble{subject, "needs FORMAT=FILE, not '" + value + "'", "for example json=report.json"};
    return check_word(*find_option("format"), value.substr(0, equals), subject);
}

Checked check_file_ignore(const std::string& subject, const std::string& value, const Origin&) {
    if (parse_file_suppression(value)) return std::nullopt;
    return Trouble{subject, "needs PATTERN:CODE=reason, not '" + value + "'",
                   "the reason is repeated in the report"};
}

Checked check_ignore(const std::string& subject, const std::string& value, const Origin& origin) {
    const std::size_t equals = std::min(value.find('='), value.size());
    const std::string rule = trim(value.substr(0, equals));
    if (rule.empty() || equals == value.size() || trim(value.substr(equals + 1)).empty())
        return Trouble{subject, "needs CODE=reason, not '" + value + "'",
                       "the reason is repeated in the report"};
    // A configuration file may be older or newer than this version (CC003).
    if (origin.kind != OriginKind::option || find_rule(rule)) return std::nullopt;
    return Trouble{subject, "names an unknown rule '" + rule + "'" + did_you_mean(rule, rule_names()),
                   "'ptxguard explain' lists all"};
}

Checked check_component(const std::string&, const std::string& value, const Origin&) {
    const auto component = parse_component(value);
    return component ? std::nullopt : Checked(component.trouble());
}

Checked check_select(const std::string& subject, const std::string& value, const Origin&) {
    if (!codes_starting_with(value).empty()) return std::nullopt;
    return Trouble{subject, "names an unknown rule '" + value + "'",
                   "a code such as CC603, or the start of codes such as CC6"};
}

struct CheckOfOption {
    std::string_view option;
    Checked (*check)(const std::string& subject, const std::string& value, const Origin& origin);
};
constexpr CheckOfOption k_checks[] = {
    {"arch", check_archs},    {"driver", check_driver},       {"env", check_env},
    {"node", check_node},     {"write", check_write},         {"per-file-ignores", check_file_ignore},
    {"ignore", check_ignore}, {"component", check_component}, {"select", check_select}};

std::optional<Trouble> check_value(const OptionSpec& option, const std::string& value, const Origin& origin) {
    const std::string subject = written(option.name, origin);
    if (auto trouble = check_word(option, value, subject)) return trouble;
    const std::string_view name = option.name;
    if (value.empty() && option.kind != OptionKind::flag && name != "arch" && name != "env")
        return Trouble{subject, "is empty", ""};
    for (const CheckOfOption& one : k_checks)
        if (name == one.option) return one.check(subject, value, origin);
    return std::nullopt;
}

std::vector<std::string> separated(const OptionSpec& option, const std::vector<std::string>& values) {
    if (option.kind != OptionKind::list) return values;
    std::vector<std::string> parts;
    for (const std::string& value : values) {
        auto pieces = split(value, ",;");
        if (pieces.empty()) parts.push_back("");
        for (const std::string& piece : pieces) parts.push_back(trim(piece));
    }
    return parts;
}

std::optional<int> number(const Settings& settings, const std::string& name) {
    if (!settings.has(name)) return std::nullopt;
    return std::stoi(settings.one(name));  // checked against the words of the table
}

// The last -ccbin wins, and CMake writes its flags behind CMAKE_CUDA_HOST_COMPILER.
void take_host_compiler_of_flags(const Settings& settings, Request& request) {
    for (const std::string& named : settings.all("cmake-flags")) {
        const std::size_t equals = named.find('=');
        if (equals == std::string::npos) continue;
        const std::string compiler = ccbin_in(named.substr(equals + 1));
        if (compiler.empty()) continue;
        request.cmake_host_compiler = compiler;
        request.config_origin["cmake-host-compiler"] = named.substr(0, equals);
    }
}

// Frameworks, and libraries that the project links. Versions are compared when the results are written.
void take_components(const Settings& settings, Request& request) {
    for (const std::string& text : settings.all("component")) {
        const auto component = parse_component(text);
        if (!component) continue;  // refused by check_value
        if (!is_library(*component))
            request.frameworks.push_back(component->name + (component->optional ? "?" : ""));
        else if (!component->optional)
            request.require.push_back(lower(component->name));
    }
}

}  // namespace

std::string Settings::one(const std::string& name, const std::string& fallback) const {
    auto found = options.find(name);
    return found == options.end() || found->second.values.empty() ? fallback : found->second.values.back();
}

const std::vector<std::string>& Settings::all(const std::string& name) const {
    static const std::vector<std::string> none;
    auto found = options.find(name);
    return found == options.end() ? none : found->second.values;
}

Origin Settings::origin(const std::string& name) const {
    auto found = options.find(name);
    return found == options.end() ? Origin() : found->second.origin;
}

std::optional<Trouble> set_option(Settings& settings, const std::string& name,
                                  std::vector<std::string> values, const Origin& origin) {
    const OptionSpec* option = find_option(name);
    if (!option || settings.has(name)) return std::nullopt;
    values = separated(*option, values);
    for (const std::string& value : values)
        if (auto trouble = check_value(*option, value, origin)) return trouble;
    settings.options[name] = {std::move(values), origin, {}};
    return std::nullopt;
}

std::optional<Trouble> add_environment(Settings& settings,
                                       const std::map<std::string, std::string>& environment) {
    for (const OptionSpec& option : option_table()) {
        if (!option.in_config) continue;
        const std::string variable = "PTXGUARD_" + upper(replace_all(option.name, "-", "_"));
        auto found = environment.find(variable);
        if (found == environment.end() || found->second.empty()) continue;
        if (option.kind == OptionKind::flag && found->second == "0") continue;
        if (auto trouble =
                set_option(settings, option.name, {found->second}, Origin::from_variable(variable)))
            return trouble;
    }
    return std::nullopt;
}

Request request_from(const Settings& settings) {
    Request request;
    request.toolkits = settings.all("toolkit");
    request.cmake_nvcc = settings.one("cmake-nvcc");
    request.cmake_host_compiler = settings.one("cmake-host-compiler");
    request.cmake_toolkit_root = settings.one("cmake-toolkit-root");
    request.from_cmake = settings.has("from-cmake");
    request.drivers = settings.all("driver");
    request.driver_libs = settings.all("driver-libs");
    request.gpus = settings.all("gpu");
    request.archs = settings.one("arch");
    request.archs_origin = settings.one("arch-origin", "--arch");
    request.frameworks = settings.all("framework");
    request.python = settings.one("python");
    request.isolated = settings.has("isolated");
    request.cxx_abi = number(settings, "cxx-abi");
    request.cxx_standard = number(settings, "cxx-standard");
    request.require = settings.all("require");
    request.build = settings.has("build");
    request.probe_mode = *from_word<ProbeMode>(settings.one("probe", "auto"));
    for (const auto& [name, setting] : settings.options)
        if (setting.origin.kind != OriginKind::option)
            request.config_origin[name] = setting.origin.for_people();
    take_host_compiler_of_flags(settings, request);
    take_components(settings, request);
    return request;
}

std::vector<Suppression> suppressions_from(const Settings& settings) {
    std::vector<Suppression> suppressions;
    const auto each = [&](const char* option, const auto& take) {
        const auto setting = settings.options.find(option);
        if (setting == settings.options.end()) return;
        const auto& [values, origin, origins] = setting->second;
        for (std::size_t i = 0; i < values.size(); ++i)
            take(values[i], origins.size() == values.size() ? origins[i] : origin);
    };
    each("ignore", [&](const std::string& value, const Origin& origin) {
        const std::size_t equals = value.find('=');
        suppressions.push_back({trim(value.substr(0, equals)), trim(value.substr(equals + 1)), origin});
    });
    each("per-file-ignores", [&](const std::string& value, const Origin& origin) {
        suppressions.push_back(suppression_of(*parse_file_suppression(value), origin));
    });
    return suppressions;
}

std::set<std::string> selected_codes(const Settings& settings) {
    std::set<std::string> codes;
    for (const std::string& start : settings.all("select"))
        for (const std::string& code : codes_starting_with(start)) codes.insert(code);
    // What could not be read or judged is reported for any selection.
    if (!codes.empty()) codes.merge(codes_where(&RuleHead::always_selected));
    return codes;
}

}  // namespace ptxguard
