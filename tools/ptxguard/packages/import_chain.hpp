// Which modules the import of a package imports, by the text of its Python files. Nothing is run.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "host/host.hpp"

namespace ptxguard {

// Whether `import PACKAGE` of one of these top-level packages in `site` always imports that module
// ("vllm._C").
bool imports_unconditionally(const Host& host, const std::string& site,
                             const std::vector<std::string>& packages, const std::string& module);

}  // namespace ptxguard
