// Reads the JSON files below --facts DIR, with the same folders as tools/ptxguard/facts/.
// SPDX-License-Identifier: Apache-2.0
#include "commands/facts_folder.hpp"

#include "host/host.hpp"
#include "host/output.hpp"
#include "host/paths.hpp"

namespace ptxguard {
namespace {

constexpr int k_max_depth = 4;

std::optional<Trouble> collect(const Host& host, const std::string& folder, const std::string& prefix,
                               int depth, Facts::Files& files) {
    auto entries = host.list(folder);
    if (!entries) return entries.trouble();
    for (const DirectoryEntry& entry : *entries) {
        std::string path = join_path(folder, entry.name);
        if (entry.type == FileType::directory && depth < k_max_depth) {
            if (auto trouble = collect(host, path, prefix + entry.name + "/", depth + 1, files))
                return trouble;
        } else if (entry.type == FileType::regular && ends_with(entry.name, ".json")) {
            auto text = host.read(path);
            if (!text) return text.trouble();
            files[prefix + entry.name] = std::move(*text);
        }
    }
    return std::nullopt;
}

}  // namespace

Result<Facts> facts_for(const Settings& settings) {
    if (!settings.has("facts")) return Facts::embedded();
    Facts::Files files;
    std::string folder = settings.one("facts");
    if (auto trouble = collect(*real_host(), folder, "", 0, files)) return *trouble;
    if (files.empty()) return Trouble{"--facts " + folder, "contains no .json file", ""};
    return Facts::with(std::move(files));
}

bool has_unread_tables(const Facts& facts) {
    const std::vector<Trouble> troubles = facts.troubles();
    for (const Trouble& trouble : troubles) own::complain("ptxguard: " + trouble.text());
    return !troubles.empty();
}

}  // namespace ptxguard
