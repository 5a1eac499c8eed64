// One line for each file: "path,hash,size".
// SPDX-License-Identifier: Apache-2.0
#include "packages/record.hpp"

#include "formats/text_lines.hpp"
#include "host/paths.hpp"
#include "packages/reading.hpp"

namespace ptxguard {

std::vector<RecordedFile> recorded_files(const Host& host, const InstalledWheel& wheel) {
    constexpr std::size_t k_most = 16u << 20;
    std::vector<RecordedFile> files;
    const auto text = read_text(host, join_path(parent_path(wheel.path), "RECORD"), k_most);
    if (!text) return files;
    for (const std::string_view line : lines_of(*text)) {
        const std::size_t first = line.find(','), last = line.rfind(',');
        const bool sized = first != last;
        files.push_back({std::string(line.substr(0, first)),
                         sized ? std::string(trimmed(line.substr(last + 1))) : std::string()});
    }
    return files;
}

}  // namespace ptxguard
