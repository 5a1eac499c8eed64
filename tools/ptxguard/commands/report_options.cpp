// The options that decide how the tool works, which findings count, and what is written.
// SPDX-License-Identifier: Apache-2.0
#include "commands/options.hpp"

#include "report/report.hpp"

namespace ptxguard {
namespace {

std::vector<const char*> format_names() {
    std::vector<const char*> names;
    for (const ReportFormat& format : report_formats()) names.push_back(format.name);
    return names;
}

const char* format_help() {
    static const std::string text = [] {
        std::string names;
        for (const ReportFormat& format : report_formats())
            names += (names.empty() ? "" : ", ") + std::string(format.name);
        return names;
    }();
    return text.c_str();
}

}  // namespace

std::vector<OptionSpec> options_of_reports() {
    using K = OptionKind;
    using G = OptionGroup;
    using Row = OptionSpec;
    return {
        Row(G::how, "facts", by_reports | by_facts, K::one, "DIR",
            "folder with tables that replace or extend the built-in ones"),
        Row(G::how, "config", by_reports | by_facts, K::one, "FILE",
            "configuration file (default: the nearest .ptxguard.toml, ptxguard.toml or pyproject.toml)", {},
            "", false),
        Row(G::how, "isolated", by_reports | by_facts, K::flag, "",
            "read no configuration file, and no .venv of the project", {}, "", false),
        Row(G::findings, "ignore", by_reports, K::each, "CODE=reason",
            "suppress a rule; a reason is required"),
        Row(G::findings, "per-file-ignores", by_lint, K::each, "PATTERN:CODE=reason",
            "suppress a rule in the files that a pattern names; patterns as in .gitignore"),
        Row(G::subject, "exclude", by_lint, K::each, "PATTERN",
            "leave these files and folders out; patterns as in .gitignore"),
        Row(G::subject, "stdin-filename", by_lint, K::one, "FILE",
            "with '-', the file that standard input stands for; decides how it is read", {}, "", false),
        Row(G::findings, "select", by_lint, K::list, "CODE",
            "only these rules; CC6 = all whose codes start with it"),
        Row(G::findings, "fail-on", by_reports, K::one, "LEVEL",
            "exit with 1 at this level or above: error, warning, unknown, never",
            {"error", "warning", "unknown", "never"}),
        Row(G::output, "format", by_reports | by_facts, K::one, "FORMAT", format_help(), format_names()),
        Row(G::output, "output", by_reports | by_facts, K::one, "FILE",
            "write the report to FILE; the text report is still printed", {}, "o", false),
        Row(G::output, "write", by_reports, K::each, "FORMAT=FILE",
            "also write the report in another format (repeatable)", {}, "", false),
        Row(G::output, "constraints", by_check | by_plan, K::one, "FILE",
            "write constraints for pip and uv that keep the frameworks and what they need through "
            "later installs",
            {}, "", false),
        Row(G::output, "fix", by_lint, K::flag, "",
            "rewrite pins in the recipes where a finding has exactly one replacement", {}, "", false),
        Row(G::output, "diff", by_lint, K::flag, "", "print what --fix would change, and write nothing", {},
            "", false),
        Row(G::output, "quiet", by_reports, K::flag, "", "show only errors, warnings and the verdict", {},
            "q"),
        Row(G::output, "verbose", by_check, K::flag, "", "show everything that was found, and all evidence",
            {}, "v"),
        Row(G::output, "show", by_check, K::list, "WHAT",
            "also show inventory (what was found), picks (tools of each program), compiled (test compiles)",
            {"inventory", "picks", "compiled"}),
        Row(G::output, "schema", by_reports | by_facts, K::flag, "", "print the JSON schema of --format json",
            {}, "", false),
        Row(G::output, "list-gpus", by_check | by_inspect | by_matrix | by_plan | by_lint, K::flag, "",
            "print the names that --gpu knows, with their architectures", {}, "", false),
        Row(G::output, "shell", by_all, K::one, "powershell|cmd",
            "shell of Windows for which fixes are printed (default: powershell)", {"powershell", "cmd"}),
        Row(G::output, "color", by_reports, K::one, "auto|always|never", "colour the text",
            {"auto", "always", "never"}),
    };
}

}  // namespace ptxguard
