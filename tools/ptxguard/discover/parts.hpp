// The components of one toolkit: those that its nvcc really uses, found as nvcc finds them, each with its own
// version.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "ask/version.hpp"
#include "discover/layout.hpp"
#include "host/host.hpp"
#include "model/toolkit.hpp"

namespace ptxguard {

std::vector<Part> find_parts(const Host& host, const Site& site, Layout layout);

// Reads the versions of toolkits[index] from files, and adds questions for the programs that print theirs
// (none on a foreign host).
void find_versions(Questions& questions, std::vector<Toolkit>& toolkits, std::size_t index);
// Adds the question for a program's version; if it prints none, its file is read. The part may move until
// then.
void ask_part(const Host& host, Questions& questions, const std::function<Part&()>& part);

}  // namespace ptxguard
