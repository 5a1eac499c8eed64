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

// The sides of "(a,b)", "'a' 'b'" behind ifeq; nothing for another form.
std::optional<std::pair<std::string, std::string>> sides_of_condition(std::string_view text);

// The end of the name before "=", ":=", "?=", "+=" or "!=".
std::size_t end_of_name(std::string_view text, std::size_t equals);

// A call that is not known stays as written: "$(abspath a b)/x" is one name.
std::vector<std::string> names_of_targets(const std::string& text);

// The value of "subst .,,$(CUDA)", "NAME:%.cu=%.o"; nothing = neither of them, or not known: `shell`,
// `wildcard`.
std::optional<std::string> value_of_make_call(std::string_view call, const ExpandMake& expand);

}  // namespace ptxguard::recipes
