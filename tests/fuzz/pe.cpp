// All readers of a PE file.
// SPDX-License-Identifier: Apache-2.0
#include "formats/pe.hpp"

#include "ask.hpp"
#include "formats/sections.hpp"

using namespace ptxguard;

namespace {

void ask(const Source& source) {
    (void)is_pe(source);
    (void)section_range(source, ".nv_fatb");
    const auto file = read_pe(source);
    if (!file) return;
    for (const PeSection& section : file->sections) (void)file->offset_of(section.address);
    if (const auto imports = read_pe_imports(source, *file))
        for (const PeImport& import : *imports)
            for (const std::string& name : import.names) look_at(name);
    if (const auto exports = read_pe_exports(source, *file))
        for (const std::string& name : exports->names) look_at(name);
    if (const auto version = read_pe_version(source, *file)) look_at(version->description);
    if (const auto manifest = read_pe_manifest(source, *file)) look_at(*manifest);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    ask_whole_and_shrinking(data, size, ask);
    return 0;
}
