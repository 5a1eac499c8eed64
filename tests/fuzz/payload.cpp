// Decompresses any bytes; the first sixteen select the method and the values of the header.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdlib>

#include "ask.hpp"
#include "formats/device_code.hpp"

using namespace ptxguard;

namespace {

void ask(const Source& source) {
    char head[16];
    if (!read_exactly(source, 0, head, sizeof head)) return;
    DeviceEntry entry;
    entry.flags = load_u16(head);
    entry.compressed = (entry.flags & 0xf000) != 0;
    entry.offset = sizeof head;
    entry.size = std::min<std::uint64_t>(load_u32(head + 4), source.size);
    entry.uncompressed = std::min<std::uint64_t>(load_u32(head + 8), 1u << 20);
    for (const std::size_t limit : {std::size_t{64}, std::size_t{load_u16(head + 2)}, std::size_t{0}}) {
        const auto bytes = read_payload(source, entry, limit);
        if (!bytes) continue;
        look_at(*bytes);
        if (limit != 0 && bytes->size() > limit) std::abort();
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    ask_whole_and_shrinking(data, size, ask);
    return 0;
}
