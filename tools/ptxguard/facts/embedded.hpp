// The fact files inside the program (cmake/Embed.cmake).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace ptxguard {

struct EmbeddedFile {
    std::string_view path;  // below facts/: "cuda/13.0.json"
    std::size_t folder, start, size;

    std::string_view text() const;  // unpacks the folder the first time
};
const std::vector<EmbeddedFile>& embedded_files();  // by path

// The files of one folder, one after the other in one zstd frame.
struct PackedFolder {
    const char* index;  // a line "PATH SIZE" for each
    const unsigned char* bytes;
    std::size_t packed, size;
};
extern const PackedFolder k_fact_folders[];  // ends with an empty one

}  // namespace ptxguard
