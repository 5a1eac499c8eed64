// The check list: what was found right, what is wrong and what was not checked, one line per area.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>

#include "model/text.hpp"
#include "model/visible.hpp"
#include "report/report.hpp"
#include "report/table.hpp"

namespace ptxguard {
namespace {

constexpr std::size_t k_names = 3;

struct Mark {
    AreaState state;
    const char *word, *symbol, *color;
};
const Mark k_marks[] = {{AreaState::ok, "ok", "\xE2\x9C\x93", "\x1b[1;32m"},
                        {AreaState::warning, "warning", "!", "\x1b[1;33m"},
                        {AreaState::error, "error", "\xE2\x9C\x97", "\x1b[1;31m"},
                        {AreaState::not_checked, "-", "-", "\x1b[2m"}};

std::string blanks_after(const char* word, std::size_t width) {
    const std::size_t length = std::char_traits<char>::length(word);
    return std::string(width > length ? width - length : 0, ' ');
}

// What is wrong is read first; the others keep the order of a build and then a run.
std::vector<CheckedArea> worst_first(std::vector<CheckedArea> checklist) {
    const auto rank = [](const CheckedArea& area) {
        return area.state == AreaState::error ? 0 : area.state == AreaState::warning ? 1 : 2;
    };
    std::stable_sort(checklist.begin(), checklist.end(),
                     [&](const CheckedArea& a, const CheckedArea& b) { return rank(a) < rank(b); });
    return checklist;
}

}  // namespace

std::string check_list_text(const std::vector<CheckedArea>& checklist, const ReportOptions& options) {
    std::size_t names = 0;
    for (const CheckedArea& area : checklist) names = std::max(names, area.area.size());
    std::string text;
    for (const CheckedArea& area : worst_first(checklist)) {
        const Mark& mark = *std::find_if(std::begin(k_marks), std::end(k_marks),
                                         [&](const Mark& one) { return one.state == area.state; });
        std::string line =
            options.symbols ? std::string(mark.symbol) + " " : mark.word + blanks_after(mark.word, 9);
        const std::size_t hang = (options.symbols ? 2 : 9) + names + 2;
        if (options.color) line = mark.color + line + "\x1b[0m";
        line += area.area + std::string(names - area.area.size() + 2, ' ');
        if (area.state == AreaState::not_checked) line += "not checked: ";
        line += visible(area.text);
        if (!area.not_compared.empty())
            line += "; not compared: " + visible(some_of(area.not_compared, k_names));
        text += folded_line(line, hang, options.width) + "\n";
    }
    return text.empty() ? "" : text + "\n";
}

}  // namespace ptxguard
