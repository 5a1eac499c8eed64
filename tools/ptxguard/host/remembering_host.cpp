// SPDX-License-Identifier: Apache-2.0
#include "host/remembering_host.hpp"

#include <algorithm>
#include <memory>
#include <mutex>
#include <vector>

namespace ptxguard {

namespace {

constexpr std::size_t k_most_open = 128;  // files; a process may open about a thousand
constexpr std::uint64_t k_block = 4096;
constexpr std::size_t k_most_blocks = 16;  // of one file
constexpr std::size_t k_most_text = 1u << 20, k_most_texts = 64u << 20;
// Larger texts are kept when they are read again: most records of packages are read once.
constexpr std::size_t k_kept_at_once = 16u << 10;

struct Block {
    std::uint64_t begin = 0;
    std::string bytes;
};

// Headers, tables and names of a library are read several times, a few bytes each time.
class Blocks {
public:
    explicit Blocks(Source source) : m_source(std::move(source)) {}

    // Strings are searched in a separate thread.
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
        Block& block = m_blocks.size() < k_most_blocks ? m_blocks.emplace_back()
                                                       : m_blocks[m_next++ % k_most_blocks];  // the oldest
        block.begin = begin;
        block.bytes.resize(k_block);
        block.bytes.resize(m_source.read(begin, &block.bytes[0], k_block));
        return block;
    }
    std::size_t copy(std::uint64_t begin, std::uint64_t offset, char* to, std::size_t length) {
        const std::string& bytes = block(begin).bytes;
        const std::size_t skip = static_cast<std::size_t>(offset - begin);
        if (skip >= bytes.size()) return 0;
        const std::size_t count = std::min(length, bytes.size() - skip);
        std::copy_n(bytes.data() + skip, count, to);
        return count;
    }

    const Source m_source;
    std::mutex m_mutex;
    std::vector<Block> m_blocks;
    std::size_t m_next = 0;
};

bool names_itself(const std::string& name) { return !name.empty() && name != "." && name != ".."; }

}  // namespace

template <typename Answer, typename Ask>
Answer RememberingHost::remembered(ByPath<Answer>& known, const std::string& path, const Ask& ask) const {
    {
        const std::lock_guard<std::mutex> lock(m_mutex);
        const auto found = known.find(path);
        if (found != known.end()) return found->second;
    }
    Answer answer = ask();
    const std::lock_guard<std::mutex> lock(m_mutex);
    return known.emplace(path, std::move(answer)).first->second;
}

FileStatus RememberingHost::status(const std::string& path) const {
    return remembered(m_statuses, path, [&] { return m_host.status(path); });
}

// Once more where too many files were open.
template <typename Answer, typename Ask>
Answer RememberingHost::listed(ByPath<Answer>& known, const std::string& directory, const Ask& ask) const {
    return remembered(known, directory, [&] {
        Answer answer = ask();
        if (!answer && status(directory).type == FileType::directory && close_kept()) answer = ask();
        return answer;
    });
}

Result<Entries> RememberingHost::list(const std::string& directory) const {
    return listed(m_lists, directory, [&] { return m_host.list(directory); });
}

Result<std::vector<std::string>> RememberingHost::names(const std::string& directory) const {
    return listed(m_names, directory, [&] { return m_host.names(directory); });
}

Result<std::string> RememberingHost::real_path(const std::string& path) const {
    return remembered(m_real_paths, path, [&] { return ask_real_path(path); });
}

// For a file that is not a link: its folder's real path plus its name. On Windows the host is called, because
// names are spelt as on disk.
Result<std::string> RememberingHost::ask_real_path(const std::string& path) const {
    const std::size_t slash = path.rfind('/');
    const bool in_folder = system() == System::linux_ && slash != std::string::npos && slash > 0 &&
                           names_itself(path.substr(slash + 1));
    const FileStatus found = in_folder ? status(path) : FileStatus{};
    if (found.type == FileType::regular && !found.is_link) {
        const auto folder = real_path(path.substr(0, slash));
        const std::string above = folder && *folder != "/" ? *folder : std::string();
        if (folder) return above + path.substr(slash);
    }
    return m_host.real_path(path);
}

Result<std::string> RememberingHost::read(const std::string& path, std::size_t limit) const {
    const std::pair<std::string, std::size_t> key(path, limit);
    {
        const std::lock_guard<std::mutex> lock(m_mutex);
        const auto found = m_texts.find(key);
        if (found != m_texts.end()) return found->second;
    }
    Result<std::string> text = m_host.read(path, limit);
    const std::size_t size = text ? text->size() : 0;
    if (!text && !text.trouble().limit.empty()) add_limit(text.trouble());
    const std::lock_guard<std::mutex> lock(m_mutex);
    if (size > k_most_text || m_text_bytes + size > k_most_texts) return text;
    if (size > k_kept_at_once && m_read_once.insert(key).second) return text;
    if (m_texts.emplace(key, text).second) m_text_bytes += size;
    return text;
}

void RememberingHost::add_limit(const Trouble& trouble) const {
    const std::lock_guard<std::mutex> lock(m_mutex);
    m_limits.emplace(trouble.subject, trouble);
}

std::vector<Trouble> RememberingHost::limits() const {
    const std::lock_guard<std::mutex> lock(m_mutex);
    std::vector<Trouble> all;
    for (const auto& one : m_limits) all.push_back(one.second);
    return all;
}

bool RememberingHost::close_kept() const {
    const std::lock_guard<std::mutex> lock(m_mutex);
    const bool any = !m_sources.empty();
    m_sources.clear();
    m_open.clear();
    return any;
}

Result<Source> RememberingHost::open(const std::string& path) const {
    {
        const std::lock_guard<std::mutex> lock(m_mutex);
        const auto known = m_sources.find(path);
        if (known != m_sources.end()) return known->second;
    }
    auto opened = m_host.open(path);
    // We may have too many files open: close those that are only cached.
    if (!opened && status(path).type == FileType::regular && close_kept()) opened = m_host.open(path);
    if (!opened) return opened;
    const auto blocks = std::make_shared<Blocks>(*opened);
    const auto read = [blocks](std::uint64_t offset, char* to, std::size_t length) {
        return blocks->read(offset, to, length);
    };
    const std::lock_guard<std::mutex> lock(m_mutex);
    const auto [source, is_new] = m_sources.emplace(path, Source{read, opened->size});
    const Source kept = source->second;
    if (!is_new) return kept;
    m_open.push_back(path);
    if (m_open.size() > k_most_open) {
        m_sources.erase(m_open.front());
        m_open.pop_front();
    }
    return kept;
}

}  // namespace ptxguard
