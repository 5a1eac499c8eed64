// Expands a word of the shell: removes quotes, replaces known variables, and splits the result into fields. A
// Dockerfile's own substitution (ARG, ENV, FROM) follows the same rules.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "recipes/base/placed_text.hpp"
#include "recipes/shell/shell_syntax.hpp"
#include "recipes/shell/shell_variables.hpp"

namespace ptxguard::recipes {

inline constexpr Limit k_longest_field{1u << 16, "bytes of one word", "the rest of the word"};

// What a shell knows for `$( )`; one that is empty knows nothing.
struct OutputSource {
    // What the commands in that range write.
    std::function<std::optional<Written>(const PlacedText& text, Range inner)> printed = {};
    std::function<std::optional<FileText>(const Written& path)> file = {};
    std::function<std::string(const std::string& path)> absolute = {};
};

struct ExpandRules {
    char escape = '\\';
    bool split = true;  // unquoted blanks in a variable's value end a field; false: the word stays one field
    const OutputSource* source = nullptr;
};

// The fields of the word `range`; none if an unquoted variable is empty. An unknown variable stays as
// written, and the field has known = false.
std::vector<Written> expand(const PlacedText& text, Range range, const Variables& variables,
                            Problems& problems, const ExpandRules& rules = {});
// The same as one text, as after "=".
Written expand_whole(const PlacedText& text, Range range, const Variables& variables, Problems& problems,
                     char escape = '\\', const OutputSource* source = nullptr);
// The same where quotes are characters, as in a here-document.
Written expand_document(const PlacedText& text, Range range, const Variables& variables, Problems& problems,
                        const OutputSource* source);
// A value outside a shell text, for example in a YAML file.
Written expand_whole(const Written& value, const Variables& variables, Problems& problems);
// Removes the word's quotes and keeps the position of each byte: for `bash -c '...'`. Variables in double
// quotes are replaced.
PlacedText unquoted(const PlacedText& text, Range range, const Variables& variables, Problems& problems);

}  // namespace ptxguard::recipes
