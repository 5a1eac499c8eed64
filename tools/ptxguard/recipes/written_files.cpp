// SPDX-License-Identifier: Apache-2.0
#include "recipes/written_files.hpp"

#include "host/paths.hpp"

namespace ptxguard::recipes {

void WrittenFiles::write(const std::string& path, const std::optional<FileText>& text) {
    FileText& file = m_files[file_name(path)];
    file = text.value_or(FileText{});
    file.known = text.has_value();
}

void WrittenFiles::append(const std::string& path, const std::optional<FileText>& text) {
    const auto before = m_files.find(file_name(path));
    // What the repository's file holds stays unread: such files are seldom in both.
    if (before == m_files.end()) return write(path, text);
    FileText& file = before->second;
    file.known = file.known && text;
    if (file.known) file.text += text->text;
}

const FileText* WrittenFiles::find(const std::string& path) const {
    const auto found = m_files.find(file_name(path));
    return found == m_files.end() ? nullptr : &found->second;
}

}  // namespace ptxguard::recipes
