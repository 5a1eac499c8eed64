// SPDX-License-Identifier: Apache-2.0
#include "recipes/base/written_files.hpp"

#include "host/paths.hpp"

namespace ptxguard::recipes {

namespace {

FileText with_unknown(const std::optional<FileText>& text) {
    FileText result = text.value_or(FileText{});
    result.known = result.known && text.has_value();
    return result;
}

}  // namespace

void WrittenFiles::write(const std::string& path, const std::optional<FileText>& text) {
    Content& content = m_files[file_name(path)];
    content.whole = with_unknown(text);
    content.parts = {content.whole};
}

void WrittenFiles::append(const std::string& path, const std::optional<FileText>& text) {
    const auto before = m_files.find(file_name(path));
    // What the repository's file holds stays unread: such files are seldom in both.
    if (before == m_files.end()) return write(path, text);
    Content& content = before->second;
    content.parts.push_back(with_unknown(text));
    const FileText& part = content.parts.back();
    content.whole.known = content.whole.known && part.known;
    content.whole.fixed = content.whole.fixed && part.fixed;
    if (content.whole.known) content.whole.text += part.text;
}

const FileText* WrittenFiles::find(const std::string& path) const {
    const auto found = m_files.find(file_name(path));
    return found == m_files.end() ? nullptr : &found->second.whole;
}

const std::vector<FileText>& WrittenFiles::parts(const std::string& path) const {
    static const std::vector<FileText> k_none;
    const auto found = m_files.find(file_name(path));
    return found == m_files.end() ? k_none : found->second.parts;
}

}  // namespace ptxguard::recipes
