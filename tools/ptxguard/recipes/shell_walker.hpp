// Walks the syntax tree of a POSIX shell with the values of its variables. Inner header of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "recipes/shell_run.hpp"
#include "recipes/shell_scripts.hpp"

namespace ptxguard::recipes {

class ShellWalker {
public:
    ShellWalker(const PlacedText& text, Shell& shell) : m_text(text), m_shell(shell) {}
    std::vector<Step> run(bool certain);

private:
    using Kind = ShellNode::Kind;

    bool exceeds(const Limit& limit, std::size_t count, const Written& at);
    bool exceeds(const Limit& limit, std::size_t count, const ShellNode& node);
    // A call at `at` would be too deep.
    bool is_too_deep(const Written& at);
    static std::size_t begin_of(const ShellNode& node);

    // `begin`: of the parsed text.
    void report(const ShellSyntax& syntax, std::size_t begin);

    // `certain`: false in a branch that may not be executed.
    void walk_list(const ShellNode& list, bool certain);
    Tested walk(const ShellNode& node, bool certain);

    // `{ echo A; echo B; } >> FILE`
    Tested group(const ShellNode& node, bool certain);
    Tested walk_inside(const ShellNode& node, bool certain);

    // False: the run may not take more steps.
    bool spend(std::size_t steps, const ShellNode& node);
    void condition(const ShellNode& node, bool certain);

    // The test of `if`: the result of its only command.
    Tested condition_of(const ShellNode& list, bool certain);
    void for_loop(const ShellNode& node, bool certain);
    void choice(const ShellNode& node, bool certain);
    void note_open_case(const ShellNode& node);
    void subshell(const ShellNode& node, bool certain);

    std::vector<Written> expanded(Range word);
    Written expanded_whole(Range word);

    Tested simple(const ShellNode& node, bool certain);

    // Assignments before the command, and arrays.
    bool assignment(Range range, std::vector<SetVariable>& assigned);

    bool element(Range range, std::size_t length);

    // NAME+=VALUE
    void append(const Variable* before, Written& value);
    void array(const std::string& name, Range inner, bool adds);
    void set(const SetVariable& one, bool exports, bool certain);

    Tested builtin(const ShellNode& node, std::size_t first, Command& command,
                   const std::vector<Range>& sources, bool certain);

    // What `$(pip install ...)` installs stays.
    void substitutions(Range word, bool certain);

    // eval "$COMMAND": its words are a text of this shell.
    void evaluate(const Command& command, bool certain);

    // Another text in this shell.
    void run_here(const PlacedText& text, bool certain);
    void take(std::vector<Step> steps);

    // `bash FILE A`, `./FILE A`, `. FILE`
    void script(const CalledScript& called, const Command& command, bool certain);

    // export NAME, export NAME=VALUE
    void exported(Range word, bool exports, bool certain);

    void call(const ShellNode& body, const Command& command, bool certain);

    // `bash -c TEXT`
    void nested(const NestedText& text, const Written& at);

    const PlacedText& m_text;
    Shell& m_shell;
    const std::vector<Heredoc>* m_heredocs = nullptr;
    std::map<std::string, const ShellNode*> m_functions;
    std::vector<Step> m_steps;
    std::vector<Written> m_piped;  // the first command of the pipeline
    bool m_was_test = false;
    const std::vector<ShellNode::Output>* m_outputs = nullptr;  // of the group around the command
};

}  // namespace ptxguard::recipes
