// /etc/ld.so.conf, of which ldconfig makes the loader's cache.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "host/host.hpp"

namespace ptxguard {

// Folders in the order in which they are written, those of `include` lines in their place.
std::vector<std::string> ld_so_conf_folders(const Host& host);

}  // namespace ptxguard
