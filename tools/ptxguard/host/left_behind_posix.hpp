// What must not outlive us: our child programs and our temporary folders. SIGINT, SIGTERM and SIGHUP end the
// programs with their descendants, remove the folders, and then end us as usual. If we are killed, the
// keepers end the programs, and the next run removes the folders. Private to this room's POSIX files.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>
#include <set>
#include <string>
#include <vector>

#include <sys/types.h>

namespace ptxguard::platform {

struct LeftBehind {
    std::mutex mutex;            // for both; also held while a program is started
    std::vector<pid_t> keepers;  // not yet reaped, so their ids are still valid
    std::set<std::string> folders;
};

// The first call starts to handle the signals, except those that our parent ignored.
LeftBehind& left_behind();

}  // namespace ptxguard::platform
