// Requirements in the forms of PEP 508 and of older setuptools: "name (==1.0) ; marker", "name[extra]==1.0;
// marker".
// SPDX-License-Identifier: Apache-2.0
#include "formats/wheel_metadata.hpp"

#include <cctype>

#include "formats/text_lines.hpp"
#include "model/text.hpp"

namespace ptxguard {
namespace {

std::string lower_ascii(std::string_view text) {
    std::string result(text);
    for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return result;
}

// Whether the marker contains `NAME == "word"`, with any quotes and blanks.
bool says(const std::string& marker, std::string_view name, std::string_view word) {
    std::string tight;
    for (const char c : marker)
        if (c != ' ' && c != '\t') tight += c == '"' ? '\'' : c;
    return tight.find(std::string(name) + "=='" + std::string(word) + "'") != std::string::npos;
}

}  // namespace

std::string canonical_package(std::string_view name) {
    std::string result = lower_ascii(trimmed(name));
    for (char& c : result)
        if (c == '_' || c == '.') c = '-';
    return result;
}

Requirement parse_requirement(std::string_view text, int line) {
    Requirement requirement;
    requirement.line = line;
    const std::size_t semicolon = text.find(';');
    if (semicolon != std::string_view::npos)
        requirement.marker = std::string(trimmed(text.substr(semicolon + 1)));
    text = trimmed(text.substr(0, semicolon));
    std::size_t end = 0;
    while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) ||
                                 std::string_view("-_.").find(text[end]) != std::string_view::npos))
        ++end;
    requirement.package = canonical_package(text.substr(0, end));
    text = trimmed(text.substr(end));
    if (!text.empty() && text.front() == '[') {
        const std::size_t close = text.find(']');
        requirement.extras =
            std::string(trimmed(text.substr(1, close == std::string_view::npos ? close : close - 1)));
        text = close == std::string_view::npos ? std::string_view{} : trimmed(text.substr(close + 1));
    }
    if (!text.empty() && text.front() == '(')
        text = trimmed(
            text.substr(1, text.rfind(')') == std::string_view::npos ? text.npos : text.rfind(')') - 1));
    requirement.specifier = std::string(text);
    return requirement;
}

std::optional<Version> Requirement::pinned() const {
    if (specifier.compare(0, 2, "==") != 0 || specifier.find(',') != std::string::npos) return std::nullopt;
    std::string_view text =
        trimmed(std::string_view(specifier).substr(specifier.compare(0, 3, "===") == 0 ? 3 : 2));
    if (text.size() > 2 && text.substr(text.size() - 2) == ".*") text.remove_suffix(2);
    return parse_version(text);
}

bool Requirement::applies(System system, std::string_view extra) const {
    if (marker.find("extra") != std::string::npos && (extra.empty() || !says(marker, "extra", extra)))
        return false;
    const bool windows = system == System::windows;
    if (says(marker, "platform_system", windows ? "Linux" : "Windows")) return false;
    if (says(marker, "platform_system", "Darwin") || says(marker, "sys_platform", "darwin")) return false;
    if (says(marker, "sys_platform", windows ? "linux" : "win32"))
        return says(marker, "sys_platform", windows ? "win32" : "linux");
    return true;
}

std::optional<WheelMetadata> read_wheel_metadata(std::string_view text) {
    WheelMetadata metadata;
    text = without_mark(text);
    for (int number = 1; !text.empty(); ++number) {
        const std::string_view line = take_line(text);
        if (line.empty()) break;  // a description follows, in some packages their whole README
        const std::size_t colon = line.find(':');
        if (colon == std::string_view::npos || line[0] == ' ' || line[0] == '\t') continue;
        const std::string key = lower_ascii(line.substr(0, colon));
        const std::string_view value = trimmed(line.substr(colon + 1));
        if (key == "name") metadata.name = canonical_package(value);
        if (key == "version") metadata.version = std::string(value), metadata.version_line = number;
        if (key == "requires-dist") metadata.requirements.push_back(parse_requirement(value, number));
    }
    if (metadata.name.empty() || metadata.version.empty()) return std::nullopt;
    return metadata;
}

}  // namespace ptxguard
