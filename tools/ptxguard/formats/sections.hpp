// Finds the sections of a program or library in either format. Does not access a file system.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "model/source.hpp"

namespace ptxguard {

struct ByteRange {
    std::uint64_t begin = 0, end = 0;
};

enum class ProgramFormat { unknown, elf, pe, script };
ProgramFormat program_format(std::string_view head);  // the first four bytes are enough

// The range of section `name` of a 64-bit ELF file or a PE file, if it is inside the file and not empty
// (".dynstr", ".nv_fatb").
std::optional<ByteRange> section_range(const Source& source, std::string_view name);
// The range of the read-only data of a 64-bit ELF file (.rodata) or a PE file (.rdata); nothing for anything
// else.
std::optional<ByteRange> read_only_data(const Source& source);
// Its bytes; empty without a range or above `limit`.
std::string bytes_in(const Source& source, const std::optional<ByteRange>& range, std::size_t limit);
// A range piece by piece, each with the first `overlap` bytes of the next one, until `visit` returns false.
void visit_pieces(const Source& source, ByteRange range, std::size_t piece, std::size_t overlap,
                  const std::function<bool(std::string_view)>& visit);

}  // namespace ptxguard
