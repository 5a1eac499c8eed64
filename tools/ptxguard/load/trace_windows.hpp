// The loader of Windows: application folder, folders that Python packages add (os.add_dll_directory),
// System32, Windows, PATH if it applies; known DLLs, API sets, delay-load imports, side-by-side manifests.
// Inner header of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "load/load.hpp"

namespace ptxguard {

LoadTrace trace_windows(const Host& host, const Facts& facts, const std::string& path,
                        const LoadOptions& options);

}  // namespace ptxguard
