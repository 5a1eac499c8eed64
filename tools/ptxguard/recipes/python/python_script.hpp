// The commands that Python code runs: subprocess.run([...]), os.system(f"..."), sessions of nox, tasks of
// invoke. The code is followed as far as its values are known from the text; nothing is run.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "recipes/base/recipe.hpp"

namespace ptxguard::recipes {

// One stage for the module, and one for each function that nothing in it calls.
Recipe read_python_script(const std::string& file, std::string_view text, const ReadFile& files);
// The same for the commands of a setup.py, which other readers read too.
void add_commands_of_python(const std::string& file, std::string_view text, const ReadFile& files,
                            Recipe& recipe);

}  // namespace ptxguard::recipes
