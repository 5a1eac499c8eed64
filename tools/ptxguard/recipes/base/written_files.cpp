// SPDX-License-Identifier: Apache-2.0
#include "recipes/base/written_files.hpp"

#include <utility>

#include "host/paths.hpp"

namespace ptxguard::recipes {

namespace {

FileText with_unknown(const std::optional<FileText>& text) {
    FileText result = text.value_or(FileText{});
    result.known = result.known && text.has_value();
    return result;
}

}  // namespace

void WrittenFiles::write(const std::string& path, const std::optional<FileText>& text, bool appends) {
    const FileText part = with_unknown(text);
    const auto [found, is_new] = m_files.try_emplace(file_name(path));
    Content& content = found->second;
    // What the repository's file holds stays unread: such files are seldom in both.
    if (is_new || !appends) {
        content = {part, {part}};
        return;
    }
    content.parts.push_back(part);
    content.whole.known = content.whole.known && part.known;
    content.whole.fixed = content.whole.fixed && part.fixed;
    if (content.whole.known) content.whole.text += part.text;
}

void WrittenFiles::edit(FileText text) {
    const std::string file = text.file;
    m_edited[file] = std::move(text);
}

FileText WrittenFiles::current(FileText text) const {
    const auto edited = m_edited.find(text.file);
    return edited == m_edited.end() ? std::move(text) : edited->second;
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
