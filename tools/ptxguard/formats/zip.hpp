// Zip files, including wheels: the members in the central directory, with zip64.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/result.hpp"
#include "model/source.hpp"

namespace ptxguard {

struct ZipMember {
    std::string name;
    int method = 0;  // 0 = stored, 8 = deflate
    std::uint64_t header = 0, packed = 0, size = 0;
};
bool is_zip(std::string_view head);  // 4 bytes
// `most`: bytes of the directory.
Result<std::vector<ZipMember>> read_zip(const Source& source, std::uint64_t most = 256u << 20);
// The stored bytes of a member; nothing if its header is damaged.
Result<Source> packed_bytes(const Source& source, const ZipMember& member);

// Deflate (RFC 1951), the compression of members of wheels and other zip files.

// Exactly `size` bytes; an error if the stream is damaged, or ends earlier or later.
Result<std::string> inflate(const Source& packed, std::uint64_t size);

}  // namespace ptxguard
