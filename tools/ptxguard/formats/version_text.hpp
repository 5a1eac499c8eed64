// Version banners inside NVIDIA's programs and libraries, found without running them. Reads through a
// callback, so it never holds a 70 MB compiler in memory; knows no file system. SPDX-License-Identifier:
// Apache-2.0
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
// Where the read-only data of a 64-bit ELF file (.rodata) or a PE file (.rdata) lies; nothing for anything
// else.
std::optional<ByteRange> read_only_data(const ReadAt& read, std::uint64_t size);

// The text from `needle` on, with up to `tail` bytes behind it, where a digit follows the needle ("release %d.%d" is
// a format text, not a version). Looks at the head of the range, then from its end backwards: ptxas, nvlink and
// libnvvm of all releases keep their banner in the first 64 KiB of 7 MiB, cicc and libcuda in the last few MiB of 20.
std::optional<std::string> find_numbered(const ReadAt& read, ByteRange range, std::string_view needle,
                                         std::size_t tail);

// "Cuda compilation tools, release 13.0, V13.0.88" in nvcc, cicc, ptxas, libnvvm, NVRTC ...: 13.0.88.
std::optional<Version> banner_version(const ReadAt& read, std::uint64_t size);

// Version of the driver that a libcuda belongs to, from the name of its profile file inside:
// "nvidia-application-profiles-535.261.03-rc".
std::optional<Version> libcuda_version(const ReadAt& read, std::uint64_t size);

}  // namespace ptxguard
