// Which package brought a library file. Reads records only.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "facts/facts.hpp"
#include "host/host.hpp"

namespace ptxguard {

// "nvidia-cusparse-cu12", "libcusparse-12-8"; empty where no record names the file.
std::string package_of_library(const Host& host, const Facts& facts, const std::string& path);

}  // namespace ptxguard
