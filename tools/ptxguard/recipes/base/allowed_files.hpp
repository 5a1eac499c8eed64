// The files that a recipe may make `lint` read, quote or change. Recipes are other people's texts: without
// this, `-r /etc/shadow`, or a link with a recipe's name, would decide what a report shows of this machine.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "host/host.hpp"

namespace ptxguard::recipes {

// Why a file is not allowed.
struct Outside {
    std::string why;        // after its name: "is outside of the repository: ..."
    bool is_there = false;  // false: no such file either
};

constexpr std::size_t k_largest_recipe = 16u << 20;
// Why `lint` does not read such a text: its size, a line's, or it is no text.
std::optional<Trouble> why_unreadable(const std::string& text, const std::string& path);

class AllowedFiles {
public:
    // Allows what is below a named folder or beside a named file, and all of the git repository that
    // holds it.
    AllowedFiles(const Host& host, const std::vector<std::string>& named);

    // Nothing: allowed. Decided by the real path, after all links, also for a file that does not exist.
    std::optional<Outside> outside(const std::string& path) const;
    // The text of an allowed file: not a folder or device, at most 16 MB, with lines of at most 1 MB,
    // and text. Each file is read once, however many commands name it.
    const Result<std::string>& read(const std::string& path) const;
    const Host& host() const { return m_host; }

private:
    Result<std::string> read_now(const std::string& path) const;
    bool is_below_a_root(const std::string& real) const;
    std::string real_path(const std::string& path) const;

    const Host& m_host;
    std::vector<std::string> m_roots;  // real paths
    mutable std::map<std::string, Result<std::string>> m_read;
};

}  // namespace ptxguard::recipes
