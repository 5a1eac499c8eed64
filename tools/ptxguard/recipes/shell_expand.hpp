// What a word of the shell becomes: quotes are removed, known variables are replaced, the result is split
// into fields. A Dockerfile's own substitution (ARG, ENV, FROM) follows the same rules.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "recipes/placed_text.hpp"
#include "recipes/shell_syntax.hpp"

namespace ptxguard::recipes {

struct Variable {
    Written value;
    std::vector<Written> items = {};  // of an array
    bool is_array = false;
    bool exported = false;
    bool assigned_here = false;  // by the shell itself; false: from its environment
};
using Variables = std::map<std::string, Variable>;

struct ExpandRules {
    char escape = '\\';
    bool split = true;  // unquoted blanks of a variable's value end a field; false: the word stays one field
};

// The fields of the word `range`; none where an unquoted variable is empty. A variable that is not known
// stays as it was written, and the field has known = false.
std::vector<Written> expand(const PlacedText& text, Range range, const Variables& variables,
                            const ExpandRules& rules = {});
// The same as one text, as after "=".
Written expand_whole(const PlacedText& text, Range range, const Variables& variables, char escape = '\\');
// A value that is not in a shell text, such as one of a YAML file.
Written expand_whole(const Written& value, const Variables& variables);
// The word's quotes removed, with the place of each byte: for `bash -c '...'`. Variables in double quotes are
// replaced.
PlacedText unquoted(const PlacedText& text, Range range, const Variables& variables);

}  // namespace ptxguard::recipes
