// Line by line; joined lines and block comments over several lines do not occur in the headers that are read
// here, and a #define inside such a comment is skipped.
// SPDX-License-Identifier: Apache-2.0
#include "formats/header_defines.hpp"

#include "formats/text_lines.hpp"

namespace ptxguard {
namespace {

// Takes comments out of a line; `inside` says whether a block comment is open.
std::string without_comments(std::string_view line, bool& inside) {
    std::string result;
    for (std::size_t i = 0; i < line.size(); ++i) {
        const std::string_view two = line.substr(i, 2);
        if (inside) {
            if (two == "*/") inside = false, ++i;
        } else if (two == "/*") {
            inside = true, ++i;
        } else if (two == "//" && (i == 0 || line[i - 1] != ':')) {  // not the one of an address
            break;
        } else {
            result += line[i];
        }
    }
    return result;
}

}  // namespace

std::vector<HeaderDefine> read_header_defines(std::string_view text) {
    std::vector<HeaderDefine> defines;
    bool inside = false;
    int number = 0;
    for (const std::string_view raw : lines_of(text)) {
        ++number;
        const std::string clean = without_comments(raw, inside);
        std::string_view line = trimmed(clean);
        if (line.empty() || line[0] != '#') continue;
        line = trimmed(line.substr(1));
        if (line.substr(0, 6) != "define" || line.size() < 8 || (line[6] != ' ' && line[6] != '\t')) continue;
        line = trimmed(line.substr(6));
        const std::size_t end = line.find_first_of(" \t");
        HeaderDefine define{std::string(line.substr(0, end)), "", number};
        std::string_view value =
            end == std::string_view::npos ? std::string_view{} : trimmed(line.substr(end));
        if (value.size() >= 2 && value.front() == '"' && value.back() == '"')
            value = value.substr(1, value.size() - 2);
        define.value = std::string(value);
        defines.push_back(std::move(define));
    }
    return defines;
}

std::optional<int> defined_number(std::string_view text, std::string_view name) {
    for (const HeaderDefine& define : read_header_defines(text)) {
        if (define.name != name || define.value.empty() || define.value.size() > 8) continue;
        if (define.value.find_first_not_of("0123456789") == std::string::npos) return std::stoi(define.value);
    }
    return std::nullopt;
}

}  // namespace ptxguard
