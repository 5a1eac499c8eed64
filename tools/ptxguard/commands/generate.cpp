// `ptxguard generate WHAT`: the manual page and shell completions, from the tables of commands and options.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "commands/about.hpp"
#include "commands/command.hpp"
#include "commands/options.hpp"
#include "commands/plan_wish.hpp"
#include "commands/run.hpp"
#include "expect/expect.hpp"
#include "facts/plan_table.hpp"
#include "host/output.hpp"
#include "judge/judge.hpp"
#include "model/json.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "report/findings.hpp"
#include "report/report.hpp"

namespace ptxguard {
namespace {

using Words = std::vector<std::string>;

Words words_of(const OptionSpec& option) { return Words(option.words.begin(), option.words.end()); }

// GPUs as one word each: "sm_90", "RTX5090".
Words gpu_words() {
    const Facts facts = Facts::embedded();
    Words names;
    std::set<Arch> archs;
    for (std::string name : facts.gpu_names()) {
        const Known<Arch> arch = facts.gpu_by_name(name);
        for (const std::string vendor : {"NVIDIA ", "GeForce ", "Tesla "})
            if (starts_with(name, vendor)) name.erase(0, vendor.size());
        name.erase(std::remove(name.begin(), name.end(), ' '), name.end());
        const bool plain = all_of(name, [](char c) { return is_word_character(c, ""); });
        const Known<Arch> again = facts.gpu_by_name(name);
        if (arch && plain && again && *again == *arch) names.push_back(name);
        if (arch) archs.insert(*arch);
    }
    for (const Arch& arch : archs) names.push_back(arch.sm());
    return names;
}

// Frameworks, and the packages that `plan` answers with one.
Words framework_words() {
    Words words;
    for (const FrameworkReader& reader : framework_readers())
        for (const std::string alias : reader.aliases)
            if (alias.find('*') == std::string::npos) add_once(words, alias);
    const Facts facts = Facts::embedded();
    if (const auto plan = read_plan_table(facts))
        for (const PlanName& row : plan->names)
            if (!row.plan.empty())
                for (const std::string& one : row.names) add_once(words, one);
    const std::string folder = "pypi/", end = ".json";
    for (const std::string& file : facts.files()) {
        if (!starts_with(file, folder) || !ends_with(file, end)) continue;
        const std::string name = file.substr(folder.size(), file.size() - folder.size() - end.size());
        if (!framework_below(name, facts).empty()) add_once(words, name);
    }
    return words;
}

// What a shell offers after an option: its words, or names from the tables.
Words offered_for(const OptionSpec& option) {
    const std::string name = option.name;
    Words words = words_of(option);
    if (name == "gpu") words = gpu_words();
    if (name == "framework") words = framework_words();
    if (name == "select" || name == "ignore")
        for (const Rule& rule : rules())
            words.push_back(rule.code + std::string(name == "ignore" ? "=" : ""));
    return words;
}
bool takes_value(const OptionSpec& option) { return option.kind != OptionKind::flag; }
bool takes_file(const OptionSpec& option) {
    return names_a_place(option) || std::string(option.value).find("FILE") != std::string::npos;
}
bool takes_files(const CommandSpec& command) {
    return std::string(command.arguments).find("FILE") != std::string::npos || command.takes == by_facts ||
           command.takes == by_lint;
}

std::vector<const OptionSpec*> options_of(const CommandSpec& command) {
    std::vector<const OptionSpec*> options;
    for (const OptionSpec& option : option_table())
        if ((option.taken_by & command.takes) && !option.hidden) options.push_back(&option);
    return options;
}

Words commands_taking(const OptionSpec& option) {
    Words names;
    for (const CommandSpec& command : command_table())
        if (option.taken_by & command.takes) names.push_back(command.name);
    return names;
}

// With both spellings: "--output", "-o".
Words spellings(const OptionSpec& option) {
    Words names{std::string("--") + option.name};
    if (*option.short_name) names.push_back(std::string("-") + option.short_name);
    return names;
}

Words option_names(const CommandSpec& command) {
    Words names{"--help"};
    for (const OptionSpec* option : options_of(command)) append(names, spellings(*option));
    return names;
}

Words first_words() {
    Words words = command_names();
    for (const char* word : {"help", "--help", "--version", "--schema", "--list-gpus", "--cmake-dir"})
        words.push_back(word);
    return words;
}

Words arguments_of(const CommandSpec& command) { return command.words ? command.words() : Words(); }

std::string bash() {
    std::string values, words;
    for (const OptionSpec& option : option_table()) {
        if (option.hidden || !takes_value(option)) continue;
        const Words known = offered_for(option);
        values += "        " + joined(spellings(option), "|") + ") ";
        values += !known.empty() ? "words=\"" + joined(known, " ") + "\""
                  : std::string(option.value).find("DIR") != std::string::npos
                      ? "COMPREPLY=($(compgen -d -- \"$cur\")); return"
                  : takes_file(option) ? "COMPREPLY=($(compgen -f -- \"$cur\")); return"
                                       : "return";
        values += " ;;\n";
    }
    for (const CommandSpec& command : command_table()) {
        const Words names = option_names(command);
        words += std::string("            ") + command.name + ") case $cur in -*) words=\"" +
                 joined(names, " ") + "\" ;; *) words=\"" + joined(arguments_of(command), " ") +
                 "\" ;; esac ;;\n";
    }
    return "# Completion of ptxguard for bash: source this file.\n"
           "_ptxguard() {\n"
           "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} words=\n"
           "    COMPREPLY=()\n"
           "    if [ \"$cur\" = \"=\" ]; then cur=; elif [ \"$prev\" = \"=\" ]; then "
           "prev=${COMP_WORDS[COMP_CWORD-2]}; fi\n"
           "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n        COMPREPLY=($(compgen -W \"" +
           joined(first_words(), " ") +
           "\" -- \"$cur\"))\n        return\n    fi\n"
           "    case $prev in\n" +
           values + "        *) case ${COMP_WORDS[1]} in\n            help) words=\"" +
           joined(command_names(), " ") + "\" ;;\n" + words +
           "        esac ;;\n    esac\n"
           "    COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n}\n"
           "complete -o default -F _ptxguard ptxguard\n";
}

// In single quotes for a shell.
std::string shell_quoted(const std::string& text) { return "'" + replaced(text, {{'\'', "'\\''"}}) + "'"; }

std::string zsh_text(const std::string& text) {
    return replaced(text, {{'\\', "\\\\"}, {'[', "\\["}, {']', "\\]"}, {':', "\\:"}});
}

std::string zsh_option(const OptionSpec& option) {
    const std::string help = "[" + zsh_text(option.help) + "]", name = std::string("--") + option.name;
    std::string value;
    if (takes_value(option)) {
        const Words known = offered_for(option);
        value = ":" + zsh_text(option.value) + ":";
        if (!known.empty())
            value += "(" + joined(known, " ") + ")";
        else if (takes_file(option))
            value += std::string(option.value).find("DIR") != std::string::npos ? "_files -/" : "_files";
    }
    const bool again = option.kind == OptionKind::list || option.kind == OptionKind::each;
    if (!*option.short_name) return shell_quoted((again ? "*" : "") + name + help + value);
    const std::string letter = std::string("-") + option.short_name;
    return shell_quoted("(" + letter + " " + name + ")") + "{" + letter + "," + name + "}" +
           shell_quoted(help + value);
}

std::string zsh() {
    std::string commands, cases;
    for (const CommandSpec& command : command_table()) {
        commands +=
            "        " + shell_quoted(std::string(command.name) + ":" + zsh_text(command.help)) + "\n";
        cases += std::string("        ") + command.name + ") _arguments -s";
        for (const OptionSpec* option : options_of(command))
            cases += " \\\n            " + zsh_option(*option);
        const Words words = arguments_of(command);
        if (!words.empty())
            cases += " \\\n            " + shell_quoted("*:word:(" + joined(words, " ") + ")");
        if (words.empty() && takes_files(command)) cases += " \\\n            '*:file:_files'";
        cases += " ;;\n";
    }
    return "#compdef ptxguard\n# Completion of ptxguard for zsh: as _ptxguard in a folder of $fpath.\n"
           "_ptxguard() {\n    local -a commands\n    commands=(\n" +
           commands +
           "    )\n    if (( CURRENT == 2 )); then _describe command commands; return; fi\n"
           "    local command=$words[2]\n    shift words; (( CURRENT-- ))\n    case $command in\n        "
           "help) _describe command commands ;;\n" +
           cases + "    esac\n}\n_ptxguard \"$@\"\n";
}

std::string fish() {
    std::string text =
        "# Completion of ptxguard for fish: as ptxguard.fish in ~/.config/fish/completions.\ncomplete -c "
        "ptxguard -f\n";
    for (const CommandSpec& command : command_table()) {
        text += "complete -c ptxguard -n __fish_use_subcommand -a " + std::string(command.name) + " -d " +
                shell_quoted(command.help) + "\n";
        const std::string here =
            "complete -c ptxguard -n '__fish_seen_subcommand_from " + std::string(command.name) + "' ";
        const Words words = arguments_of(command);
        if (!words.empty()) text += here + "-a " + shell_quoted(joined(words, " ")) + "\n";
        if (takes_files(command)) text += here + "-F\n";
    }
    for (const OptionSpec& option : option_table()) {
        if (option.hidden) continue;
        text += "complete -c ptxguard -n '__fish_seen_subcommand_from " +
                joined(commands_taking(option), " ") + "' -l " + option.name;
        if (*option.short_name) text += std::string(" -s ") + option.short_name;
        const Words known = offered_for(option);
        if (!known.empty())
            text += " -xa " + shell_quoted(joined(known, " "));
        else if (takes_value(option))
            text += takes_file(option) ? " -rF" : " -x";
        text += " -d " + shell_quoted(option.help) + "\n";
    }
    return text;
}

// Words of a PowerShell list: 'a', 'b'.
std::string powershell_list(const Words& words) {
    return words.empty() ? "" : "'" + joined(words, "', '") + "'";
}

std::string powershell() {
    std::string values, options;
    for (const OptionSpec& option : option_table()) {
        if (option.hidden || !takes_value(option)) continue;
        for (const std::string& name : spellings(option))
            values += "        '" + name + "' = @(" + powershell_list(offered_for(option)) + ")\n";
    }
    for (const CommandSpec& command : command_table()) {
        Words names = option_names(command);
        append(names, arguments_of(command));
        options += std::string("        '") + command.name + "' = @(" + powershell_list(names) + ")\n";
    }
    return "# Completion of ptxguard for PowerShell: dot-source this file in $PROFILE.\n"
           "Register-ArgumentCompleter -Native -CommandName ptxguard -ScriptBlock {\n"
           "    param($word, $ast, $cursor)\n"
           "    $values = @{\n" +
           values + "    }\n    $options = @{\n" + options + "        'help' = @(" +
           powershell_list(command_names()) +
           ")\n    }\n"
           "    $before = @($ast.CommandElements | Where-Object { $_.Extent.EndOffset -lt $cursor } | "
           "ForEach-Object { $_.ToString() })\n"
           "    $last = $before[-1]\n"
           "    if ($before.Count -le 1) { $words = @(" +
           powershell_list(first_words()) +
           ") }\n"
           "    elseif ($values.ContainsKey($last)) { $words = $values[$last] }\n"
           "    else { $words = $options[$before[1]] }\n"
           "    $words | Where-Object { $_ -like \"$word*\" } | ForEach-Object {\n"
           "        [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)\n    "
           "}\n}\n";
}

// Text for roff: no dash becomes a hyphen, no line a request.
std::string roff(const std::string& text) {
    std::string result;
    for (const char c : text) {
        const bool starts_line = result.empty() || result.back() == '\n';
        if (starts_line && (c == '.' || c == '\'')) result += "\\&";
        if (c == '-' || c == '\\') result += '\\';
        result += c == '\\' ? 'e' : c;
    }
    return result;
}

std::string man_option(const OptionSpec& option) {
    std::string text = ".TP\n";
    std::string names;
    for (const std::string& name : spellings(option))
        names += (names.empty() ? "" : ", ") + std::string("\\fB") + roff(name) + "\\fR";
    text += names + (takes_value(option) ? " \\fI" + roff(option.value) + "\\fR" : "") + "\n" +
            roff(option.help) + "\n";
    const Words known = words_of(option);
    if (!known.empty() && std::string(option.name) != "format")
        text += ".br\nOne of " + roff(joined(known, ", ")) + ".\n";
    return text + ".br\nOf " + roff(joined(commands_taking(option), ", ")) + ".\n";
}

std::string man() {
    std::string text = ".TH PTXGUARD 1 \"\" \"ptxguard " + std::string(program_version()) +
                       "\" \"User Commands\"\n.SH NAME\nptxguard \\- do nvcc, ptxas, sm_XX, driver and "
                       "framework work together?\n"
                       ".SH SYNOPSIS\n\\fBptxguard\\fR \\fICOMMAND\\fR [\\fIoptions\\fR]\n.SH COMMANDS\n";
    for (const CommandSpec& command : command_table())
        text += ".TP\n\\fBptxguard " + roff(command.name) + "\\fR" + (*command.arguments ? " " : "") +
                roff(command.arguments) + "\n" + roff(command.help) + "\n.nf\n" + roff(command.examples) +
                ".fi\n";
    text +=
        ".TP\n\\fBptxguard \\-\\-version\\fR\nthe version, and how far the tables reach\n"
        ".TP\n\\fBptxguard \\-\\-cmake\\-dir\\fR\nfolder of the CMake module\n.SH OPTIONS\n";
    for (const OptionSpec& option : option_table())
        if (!option.hidden) text += man_option(option);
    text += ".SH FORMATS\n";
    for (const ReportFormat& format : report_formats())
        text += ".TP\n\\fB" + roff(format.name) + "\\fR\n" + roff(format.help) + "\n";
    std::string exit_status;
    for (const ExitCodeWords& one : k_exit_codes)
        exit_status += ".TP\n" + std::to_string(one.code) + "\n" + roff(one.meaning) + "\n";
    return text +
           ".SH ENVIRONMENT\nPTXGUARD_NAME sets the option \\-\\-name, as does a key of ptxguard.toml.\n.SH "
           "EXIT STATUS\n" +
           exit_status;
}

// The lines of `lint` and of --format oneline.
constexpr const char* k_line_pattern = R"(^(.+?):(\d+):(?:(\d+):)? (%): (.+) \[(CC\d{3})\](?: \[\*\])?$)";

// What the groups of the expression are.
Json line_pattern(const std::string& levels) {
    std::string expression = k_line_pattern;
    expression.replace(expression.find('%'), 1, levels);
    return Json::object()
        .set("regexp", expression)
        .set("file", 1)
        .set("line", 2)
        .set("column", 3)
        .set("message", 5)
        .set("code", 6);
}

// GitHub knows errors and warnings by their words; others are notices.
std::string problem_matcher() {
    const Json bad =
        Json::object()
            .set("owner", "ptxguard")
            .set("pattern", Json::array().push(line_pattern("error|warning").set("severity", 4)));
    const Json notes = Json::object()
                           .set("owner", "ptxguard-notes")
                           .set("severity", "notice")
                           .set("pattern", Json::array().push(line_pattern("note|unknown")));
    return to_text(Json::object().set("problemMatcher", Json::array().push(bad).push(notes))) + "\n";
}

std::string vscode_tasks() {
    const Json pattern = line_pattern("error|warning|note|unknown").set("severity", 4);
    const Json matcher = Json::object()
                             .set("owner", "ptxguard")
                             .set("fileLocation", Json::array().push("relative").push("${workspaceFolder}"))
                             .set("severity", "info")
                             .set("pattern", pattern);
    const Json task = Json::object()
                          .set("label", "ptxguard lint")
                          .set("type", "shell")
                          .set("command", "ptxguard lint --format oneline")
                          .set("problemMatcher", matcher);
    return to_text(Json::object().set("version", "2.0.0").set("tasks", Json::array().push(task))) + "\n";
}

struct Generator {
    const char* name;
    std::string (*text)();
};
const Generator k_generators[] = {{"man", man},
                                  {"complete-bash", bash},
                                  {"complete-zsh", zsh},
                                  {"complete-fish", fish},
                                  {"complete-powershell", powershell},
                                  {"problem-matcher", problem_matcher},
                                  {"vscode-tasks", vscode_tasks}};

}  // namespace

std::vector<std::string> words_of_generate() {
    Words names;
    for (const Generator& one : k_generators) names.push_back(one.name);
    return names;
}

int run_generate(const Settings& settings) {
    const Words names = words_of_generate();
    if (settings.arguments.size() != 1)
        return usage_error("generate", {"WHAT", "is missing", "one of " + joined(names, ", ")});
    for (const Generator& one : k_generators)
        if (settings.arguments.front() == one.name || "complete-" + settings.arguments.front() == one.name)
            return own::print(one.text()), exit_ok;
    const std::string& word = settings.arguments.front();
    return usage_error("generate", {"WHAT", "cannot be '" + word + "'" + did_you_mean(word, names),
                                    "choose one of " + joined(names, ", ")});
}

}  // namespace ptxguard
