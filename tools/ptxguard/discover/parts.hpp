// The components of one toolkit: those that its nvcc really uses, found as nvcc finds them, each with its own
// version.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "ask/version.hpp"
#include "discover/layout.hpp"
#include "host/host.hpp"
#include "model/toolkit.hpp"

namespace ptxguard {

std::vector<Part> find_parts(const Host& host, const Site& site, Layout layout);

// A program that still has to be run for its version; collected so that all toolkits' programs run in
// parallel.
struct VersionQuestion {
    std::size_t toolkit = 0, part = 0;  // indices
};
// Reads versions from files; programs that must be run are returned as questions (none on a foreign host).
std::vector<VersionQuestion> read_versions(const Asker& ask, Toolkit& toolkit, std::size_t index);
// What the program printed; without output, its file is read.
void take_version(const Host& host, Part& part, const SaidVersion& said);

}  // namespace ptxguard
