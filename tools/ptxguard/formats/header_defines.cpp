// Line by line; joined lines and block comments over several lines do not occur in the headers that are read
// here, and a #define in such a comment is skipped.
// SPDX-License-Identifier: Apache-2.0
#include "formats/header_defines.hpp"

#include <string>

#include "formats/text_lines.hpp"
#include "model/text.hpp"

namespace ptxguard {
namespace {

// Removes comments from a line; `inside`: a block comment is open.
std::string without_comments(std::string_view line, bool& inside) {
    std::string result;
    for (std::size_t i = 0; i < line.size(); ++i) {
        const std::string_view two = line.substr(i, 2);
        if (inside) {
            if (two == "*/") inside = false, ++i;
        } else if (two == "/*") {
            inside = true, ++i;
        } else if (two == "//" && (i == 0 || line[i - 1] != ':')) {  // not that of a URL
            break;
        } else {
            result += line[i];
        }
    }
    return result;
}

// The #define of a line, or nothing.
std::optional<HeaderDefine> define_of(std::string_view raw, bool& inside, int number) {
    const std::string clean = without_comments(raw, inside);
    std::string_view line = trimmed(clean);
    if (line.empty() || line[0] != '#') return std::nullopt;
    line = trimmed(line.substr(1));
    if (line.substr(0, 6) != "define" || line.size() < 8 || (line[6] != ' ' && line[6] != '\t'))
        return std::nullopt;
    line = trimmed(line.substr(6));
    const std::size_t end = std::min(line.find_first_of(" \t"), line.size());
    std::string_view value = trimmed(line.substr(end));
    if (value.size() >= 2 && value.front() == '"' && value.back() == '"')
        value = value.substr(1, value.size() - 2);
    return HeaderDefine{std::string(line.substr(0, end)), std::string(value), number};
}

// Until `take` returns true: headers are large, and the needed defines are often near their start.
template <typename Take>
void for_each_define(std::string_view text, const Take& take) {
    bool inside = false;
    text = without_mark(text);
    for (int number = 1; !text.empty(); ++number)
        if (auto define = define_of(take_line(text), inside, number); define && take(std::move(*define)))
            return;
}

}  // namespace

std::vector<HeaderDefine> read_header_defines(std::string_view text) {
    std::vector<HeaderDefine> defines;
    for_each_define(text, [&](HeaderDefine define) {
        defines.push_back(std::move(define));
        return false;
    });
    return defines;
}

std::optional<int> defined_number(std::string_view text, std::string_view name) {
    std::optional<int> found;
    for_each_define(text, [&](const HeaderDefine& define) {
        if (define.name != name || define.value.empty() || define.value.size() > 8) return false;
        if (define.value.find_first_not_of("0123456789") != std::string::npos) return false;
        found = std::stoi(define.value);
        return true;
    });
    return found;
}

// Each limit is an #if line, followed by the #error line that names the compiler.

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
        while (digits < 7 && !rest.empty() && is_digit(rest.front())) {
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
