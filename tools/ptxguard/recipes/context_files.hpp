// Maps a path in an image to its file in the build context, by the COPY and ADD before it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "recipes/recipe.hpp"

namespace ptxguard::recipes {

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
    void add(Copy copy) { m_copies.push_back(std::move(copy)); }
    // The text of `path` in the image, to which `by` refers; `folder` is the working folder. Nothing if no
    // COPY provides it.
    std::optional<FileText> read(const std::string& path, const std::string& folder, const Written& by) const;

private:
    std::optional<FileText> from_copy(const Copy& copy, const std::string& path, const Written& by) const;

    ReadFile m_files;
    std::vector<Copy> m_copies;
};

// The context files that `--mount=TEXT` provides; nothing for caches, secrets and other stages.
std::optional<ContextFiles::Copy> bound_files(std::string_view text, const std::string& folder);

}  // namespace ptxguard::recipes
