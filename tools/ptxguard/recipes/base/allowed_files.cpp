// SPDX-License-Identifier: Apache-2.0
#include "recipes/base/allowed_files.hpp"

#include <algorithm>

#include "formats/text_lines.hpp"
#include "host/paths.hpp"
#include "model/ranges.hpp"
#include "packages/reading.hpp"

namespace ptxguard::recipes {
namespace {

constexpr Limit k_longest_line{1u << 20, "bytes of a line", "the file"};

std::string or_here(const std::string& folder) { return folder.empty() ? "." : folder; }

// The nearest folder with a .git, which is a file in worktrees and submodules; else the folder itself.
std::string repository_above(const Host& host, const std::string& folder) {
    for (std::string at = folder;; at = parent_path(at)) {
        const FileType git = host.status(join_path(at, ".git")).type;
        if (git == FileType::directory || git == FileType::regular) return at;
        if (parent_path(at) == at) return folder;
    }
}

std::optional<Trouble> trouble_of_lines(const std::string& text, const std::string& path) {
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        if (auto trouble = k_longest_line.trouble_beyond(end - at, path)) return trouble;
        at = end + 1;
    }
    return std::nullopt;
}

}  // namespace

std::optional<Trouble> why_unreadable(const std::string& text, const std::string& path) {
    if (text.size() > k_largest_recipe)
        return Trouble{path, "is larger than " + std::to_string(k_largest_recipe) + " bytes", ""};
    const std::string why = why_not_text(text);
    return why.empty() ? trouble_of_lines(text, path) : Trouble{path, why, ""};
}

// The link of a named file is not followed to find its folder: hooks pass every file of a repository by name.
AllowedFiles::AllowedFiles(const Host& host, const std::vector<std::string>& named) : m_host(host) {
    for (const std::string& path : named) {
        const bool is_folder = host.status(path).type == FileType::directory;
        const auto folder = host.real_path(or_here(is_folder ? path : parent_path(path)));
        if (folder) m_roots.push_back(repository_above(host, *folder));
    }
}

bool AllowedFiles::is_below_a_root(const std::string& real) const {
    return any_of(m_roots, [&](const std::string& root) {
        return real == root || starts_with(real, ends_with(root, "/") ? root : root + "/");
    });
}

// Of a missing file: the real path of the nearest folder above that exists, and the rest as it is written.
// The folder is searched by halving, because a recipe may write thousands of names.
std::string AllowedFiles::real_path(const std::string& path) const {
    if (const auto real = m_host.real_path(or_here(path))) return *real;
    const char* const separators = m_host.system() == System::windows ? "/\\" : "/";
    std::vector<std::size_t> ends;  // of the folders above, each with its separator
    for (std::size_t at = 0; (at = path.find_first_of(separators, at)) != npos;) ends.push_back(++at);
    const auto here = m_host.real_path(".");
    std::string folder = here ? *here : "", rest = path;
    for (std::size_t low = 0, high = ends.size(); low < high;) {
        const std::size_t middle = (low + high) / 2;
        if (const auto real = m_host.real_path(path.substr(0, ends[middle]))) {
            folder = *real;
            rest = path.substr(std::min(path.find_first_not_of(separators, ends[middle]), path.size()));
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return normal_path(join_path(folder, rest), m_host.system());
}

std::optional<Outside> AllowedFiles::outside(const std::string& path) const {
    if (is_below_a_root(real_path(path))) return std::nullopt;
    const bool is_there = m_host.status(path).type == FileType::regular;
    const auto here = m_host.real_path(".");
    const std::string written = normal_path(join_path(here ? *here : "", path), m_host.system());
    if (is_below_a_root(written))
        return Outside{"leads out of the repository by a link: lint reads its target only if you name that",
                       is_there};
    return Outside{"is outside of the repository: lint reads such a file only if you name it", is_there};
}

const Result<std::string>& AllowedFiles::read(const std::string& path) const {
    const auto known = m_read.find(path);
    return known != m_read.end() ? known->second : m_read.emplace(path, read_now(path)).first->second;
}

Result<std::string> AllowedFiles::read_now(const std::string& path) const {
    if (const auto refused = outside(path)) return Trouble{path, refused->why, ""};
    auto text = read_text(m_host, path, k_largest_recipe);
    if (!text) return text;
    if (const auto trouble = trouble_of_lines(*text, path)) return *trouble;
    return text;
}

}  // namespace ptxguard::recipes
