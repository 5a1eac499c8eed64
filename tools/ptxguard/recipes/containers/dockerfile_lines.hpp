// The instructions of a Dockerfile: continued lines joined, comments removed, here-documents attached.
// Inner header of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "recipes/base/placed_text.hpp"
#include "recipes/shell/shell_syntax.hpp"

namespace ptxguard::recipes {

struct DockerHeredoc {
    std::string name;
    PlacedText body;
};

struct Instruction {
    std::string keyword;   // upper case
    PlacedText text;       // complete, starting with the keyword
    std::size_t rest = 0;  // offset of the text after the keyword
    std::vector<DockerHeredoc> heredocs;
};

struct DockerLines {
    char escape = '\\';
    std::vector<Instruction> instructions;
    Problems problems;
};
// `first`: position of the text in the file; its lines start at that column too.
DockerLines read_docker_lines(const std::string& file, std::string_view text, Place first = {1, 1});

// "RUN ..." in "ONBUILD RUN ...".
Instruction behind_on_build(Instruction instruction);

// Words of `text` in [begin, end), with their quotes, split at blanks.
std::vector<Range> docker_words(std::string_view text, Range range, char escape);
// The words of `["a", "b"]`; `ok` = false if it is not such a list.
std::vector<Written> json_words(const PlacedText& text, std::size_t begin, bool& ok);

}  // namespace ptxguard::recipes
