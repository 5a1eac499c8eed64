// SPDX-License-Identifier: Apache-2.0
#include "commands/deliver.hpp"

#include <algorithm>

#include "commands/command.hpp"
#include "commands/components.hpp"
#include "commands/later.hpp"
#include "commands/run.hpp"
#include "host/host.hpp"
#include "model/text.hpp"
#include "model/visible.hpp"

#ifndef PTXGUARD_RULE_PAGES
#error "PTXGUARD_RULE_PAGES comes from the build"
#endif

namespace ptxguard {
namespace {

bool colored(const Settings& settings, const Host& machine) {
    std::string when = settings.one("color", "auto");
    if (when != "auto") return when == "always";
    auto no_color = machine.env("NO_COLOR");
    if (no_color && !no_color->empty()) return false;
    for (const char* name : {"FORCE_COLOR", "CLICOLOR_FORCE"}) {
        auto force = machine.env(name);
        if (force && !force->empty() && *force != "0") return true;
    }
    if (machine.env("CLICOLOR").value_or("1") == "0" || machine.env("TERM").value_or("") == "dumb")
        return false;
    return own::stdout_is_terminal();
}

// Whether the terminal shows UTF-8: by the locale, on Windows the new terminal.
bool writes_symbols(const Host& machine) {
    if (machine.env("WT_SESSION")) return true;
    for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
        const std::string locale = lower(machine.env(name).value_or(""));
        if (!locale.empty())
            return locale.find("utf-8") != std::string::npos || locale.find("utf8") != std::string::npos;
    }
    return false;
}

}  // namespace

std::size_t width_of_output(const Host& machine) {
    const auto columns = parse_version(machine.env("COLUMNS").value_or(""));
    const std::size_t width =
        columns && columns->major() > 0 ? static_cast<std::size_t>(columns->major()) : own::terminal_width();
    return width == 0 ? 80 : std::max<std::size_t>(width, 40);
}

const ReportFormat& format_of(const Settings& settings) {
    return format_named(settings.one("format", "text"));
}

const ReportFormat& format_named(const std::string& name) {
    for (const ReportFormat& format : report_formats())
        if (name == format.name) return format;
    return report_formats().front();
}

std::optional<Trouble> write_report(const Settings& settings, const std::string& asked,
                                    const std::string& text, Print print) {
    if (settings.has("output")) {
        if (auto trouble = own::write_output(settings.one("output"), asked)) return trouble;
    }
    print(settings.has("output") ? text : asked);
    return std::nullopt;
}

int deliver_members(const Settings& settings, const Report& report, const Json& members,
                    const std::string& text, int exit_code) {
    std::string json_text;
    if (settings.one("format", "text") == "json") {
        auto json = parse_json(json_report(report, {}), "report");
        if (!json) return exit_own_failure;
        for (const Json::Member& member : members.members()) json->set(member.first, member.second);
        json_text = to_text(*json) + "\n";
    }
    const std::string shown = visible_lines(text, false);
    if (auto trouble = write_report(settings, json_text.empty() ? shown : json_text, shown))
        return usage_error(report.command.c_str(), *trouble);
    return exit_code;
}

std::optional<Trouble> deliver(const Settings& settings, const Report& report, Print print) {
    const ReportFormat& format = format_of(settings);
    ReportOptions options;
    options.configuration = settings.configuration.path;
    options.quiet = settings.has("quiet");
    options.verbose = settings.has("verbose");
    options.show = settings.all("show");
    const auto machine = real_host();
    options.width = width_of_output(*machine);
    options.only_findings = settings.has("only-findings");
    options.entries = settings.has("entries");
    options.page = page_text;
    options.pages = PTXGUARD_RULE_PAGES;
    for (const std::string& wanted : settings.all("write")) {
        const std::size_t equals = wanted.find('=');
        const ReportFormat& other = format_named(wanted.substr(0, equals));
        if (auto trouble = own::write_output(wanted.substr(equals + 1), other.write(report, options)))
            return trouble;
    }
    const bool in_file = settings.has("output");
    options.color = !in_file && !format.machine && colored(settings, *machine);
    options.symbols = options.color && writes_symbols(*machine);
    for (const std::string& text : settings.all("component"))
        if (auto component = parse_component(text)) options.components.push_back(std::move(*component));
    options.lists_later = decides_later(settings, "architectures");
    const auto write_text = settings.has("cmake-script") ? cmake_script : text_report;
    const bool as_text = &format == &report_formats().front();
    const std::string asked = as_text ? write_text(report, options) : format.write(report, options);
    options.color = in_file && colored(settings, *machine);
    options.symbols = options.color && writes_symbols(*machine);
    return write_report(settings, asked, in_file ? write_text(report, options) : "", print);
}

}  // namespace ptxguard
