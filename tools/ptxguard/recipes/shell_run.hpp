// Shared by the shells: executing a command whose words are known. Inner header of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "recipes/shell.hpp"
#include "recipes/shell_syntax.hpp"

namespace ptxguard::recipes {

inline constexpr Limit k_most_steps{20000, "steps of a shell text", "later ones"};

// Appends the steps of `command`, with the variables that the shell exports.
void emit(Command command, Shell& shell, std::vector<Step>& steps);
// `path` in `folder`; unknown if no system could open it.
std::string folder_below(const std::string& folder, const std::string& path);
// The files that `>` and `>>` write. Their text is known for cat with a here-document and for echo.
void note_outputs(const PlacedText& text, const ShellNode& node, const std::vector<Heredoc>& documents,
                  const Command& command, Shell& shell);
// The files that a program's options name: curl -o.
void note_written_files(const Command& command, Shell& shell);
// Reads the path of `cd`.
void change_folder(const Command& command, Shell& shell);
std::vector<Step> read_cmd(const PlacedText& text, Shell& shell);
std::vector<Step> read_powershell(const PlacedText& text, Shell& shell);

// Whether `[ ... ]`, `[[ ... ]]`, `test ...` succeeds. `fixed` = false: depends on a default that others
// override.
enum class Answer { yes, no, open };
struct Tested {
    Answer answer = Answer::open;
    bool fixed = true;
};
bool is_test(const std::vector<Written>& words);
Tested test_result(const std::vector<Written>& words);
// For case: whether `subject` matches.
Tested matches(const Written& subject, const Written& pattern);

}  // namespace ptxguard::recipes
