// Version banners inside NVIDIA's programs and libraries, found without running them. Reads through a callback, so it
// never holds a 70 MB compiler in memory; knows no file system.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "model/version.hpp"

namespace ptxguard {

// Bytes from `offset` on; shorter at the end of the file, empty where it cannot be read.
using ReadAt = std::function<std::string(std::uint64_t offset, std::size_t length)>;

enum class ProgramFormat { unknown, elf, pe, script };
ProgramFormat program_format(std::string_view head);  // the first four bytes are enough

struct ByteRange {
    std::uint64_t begin = 0, end = 0;
};
// Where the read-only data of a 64-bit ELF file (.rodata) or a PE file (.rdata) lies; nothing for anything else.
std::optional<ByteRange> read_only_data(const ReadAt& read, std::uint64_t size);

// `needle` with `tail` bytes behind it, searched from the end of the range (compilers keep their banner there).
std::optional<std::string> find_backwards(const ReadAt& read, ByteRange range, std::string_view needle,
                                          std::size_t tail);

// "Cuda compilation tools, release 13.0, V13.0.88" in nvcc, cicc, ptxas, libnvvm, NVRTC ...: 13.0.88.
std::optional<Version> banner_version(const ReadAt& read, std::uint64_t size);

}  // namespace ptxguard
