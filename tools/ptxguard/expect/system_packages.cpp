// SPDX-License-Identifier: Apache-2.0
#include "expect/system_packages.hpp"

#include "expect/reading.hpp"
#include "formats/text_lines.hpp"
#include "host/paths.hpp"

namespace ptxguard {
namespace {

constexpr const char* k_status = "/var/lib/dpkg/status";
constexpr std::size_t k_status_limit = 64u << 20;

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
    text = text.substr(0, text.rfind('-'));
    for (const std::string_view addition : {"+dfsg", "~dfsg", "+ds", "~ds", "+debian", "+git"})
        text = text.substr(0, text.find(addition));
    return parse_version(text);
}

void add_dpkg_version(const Host& host, const char* package, Expectation& expectation) {
    const auto status = read_text(host, k_status, k_status_limit);
    const auto found = status ? read_dpkg_status(*status, package) : std::nullopt;
    const auto version = found ? upstream_version(found->text) : std::nullopt;
    if (!version) return;
    Origin origin = Origin::from_file(k_status, found->line);
    origin.text = "dpkg: " + std::string(package) + " " + found->text;
    if (expectation.version && *expectation.version != *version)
        expectation.disagreements.push_back(
            {"version", version->text, expectation.version->text, origin, expectation.version.origin});
    expectation.version = {*version, origin};
}

}  // namespace ptxguard
