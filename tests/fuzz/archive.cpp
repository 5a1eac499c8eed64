// Reads any bytes as an ar archive.
// SPDX-License-Identifier: Apache-2.0
#include "formats/archive.hpp"

#include <cstdlib>

#include "ask.hpp"

using namespace ptxguard;

namespace {

void ask(const Source& source) {
    const auto archive = read_archive(source);
    if (!archive) return;
    look_at(archive->trouble);
    for (const ArchiveMember& member : archive->members) {
        look_at(member.name);
        const bool leaves = member.offset > source.size || member.size > source.size - member.offset;
        if (!member.outside && leaves) std::abort();
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    ask_whole_and_shrinking(data, size, ask);
    return 0;
}
