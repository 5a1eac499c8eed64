// Finds the folders of the rules on disk and reads their files, for the tests that walk them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "model/json.hpp"

struct RuleCase {
    std::string rule;     // "CC101_variable_names_no_toolkit"
    std::string code;     // "CC101"
    std::string name;     // "fires_on_a_misspelt_folder"
    std::string file;     // .../case.json
    ptxguard::Json json;  // null where it could not be read
    std::string trouble;
};

std::string read_whole(const std::string& file);  // "" where it cannot be read
std::vector<std::string> rule_folders();          // paths, sorted
std::string last_name(const std::string& path);
const std::vector<RuleCase>& rule_cases();  // of all rules, read once
