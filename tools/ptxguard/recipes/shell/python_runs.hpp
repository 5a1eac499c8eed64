// Python code that a shell text runs. Declared here for the shell, defined beside the reader of such code.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "recipes/shell/shell_scripts.hpp"

namespace ptxguard::recipes {

// The commands that the script runs, in the shell that starts it.
std::vector<Step> steps_of_python(const CalledPython& called, Shell& shell);
// What `python -c "import os; print(min(int(os.environ['CUDA']), 121))"` prints; nothing if that is not
// known. `fixed` becomes false where it is one of several.
std::optional<std::string> printed_by_python(const std::vector<Written>& words, const Variables& variables,
                                             const OutputSource* source, bool& fixed);

}  // namespace ptxguard::recipes
