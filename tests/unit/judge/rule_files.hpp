// Finds the folders of the rules on disk and reads their cases, for the tests that check them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "case_file.hpp"

std::vector<std::string> rule_folders();  // paths, sorted
std::string last_name(const std::string& path);
const std::vector<RuleCase>& rule_cases();  // of all rules, read once
