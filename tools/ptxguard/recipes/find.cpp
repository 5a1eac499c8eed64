// SPDX-License-Identifier: Apache-2.0
#include "recipes/find.hpp"

#include <algorithm>

#include "host/paths.hpp"
#include "model/text.hpp"
#include "packages/reading.hpp"
#include "recipes/gitignore.hpp"

namespace ptxguard::recipes {
namespace {

constexpr int k_deepest_folder = 60;     // folders in folders
constexpr std::size_t k_most = 2000000;  // entries of all folders
constexpr std::size_t k_largest = 16u << 20;
constexpr std::size_t k_longest_line = 1u << 20;  // line

// Never contain the project's own recipes.
bool is_skipped(const std::string& name) {
    static constexpr const char* names[] = {
        ".git",          ".hg",         ".svn",        ".jj",   "node_modules", ".tox",
        "__pycache__",   ".nox",        ".venv",       "venv",  ".eggs",        "site-packages",
        "dist-packages", ".mypy_cache", ".ruff_cache", ".pixi", ".pytest_cache"};
    return std::any_of(std::begin(names), std::end(names), [&](const char* one) { return name == one; });
}

class Walk {
public:
    Walk(const Host& host, Search& search) : m_host(host), m_search(search) {}

    void folder(const std::string& path, int depth) {
        const auto entries = m_host.list(path.empty() ? "." : path);
        if (!entries) {
            m_search.troubles.push_back(entries.trouble());
            return;
        }
        const std::size_t rules = m_ignore.size();
        for (const DirectoryEntry& entry : *entries)
            if (entry.name == ".gitignore" && entry.type == FileType::regular)
                if (const auto text = read_text(m_host, join_path(path, entry.name)))
                    m_ignore.add(path, *text);
        for (const DirectoryEntry& entry : *entries) {
            if (++m_seen > k_most) {
                if (m_seen == k_most + 1)
                    m_search.troubles.push_back({path, "is not searched to its end",
                                                 "more than " + std::to_string(k_most) + " files"});
                break;
            }
            one(path, entry, depth);
        }
        m_ignore.resize(rules);
    }

private:
    void one(const std::string& folder_path, const DirectoryEntry& entry, int depth) {
        const std::string path = folder_path.empty() ? entry.name : join_path(folder_path, entry.name);
        if (entry.type == FileType::directory) {
            if (depth >= k_deepest_folder || is_skipped(entry.name) || m_ignore.excludes(path, true)) return;
            if (m_host.status(path).is_link) return;
            folder(path, depth + 1);
            return;
        }
        const auto kind = recipe_kind(path);
        if (!kind || m_ignore.excludes(path, false)) return;
        if (entry.type == FileType::regular)
            m_search.found.push_back({path, *kind});
        else
            m_search.troubles.push_back({path, why_no_file(entry.type), ""});
    }

    const Host& m_host;
    Search& m_search;
    GitIgnore m_ignore;
    std::size_t m_seen = 0;
};

}  // namespace

void find_recipes(const Host& host, const std::string& path, Search& search) {
    Walk(host, search).folder(path == "." || path == "./" ? "" : path, 0);
}

Result<std::string> read_recipe_text(const Host& host, const std::string& path) {
    auto text = read_text(host, path, k_largest);
    if (!text) return text;
    for (std::size_t at = 0; at < text->size();) {
        const std::size_t end = std::min(text->find('\n', at), text->size());
        if (end - at > k_longest_line) return Trouble{path, "is not read", "a line is longer than 1 MB"};
        at = end + 1;
    }
    return text;
}

}  // namespace ptxguard::recipes
