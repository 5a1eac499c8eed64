// ar archives (.a, .lib): members, GNU and BSD long names, thin archives.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/result.hpp"
#include "model/source.hpp"

namespace ptxguard {

struct ArchiveMember {
    std::string name;
    std::uint64_t offset = 0,
                  size = 0;  // of the content; a thin archive's member is the file `name` next to it
    bool outside = false;    // thin: not in the archive
};
struct Archive {
    bool thin = false;
    std::vector<ArchiveMember> members;  // without symbol and name tables
    std::string trouble;                 // why it stopped early
};
bool is_archive(std::string_view head);  // 8 bytes
Result<Archive> read_archive(const Source& source);

}  // namespace ptxguard
