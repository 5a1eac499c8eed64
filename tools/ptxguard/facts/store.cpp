// The embedded files and those that override them.
// SPDX-License-Identifier: Apache-2.0
#include "facts/tables.hpp"

#include <algorithm>

#include "facts/embedded.hpp"
#include "model/text.hpp"
#include "model/version.hpp"

namespace ptxguard {
namespace {

std::optional<std::string_view> embedded_text(std::string_view path) {
    const std::vector<EmbeddedFile>& files = embedded_files();
    const auto at = std::lower_bound(
        files.begin(), files.end(), path,
        [](const EmbeddedFile& file, std::string_view wanted) { return file.path < wanted; });
    if (at == files.end() || at->path != path) return std::nullopt;
    return at->text();
}

std::string with_slashes(std::string path) {
    std::replace(path.begin(), path.end(), '\\', '/');
    while (starts_with(path, "./")) path.erase(0, 2);
    return path;
}

// "13.0" of "cuda/13.0.json"; empty if the path is not folder + name + ".json".
std::string_view name_in(std::string_view path, std::string_view folder) {
    constexpr std::string_view ending = ".json";
    if (!starts_with(path, folder) || path.size() <= folder.size() + ending.size()) return {};
    if (path.substr(path.size() - ending.size()) != ending) return {};
    const auto name = path.substr(folder.size(), path.size() - folder.size() - ending.size());
    return name.find('/') == std::string_view::npos ? name : std::string_view{};
}

}  // namespace

bool is_fact_path(std::string_view path) {
    if (starts_with(path, "cuda/")) {
        const auto release = parse_version(name_in(path, "cuda/"));
        return release && release->numbers.size() == 2 && release->suffix.empty();
    }
    for (const auto folder : {"frameworks/", "pypi/", "cudnn/", "sonames/", "tool_search/"})
        if (!name_in(path, folder).empty()) return true;
    for (const auto file :
         {"drivers.json", "architectures.json", "pci_ids.json", "known_bad.json", "loading.json"})
        if (path == file) return true;
    return embedded_text(path).has_value();
}

FactStore::FactStore(Facts::Files overrides) {
    for (auto& [path, text] : overrides) m_overrides[with_slashes(path)] = std::move(text);
}

std::vector<FactStore::Candidate> FactStore::candidates(const std::string& path) const {
    std::vector<Candidate> found;
    const auto over = m_overrides.find(path);
    if (over != m_overrides.end()) found.push_back({over->second, false});
    if (const auto text = embedded_text(path)) found.push_back({*text, true});
    return found;
}

std::vector<std::string> FactStore::paths(std::string_view folder) const {
    std::vector<std::string> all;
    for (const EmbeddedFile& file : embedded_files())
        if (starts_with(file.path, folder)) all.emplace_back(file.path);
    if (m_overrides.empty()) return all;
    for (const auto& [path, text] : m_overrides)
        if (starts_with(path, folder) && is_fact_path(path)) all.push_back(path);
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
}

std::vector<Trouble> FactStore::misplaced() const {
    std::vector<Trouble> troubles;
    for (const auto& [path, text] : m_overrides)
        if (!name_in(path.substr(path.rfind('/') + 1), "").empty() && !is_fact_path(path))
            troubles.push_back({path, "is not the name of a fact file",
                                "expected cuda/M.m.json, frameworks/PACKAGE.json, drivers.json, ..."});
    return troubles;
}

}  // namespace ptxguard
