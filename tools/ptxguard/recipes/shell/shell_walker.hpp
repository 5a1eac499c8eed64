// Walks the syntax tree of a POSIX shell with the values of its variables. Inner header of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "recipes/shell/shell_run.hpp"
#include "recipes/shell/shell_scripts.hpp"

namespace ptxguard::recipes {

inline constexpr Limit k_rounds{64, "rounds of a loop", "later rounds"};
inline constexpr Limit k_most_values{256, "rounds of a loop over values", "later rounds"};

// A text that its functions keep.
struct ParsedShell {
    explicit ParsedShell(const PlacedText& text_) : text(text_), syntax(parse_shell(text.text)) {}
    PlacedText text;
    ShellSyntax syntax;
};

// What the commands of a loop or group read, one line after another.
struct ShellInput {
    FileText text;
    std::vector<std::string> lines;
    std::size_t at = 0;  // the next one
};

inline constexpr const char* k_not_literal = "*?[$`\\";

class ShellWalker {
public:
    ShellWalker(const PlacedText& text, Shell& shell)
        : ShellWalker(std::make_shared<const ParsedShell>(text), shell) {}
    ShellWalker(std::shared_ptr<const ParsedShell> parsed, Shell& shell);
    ShellWalker(const ShellWalker&) = delete;
    ShellWalker& operator=(const ShellWalker&) = delete;
    std::vector<Step> run(bool certain);

private:
    using Kind = ShellNode::Kind;

    // After a command that leaves what is around it, nothing of that is executed.
    enum class Flow { goes_on, next_round, leaves_loop, leaves_call, ends };

    bool exceeds(const Limit& limit, std::size_t count, const Written& at) {
        return m_shell.problems.exceeds(limit, count, at);
    }
    bool exceeds(const Limit& limit, std::size_t count, const ShellNode& node);
    // A call at `at` would be too deep.
    bool is_too_deep(const Written& at);
    static std::size_t begin_of(const ShellNode& node);

    // `begin`: of the parsed text.
    void report(const ShellSyntax& syntax, std::size_t begin);

    // `certain`: false in a branch that may not be executed, or only with values that others override.
    // The result of the last command.
    Tested walk_list(const ShellNode& list, bool certain);
    // How the next command of a list depends on the ones before it.
    struct Chain;
    bool joins(const ShellNode& list, std::size_t i, Chain& chain);
    // `open`: it is not known whether it is executed.
    void branch(const ShellNode& list, bool certain, bool open);
    Tested walk(const ShellNode& node, bool certain);

    // `{ echo A; echo B; } >> FILE`
    Tested group(const ShellNode& node, bool certain);
    Tested walk_inside(const ShellNode& node, bool certain);

    // False: the run may not take more steps.
    bool spend(std::size_t steps, const ShellNode& node);
    void condition(const ShellNode& node, bool certain);
    void open_branch(const ShellNode& node, std::size_t i, bool certain);

    // FILE of `[ -f FILE ]`, whose result is not known: a file that is missing then is not read either.
    std::string tested_file(const ShellNode& list);
    // The test of `if`: the result of its only command.
    Tested condition_of(const ShellNode& list, bool certain);
    void for_loop(const ShellNode& node, bool certain);
    void while_loop(const ShellNode& node, bool certain);
    // One round; false: the last one.
    bool round_of_loop(const ShellNode& body, bool certain, bool open);
    std::string arguments_left() const;
    void choice(const ShellNode& node, bool certain);
    Tested matches_one(const Written& subject, const std::vector<Range>& patterns);
    bool note_open_case(const ShellNode& node);
    // if [ "$A" = x ]; elif [ "$A" = y ]: a case, too.
    bool note_open_chain(const ShellNode& node);
    std::string compared_name(const ShellNode& test, Written& value) const;
    // if (( N > 3 )); then A=1; elif ...; then A=2; fi: its branches are noted like the values of a case.
    void note_open_branches(const ShellNode& node);
    std::optional<std::size_t> own_branch(const ShellNode& node) const;
    std::vector<Written> set_by_branches(const ShellNode& node) const;
    bool has_own_run(const std::vector<Range>& patterns) const;
    Tested subshell(const ShellNode& node, bool certain);

    // exit, return, break, shift, getopts, read ...: those that change only the shell itself.
    void leave(const std::string& name, const std::string& argument, bool certain);
    std::optional<Tested> flow_command(const ShellNode& node, const Command& command, bool certain);
    Tested getopts(const std::vector<Written>& words);
    void note_export_of_all(const std::vector<Written>& words);
    void shift(const std::vector<Written>& words);
    // `eval set -- "$OPTIONS"` of getopt.
    void normalize_options();
    // : "${NAME:=VALUE}"
    void assign_defaults(const ShellNode& node, bool certain);

    // What functions and compound commands in `$( )` write.
    std::optional<Written> output_of(const PlacedText& text, Range inner);
    std::optional<Written> printed_by(const PlacedText& text);
    std::shared_ptr<const FileText> written_dockerfile(const ShellNode& node, const Command& command) const;
    void print(const ShellNode& node, const Command& command, bool certain);
    // `echo A | tr B C`: whether it is such a pipeline, from `first` to `last`.
    bool print_pipeline(const ShellNode& list, std::size_t first, std::size_t& last, bool certain);

    std::vector<Written> expanded(Range word);
    Written expanded_whole(Range word);

    Tested simple(const ShellNode& node, bool certain);
    Tested simple_words(const ShellNode& node, bool certain);

    // Assignments before the command, and arrays.
    bool assignment(Range range, std::vector<SetVariable>& assigned);

    bool element(Range range, std::size_t length);

    // NAME+=VALUE
    void append(const Variable* before, Written& value);
    void array(const std::string& name, Range inner, bool adds);
    void set(const SetVariable& one, bool exports, bool certain);

    void note_piped(const ShellNode& node, const Command& command);
    Tested execute(const ShellNode& node, std::size_t first, Command& command,
                   const std::vector<Range>& sources, bool certain);
    // export, unset, exit, eval, a function: what starts no program. Nothing: the command does.
    std::optional<Tested> own_command(const ShellNode& node, std::size_t first, const Command& command,
                                      bool certain);
    Tested test(const ShellNode& node, const Command& command);
    // Whether the command only executes a script, or the text that it reads.
    bool run_script(const ShellNode& node, const Command& command, bool certain);
    void run_python(const ShellNode& node, const Command& command, bool certain);

    // `grep -v torch FILE | pip install -r /dev/stdin`, `pip install -r <(grep -v torch FILE)`, sed -i.
    void write_process(Range source, const Written& word, bool certain);
    void write_input(const std::vector<Written>& words, std::optional<FileText> text);
    std::optional<FileText> text_of_process(Range source, bool certain);
    // What `<`, `<<` and `<<<` give to a command; nothing: it has none of them, or the text is not known.
    std::optional<FileText> redirected_input(const ShellNode& node, bool certain);
    // For `read` within a loop or group: what is piped or redirected into it.
    std::shared_ptr<ShellInput> input_of_group(const ShellNode& node, bool certain);
    Tested read_words(const ShellNode& node, const Command& command, bool certain);
    // mapfile -t NAME < FILE
    void read_lines(const ShellNode& node, const Command& command, bool certain);
    // printf -v NAME FORMAT A
    void print_into(const Command& command, bool certain);
    void follow_texts(const ShellNode& node, std::vector<Written>& words, const std::vector<Range>& sources,
                      bool certain);

    // What `$(pip install ...)` installs stays.
    void substitutions(Range word, bool certain);

    // eval "$COMMAND": its words are a text of this shell.
    void evaluate(const Command& command, bool certain);

    // Another text in this shell.
    void run_here(const PlacedText& text, bool certain) {
        run_here(std::make_shared<const ParsedShell>(text), certain);
    }
    void run_here(std::shared_ptr<const ParsedShell> text, bool certain);
    void take(std::vector<Step> steps) {
        for (Step& step : steps) m_steps.push_back(std::move(step));
    }

    // `bash FILE A`, `./FILE A`, `. FILE`
    void script(const CalledScript& called, const Command& command, bool certain);

    // export NAME, export NAME=VALUE
    void exported(Range word, bool exports, bool certain);
    // export "$KEY=$VALUE", export $(grep -v '^#' FILE | xargs)
    void export_fields(Range word, bool exports, bool certain);

    // The function itself may be defined again while it runs.
    Tested call(const ShellFunction& function, const Command& command, bool certain);

    // `bash -c TEXT`
    void nested(const NestedText& text, const Written& at);

    const std::shared_ptr<const ParsedShell> m_parsed;
    const PlacedText& m_text;
    Shell& m_shell;
    OutputSource m_source;
    Flow m_flow = Flow::goes_on;
    std::shared_ptr<ShellInput> m_input;         // of the loops and groups around it; null: not known
    Tested m_returned;                           // where it leaves a call
    std::size_t m_open = 0, m_open_at_loop = 0;  // parts around the command that may not be executed
    std::size_t m_loops = 0, m_open_loops = 0;   // around it
    Written* m_printed = nullptr;                // what `$( )` gives; null: nobody wants it
    std::vector<Step> m_steps;
    std::vector<Written> m_piped;               // the first command of the pipeline
    std::optional<FileText> m_read, m_flowing;  // what the pipeline gives to a command, and gets from it
    bool m_was_test = false;
    bool m_list_ends = false;                                   // by an `exit` that may not run
    const std::vector<ShellNode::Output>* m_outputs = nullptr;  // of the group around the command
};

}  // namespace ptxguard::recipes
