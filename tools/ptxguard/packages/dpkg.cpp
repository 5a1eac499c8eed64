// SPDX-License-Identifier: Apache-2.0
#include "packages/dpkg.hpp"

#include <algorithm>

#include "formats/text_lines.hpp"
#include "host/paths.hpp"
#include "host/questions.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "packages/reading.hpp"

namespace ptxguard {
namespace {

constexpr const char* k_status = "/var/lib/dpkg/status";
constexpr const char* k_info = "/var/lib/dpkg/info";
constexpr std::size_t k_status_limit = 64u << 20, k_list_limit = 16u << 20;

bool lists(const Host& host, const std::string& file, const std::vector<std::string>& paths) {
    const auto text = read_text(host, file, k_list_limit);
    if (!text) return false;
    const std::string lines = "\n" + *text + "\n";
    return any_of(
        paths, [&](const std::string& path) { return lines.find("\n" + path + "\n") != std::string::npos; });
}

}  // namespace

std::optional<DpkgVersion> read_dpkg_status(std::string_view status, std::string_view package) {
    bool wanted = false, installed = false;
    DpkgVersion version;
    int number = 0;
    for (const std::string_view line : lines_of(status)) {
        ++number;
        if (line.empty()) {
            if (wanted && installed && !version.text.empty()) return version;
            wanted = installed = false;
            version = {};
            continue;
        }
        const std::size_t colon = line.find(':');
        if (colon == std::string_view::npos || line[0] == ' ') continue;
        const std::string_view key = line.substr(0, colon), value = trimmed(line.substr(colon + 1));
        if (key == "Package") wanted = value == package;
        if (key == "Status") installed = ends_with(value, " installed");
        if (key == "Version") version = {std::string(value), number};
    }
    return wanted && installed && !version.text.empty() ? std::optional<DpkgVersion>(version) : std::nullopt;
}

std::optional<Version> upstream_version(std::string_view text) {
    const std::size_t epoch = text.find(':');
    if (epoch != std::string_view::npos) text.remove_prefix(epoch + 1);
    return parse_version(std::string(text.substr(0, text.find_first_of("-~+"))));
}

Known<Version> dpkg_version(const Host& host, const std::string& package) {
    const auto status = read_text(host, k_status, k_status_limit);
    const auto found = status ? read_dpkg_status(*status, package) : std::nullopt;
    const auto version = found ? upstream_version(found->text) : std::nullopt;
    if (!version) return {};
    return {*version,
            Origin::from_file(k_status, found->line).shown_as("dpkg: " + package + " " + found->text)};
}

// libcublas-12-8:amd64.list has one line for each file.
std::vector<std::string> dpkg_owners(const Host& host, const std::vector<std::string>& paths,
                                     const std::vector<std::string>& words) {
    std::vector<std::string> owners;
    for (const DirectoryEntry& entry : entries_in(host, k_info)) {
        if (!ends_with(entry.name, ".list")) continue;
        const std::string package =
            entry.name.substr(0, std::min(entry.name.find(':'), entry.name.size() - 5));
        const bool likely =
            any_of(words, [&](const std::string& word) { return package.find(word) != std::string::npos; });
        if (likely && lists(host, join_path(k_info, entry.name), paths)) owners.push_back(package);
    }
    return owners;
}

}  // namespace ptxguard
