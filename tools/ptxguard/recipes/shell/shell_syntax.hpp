// The grammar of POSIX shells and bash: where words and commands begin and end. Nothing is expanded here.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "model/limit.hpp"

namespace ptxguard::recipes {

struct Range {
    std::size_t begin = 0, end = 0;
    std::string_view of(std::string_view text) const { return text.substr(begin, end - begin); }
};

// The word behind "<<" that ends a here-document.
struct HeredocMark {
    HeredocMark(std::string_view written, bool tabs);  // as written, with its quotes; `tabs`: behind "<<-"
    bool is_end(std::string_view line) const;

    std::string word;
    bool strips_tabs = false, expands = true;
};

struct Heredoc {
    Range body;
    bool expands = true;  // its delimiter is not quoted
};

// How a command is joined to the previous one.
enum class Joined { after, if_succeeds, if_fails, piped };

struct ShellNode {
    enum class Kind { simple, list, condition, for_loop, while_loop, choice, subshell, function };
    Kind kind = Kind::simple;
    Joined joined = Joined::after;
    // simple: its words; of `(( ))` all of it. for_loop: variable and values. choice (case): the subject.
    // function: its name.
    std::vector<Range> words;
    std::vector<std::size_t> heredocs;  // in ShellSyntax
    std::vector<Range> here_strings;    // behind "<<<"
    std::vector<Range> inputs;          // behind "<": a file, or the process in "< <( )"
    std::size_t input_count() const { return heredocs.size() + here_strings.size() + inputs.size(); }
    bool negated = false;    // "!" before it, or the loop is an `until`
    bool to_errors = false;  // ">&2"
    struct Output {
        Range file;
        bool appends = false;  // ">>"
    };
    std::vector<Output> outputs;  // of a simple command, or of all commands of another one
    // list, subshell: the commands. condition: test, body, test, body ..., else. for_loop, while_loop,
    // function: the body, for while_loop after the test. choice: the bodies.
    std::vector<ShellNode> children;
    std::vector<std::vector<Range>> patterns;  // for each body of a choice
};

struct ShellSyntax {
    ShellNode list;
    std::vector<Heredoc> heredocs;
    std::string problem;  // why the rest was not read: "quote that is not closed"; empty = all was read
    std::size_t problem_at = 0;    // offset
    const Limit* limit = nullptr;  // the limit that is the problem
};

ShellSyntax parse_shell(std::string_view text);

// End of the word that starts at `at`: an unquoted blank, line break or operator.
// `reached`: the limit, if npos is due to one.
std::size_t end_of_word(std::string_view text, std::size_t at, const Limit*& reached);
// After the closing "}" of "${" or the closing ")" of "$(" at `at`, the offset of the "$"; npos if it is not
// closed.
std::size_t end_of_dollar(std::string_view text, std::size_t at, const Limit*& reached);
// After the ")" of the "(" at `at`; npos if it is not closed.
std::size_t end_of_parentheses(std::string_view text, std::size_t at, const Limit*& reached);

}  // namespace ptxguard::recipes
