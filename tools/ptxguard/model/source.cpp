// SPDX-License-Identifier: Apache-2.0
#include "model/source.hpp"

#include <algorithm>
#include <cstring>

namespace ptxguard {
Source source_of(std::string_view bytes) {
    return {[bytes](std::uint64_t offset, char* to, std::size_t length) -> std::size_t {
                if (offset >= bytes.size()) return 0;
                length = std::min(length, bytes.size() - static_cast<std::size_t>(offset));
                std::memcpy(to, bytes.data() + offset, length);
                return length;
            },
            bytes.size()};
}

Source part_of(const Source& whole, std::uint64_t offset, std::uint64_t size) {
    if (offset >= whole.size) return source_of({});
    size = std::min(size, whole.size - offset);
    return {[whole, offset, size](std::uint64_t at, char* to, std::size_t length) -> std::size_t {
                if (at >= size) return 0;
                return whole.read(offset + at, to,
                                  static_cast<std::size_t>(std::min<std::uint64_t>(length, size - at)));
            },
            size};
}

bool read_exactly(const Source& source, std::uint64_t offset, void* to, std::size_t length) {
    return offset <= source.size && length <= source.size - offset &&
           source.read(offset, static_cast<char*>(to), length) == length;
}

std::string read_bytes(const Source& source, std::uint64_t offset, std::size_t length) {
    if (offset >= source.size) return {};
    length = static_cast<std::size_t>(std::min<std::uint64_t>(length, source.size - offset));
    std::string bytes(length, '\0');
    bytes.resize(source.read(offset, &bytes[0], length));
    return bytes;
}

}  // namespace ptxguard
