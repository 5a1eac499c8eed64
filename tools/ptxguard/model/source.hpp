// Bytes that are read only as needed, so that a library of 2 GB costs a few kB. Host::open() makes one from a
// file; a string in memory or a part of another source works too.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace ptxguard {

struct Source {
    // Reads up to `length` bytes from `offset` into `to` and returns how many; fewer at the end of the file,
    // if it has shrunk, or if it cannot be read.
    std::function<std::size_t(std::uint64_t offset, char* to, std::size_t length)> read;
    std::uint64_t size = 0;  // bytes when opened
};

Source source_of(std::string_view bytes);  // the bytes must outlive it
// [offset, offset + size) of `whole`, truncated at its end.
Source part_of(const Source& whole, std::uint64_t offset, std::uint64_t size);
// All `length` bytes or false.
bool read_exactly(const Source& source, std::uint64_t offset, void* to, std::size_t length);
// Up to `length` bytes.
std::string read_bytes(const Source& source, std::uint64_t offset, std::size_t length);

// Little-endian numbers at `at`; the caller has checked the bounds.
inline std::uint16_t load_u16(const char* at) {
    const auto byte = [at](int i) { return static_cast<unsigned>(static_cast<unsigned char>(at[i])); };
    return static_cast<std::uint16_t>(byte(0) | byte(1) << 8);
}
inline std::uint32_t load_u32(const char* at) {
    const auto byte = [at](int i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(at[i])); };
    return byte(0) | byte(1) << 8 | byte(2) << 16 | byte(3) << 24;
}
inline std::uint64_t load_u64(const char* at) {
    return load_u32(at) | static_cast<std::uint64_t>(load_u32(at + 4)) << 32;
}

}  // namespace ptxguard
