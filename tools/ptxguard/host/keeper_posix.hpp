// A keeper: a process between us and a program that we start. It inherits all descendants of that program,
// also those that left its group (setsid, double fork), and no others. It ends them when we ask for it, and
// when we are gone, also by SIGKILL. Private to this room's POSIX files.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

namespace ptxguard::platform {

// What a keeper writes when its program has ended: si_code and si_status of waitid().
struct Ended {
    int code = 0, status = 0;
};

// To be called between fork and exec; `us` is the process that forked. The calling process becomes the keeper
// and never returns; a new one returns 0, to become the program. Otherwise errno. SIGTERM asks the keeper to
// end all; it ends after the last of them. Only it keeps `report` open, which gets one Ended.
int start_keeper(pid_t us, int report);

// Asks a keeper to end all that it keeps.
void ask_to_end(pid_t keeper);
// Ends it, and what is left of its group, which the program is in. Before it is reaped.
void end_group(pid_t keeper);

}  // namespace ptxguard::platform
