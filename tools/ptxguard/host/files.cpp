// Whole files and parts of them, on top of each system's own reads.
// SPDX-License-Identifier: Apache-2.0
#include "host/platform.hpp"
#include "host/troubles.hpp"

namespace ptxguard::platform {

Result<std::string> read(const std::string& path, std::size_t limit) {
    Result<std::string> bytes = read_from(path, 0, limit == SIZE_MAX ? limit : limit + 1);
    if (bytes && bytes->size() > limit) return too_large(path, limit);
    return bytes;
}

Result<std::string> read_range(const std::string& path, std::uint64_t offset, std::size_t length) {
    if (offset > static_cast<std::uint64_t>(INT64_MAX) - length) return std::string();
    return read_from(path, offset, length);
}

}  // namespace ptxguard::platform
