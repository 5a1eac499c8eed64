// SPDX-License-Identifier: Apache-2.0
#include "formats/inflate.hpp"

#include <libdeflate.h>

#include <memory>

namespace ptxguard {

Result<std::string> inflate(const Source& packed, std::uint64_t size) {
    // No stream expands more; a wrong size must not use up memory.
    if (size / 1032 > packed.size) return Trouble{"deflate", "says a size that it cannot have", ""};
    const std::string bytes = read_bytes(packed, 0, static_cast<std::size_t>(packed.size));
    const std::unique_ptr<libdeflate_decompressor, void (*)(libdeflate_decompressor*)> decompressor(
        libdeflate_alloc_decompressor(), libdeflate_free_decompressor);
    std::string out(static_cast<std::size_t>(size), '\0');
    if (!decompressor || libdeflate_deflate_decompress(decompressor.get(), bytes.data(), bytes.size(),
                                                       out.data(), out.size(), nullptr) != LIBDEFLATE_SUCCESS)
        return Trouble{"deflate", "is damaged", ""};
    return out;
}

}  // namespace ptxguard
