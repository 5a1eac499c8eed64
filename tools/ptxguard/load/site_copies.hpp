// Libraries that a module of a Python package needs and the loader does not find, although a package of the
// environment contains them: its import loads them by path, or the interpreter's own search list finds them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/host.hpp"
#include "model/loading.hpp"

namespace ptxguard {

// Adds the file to the losers, as not searched. The interpreter's own library becomes optional.
void find_copies_of_site(const Host& host, LoadTrace& trace);

}  // namespace ptxguard
