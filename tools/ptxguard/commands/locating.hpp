// Where findings are: the file and line in which the user wrote a value, columns in characters, and the file
// that stands for the project. Inner header of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "commands/settings.hpp"
#include "host/host.hpp"
#include "model/finding.hpp"

namespace ptxguard {

// The path relative to the working folder if it is below, as CI annotations need it.
std::string from_here(std::string path);
// Locates a finding about a value at the configuration file, CMakeLists.txt or shell start file that sets it.
void locate(const Settings& settings, const Host& host, std::vector<Finding>& findings);

using LocatedText = std::function<Result<std::string>(const std::string& file)>;
// Columns of reports count characters, as editors and CI systems do; readers count bytes.
void count_characters(const LocatedText& text_of, std::vector<Finding>& findings);
// By file, line and column, as compilers print them; without a place last.
void sort_by_place(std::vector<Finding>& findings);

// The file of the project at which a finding is shown that is about none of its files: a file that the
// command line names, the configuration, CMakeLists.txt ...
Location root_file(const Settings& settings, const Host& machine);

}  // namespace ptxguard
