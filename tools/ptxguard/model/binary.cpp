// SPDX-License-Identifier: Apache-2.0
#include "model/binary.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace ptxguard {

std::vector<EntryGroup> summarize(const std::vector<DeviceEntry>& entries) {
    struct Counted {
        EntryGroup group;
        std::vector<std::uint32_t> fatbins;
    };
    std::map<std::tuple<EntryKind, int, char, int, int>, Counted> groups;
    for (const DeviceEntry& entry : entries) {
        const PtxVersion ptx = entry.ptx.value_or(PtxVersion{});
        Counted& counted = groups[{entry.kind, entry.arch.number, entry.arch.suffix, ptx.major, ptx.minor}];
        counted.group.kind = entry.kind;
        counted.group.arch = entry.arch;
        counted.group.ptx = entry.ptx;
        ++counted.group.count;
        counted.fatbins.push_back(entry.fatbin);
    }
    std::vector<EntryGroup> summary;
    for (auto& [key, counted] : groups) {
        std::sort(counted.fatbins.begin(), counted.fatbins.end());
        counted.group.fatbins = static_cast<std::size_t>(
            std::unique(counted.fatbins.begin(), counted.fatbins.end()) - counted.fatbins.begin());
        summary.push_back(counted.group);
    }
    return summary;
}

}  // namespace ptxguard
