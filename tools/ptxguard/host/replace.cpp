// SPDX-License-Identifier: Apache-2.0
#include "host/replace.hpp"

#include <atomic>
#include <utility>

#include "host/paths.hpp"
#include "host/platform.hpp"
#include "model/text.hpp"

namespace ptxguard::own {

namespace {

constexpr const char* k_beside = ".ptxguard-new-";  // then process id, "-", number
constexpr int k_most_names = 1000;                  // names for a new file

// The process that made the file; nothing for other files.
std::optional<unsigned> maker_of(const std::string& name) {
    if (!starts_with(name, k_beside)) return std::nullopt;
    const std::string numbers = name.substr(std::string_view(k_beside).size());
    const std::size_t dash = numbers.find('-');
    if (dash == 0 || dash > 9 || dash + 1 >= numbers.size() ||
        numbers.find_first_not_of("0123456789", dash + 1) != npos ||
        numbers.substr(0, dash).find_first_not_of("0123456789") != npos)
        return std::nullopt;
    return static_cast<unsigned>(std::stoul(numbers.substr(0, dash)));
}

}  // namespace

std::optional<Trouble> why_not_replaceable(const std::string& path) {
    return platform::why_not_replaceable(path);
}

NewText::NewText(NewText&& other) noexcept
    : m_path(std::move(other.m_path)),
      m_before(std::move(other.m_before)),
      m_state(std::move(other.m_state)),
      m_inode(other.m_inode),
      m_beside(std::exchange(other.m_beside, {})) {}

NewText::~NewText() {
    if (!m_beside.empty()) platform::remove_beside(m_beside);
}

Result<NewText> NewText::beside(const std::string& path, std::string before, const std::string& after) {
    static std::atomic<unsigned> count{0};
    if (const auto trouble = why_not_replaceable(path)) return *trouble;
    NewText text;
    text.m_path = path;
    text.m_before = std::move(before);
    text.m_state = platform::state_of_file(path);
    text.m_inode = platform::status(path).inode;
    if (!text.is_before(path)) return text.changed_meanwhile();
    for (int tries = 1;; ++tries) {
        const std::string name =
            k_beside + std::to_string(platform::process_id()) + "-" + std::to_string(count++);
        const std::string beside = join_path(parent_path(path), name);
        const auto trouble = platform::create_like(beside, after, path);
        if (!trouble) {
            text.m_beside = beside;
            return text;
        }
        // Process ids repeat: a killed run may have left the same name behind.
        if (tries == k_most_names || platform::status(beside).type == FileType::missing) return *trouble;
    }
}

// Whether the file at `path` is the old one.
bool NewText::is_before(const std::string& path) const {
    const auto now = platform::read(path, m_before.size());
    return now && *now == m_before && platform::status(path).inode == m_inode;
}

Trouble NewText::changed_meanwhile() const {
    return {m_path, "is not changed", "it was changed meanwhile, run lint again"};
}

// An exchange shows what was replaced: also an edit after the last look at the file is seen, and taken back.
std::optional<Trouble> NewText::put() {
    if (!is_before(m_path) || platform::state_of_file(m_path) != m_state) return changed_meanwhile();
    const auto exchanged = platform::exchange(m_beside, m_path);
    if (!exchanged) return exchanged.trouble();
    std::optional<Trouble> trouble;
    if (!*exchanged) {
        trouble = platform::rename_over(m_beside, m_path);
    } else if (!is_before(m_beside)) {
        platform::exchange(m_beside, m_path);
        trouble = changed_meanwhile();
    }
    platform::remove_beside(std::exchange(m_beside, {}));
    return trouble;
}

void remove_new_texts(const std::string& folder) {
    const auto names = platform::names(folder.empty() ? "." : folder);
    if (!names) return;
    for (const std::string& name : *names) {
        const auto maker = maker_of(name);
        if (maker && !platform::runs_this_program(*maker)) platform::remove_own_file(join_path(folder, name));
    }
}

}  // namespace ptxguard::own
