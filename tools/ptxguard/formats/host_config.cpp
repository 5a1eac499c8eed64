// Each limit is an #if line, followed by the #error line that names the compiler.
// SPDX-License-Identifier: Apache-2.0
#include "formats/host_config.hpp"

#include <cctype>
#include <string>

namespace ptxguard {

namespace {

// The number after `name` and `sign`: 14 in "__GNUC__ > 14".
std::optional<int> number_after(std::string_view line, std::string_view name, std::string_view sign) {
    for (std::size_t at = line.find(name); at != std::string_view::npos; at = line.find(name, at + 1)) {
        std::string_view rest = line.substr(at + name.size());
        while (!rest.empty() && rest.front() == ' ') rest.remove_prefix(1);
        if (rest.substr(0, sign.size()) != sign) continue;
        rest.remove_prefix(sign.size());
        while (!rest.empty() && rest.front() == ' ') rest.remove_prefix(1);
        int number = 0, digits = 0;
        while (digits < 7 && !rest.empty() && std::isdigit(static_cast<unsigned char>(rest.front()))) {
            number = number * 10 + (rest.front() - '0');
            rest.remove_prefix(1);
            ++digits;
        }
        if (digits > 0) return number;
    }
    return std::nullopt;
}

std::optional<int> newest(std::string_view condition, std::string_view name) {
    if (auto first_refused = number_after(condition, name, ">=")) return *first_refused - 1;
    return number_after(condition, name, ">");
}

void read_error(HostConfig& config, std::string_view condition, std::string_view error) {
    const auto says = [&](std::string_view words) { return error.find(words) != std::string_view::npos; };
    if (says("unsupported GNU version")) config.gcc_max = newest(condition, "__GNUC__");
    if (says("unsupported clang version")) config.clang_max = newest(condition, "__clang_major__");
    if (!says("unsupported Microsoft Visual Studio version")) return;
    config.msvc_ver_min = number_after(condition, "_MSC_VER", "<");
    config.msvc_ver_below = number_after(condition, "_MSC_VER", ">=");
}

}  // namespace

HostConfig read_host_config(std::string_view text) {
    HostConfig config;
    std::string_view condition;
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        std::string_view line = text.substr(0, end);
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
        const std::size_t start = line.find_first_not_of(" \t");
        if (start == std::string_view::npos || line[start] != '#') continue;
        line.remove_prefix(start);
        if (line.substr(0, 3) == "#if") condition = line;
        if (line.substr(0, 6) == "#error") read_error(config, condition, line);
    }
    return config;
}

}  // namespace ptxguard
