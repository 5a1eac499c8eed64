// Files that earlier commands of a recipe write: `cat > requirements.txt <<EOF`, `pip freeze > all.txt`.
// Later ones read them instead of the repository's.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "recipes/base/recipe.hpp"

namespace ptxguard::recipes {

class WrittenFiles {
public:
    // `text` without a value: not known.
    void write(const std::string& path, const std::optional<FileText>& text, bool appends = false);
    // The new text of a file of the repository, found at `text.file`.
    void edit(FileText text);
    // The text that it has after the edits so far.
    FileText current(FileText text) const;
    // The last part of the path is compared: the folder in which a script runs is often not known.
    const FileText* find(const std::string& path) const;
    // What each command wrote to it, in order; those whose text is not known are not `known`.
    const std::vector<FileText>& parts(const std::string& path) const;

private:
    struct Content {
        FileText whole;
        std::vector<FileText> parts;
    };
    std::map<std::string, Content> m_files;
    std::map<std::string, FileText> m_edited;
};

}  // namespace ptxguard::recipes
