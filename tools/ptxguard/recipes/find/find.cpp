// SPDX-License-Identifier: Apache-2.0
#include "recipes/find/find.hpp"

#include <set>

#include "host/paths.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "packages/reading.hpp"
#include "recipes/find/gitignore.hpp"

namespace ptxguard::recipes {
namespace {

constexpr Limit k_deepest_folder{60, "folders in folders", "deeper ones"};
constexpr Limit k_most_entries{2000000, "entries of all folders", "later ones"};
constexpr std::size_t k_environment_bytes = 64u << 10;  // a larger file with another name is data
constexpr Limit k_most_patterns{100000000, "compared patterns of .gitignore files", "later entries"};

// Never contain the project's own recipes.
bool is_skipped(const std::string& name) {
    static constexpr const char* names[] = {
        ".git",          ".hg",         ".svn",        ".jj",   "node_modules", ".tox",
        "__pycache__",   ".nox",        ".venv",       "venv",  ".eggs",        "site-packages",
        "dist-packages", ".mypy_cache", ".ruff_cache", ".pixi", ".pytest_cache"};
    return any_of(names, [&](const char* one) { return name == one; });
}

class Walk {
public:
    Walk(const Host& host, Search& search) : m_host(host), m_search(search) {}

    void folder(const std::string& path, std::size_t depth) {
        const auto entries = m_host.list(path.empty() ? "." : path);
        if (!entries) {
            m_search.troubles.push_back(entries.trouble());
            return;
        }
        const std::size_t rules = m_ignore.size();
        const bool is_root = depth == 0 || is_repository(*entries);
        for (const DirectoryEntry& entry : *entries)
            if (entry.name == ".gitignore" && entry.type == FileType::regular) add_ignored(path);
        for (const DirectoryEntry& entry : *entries) {
            if (exceeds(k_most_entries, ++m_seen, path) || exceeds(k_most_patterns, m_ignore.work(), path))
                break;
            if (is_root || !is_of_hosted_builds(entry)) one(path, entry, depth);
        }
        m_ignore.resize(rules);
    }

private:
    // A submodule has a file of this name: its builds run in a repository of its own.
    static bool is_repository(const Entries& entries) {
        return any_of(entries, [](const DirectoryEntry& one) {
            return one.name == ".git" && one.type == FileType::directory;
        });
    }

    // GitHub, CircleCI and Travis read them at the root of a repository only: those of copied projects never
    // run.
    static bool is_of_hosted_builds(const DirectoryEntry& entry) {
        if (entry.name == ".travis.yml") return true;
        return entry.type == FileType::directory && (entry.name == ".github" || entry.name == ".circleci");
    }

    // Like git, which does not follow a link of this name.
    void add_ignored(const std::string& folder_path) {
        const std::string path = join_path(folder_path, ".gitignore");
        if (m_host.status(path).is_link) return;
        const auto text = read_text(m_host, path);
        const auto trouble = text ? m_ignore.add(folder_path, *text) : std::nullopt;
        if (trouble && m_reached.insert(trouble->limit).second) m_search.troubles.push_back(*trouble);
    }

    // Reports each limit once.
    bool exceeds(const Limit& limit, std::size_t count, const std::string& path) {
        return limit.is_exceeded(count, [&](const Limit& reached) {
            if (m_reached.insert(reached.text()).second) m_search.troubles.push_back(reached.trouble(path));
        });
    }

    bool is_excluded(const std::string& path, bool is_folder) const {
        return m_search.excluded && m_search.excluded(path, is_folder);
    }

    bool is_left_out(const std::string& path) const {
        return m_ignore.excludes(path, false) || is_excluded(path, false);
    }

    void one(const std::string& folder_path, const DirectoryEntry& entry, std::size_t depth) {
        const std::string path = folder_path.empty() ? entry.name : join_path(folder_path, entry.name);
        if (entry.type == FileType::directory) {
            if (is_skipped(entry.name) || m_ignore.excludes(path, true)) return;
            if (is_excluded(path, true)) return;
            if (m_host.status(path).is_link || exceeds(k_deepest_folder, depth + 1, path)) return;
            folder(path, depth + 1);
            return;
        }
        // A link may lead out of the folder; only its name is looked at.
        const auto text = [&]() -> Result<std::string> {
            if (m_host.status(path).is_link || is_left_out(path)) return Trouble{path, "is left out", ""};
            return read_text(m_host, path, k_environment_bytes);
        };
        const auto kind = recipe_kind(path, text);
        if (!kind || is_left_out(path)) return;
        if (entry.type == FileType::regular)
            m_search.found.push_back({path, *kind});
        else
            m_search.troubles.push_back({path, why_no_file(entry.type), ""});
    }

    const Host& m_host;
    Search& m_search;
    GitIgnore m_ignore;
    std::size_t m_seen = 0;
    std::set<std::string> m_reached;  // limits
};

}  // namespace

void find_recipes(const Host& host, const std::string& path, Search& search) {
    Walk(host, search).folder(path == "." || path == "./" ? "" : path, 0);
}

}  // namespace ptxguard::recipes
