// The fact files inside the program (cmake/Embed.cmake).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

namespace ptxguard {

struct EmbeddedFile {
    std::string_view path;  // below facts/: "cuda/13.0.json"
    std::string_view text;
};
const std::vector<EmbeddedFile>& embedded_files();  // by path

}  // namespace ptxguard
