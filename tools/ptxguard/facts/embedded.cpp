// SPDX-License-Identifier: Apache-2.0
#include "facts/embedded.hpp"

#include <cstdlib>
#include <string>

#include <zstd.h>

extern const unsigned char ptxguard_fact_files[];
extern const std::size_t ptxguard_fact_files_packed, ptxguard_fact_files_size;

namespace ptxguard {
namespace {

std::string unpacked() {
    std::string text(ptxguard_fact_files_size, '\0');
    const std::size_t got =
        ZSTD_decompress(&text[0], text.size(), ptxguard_fact_files, ptxguard_fact_files_packed);
    if (got != text.size()) std::abort();  // the program itself is damaged
    return text;
}

// A line "PATH SIZE" before each text.
std::vector<EmbeddedFile> read_files() {
    static const std::string all = unpacked();
    std::vector<EmbeddedFile> files;
    for (std::string_view rest = all; !rest.empty();) {
        const std::size_t blank = rest.find(' '), end = rest.find('\n');
        const std::string size(rest.substr(blank + 1, end - blank - 1));
        const EmbeddedFile file{rest.substr(0, blank), rest.substr(end + 1, std::stoul(size))};
        files.push_back(file);
        rest.remove_prefix(end + 1 + file.text.size());
    }
    return files;
}

}  // namespace

const std::vector<EmbeddedFile>& embedded_files() {
    static const std::vector<EmbeddedFile> files = read_files();
    return files;
}

}  // namespace ptxguard
