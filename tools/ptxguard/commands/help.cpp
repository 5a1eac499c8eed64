// SPDX-License-Identifier: Apache-2.0
#include "commands/help.hpp"

#include "commands/about.hpp"
#include "commands/command.hpp"
#include "commands/options.hpp"
#include "report/table.hpp"

namespace ptxguard {
namespace {

constexpr std::size_t k_text_column = 28;

// A row whose right cell is wrapped in its column; a long left cell has a line of its own.
std::string row(const std::string& left, const std::string& right, std::size_t column, std::size_t width) {
    std::string line = "  " + left;
    std::string before;
    if (line.size() + 2 > column) {
        before = line + "\n";
        line.clear();
    }
    line.resize(column, ' ');
    return before + folded_line(line + right, column, width) + "\n";
}

std::string names_of(const OptionSpec& option) {
    std::string names = *option.short_name ? "-" + std::string(option.short_name) + ", " : "";
    names += "--" + std::string(option.name);
    return *option.value ? names + " " + option.value : names;
}

std::string group_text(const CommandSpec& command, OptionGroup group, std::size_t width) {
    std::string text;
    for (const OptionSpec& option : option_table())
        if ((option.taken_by & command.takes) && !option.hidden && option.group == group)
            text += row(names_of(option), option.help, k_text_column, width);
    if (group == OptionGroup::output) text += row("-h, --help", "print this text", k_text_column, width);
    return text.empty() ? "" : "\n" + std::string(to_string(group)) + ":\n" + text;
}

}  // namespace

std::string overview_text(std::size_t width) {
    std::string text = "ptxguard " + std::string(program_version()) +
                       ": do nvcc, ptxas, sm_XX, driver and framework work together?\n\nusage: ptxguard "
                       "COMMAND [options]\n\n";
    for (const CommandSpec& command : command_table()) text += row(command.name, command.help, 12, width);
    text += "\n" + folded_line(
                       "  ptxguard help COMMAND, --version, --list-gpus, --schema (of JSON reports), "
                       "--cmake-dir (folder of the CMake module)",
                       2, width);
    return text + "\n\n" + exit_codes_text(width);
}

std::string help_text(const CommandSpec& command, std::size_t width) {
    std::string text = folded_line(command.help, 0, width) + "\n\nusage: ptxguard " + command.name;
    if (command.takes != by_none) text += " [options]";
    if (*command.arguments)
        text += command.passes_on ? " " + std::string(command.arguments)
                                  : " [" + std::string(command.arguments) + "]";
    text += "\n";
    for (int group = 0; *to_string(static_cast<OptionGroup>(group)); ++group)
        text += group_text(command, static_cast<OptionGroup>(group), width);
    text += "\nexamples:\n" + std::string(command.examples);
    return command.takes == by_none ? text : text + "\n" + exit_codes_text(width);
}

// The subcommands.

const std::vector<CommandSpec>& command_table() {
    static const std::vector<CommandSpec> commands = {
        {"check", "check that CUDA toolkit, driver and frameworks here work together", "",
         "  ptxguard check --arch \"80-real;90\"\n"
         "  ptxguard check --framework torch==2.5.1+cu124 --driver 550.54.14\n"
         "  ptxguard check --driver-libs /usr/lib/x86_64-linux-gnu --format json -o report.json\n",
         by_check, run_check},
        {"plan", "name the builds of a framework that run on a driver and GPU, to install", "",
         "  ptxguard plan --driver 535 --gpu \"RTX 3090\" --framework torch --python 3.12\n"
         "  ptxguard plan --driver 470,535,580 --gpu V100,A100,H100 --framework torch==2.11.0+cu130\n",
         by_plan, run_plan},
        {"matrix", "show which assembler or driver accepts the PTX of which compiler", "FILE...",
         "  ptxguard matrix --arch \"80;90a\" --driver 535 --driver 570\n"
         "  ptxguard matrix --toolkit /opt/cuda-12.4 --driver-libs /usr/lib/x86_64-linux-gnu\n"
         "  ptxguard matrix kernels.ptx libapp.so .../triton/backends/nvidia/bin/ptxas --only-named\n",
         by_matrix, run_matrix},
        {"inspect", "show the device code in a binary, and which GPUs run it", "FILE...",
         "  ptxguard inspect libtorch_cuda.so --gpu \"RTX 3090,9.0\" --driver 550.54.14\n"
         "  ptxguard inspect app.exe kernels.fatbin --format json --entries\n"
         "  ptxguard inspect libapp.so --extract sm_90a --to cubins\n",
         by_inspect, run_inspect},
        {"deps", "show which file the loader uses for each NVIDIA library, and why", "FILE...",
         "  ptxguard deps libtorch_cuda.so\n"
         "  ptxguard deps build/app --env LD_LIBRARY_PATH=/opt/cuda/lib64 --undefined\n"
         "  ptxguard deps onnxruntime_providers_cuda.dll --root unpacked --os windows --host-exe "
         "C:/Python312\n",
         by_deps, run_deps},
        {"lint", "check CUDA versions in Dockerfiles, requirements and other recipes", "PATH...",
         "  ptxguard lint\n"
         "  ptxguard lint Dockerfile requirements.txt\n"
         "  ptxguard lint docker --format sarif -o lint.sarif\n"
         "  ptxguard lint --diff\n"
         "  ptxguard lint - --stdin-filename docker/Dockerfile < unsaved\n",
         by_lint, run_lint},
        {"explain", "name the cause of an error text or a log, or show a rule's page", "FILE|-|TEXT|CODE...",
         "  ptxguard explain build.log\n"
         "  pip install . 2>&1 | ptxguard explain -\n"
         "  ptxguard explain the provided PTX was compiled with an unsupported toolchain\n"
         "  ptxguard explain 222\n  ptxguard explain CC202\n",
         by_explain, run_explain, words_of_explain},
        {"run", "run a build or a program untouched; if it fails, name the cause", "-- COMMAND...",
         "  ptxguard run -- cmake --build build\n"
         "  ptxguard run -- pip install .\n"
         "  cmake -B build -DCMAKE_CUDA_COMPILER_LAUNCHER=\"ptxguard;run;--\"\n",
         by_explain, run_program, nullptr, true},
        {"compare", "show what is new in the second of two JSON reports of one command", "FILE...",
         "  ptxguard check --format json -o after.json; ptxguard compare before.json after.json\n"
         "  ptxguard compare main.json branch.json --fail-on warning --format json\n",
         by_compare, run_compare},
        {"facts", "show the tables, or compare real tools with them (--verify)", "TABLE|ROW|PART...",
         "  ptxguard facts releases\n"
         "  ptxguard facts 13.0 --format json\n"
         "  ptxguard facts --verify /usr/local/cuda venv/lib/python3.12/site-packages/nvidia\n",
         by_facts, run_facts, words_of_facts},
        {"generate", "write the manual page, completions, or a problem matcher", "WHAT...",
         "  ptxguard generate man | man -l -\n"
         "  ptxguard generate complete-bash > ~/.local/share/bash-completion/completions/ptxguard\n"
         "  ptxguard generate complete-zsh > ~/.zfunc/_ptxguard\n"
         "  ptxguard generate complete-fish > ~/.config/fish/completions/ptxguard.fish\n"
         "  ptxguard generate complete-powershell >> $PROFILE\n"
         "  ptxguard generate problem-matcher > ptxguard.json  # of GitHub; vscode-tasks for VS Code\n",
         by_none, run_generate, words_of_generate},
    };
    return commands;
}

std::vector<std::string> command_names() {
    std::vector<std::string> names;
    for (const CommandSpec& command : command_table()) names.push_back(command.name);
    return names;
}

}  // namespace ptxguard
