// What can change the answer of a probe, as a cache key.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/host.hpp"
#include "model/scenario.hpp"
#include "probe/cache.hpp"
#include "probe/compile.hpp"

namespace ptxguard {

// Keys of one toolkit's probes; the command's arguments are added by key_for.
CacheKey toolkit_key(const Host& host, const Scenario& scenario, const Toolkit& toolkit,
                     const Compiler& compiler);
CacheKey key_for(const CacheKey& toolkit_key, ProbeKind kind, const Command& command);
// A query to one file that nothing else affects (ptxas, a library).
CacheKey file_key(const std::string& path, const std::string& real_path, const std::string& question);
CacheKey jit_key(const JitLibrary& library, const Command& command, const std::string& ptx);

}  // namespace ptxguard
