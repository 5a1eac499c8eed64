// Maps a path in an image to its file in the build context, by the COPY and ADD before it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "recipes/base/recipe.hpp"
#include "recipes/base/shared_map.hpp"

namespace ptxguard::recipes {

constexpr std::size_t k_longest_path = 4096;  // Linux opens no longer one

// A copy of it costs nothing.
class ContextFiles {
public:
    // COPY, ADD, --mount=type=bind.
    struct Copy {
        std::vector<std::string> sources;  // paths in the context
        std::string destination;           // in the image; "/" at its end: a folder
        bool exact = false;                // the destination is the source, file or folder
    };

    ContextFiles() = default;
    explicit ContextFiles(ReadFile files) : m_files(std::move(files)) {}
    void add(Copy copy);
    // The text of `path` in the image, to which `by` refers; `folder` is the working folder. Nothing if no
    // COPY provides it.
    std::optional<FileText> read(const std::string& path, const std::string& folder, const Written& by) const;

private:
    // Those to one destination, the last one first.
    struct Chain {
        Copy copy;
        std::size_t number = 0;  // of all in the order of the recipe
        std::shared_ptr<Chain> before;
        Chain(Copy copy_, std::size_t number_, std::shared_ptr<Chain> before_)
            : copy(std::move(copy_)), number(number_), before(std::move(before_)) {}
        Chain(const Chain&) = delete;
        Chain& operator=(const Chain&) = delete;
        ~Chain();
    };
    std::optional<FileText> from_copy(const Copy& copy, const std::string& path, const Written& by) const;

    ReadFile m_files;
    SharedMap<std::shared_ptr<Chain>> m_copies;  // by normal destination
    std::size_t m_count = 0;
};

// The context files that `--mount=TEXT` provides; nothing for caches, secrets and other stages.
std::optional<ContextFiles::Copy> bound_files(std::string_view text, const std::string& folder);

}  // namespace ptxguard::recipes
