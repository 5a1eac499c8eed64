// Reads cmd and PowerShell: shell_windows.cpp has words and commands, shell_windows_flow.cpp conditions,
// functions and scripts. Inner header of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/text.hpp"
#include "recipes/shell/shell_run.hpp"
#include "recipes/shell/shell_windows_values.hpp"

namespace ptxguard::recipes {

// Differences between the two.
struct WindowsDialect {
    char escape;
    std::string_view quotes;
    std::string_view separators;  // each one ends a command, also if doubled
    std::string_view comment;     // to the end of the line, at the start of a word
    char opens, closes;           // a block of commands that may not run
};
inline constexpr WindowsDialect k_cmd = {'^', "\"", "&|\n", "\0", '(', ')'};
inline constexpr WindowsDialect k_powershell = {'`', "\"'", ";|\n&", "#", '{', '}'};

inline bool is_word(const Written& word, std::string_view lower_case) {
    return lower(word.text) == lower_case;
}

class WindowsReader {
public:
    WindowsReader(const PlacedText& text, Shell& shell, const WindowsDialect& dialect)
        : m_text(text), m_shell(shell), m_dialect(dialect) {}

    std::vector<Step> run() {
        read(0, m_text.text.size());
        return std::move(m_steps);
    }

private:
    // Commands that may not run.
    struct Block {
        std::vector<std::string> assigned;
        bool keeps = false;    // they run, with values that others override
        bool in_line = false;  // of cmd: `A || (B & C)`
    };

    void read(std::size_t begin, std::size_t end);
    std::size_t next(std::size_t i);
    std::size_t behind_comment(std::size_t i) const;  // `i`: there is none
    void end_block();
    void block(bool opens, std::size_t at);
    std::size_t character(std::size_t i);
    void start_word(std::size_t i);
    std::size_t escaped(std::size_t i);
    std::size_t quoted(std::size_t i);
    // "(Join-Path $a 'b')": what it gives is open. One that does not end in its line is read as commands.
    std::size_t call(std::size_t i);
    bool is_powershell() const { return m_dialect.escape == '`'; }
    // `$NAME =`, `$env:NAME=`: the words of the left side; 0 = the command begins with another text.
    std::size_t assigned_variable(std::size_t i);
    PowerShellVariable variables() const;
    Written taken(std::size_t begin, const PowerShellValue& value) const;
    // The end of a param block; 0 = another command.
    std::size_t parameters(std::size_t i);
    void bind(const std::vector<std::string>& names);
    std::size_t argument(std::size_t i);
    // ('NAME=' + $VALUE): 0 = another expression.
    std::size_t computed_word(std::size_t open);
    std::size_t plain(std::size_t i);
    // "%NAME%", "$env:NAME", "$NAME", "${env:NAME}", "$($env:NAME)"
    std::size_t variable(std::size_t i);
    std::size_t only_variable(std::size_t i);
    void add_value(std::size_t at, const Written& variable, const std::string& text);
    void finish_word();
    // Names of variables are kept in upper case: they are case-insensitive. `exported`: programs that are
    // started get it.
    void set(std::string_view name, Written value, bool exported = true);
    // False: the run may not take more steps.
    bool spend();
    // `set NAME=VALUE`, `$env:NAME = VALUE`
    bool assigns();
    bool assigns_of_cmd();
    // if defined X set NAME=VALUE
    void forget_assigned();
    // `"A=B" >> FILE`, `"A=B" | Out-File -FilePath FILE -Append`, `Add-Content -Path FILE -Value "A=B"`
    void note_output();
    void finish_command();

    // if, switch, foreach and function of PowerShell, and if of cmd; behind them, 0 = another command.
    std::size_t structure(std::size_t i);
    std::size_t condition(std::size_t i);
    std::size_t choice(std::size_t i);
    std::size_t loop(std::size_t i);
    std::size_t function(std::size_t i);
    // LIST | Where-Object { ... } | ForEach-Object { ... }; 0 = another command.
    std::size_t pipeline(std::size_t i);
    std::size_t each_of(const std::vector<Written>& values, const std::string& name, std::size_t begin,
                        std::size_t end);
    // @("a", "b"), "a", "b", $LIST, Get-Content FILE; nothing: another expression, or not known.
    struct List {
        std::vector<Written> items;
        std::size_t end = 0;   // behind it
        bool several = false;  // no single value
    };
    std::optional<List> list_at(std::size_t at);
    bool add_items(std::size_t& at, List& list);
    void set_list(std::string_view name, std::vector<Written> items);
    // $LIST, @LIST and @TABLE become several words; behind it, 0 = another word.
    std::size_t splatted(std::size_t i);
    std::size_t listed_variable(std::size_t at, const WindowsReference& reference, const Variable& list);
    std::size_t loop_of_cmd(std::size_t i);
    std::optional<std::vector<std::vector<Written>>> values_of_cmd_loop(std::size_t begin, std::size_t end,
                                                                        const Written* options);
    std::size_t loop_variable(std::size_t i);
    void read_prompt();  // set /p NAME=<FILE
    std::optional<FileText> file_named(const Written& path) const;
    std::size_t condition_of_cmd(std::size_t i);
    std::optional<Tested> comparison_of_cmd(std::size_t& at, std::size_t line_end);
    Tested test(std::string_view text) const;
    std::optional<Tested> comparison(std::string_view text, std::size_t& at) const;
    // Reads [begin, end) where the test decided so.
    void branch(std::size_t begin, std::size_t end, const Tested& tested, bool open);
    Written expanded(std::size_t begin, std::size_t end);
    // Another text in the blocks around the command.
    void read_here(const PlacedText& text);
    // A function of this text, a script of the repository.
    bool calls();

    const PlacedText& m_text;
    Shell& m_shell;
    const WindowsDialect& m_dialect;
    Command m_command;
    Written m_word;
    bool m_started = false;
    bool m_quoted = false;  // a part of the word
    bool m_from_variable = false;
    bool m_value_starts = false;  // the command is an assignment of PowerShell
    bool m_literal = false;       // its value: neither a command nor an expression
    bool m_is_target = false;     // the next word is the file of a redirection
    Written m_output, m_input;    // the files behind ">" and "<"
    bool m_appends = false, m_target_is_input = false;
    std::vector<Written> m_piped;  // the command before "|"
    std::vector<Block> m_blocks;   // around the command
    std::size_t m_blocks_of_loop = 0;
    bool m_skips = false, m_breaks = false;  // the rest of the round
    bool m_delayed = false;                  // !NAME! of cmd
    std::vector<Step> m_steps;
};

// PowerShell's `.` and Import-Module: what the file defines is there afterwards.
bool runs_in_this_shell(std::string_view program);
// `x.ps1 -A b`, `call x.bat b`, `pwsh -File x.ps1 b`; nothing for other commands.
std::optional<NestedText> called_windows_script(const Command& command, const Shell& shell);

}  // namespace ptxguard::recipes
