// SPDX-License-Identifier: Apache-2.0
#include "facts/embedded.hpp"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <zstd.h>

namespace ptxguard {
namespace {

struct Unpacked {
    std::once_flag once;
    std::unique_ptr<char[]> text;
};

std::size_t folders() {
    std::size_t count = 0;
    while (k_fact_folders[count].index) ++count;
    return count;
}

const char* unpacked(std::size_t number) {
    static std::vector<Unpacked> all(folders());
    Unpacked& one = all[number];
    std::call_once(one.once, [&] {
        const PackedFolder& folder = k_fact_folders[number];
        one.text.reset(new char[folder.size]);
        if (ZSTD_decompress(one.text.get(), folder.size, folder.bytes, folder.packed) != folder.size)
            std::abort();  // the program itself is damaged
    });
    return one.text.get();
}

std::vector<EmbeddedFile> read_index() {
    std::vector<EmbeddedFile> files;
    for (std::size_t folder = 0; folder < folders(); ++folder) {
        std::size_t start = 0;
        for (std::string_view rest = k_fact_folders[folder].index; !rest.empty();) {
            const std::size_t blank = rest.find(' '), end = rest.find('\n');
            const std::size_t size = std::stoul(std::string(rest.substr(blank + 1, end - blank - 1)));
            files.push_back({rest.substr(0, blank), folder, start, size});
            start += size;
            rest.remove_prefix(end + 1);
        }
    }
    std::sort(files.begin(), files.end(),
              [](const EmbeddedFile& a, const EmbeddedFile& b) { return a.path < b.path; });
    return files;
}

}  // namespace

std::string_view EmbeddedFile::text() const { return {unpacked(folder) + start, size}; }

const std::vector<EmbeddedFile>& embedded_files() {
    static const std::vector<EmbeddedFile> files = read_index();
    return files;
}

}  // namespace ptxguard
