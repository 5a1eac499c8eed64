// SPDX-License-Identifier: Apache-2.0
#include "facts/forward_compat.hpp"

#include <algorithm>
#include <cctype>

#include "facts/tables.hpp"

namespace ptxguard {
namespace {

std::vector<std::string> words_of(const std::string& name) {
    std::vector<std::string> words(1);
    for (const char c : name)
        if (std::isalnum(static_cast<unsigned char>(c)))
            words.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        else if (!words.back().empty())
            words.emplace_back();
    if (words.back().empty()) words.pop_back();
    return words;
}

// "rtx", "3090" are consecutive words of "nvidia", "geforce", "rtx", "3090", "ti".
bool holds(const std::vector<std::string>& name, const std::vector<std::string>& words) {
    return std::search(name.begin(), name.end(), words.begin(), words.end()) != name.end();
}

bool holds_any(const std::vector<std::string>& name, const std::vector<std::vector<std::string>>& all) {
    return std::any_of(all.begin(), all.end(), [&](const auto& words) { return holds(name, words); });
}

CompatPackage read_package(FactReader& reader, const Json& row) {
    CompatPackage package;
    if (const auto cuda = reader.needed_version(row, "built_from_branch_of_cuda")) package.cuda = *cuda;
    for (const std::string& branch : reader.words(row, "works_on_base_branches"))
        if (const auto number = parse_version(branch)) package.base_branches.push_back(number->major());
    package.origin = reader.origin(reader.needed_word(row, "package"), reader.source_words(row));
    return package;
}

}  // namespace

CompatTable read_forward_compat(FactReader& reader, const Json& root) {
    CompatTable table;
    const Json& compat = root["forward_compatibility"];
    for (const auto& row : compat["table"].items()) table.packages.push_back(read_package(reader, row));
    const Json& names = compat["gpu_names"];
    for (const std::string& name : reader.words(names, "allowed")) table.allowed.push_back(words_of(name));
    for (const std::string& name : reader.words(names, "refused")) table.refused.push_back(words_of(name));
    table.archs_allowed = reader.archs(names, "archs_allowed");
    table.gpus = reader.origin("forward_compatibility", reader.source_words(names));
    return table;
}

const CompatTable& Facts::Tables::forward_compat() {
    if (!compat_read) compat_read = load("drivers.json", read_forward_compat).value_or(CompatTable{});
    return *compat_read;
}

const CompatTable& Facts::forward_compat() const {
    const std::lock_guard<std::mutex> lock(m_tables->mutex);
    return m_tables->forward_compat();
}

const CompatPackage* compat_package(const Facts& facts, const Version& cuda) {
    for (const CompatPackage& package : facts.forward_compat().packages)
        if (same_release(package.cuda, cuda)) return &package;
    return nullptr;
}

Known<bool> compat_allowed(const Facts& facts, const std::string& gpu_name, const Known<Arch>& arch) {
    const CompatTable& table = facts.forward_compat();
    const auto words = words_of(gpu_name);
    if (holds_any(words, table.refused)) return {false, table.gpus};
    if (holds_any(words, table.allowed)) return {true, table.gpus};
    const auto& allowed = table.archs_allowed;
    if (arch && std::find(allowed.begin(), allowed.end(), Arch{arch->number, 0}) != allowed.end())
        return {true, table.gpus};
    return {};
}

}  // namespace ptxguard
