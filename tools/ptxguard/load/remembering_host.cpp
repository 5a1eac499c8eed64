// SPDX-License-Identifier: Apache-2.0
#include "load/remembering_host.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <mutex>
#include <vector>

namespace ptxguard {

namespace {

constexpr std::size_t k_most_open = 128;  // files; a process may hold about a thousand
constexpr std::uint64_t k_block = 4096;
constexpr std::size_t k_most_blocks = 16;  // of one file

struct Block {
    std::uint64_t begin = 0;
    std::string bytes;
};

// Headers, tables and names of a library are looked at several times, some bytes each time.
class Blocks {
public:
    explicit Blocks(Source source) : m_source(std::move(source)) {}

    // Texts are looked for in a thread of their own.
    std::size_t read(std::uint64_t offset, char* to, std::size_t length) {
        const std::uint64_t begin = offset / k_block * k_block;
        if (length > k_block || offset - begin + length > 2 * k_block)
            return m_source.read(offset, to, length);
        const std::lock_guard<std::mutex> lock(m_mutex);
        std::size_t done = copy(begin, offset, to, length);
        if (done < length && begin + k_block == offset + done)
            done += copy(begin + k_block, offset + done, to + done, length - done);
        return done;
    }

private:
    const Block& block(std::uint64_t begin) {
        for (const Block& known : m_blocks)
            if (known.begin == begin) return known;
        Block block{begin, std::string(k_block, '\0')};
        block.bytes.resize(m_source.read(begin, &block.bytes[0], k_block));
        if (m_blocks.size() < k_most_blocks) return m_blocks.emplace_back(std::move(block));
        Block& oldest = m_blocks[m_next++ % k_most_blocks];
        oldest = std::move(block);
        return oldest;
    }
    std::size_t copy(std::uint64_t begin, std::uint64_t offset, char* to, std::size_t length) {
        const std::string& bytes = block(begin).bytes;
        const std::size_t skip = static_cast<std::size_t>(offset - begin);
        if (skip >= bytes.size()) return 0;
        const std::size_t count = std::min(length, bytes.size() - skip);
        std::memcpy(to, bytes.data() + skip, count);
        return count;
    }

    const Source m_source;
    std::mutex m_mutex;
    std::vector<Block> m_blocks;
    std::size_t m_next = 0;
};

bool names_itself(const std::string& name) { return !name.empty() && name != "." && name != ".."; }

}  // namespace

FileStatus RememberingHost::status(const std::string& path) const {
    const auto known = m_statuses.find(path);
    if (known != m_statuses.end()) return known->second;
    return m_statuses.emplace(path, m_host.status(path)).first->second;
}

Result<Source> RememberingHost::open(const std::string& path) const {
    const auto known = m_sources.find(path);
    if (known != m_sources.end()) return known->second;
    auto opened = m_host.open(path);
    if (!opened) return opened;
    const auto blocks = std::make_shared<Blocks>(*opened);
    const auto read = [blocks](std::uint64_t offset, char* to, std::size_t length) {
        return blocks->read(offset, to, length);
    };
    const Source source{read, opened->size};
    if (m_open.size() >= k_most_open) {
        m_sources.erase(m_open.front());
        m_open.pop_front();
    }
    m_open.push_back(path);
    m_sources.emplace(path, source);
    return source;
}

Result<std::vector<DirectoryEntry>> RememberingHost::list(const std::string& directory) const {
    const auto known = m_lists.find(directory);
    if (known != m_lists.end()) return known->second;
    return m_lists.emplace(directory, m_host.list(directory)).first->second;
}

// Of a file that is no link: its folder's real path and its name. Windows spells names as the disk does, so
// there the host is asked.
Result<std::string> RememberingHost::real_path(const std::string& path) const {
    const auto known = m_real_paths.find(path);
    if (known != m_real_paths.end()) return known->second;
    const std::size_t slash = path.rfind('/');
    const bool in_folder = system() == System::linux_ && slash != std::string::npos && slash > 0 &&
                           names_itself(path.substr(slash + 1));
    if (in_folder) {
        const FileStatus found = status(path);
        if (found.type == FileType::regular && !found.is_link) {
            const auto folder = real_path(path.substr(0, slash));
            const std::string above = folder && *folder != "/" ? *folder : std::string();
            if (folder) return m_real_paths.emplace(path, above + path.substr(slash)).first->second;
        }
    }
    return m_real_paths.emplace(path, m_host.real_path(path)).first->second;
}

}  // namespace ptxguard
