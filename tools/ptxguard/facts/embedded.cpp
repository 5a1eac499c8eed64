// SPDX-License-Identifier: Apache-2.0
#include "facts/embedded.hpp"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <zstd.h>

namespace ptxguard {
namespace {

struct Unpacked {
    std::mutex lock;
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
    const std::lock_guard<std::mutex> only(one.lock);
    if (one.text) return one.text.get();
    const PackedFolder& folder = k_fact_folders[number];
    std::unique_ptr<char[]> text(new char[folder.size]);
    if (ZSTD_decompress(text.get(), folder.size, folder.bytes, folder.packed) != folder.size)
        std::abort();  // the program itself is damaged
    one.text = std::move(text);
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
