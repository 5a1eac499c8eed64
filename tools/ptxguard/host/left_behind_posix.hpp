// What must not outlive us: programs that run below us, and our temporary folders. SIGINT, SIGTERM and SIGHUP
// end the programs with their groups and remove the folders, and then end us as they would have done. Private
// to this room's POSIX files.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>
#include <set>
#include <string>
#include <vector>

#include <sys/types.h>

namespace ptxguard::platform {

struct LeftBehind {
    std::mutex mutex;           // of both; also held while a program is started
    std::vector<pid_t> groups;  // not yet reaped, so that their ids are still theirs
    std::set<std::string> folders;
};

// From the first call on signals are watched for, except those that whoever started us has ignored.
LeftBehind& left_behind();

}  // namespace ptxguard::platform
