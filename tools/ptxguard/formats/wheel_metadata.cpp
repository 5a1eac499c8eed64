// SPDX-License-Identifier: Apache-2.0
#include "formats/wheel_metadata.hpp"

#include <cctype>

#include "formats/text_lines.hpp"
#include "model/text.hpp"
#include "python/marker.hpp"

namespace ptxguard {
namespace {

std::string lower_ascii(std::string_view text) {
    std::string result(text);
    for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return result;
}

}  // namespace

bool WheelRequirement::applies(System system, std::string_view extra) const {
    MarkerEnvironment environment;
    environment.system = system == System::windows ? "win32" : "linux";
    if (!extra.empty()) environment.extras = {canonical_package(extra)};
    return holds(marker, environment) != Truth::no;
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
        if (key == "requires-dist") metadata.requirements.push_back({parse_requirement(value), number});
    }
    if (metadata.name.empty() || metadata.version.empty()) return std::nullopt;
    return metadata;
}

}  // namespace ptxguard
