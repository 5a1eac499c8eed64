// The process in which a file is opened, as the loader leaves it. Inner header.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "load/load.hpp"
#include "load/trace_linux_process.hpp"

namespace ptxguard {

// What the file's package loads first when it is imported. Usually these are the files that the loader would
// find, and the loader's rule is reported; if they differ, they come first.
// Sets `object` to the index of the checked file.
LinuxProcess start_as_imported(const Host& host, const Facts& facts, const LinuxSystem& system,
                               const LoadOptions& options, LoadTrace& trace, std::size_t& object);

}  // namespace ptxguard
