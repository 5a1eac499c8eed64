// Where the sections of a program or library lie. Reads through a callback, so it never holds a 70 MB compiler in
// memory; knows no file system.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace ptxguard {

// Bytes from `offset` on; shorter at the end of the file, empty where it cannot be read.
using ReadAt = std::function<std::string(std::uint64_t offset, std::size_t length)>;

struct ByteRange {
    std::uint64_t begin = 0, end = 0;
};

enum class ProgramFormat { unknown, elf, pe, script };
ProgramFormat program_format(std::string_view head);  // the first four bytes are enough

// Where section `name` of a 64-bit ELF file lies (".dynstr").
std::optional<ByteRange> elf_section(const ReadAt& read, std::uint64_t size, std::string_view name);
// Where the read-only data of a 64-bit ELF file (.rodata) or a PE file (.rdata) lies; nothing for anything else.
std::optional<ByteRange> read_only_data(const ReadAt& read, std::uint64_t size);

}  // namespace ptxguard
