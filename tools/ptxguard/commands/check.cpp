// `ptxguard check`: look, ask, compile, judge, report.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "commands/command.hpp"
#include "commands/facts_folder.hpp"
#include "discover/discover.hpp"
#include "expect/expect.hpp"
#include "host/host.hpp"
#include "host/paths.hpp"
#include "judge/judge.hpp"
#include "probe/probe.hpp"
#include "report/report.hpp"

namespace ptxguard {
namespace {

// What container engines give an image that sets no PATH of its own.
constexpr const char* k_usual_path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

int usage(const std::string& text) {
    std::fprintf(stderr, "ptxguard check: %s\n", text.c_str());
    return exit_usage;
}

std::map<std::string, std::string> environment_from(const Settings& settings) {
    std::map<std::string, std::string> environment;
    for (const std::string& pair : settings.all("env")) {
        auto equals = pair.find('=');
        environment[pair.substr(0, equals)] = pair.substr(equals + 1);
    }
    return environment;
}

// A tree with a Windows folder or drive letters is a Windows tree.
System system_of_tree(const std::string& root) {
    auto machine = real_host();
    for (const char* sign : {"Windows", "windows", "C", "c", "Program Files", "Users"})
        if (machine->status(join_path(root, sign)).type == FileType::directory) return System::windows;
    return System::linux_;
}

Result<std::unique_ptr<Host>> host_for(const Settings& settings) {
    auto environment = environment_from(settings);
    if (!settings.has("root")) {
        if (settings.has("os")) return Trouble{"--os", "needs --root", ""};
        return real_host(std::move(environment));
    }
    std::string root = settings.one("root");
    if (real_host()->status(root).type != FileType::directory) return Trouble{"--root " + root, "is no folder", ""};
    System system = settings.has("os") ? *system_from(settings.one("os")) : system_of_tree(root);
    if (system == System::linux_) environment.emplace("PATH", k_usual_path);
    return root_host(root, system, std::move(environment));
}

bool colored(const Settings& settings, const Host& machine) {
    std::string when = settings.one("color", "auto");
    if (when != "auto") return when == "always";
    auto no_color = machine.env("NO_COLOR");
    if (no_color && !no_color->empty()) return false;
    auto force = machine.env("CLICOLOR_FORCE");
    if (force && !force->empty() && *force != "0") return true;
    if (machine.env("CLICOLOR").value_or("1") == "0" || machine.env("TERM").value_or("") == "dumb") return false;
    return own::stdout_is_terminal();
}

const ReportFormat& format_of(const Settings& settings) {
    std::string name = settings.one("format", "text");
    for (const ReportFormat& format : report_formats())
        if (name == format.name) return format;
    return report_formats().front();
}

// Writes the report where it was asked for; text stays on stdout beside a file.
std::optional<Trouble> deliver(const Settings& settings, const Report& report) {
    const ReportFormat& format = format_of(settings);
    ReportOptions options;
    options.quiet = settings.has("quiet");
    if (settings.has("output")) {
        if (auto trouble = own::write_file(settings.one("output"), format.write(report, options))) return trouble;
        options.color = colored(settings, *real_host());
        std::fputs(text_report(report, options).c_str(), stdout);
        return std::nullopt;
    }
    options.color = !format.machine && colored(settings, *real_host());
    std::fputs(format.write(report, options).c_str(), stdout);
    return std::nullopt;
}

JudgeOptions judge_options(const Settings& settings, std::vector<Suppression> suppressions) {
    JudgeOptions options;
    options.suppressions = std::move(suppressions);
    std::string fail_on = settings.one("fail-on", "error");
    options.fail_never = fail_on == "never";
    if (auto level = level_from(fail_on)) options.fail_on = *level;
    return options;
}

// A file or option that the user named and that cannot be read is wrong usage, not a finding about the machine.
bool named_input_unreadable(const Judgement& judgement) {
    return std::any_of(judgement.findings.begin(), judgement.findings.end(), [](const Finding& finding) {
        return finding.code == "CC002" && finding.level == Level::error && !finding.suppressed;
    });
}

// Under --root an option may name a place of this machine that lies inside the tree.
Request request_for(const Host& host, const Settings& settings) {
    Request request = request_from(settings);
    for (auto* places : {&request.toolkits, &request.driver_libs})
        for (std::string& place : *places) place = judged_path(host, place);
    return request;
}

Scenario look(const Host& host, const Facts& facts, const Settings& settings) {
    Request request = request_for(host, settings);
    Scenario scenario;
    scenario.name = settings.has("root") ? settings.one("root") : "this machine";
    scenario.system = host.system();
    scenario.foreign = host.foreign();
    scenario.probe_mode = request.probe_mode;
    scenario.require = request.require;
    scenario.search_path_known = !host.foreign() || environment_from(settings).count("PATH") != 0;
    discover_toolkits(host, facts, request, scenario);
    discover_drivers(host, facts, request, scenario);
    expect(host, facts, request, scenario);

    ProbeOptions probes;
    probes.mode = request.probe_mode;
    probes.use_cache = !settings.has("no-cache");
    probe(host, facts, probes, scenario);
    return scenario;
}

}  // namespace

int run_check(const Settings& settings) {
    auto host = host_for(settings);
    if (!host) return usage(host.trouble().text());
    auto facts = facts_for(settings);
    if (!facts) return usage(facts.trouble().text());
    auto suppressions = suppressions_from(settings);
    if (!suppressions) return usage(suppressions.trouble().text());

    Report report;
    report.command = "check";
    report.scenarios.push_back(look(**host, *facts, settings));
    report.judgement = judge(report.scenarios, *facts, judge_options(settings, *suppressions));
    for (const Trouble& trouble : facts->troubles()) std::fprintf(stderr, "ptxguard: %s\n", trouble.text().c_str());

    if (auto trouble = deliver(settings, report)) return usage(trouble->text());
    if (report.judgement.rule_failed) return exit_own_failure;
    if (named_input_unreadable(report.judgement)) return exit_usage;
    return report.judgement.verdict == Verdict::fail ? exit_findings : exit_ok;
}

}  // namespace ptxguard
