// Each part between commas becomes one or two comparisons.
// SPDX-License-Identifier: Apache-2.0
#include "recipes/installers/poetry.hpp"

#include "host/paths.hpp"
#include "model/text.hpp"
#include "model/version.hpp"

namespace ptxguard::recipes {
namespace {

std::string numbers_with_dots(const std::vector<int>& numbers) {
    std::string text;
    for (const int number : numbers) text += (text.empty() ? "" : ".") + std::to_string(number);
    return text;
}

// "^1.2.3" ends before 2, "^0.2.3" before 0.3, "^0.0.3" before 0.0.4; "~1.2.3" before 1.3, "~1" before 2.
std::string below_next(std::string_view text, bool caret) {
    const auto version = parse_version(text);
    if (!version) return "";
    std::vector<int> numbers = version->numbers;
    std::size_t at = caret ? 0 : numbers.size() > 1 ? 1 : 0;
    while (caret && at + 1 < numbers.size() && numbers[at] == 0) ++at;
    numbers.resize(at + 1);
    ++numbers[at];
    return ">=" + std::string(text) + ",<" + numbers_with_dots(numbers);
}

std::string one_constraint(std::string_view text) {
    text = trimmed(text);
    if (text.empty() || text == "*" || text == "latest") return "";
    if (text.front() == '^') return below_next(trimmed(text.substr(1)), true);
    if (text.front() == '~' && text.substr(0, 2) != "~=") return below_next(trimmed(text.substr(1)), false);
    std::string tight;
    for (const char c : text)
        if (c != ' ') tight += c;
    if (tight[0] >= '0' && tight[0] <= '9') return "==" + tight;
    if (tight[0] == '=' && tight.substr(0, 2) != "==") return "=" + tight;
    return tight;
}

std::string every_part(std::string_view text) {
    std::string result;
    for (const std::string& part : split(text, ",")) {
        const std::string one = one_constraint(part);
        if (!one.empty()) result += (result.empty() ? "" : ",") + one;
    }
    return result;
}

}  // namespace

std::string poetry_specifier(std::string_view text) {
    if (text.find('|') == text.npos) return every_part(text);
    std::optional<Version> lowest, highest;
    for (const std::string& part : split(text, "|")) {
        const std::string one = every_part(part);
        std::optional<Version> low, high;
        for (const std::string& piece : split(one, ",")) {
            const std::size_t number = piece.find_first_not_of("<>=!~");
            auto version = number == piece.npos ? std::nullopt : parse_version(piece.substr(number));
            if (piece[0] == '>') low = version;
            if (piece[0] == '<') high = version;
        }
        if (!low || !high) return "";
        if (!lowest || *low < *lowest) lowest = low;
        if (!highest || *highest < *high) highest = high;
    }
    return lowest ? ">=" + lowest->text + ",<" + highest->text : "";
}

}  // namespace ptxguard::recipes
