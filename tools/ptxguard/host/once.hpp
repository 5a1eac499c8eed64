// What several of our processes do only once, such as those that one build starts in parallel.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace ptxguard::own {

// A process and those above it, from its own upwards.
struct Caller {
    std::string program;   // file name without ".exe", in lower case
    std::string identity;  // no two processes have the same
    bool bare = false;     // without a script or command: of a shell, one that somebody types in
};
std::vector<Caller> callers();

// The build that a process is part of: the outermost of the build programs (make, ninja, our own `run`) that
// are above it with only shells and wrappers between them. Without one, the process itself. Its identity.
std::string build_among(const std::vector<Caller>& callers);

// Whether nobody has made the mark `name` in the private folder yet, which makes it; of several processes
// only one gets true. True if there can be no marks. Marks of more than a day ago are removed.
bool first_to_mark(const std::string& folder, const std::string& name);

}  // namespace ptxguard::own
