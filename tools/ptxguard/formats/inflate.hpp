// Deflate (RFC 1951), the compression of members of wheels and other zip files.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "model/result.hpp"
#include "model/source.hpp"

namespace ptxguard {

// Exactly `size` bytes; an error if the stream is damaged, or ends earlier or later.
Result<std::string> inflate(const Source& packed, std::uint64_t size);

}  // namespace ptxguard
