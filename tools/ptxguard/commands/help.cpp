// SPDX-License-Identifier: Apache-2.0
#include "commands/help.hpp"

#include "commands/about.hpp"
#include "commands/options.hpp"
#include "model/text.hpp"
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

}  // namespace ptxguard
