// The options of pip, uv, poetry, pdm, pipenv and pipx for installing.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "recipes/arguments.hpp"

namespace ptxguard::recipes {

const std::vector<OptionForm>& pip_options();
const std::vector<OptionForm>& uv_options();
const std::vector<OptionForm>& poetry_options();
const std::vector<OptionForm>& other_options();  // pdm, pipenv, pipx

}  // namespace ptxguard::recipes
