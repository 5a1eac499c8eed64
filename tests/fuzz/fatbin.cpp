// Walks and scans any bytes as fatbins.
// SPDX-License-Identifier: Apache-2.0
#include "formats/fatbin.hpp"

#include <cstdlib>

#include "ask.hpp"

using namespace ptxguard;

namespace {

void look_at_all(const FatbinWalk& walk, const Source& source) {
    look_at(walk.trouble);
    for (const std::string& remark : walk.remarks) look_at(remark);
    for (const DeviceEntry& entry : walk.entries) {
        look_at(entry.arch.sm());
        if (entry.offset > source.size || entry.size > source.size - entry.offset) std::abort();
    }
}

void ask(const Source& source) {
    look_at_all(walk_fatbins(source, 0, source.size), source);
    look_at_all(scan_fatbins(source, 0, source.size), source);
    look_at_all(walk_fatbins(source, 8, UINT64_MAX, 3), source);
    look_at_all(scan_fatbins(source, 3, source.size / 2, 3, 100), source);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    ask_whole_and_shrinking(data, size, ask);
    return 0;
}
