// The options of pip, uv, poetry, pdm, pipenv and pipx for installing.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "recipes/base/arguments.hpp"

namespace ptxguard::recipes {

const std::vector<OptionForm>& pip_options();
// The option of pip that is probably meant by a word which is none, nor the beginning of one; empty = none is
// close.
std::string meant_option(const std::string& written);
const std::vector<OptionForm>& uv_options();
const std::vector<OptionForm>& poetry_options();
const std::vector<OptionForm>& other_options();  // pdm, pipenv, pipx

}  // namespace ptxguard::recipes
