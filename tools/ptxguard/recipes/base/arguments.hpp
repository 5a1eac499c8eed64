// Splits a command's words into options and operands, with a table of the options that take a value.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "recipes/base/recipe.hpp"

namespace ptxguard::recipes {

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words);
bool is_on(std::string_view value);  // ON, TRUE, YES, 1: of a variable of CMake or make
// "-DNAME:TYPE=VALUE": name and value; nothing for another word.
std::optional<std::pair<std::string, std::string>> cmake_definition(const std::string& word);

struct OptionForm {
    const char* names;  // "-i --index-url": the first long name identifies the option
    bool takes_value = true;
};

struct Argument {
    std::string option;     // "--index-url"; as written if unknown; empty = an operand
    Written value;          // of the option, or the operand
    std::size_t index = 0;  // of the word of the option or operand
};

// The operands, in order.
std::vector<const Argument*> operands_of(const std::vector<Argument>& arguments);

// A part of a text that starts at byte `at`, with its position.
Written part_of(const Written& whole, std::size_t at, std::size_t length = std::string::npos);

// All words, joined by blanks, at the position of the first.
Written whole_of(const Command& command);

// `from`: index of the first word. "--" ends the options. `abbreviated`: accepts a unique start of a long
// option (optparse, argparse). Short options may be joined with their value ("-rfile", "-qU").
std::vector<Argument> split_arguments(const std::vector<Written>& words, std::size_t from,
                                      const std::vector<OptionForm>& table, bool abbreviated);

}  // namespace ptxguard::recipes
