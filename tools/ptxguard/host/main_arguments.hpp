// Command line arguments as UTF-8 on both systems (Windows: from the wide command line; also sets the console
// to UTF-8).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace ptxguard {

std::vector<std::string> utf8_arguments(int argc, char** argv);  // without argv[0]

}  // namespace ptxguard
