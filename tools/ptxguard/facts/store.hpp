// The fact files as text: the embedded ones, and those of --facts DIR, which override them. Knows paths, not
// contents.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "facts/facts.hpp"

namespace ptxguard {

class FactStore {
public:
    FactStore() = default;
    explicit FactStore(Facts::Files overrides);

    // Texts to try for a path, best first: the override, then the embedded file.
    struct Candidate {
        std::string_view text;
        bool embedded = false;
    };
    std::vector<Candidate> candidates(const std::string& path) const;
    // Paths below `folder` ("cuda/"; "" = all), sorted, each once.
    std::vector<std::string> paths(std::string_view folder) const;
    // Overrides with a path that no query reads.
    std::vector<Trouble> misplaced() const;

private:
    Facts::Files m_overrides;
};

// Is this a path that some query reads, or that has data for people ("cuda/13.0.json")?
bool is_fact_path(std::string_view path);

}  // namespace ptxguard
