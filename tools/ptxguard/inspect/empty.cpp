// Fatbins with nothing to run. nvcc writes device code for every .cu file; one with only host code has a
// cubin and PTX that contain nothing, by default for the oldest architecture.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "formats/device_code.hpp"
#include "inspect/reading.hpp"

namespace ptxguard {
namespace {

// With debug information (-G) an empty cubin has 2 KiB.
constexpr std::uint64_t k_most_of_empty = 16u << 10;

bool is_empty(const Source& source, const DeviceEntry& entry) {
    const bool readable = entry.kind == EntryKind::cubin || entry.kind == EntryKind::ptx;
    const std::uint64_t size = entry.compressed ? entry.uncompressed : entry.size;
    if (!readable || entry.obfuscated || size > k_most_of_empty || entry.size > k_most_of_empty) return false;
    const Result<std::string> payload = read_payload(source, entry);
    if (!payload) return false;
    return entry.kind == EntryKind::cubin ? is_empty_cubin(source_of(*payload)) : is_empty_ptx(*payload);
}

}  // namespace

void mark_empty(const Source& source, std::vector<DeviceEntry>& entries, std::vector<std::string>& remarks) {
    std::size_t count = 0;
    for (auto first = entries.begin(); first != entries.end();) {
        const auto end = std::find_if(
            first, entries.end(), [&](const DeviceEntry& entry) { return entry.fatbin != first->fatbin; });
        if (std::all_of(first, end, [&](const DeviceEntry& entry) { return is_empty(source, entry); })) {
            std::for_each(first, end, [](DeviceEntry& entry) { entry.empty = true; });
            ++count;
        }
        first = end;
    }
    if (count == 0) return;
    remarks.push_back(std::to_string(count) + (count == 1 ? " fatbin has" : " fatbins have") +
                      " no function and no variable, as nvcc makes for host code: nothing in " +
                      (count == 1 ? "it" : "them") + " is run");
}

}  // namespace ptxguard
