// The command line: subcommands, their options and exit codes, all public contract.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "commands/settings.hpp"

namespace ptxguard {

enum ExitCode { exit_ok = 0, exit_findings = 1, exit_usage = 2, exit_own_failure = 3 };

// A subcommand. The table feeds dispatch, help and "did you mean".
struct CommandSpec {
    const char* name;
    const char* help;       // one line
    const char* arguments;  // positional arguments for the help text: "[CODE]", "FILE..."; "" = none
    const char* examples;   // printed at the end of --help
    unsigned takes;         // the options with this bit (TakenBy); by_none = no options
    int (*run)(const Settings& settings);
    std::vector<std::string> (*words)() = nullptr;  // possible arguments, for completions
    bool passes_on = false;                         // what follows "--" is another program's command line
};
const std::vector<CommandSpec>& command_table();
std::vector<std::string> command_names();

int run_check(const Settings& settings);
int run_plan(const Settings& settings);
int run_matrix(const Settings& settings);
int run_inspect(const Settings& settings);
int run_deps(const Settings& settings);
int run_lint(const Settings& settings);
int run_explain(const Settings& settings);
int run_program(const Settings& settings);
int run_compare(const Settings& settings);
int run_facts(const Settings& settings);
int run_generate(const Settings& settings);
std::vector<std::string> words_of_explain();
std::vector<std::string> words_of_facts();
std::vector<std::string> words_of_generate();

// argv without the program's name. Never throws.
int run_command_line(const std::vector<std::string>& arguments);

}  // namespace ptxguard
