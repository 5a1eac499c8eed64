// One finding as a block: found and expected values aligned, the reason, and the fix.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "model/visible.hpp"
#include "report/report.hpp"
#include "report/table.hpp"

namespace ptxguard {
namespace {

constexpr std::size_t k_value_column = 34;  // a longer value pushes only its own line

const char* color_of(Level level) {
    switch (level) {
        case Level::error:
            return "\x1b[1;31m";
        case Level::warning:
            return "\x1b[1;33m";
        case Level::unknown:
            return "\x1b[1;35m";
        case Level::note:
            break;
    }
    return "\x1b[1;36m";
}

std::string padded(std::string text, std::size_t width) {
    if (text.size() < width) text.append(width - text.size(), ' ');
    return text;
}

// A label before the first line, blanks before the others.
std::string labelled(const char* label, const std::string& text) {
    std::string lines, before = "  " + padded(label, 10);
    for (std::size_t begin = 0, end = 0; end != std::string::npos; begin = end + 1) {
        end = text.find('\n', begin);
        lines += before + line(text.substr(begin, end - begin));
        before.assign(12, ' ');
    }
    return lines;
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

std::size_t value_width(const Finding& finding) {
    std::size_t width = 0;
    for (const auto* all : {&finding.found, &finding.expected})
        for (const Evidence& evidence : *all) width = std::max(width, value_of(evidence).size());
    return std::min(width, k_value_column);
}

std::string evidence_lines(const char* label, const std::vector<Evidence>& all, std::size_t width) {
    std::string lines;
    for (const Evidence& evidence : all) {
        std::string people = people_of(evidence);
        const std::string shown =
            people.empty() ? value_of(evidence) : padded(value_of(evidence), width) + "   " + people;
        lines += labelled(lines.empty() ? label : "", shown);
    }
    return lines;
}

}  // namespace

std::string finding_block(const Finding& finding, bool color) {
    std::string head = std::string(to_string(finding.level)) + "[" + finding.code + "]";
    std::string block =
        (color ? color_of(finding.level) + head + "\x1b[0m" : head) + line(": " + finding.message);
    if (finding.location) {
        const Location& at = *finding.location;
        block += labelled("at", visible(at.file) + (at.line ? ":" + std::to_string(at.line) : "") +
                                    (at.column ? ":" + std::to_string(at.column) : ""));
    }
    std::size_t width = value_width(finding);
    block += evidence_lines("found", finding.found, width);
    block += evidence_lines("expected", finding.expected, width);
    if (!finding.because.empty()) block += labelled("because", finding.because);
    for (std::size_t i = 0; i < finding.fix.size(); ++i)
        block += labelled(i == 0 ? "fix" : "or", finding.fix[i].text);
    for (std::size_t i = 0; i < finding.decide.size(); ++i)
        block += labelled(i == 0 ? "decide" : "or", finding.decide[i]);
    if (finding.suppressed) block += labelled("ignored", *finding.suppressed);
    return block + labelled("more", "ptxguard explain " + finding.code);
}

}  // namespace ptxguard
