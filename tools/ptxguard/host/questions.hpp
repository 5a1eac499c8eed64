// Questions to a Host that several rooms ask.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/host.hpp"

namespace ptxguard {

bool is_file(const Host& host, const std::string& path);  // a regular one, through links
bool is_folder(const Host& host, const std::string& path);

}  // namespace ptxguard
