// The table of options, from which the command line, the configuration's keys, the PTXGUARD_* variables and
// the help are built.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace ptxguard {

enum class OptionKind {
    flag,  // given or not
    one,   // the last one wins
    list,  // repeatable; a comma separates values too
    each,  // repeatable, taken whole (paths, K=V, CODE=reason)
};

// Which commands accept an option, as bits.
enum TakenBy : unsigned {
    by_none = 0,
    by_check = 1,
    by_inspect = 2,
    by_deps = 4,
    by_matrix = 8,
    by_all = 15,
    by_facts = 16,
    by_plan = 32,
    by_lint = 64,
    by_explain = 128,
    by_reports = 239,
    by_compare = 256
};

// Of the help, in its order.
enum class OptionGroup { subject, target, how, findings, output };
const char* to_string(OptionGroup group);

struct OptionSpec {
    OptionSpec(OptionGroup group_, const char* name_, unsigned taken_by_, OptionKind kind_,
               const char* value_, const char* help_, std::vector<const char*> words_ = {},
               const char* short_name_ = "", bool in_config_ = true, bool hidden_ = false)
        : group(group_),
          name(name_),
          taken_by(taken_by_),
          kind(kind_),
          value(value_),
          help(help_),
          words(std::move(words_)),
          short_name(short_name_),
          in_config(in_config_),
          hidden(hidden_) {}

    OptionGroup group;
    const char* name;  // "driver-libs"
    unsigned taken_by;
    OptionKind kind;
    const char* value;  // "DIR" in the help
    const char* help;
    std::vector<const char*> words;  // allowed values; empty = any
    const char* short_name;          // "o"
    bool in_config;                  // allowed in ptxguard.toml and PTXGUARD_NAME
    bool hidden;                     // for the CMake module; not in --help
};

// Whether its value is a folder or program from which programs, libraries or tables are loaded.
bool names_a_place(const OptionSpec& option);

const std::vector<OptionSpec>& option_table();
// Parts of it.
std::vector<OptionSpec> options_of_reports();
std::vector<OptionSpec> options_of_cmake();  // hidden
const OptionSpec* find_option(const std::string& name);

}  // namespace ptxguard
