// The functions of make whose value follows from their arguments: $(subst .,,$(CUDA)), $(word 1,...). Inner
// header of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ptxguard::recipes {

// Replaces the variables in a text; what is not known stays as written, with its "$".
using ExpandMake = std::function<std::string(std::string_view)>;

// The end of the reference at `at` ("$(X)", "$@"); its name.
std::size_t make_reference(std::string_view text, std::size_t at, std::string& name);
// At the commas outside of brackets; the last of `most` parts has the rest.
std::vector<std::string> make_arguments(std::string_view text, std::size_t most);

// The place of the comment; "\\#" and what is in references begin none.
std::size_t comment_of_make(std::string_view text);

// Behind a rule. Where none is in front of them, make also reads `ifeq` and the like behind a tab, and no
// program has such a name.
bool is_make_command(std::string_view line);

// What the shell gets of a reference without a known value: the quotes in a function's arguments are not its.
std::string shell_text_of(std::string_view name, std::string_view written);

// The sides of "(a,b)", "'a' 'b'" behind ifeq; nothing for another form.
std::optional<std::pair<std::string, std::string>> sides_of_condition(std::string_view text);

// The end of the name before "=", ":=", "?=", "+=" or "!=".
std::size_t end_of_name(std::string_view text, std::size_t equals);

// "NAME", "export NAME ?", "override NAME :": what is in front of "=".
struct MakeAssignment {
    std::string name, op;
    bool exported = false;
};
std::optional<MakeAssignment> make_assignment(std::string_view left);

// A call that is not known stays as written: "$(abspath a b)/x" is one name.
std::vector<std::string> names_of_targets(const std::string& text);

// The value of "subst .,,$(CUDA)", "NAME:%.cu=%.o"; of "shell COMMAND" as a shell writes it; nothing =
// neither of them, or not known: `wildcard`.
std::optional<std::string> value_of_make_call(std::string_view call, const ExpandMake& expand);

// Without the sign of its calls, so that the variables in them are replaced.
std::string shell_as_text(std::string_view condition);
// ifeq ($(shell nvcc --version | ...),12.8), with its variables replaced.
bool asks_nvcc(const std::string& condition);

}  // namespace ptxguard::recipes
