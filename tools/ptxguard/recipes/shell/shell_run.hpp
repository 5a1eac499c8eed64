// Shared by the shells: executing a command whose words are known. Inner header of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "recipes/shell/shell.hpp"
#include "recipes/shell/shell_syntax.hpp"

namespace ptxguard::recipes {

inline constexpr std::size_t k_deepest_container = 12;  // containers that are started in each other
inline constexpr Limit k_most_steps{20000, "steps of a shell text", "later ones"};

// Appends the steps of `command`, with the variables that the shell exports.
void emit(Command command, Shell& shell, std::vector<Step>& steps);
// A new shell with the exported variables of `shell`.
struct NestedText {
    PlacedText text;
    ShellKind kind = ShellKind::posix;
    std::vector<SetVariable> variables = {};             // only for it
    std::optional<std::vector<Written>> arguments = {};  // $1 ...; nothing: not known
    bool certain = true;
    std::string path = {};                           // $0 of a script
    std::shared_ptr<const ParsedShell> parsed = {};  // for a POSIX shell, instead of `text`
};
std::vector<Step> run_nested(const NestedText& nested, Shell& shell);
// `path` in `folder`; unknown if no system could open it.
std::string folder_below(const std::string& folder, const std::string& path);
// What a machine has at an absolute path is not the repository's.
bool is_outside(const std::string& path);
// The files that `>`, `>>` and tee write. Their text is known for cat with a here-document, for echo and for
// what filters write (text_filters.hpp).
// `outputs`: of the command, or of a group around it; `piped`: the first command of its pipeline.
struct WritingCommand {
    const std::vector<Written>& words;
    const std::vector<Written>& piped;
    const FileText* text;  // what it writes; null: not known
    const ShellNode& node;
    const std::vector<Heredoc>& documents;
    const OutputSource* source = nullptr;
};
void note_outputs(const PlacedText& text, const std::vector<ShellNode::Output>& outputs,
                  const WritingCommand& command, Shell& shell);
// The text of a here-document.
FileText text_of_document(const PlacedText& text, const Heredoc& document, const OutputSource* source,
                          Shell& shell);
// What `echo` writes. `quoted`: so does a text without a program, in PowerShell.
std::optional<FileText> echoed(const std::vector<Written>& words, bool quoted = false);
// The place of each line that the words of echo or printf write.
void number_lines(const std::vector<Written>& words, FileText& file);
// A file of the repository, as the commands so far leave it.
std::optional<FileText> file_now(const Shell& shell, const std::string& path, const Written& by);
// The files that a program's options name: curl -o.
void note_written_files(const Command& command, Shell& shell);
// Reads the path of `cd`.
void change_folder(const Command& command, Shell& shell);
std::vector<Step> read_cmd(const PlacedText& text, Shell& shell);
std::vector<Step> read_powershell(const PlacedText& text, Shell& shell);

// Whether `[ ... ]`, `[[ ... ]]`, `test ...`, `(( ... ))` succeeds. `fixed` = false: depends on a default
// that others override.
enum class Answer { yes, no, open };
struct Tested {
    Answer answer = Answer::open;
    bool fixed = true;
};
inline Tested decided(bool yes, bool fixed = true) { return {yes ? Answer::yes : Answer::no, fixed}; }
// `! command`
inline Tested negated(Tested tested) {
    if (tested.answer != Answer::open)
        tested.answer = tested.answer == Answer::yes ? Answer::no : Answer::yes;
    return tested;
}
std::string without_quotes_and_braces(std::string_view text);
bool is_test(const std::vector<Written>& words);
Tested test_result(const std::vector<Written>& words, const Variables& variables);
// USE_CUDA=false where it was "true", or where it is not known what it was. `before`: null = not known.
bool turns(const Variable* before, const Written& value);
// `[ "$NAME" = true ]` with another default: NAME and "true". `words`: as written.
void note_switch(const std::vector<std::string_view>& words, const Written& at, Shell& shell);
// For case: whether `subject` matches.
Tested matches(const Written& subject, const Written& pattern);

}  // namespace ptxguard::recipes
