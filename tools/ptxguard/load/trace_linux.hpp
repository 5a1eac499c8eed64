// glibc's ld.so: DT_RPATH of the whole chain unless DT_RUNPATH, LD_LIBRARY_PATH, DT_RUNPATH, ld.so.cache,
// default folders; $ORIGIN, $LIB, $PLATFORM, hwcaps folders, LD_PRELOAD, names already loaded. Inner header
// of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "load/load.hpp"

namespace ptxguard {

LoadTrace trace_linux(const Host& host, const Facts& facts, const std::string& path,
                      const LoadOptions& options);

}  // namespace ptxguard
