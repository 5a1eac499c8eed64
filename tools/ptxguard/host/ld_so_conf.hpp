// /etc/ld.so.conf and its includes: what ldconfig uses, and with it every container engine that runs it when
// a container starts.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "host/host.hpp"

namespace ptxguard {

struct LdSoConf {
    std::vector<std::string> folders;  // in search order
    std::string trouble;               // "/etc/ld.so.conf includes more than 256 files": some are missing
};
LdSoConf ld_so_conf(const Host& host);

}  // namespace ptxguard
