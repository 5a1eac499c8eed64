// One finding as a block: found and expected values aligned, the reason, the fix, and what follows from it.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "model/ranges.hpp"
#include "model/visible.hpp"
#include "report/report.hpp"
#include "report/table.hpp"

namespace ptxguard {
namespace {

constexpr std::size_t k_value_column = 34;  // a longer value pushes only its own line
constexpr std::size_t k_label_column = 12;
constexpr std::size_t k_brief = 2;  // lines of evidence, before a line with the number of the others

const char* color_of(Level level) {
    switch (level) {
        case Level::error: return "\x1b[1;31m";
        case Level::warning: return "\x1b[1;33m";
        case Level::unknown: return "\x1b[1;35m";
        case Level::note: break;
    }
    return "\x1b[1;36m";
}

std::string padded(std::string text, std::size_t width) {
    if (text.size() < width) text.append(width - text.size(), ' ');
    return text;
}

std::string value_of(const Evidence& evidence) {
    return visible(evidence.what.empty() ? evidence.value : evidence.what + " " + evidence.value);
}

std::string people_of(const Evidence& evidence) {
    std::string text = evidence.origin.for_people();
    if (evidence.origin.certainty == Certainty::predicted && text.find("predicted") == std::string::npos)
        text += text.empty() ? "predicted" : ", predicted";
    return visible(text);
}

std::size_t count_of(const std::string& lines) {
    return static_cast<std::size_t>(std::count(lines.begin(), lines.end(), '\n'));
}

struct Block {
    const Finding& finding;
    const ReportOptions& options;
    std::string text = {};

    // A label before the first line, blanks before the others. Text to paste is never broken.
    std::string lines(const char* label, const std::string& shown, bool whole = false) const {
        std::string result, before = "  " + padded(label, k_label_column - 2);
        for (std::size_t begin = 0, end = 0; end != std::string::npos; begin = end + 1) {
            end = shown.find('\n', begin);
            const std::string one = before + visible(shown.substr(begin, end - begin));
            result += folded_line(one, k_label_column, whole ? 0 : options.width) + "\n";
            before.assign(k_label_column, ' ');
        }
        return result;
    }
    void add(const char* label, const std::string& shown, bool whole = false) {
        text += lines(label, shown, whole);
    }

    void headline() {
        const std::string level = std::string(to_string(finding.level)) + "[" + finding.code + "]";
        text = folded_line((options.color ? color_of(finding.level) + level + "\x1b[0m" : level) + ": " +
                               (options.color ? "\x1b[1m" : "") + visible(finding.message) +
                               (options.color ? "\x1b[0m" : ""),
                           2, options.width) +
               "\n";
    }

    void place() {
        if (!finding.location) return;
        const Location& at = *finding.location;
        add("at", visible(at.file) + (at.line ? ":" + std::to_string(at.line) : "") +
                      (at.column ? ":" + std::to_string(at.column) : ""));
    }

    std::size_t value_width() const {
        std::size_t width = 0;
        for (const auto* all : {&finding.found, &finding.expected})
            for (const Evidence& evidence : *all) width = std::max(width, value_of(evidence).size());
        return std::min(width, k_value_column);
    }

    std::string line_of(const char* label, const Evidence& evidence, const std::string& people,
                        std::size_t width) const {
        return lines(
            label, people.empty() ? value_of(evidence) : padded(value_of(evidence), width) + "   " + people);
    }

    // At least one, then as many as fit into `room` lines; returns the number of omitted ones.
    std::size_t evidence(const char* label, const std::vector<Evidence>& all, std::size_t& room) {
        const std::size_t width = value_width();
        for (std::size_t i = 0; i < all.size(); ++i) {
            std::string people = people_of(all[i]);
            std::string one = line_of(i ? "" : label, all[i], people, width);
            // A brief report leaves a place that does not fit into the line to --verbose.
            if (options.brief && count_of(one) > 1) {
                people = all[i].origin.certainty == Certainty::predicted ? "predicted" : "";
                one = line_of(i ? "" : label, all[i], people, width);
            }
            const std::size_t count = count_of(one);
            if (options.brief && i && count > room) return all.size() - i;
            room -= std::min(room, count);
            text += one;
        }
        return 0;
    }

    void all_evidence() {
        std::size_t of_found = finding.expected.empty() ? k_brief : k_brief - 1, of_expected = 1;
        std::size_t left = evidence("found", finding.found, of_found);
        of_expected += of_found;
        left += evidence("expected", finding.expected, of_expected);
        if (left) add("", "... and " + std::to_string(left) + " more: --verbose");
    }

    void fixes() {
        const bool in_plan = options.planned && finding.level == Level::error;
        for (std::size_t i = 0; i < finding.fix.size() && !in_plan; ++i)
            add(i == 0 ? "fix" : "or", finding.fix[i].text, finding.fix[i].kind != FixKind::manual);
        for (std::size_t i = 0; i < finding.decide.size(); ++i)
            add(i == 0 ? "to check" : "or", finding.decide[i]);
    }
};

}  // namespace

std::string consequences_of(const Finding& cause, const std::vector<Finding>& findings) {
    std::vector<std::pair<std::string, int>> counted;
    int number = 0;
    for (const Finding& one : findings) {
        if (!follows_from(one, cause) || one.scenario != cause.scenario) continue;
        ++number;
        const std::string name = one.code + " " + one.name;
        auto* known = first_where(counted, [&](const auto& other) { return other.first == name; });
        if (!known)
            counted.emplace_back(name, 1);
        else
            ++known->second;
    }
    std::string names;
    for (const auto& [name, times] : counted)
        names += (names.empty() ? "" : ", ") + name + (times > 1 ? " (" + std::to_string(times) + ")" : "");
    return names + (number == 0 ? "" : number == 1 ? ": follows from this" : ": follow from this");
}

std::string finding_head(const Finding& finding, const ReportOptions& options) {
    Block block{finding, options};
    block.headline();
    return block.text;
}

std::string finding_block(const Finding& finding, const ReportOptions& options,
                          const std::string& consequences) {
    Block block{finding, options};
    // A brief warning has what, why and what to do.
    const bool whole = !options.brief || finding.level == Level::error;
    block.headline();
    block.place();
    if (whole) block.all_evidence();
    if (!finding.because.empty()) block.add("because", finding.because);
    block.fixes();
    if (!consequences.empty()) block.add("also", consequences);
    if (finding.suppressed) block.add("ignored", *finding.suppressed);
    if (whole) block.add("more", "ptxguard explain " + finding.code);
    return block.text;
}

}  // namespace ptxguard
