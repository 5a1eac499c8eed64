// New texts for existing files of the user, such as the recipes that `lint --fix` rewrites. Nothing else of a
// file changes, and no change of others is lost: owner, mode, attributes and access lists stay; a file that
// cannot keep them, or that was changed meanwhile, is left alone. A file is always whole, the old or the new
// one.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "model/result.hpp"

namespace ptxguard::own {

// Why the file can't get a new text: it is read-only, its folder is, it belongs to another user, or it has
// another name (a hard link), which would keep the old text.
std::optional<Trouble> why_not_replaceable(const std::string& path);

class NewText {
public:
    // Writes `after` into a file beside `path`, which must hold `before` and have no links on its way.
    static Result<NewText> beside(const std::string& path, std::string before, const std::string& after);
    NewText(NewText&& other) noexcept;
    NewText& operator=(NewText&&) = delete;
    ~NewText();  // removes the file beside it

    // Puts it in the place of the file. An error, and nothing is changed, if that is no longer the same file
    // with the same bytes, mode and owner.
    std::optional<Trouble> put();

private:
    NewText() = default;
    bool is_before(const std::string& path) const;
    Trouble changed_meanwhile() const;

    std::string m_path, m_before;
    std::string m_state;  // of the file when `m_before` was compared
    std::uint64_t m_inode = 0;
    std::string m_beside;  // empty = put
};

// Removes the files of killed runs from a folder in which recipes are.
void remove_new_texts(const std::string& folder);

}  // namespace ptxguard::own
