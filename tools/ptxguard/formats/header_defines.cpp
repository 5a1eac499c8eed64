// Line by line; joined lines and block comments over several lines do not occur in the headers that are read
// here, and a #define in such a comment is skipped.
// SPDX-License-Identifier: Apache-2.0
#include "formats/header_defines.hpp"

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

}  // namespace ptxguard
