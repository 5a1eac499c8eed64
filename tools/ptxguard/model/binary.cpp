// SPDX-License-Identifier: Apache-2.0
#include "model/binary.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>

namespace ptxguard {

std::vector<EntryGroup> summarize(const std::vector<DeviceEntry>& entries) {
    struct Counted {
        EntryGroup group;
        std::vector<std::uint32_t> fatbins;
    };
    std::map<std::tuple<EntryKind, int, char, int, int>, Counted> groups;
    for (const DeviceEntry& entry : entries) {
        if (entry.empty) continue;
        const PtxVersion ptx = entry.ptx ? *entry.ptx : entry.ir.value_or(PtxVersion{});
        Counted& counted = groups[{entry.kind, entry.arch.number, entry.arch.suffix, ptx.major, ptx.minor}];
        counted.group.kind = entry.kind;
        counted.group.arch = entry.arch;
        counted.group.ptx = entry.ptx;
        counted.group.ir = entry.ir;
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

namespace {

// Everything in an entry that a driver selects by, as bytes.
std::string looks_of(const DeviceEntry& entry) {
    const auto version = entry.ptx ? entry.ptx : entry.ir;
    const PtxVersion ptx = version.value_or(PtxVersion{});
    std::string looks;
    for (const int number :
         {static_cast<int>(entry.kind), static_cast<int>(entry.raw_kind), entry.arch.number,
          static_cast<int>(entry.arch.suffix), version ? ptx.major + 1 : 0, ptx.minor,
          static_cast<int>(entry.abi), entry.obfuscated ? 1 : 0}) {
        looks += static_cast<char>(number & 0xff);
        looks += static_cast<char>(number >> 8 & 0xff);
    }
    return looks + (entry.toolkit ? entry.toolkit->text : "") + '\n';
}

}  // namespace

std::vector<FatbinKind> fatbin_kinds(const std::vector<DeviceEntry>& entries) {
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < entries.size(); ++i)
        if (entries[i].is_run()) places.push_back(i);
    const auto module_of = [&](std::size_t i) {
        return std::make_pair(entries[i].relocatable, entries[i].fatbin);
    };
    const auto before = [&](std::size_t a, std::size_t b) { return module_of(a) < module_of(b); };
    if (!std::is_sorted(places.begin(), places.end(), before))
        std::stable_sort(places.begin(), places.end(), before);
    std::vector<FatbinKind> kinds;
    std::unordered_map<std::string, std::size_t> known;
    std::string looks;
    for (std::size_t first = 0; first < places.size();) {
        std::size_t end = first;
        looks = entries[places[first]].relocatable ? "r" : "l";
        for (; end < places.size() && module_of(places[end]) == module_of(places[first]); ++end)
            looks += looks_of(entries[places[end]]);
        const auto [kind, is_new] = known.emplace(looks, kinds.size());
        if (is_new) {
            const auto at = places.begin();
            kinds.push_back({{at + static_cast<std::ptrdiff_t>(first), at + static_cast<std::ptrdiff_t>(end)},
                             0,
                             entries[places[first]].relocatable});
        }
        ++kinds[kind->second].count;
        first = end;
    }
    return kinds;
}

}  // namespace ptxguard
