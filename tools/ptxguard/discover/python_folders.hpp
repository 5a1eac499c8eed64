// site-packages folders of the available Pythons, without running any: --python, VIRTUAL_ENV, CONDA_PREFIX,
// PATH.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "host/host.hpp"

namespace ptxguard {

struct PythonFolder {
    std::string folder;   // .../site-packages
    std::string because;  // "--python", "VIRTUAL_ENV" ...
};
std::vector<PythonFolder> python_folders(const Host& host, const std::string& python_option);

}  // namespace ptxguard
