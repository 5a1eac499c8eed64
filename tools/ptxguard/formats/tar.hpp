// Tar archives: members with the long names and sizes of GNU tar and pax. Also gzip around one, and zstd
// frames.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/result.hpp"
#include "model/source.hpp"

namespace ptxguard {

struct TarMember {
    std::string name;
    std::uint64_t offset = 0, size = 0;  // of the content
};
struct Tar {
    std::vector<TarMember> members;  // regular files
    std::string trouble;             // why it stopped early
};
bool is_tar(std::string_view head);  // 512 bytes
Tar read_tar(const Source& source);

bool is_gzip(std::string_view head);  // 2 bytes
// At most `most` bytes. An error if it is damaged, larger, or has more than one compressed part.
Result<std::string> gunzip(const Source& source, std::uint64_t most);

bool is_zstd(std::string_view head);  // 4 bytes
Result<std::string> unzstd(const Source& source, std::uint64_t most);

}  // namespace ptxguard
