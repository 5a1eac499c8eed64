// Repositories that a recipe clones: which one a folder belongs to, and at which tag.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "recipes/base/recipe.hpp"

namespace ptxguard::recipes {

struct Checkout {
    std::string url;      // without ".git" and user: "https://github.com/vllm-project/vllm"
    std::string ref;      // tag, branch or commit; empty = the default branch
    bool edited = false;  // a command changes its files, or it is not known what is checked out
};

class Checkouts {
public:
    // A command that runs in `folder`.
    void note(const std::vector<Written>& words, const std::string& folder);
    // The repository that `path` belongs to, as a direct reference; empty if none.
    std::string reference(const std::string& path) const;

private:
    void clone(const std::vector<Written>& words, std::size_t verb, const std::string& folder);
    std::map<std::string, Checkout>::const_iterator above(const std::string& path) const;

    std::map<std::string, Checkout> m_all;  // by their folders
};

}  // namespace ptxguard::recipes
