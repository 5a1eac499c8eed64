// SPDX-License-Identifier: Apache-2.0
#include "report/findings.hpp"

#include "model/ranges.hpp"
#include "model/text.hpp"
#include "model/visible.hpp"

namespace ptxguard {

std::vector<const Finding*> shown(const Report& report, const ReportOptions& options) {
    std::vector<const Finding*> all;
    for (const Finding& finding : report.judgement.findings)
        if (!finding.suppressed && !finding.caused_by &&
            (!options.quiet || finding.level >= Level::warning || finding.required))
            all.push_back(&finding);
    return all;
}

std::string also(const char* mark, const Finding& cause, const Report& report) {
    const std::string names = consequences_of(cause, report.judgement.findings);
    return names.empty() ? "" : mark + names;
}

std::map<const Finding*, std::string> fingerprints(const Report& report) {
    std::map<const Finding*, std::string> all;
    std::map<std::string, int> times;
    for (const Finding& finding : report.judgement.findings) {
        const std::string file = finding.location ? finding.location->file : "";
        std::string text = finding.code + '\n' + finding.subject + '\n' + finding.scenario + '\n' + file;
        // The line is not in it: a line that is inserted above must not make a new finding.
        if (const int before = times[text]++) text += '\n' + std::to_string(before);
        all[&finding] = fnv1a(text);
    }
    return all;
}

std::optional<std::string> url_of(const Finding& finding, const ReportOptions& options) {
    if (options.pages.empty()) return std::nullopt;
    return options.pages + "/" + finding.code + "_" + finding.name + "/";  // tools/dev/site.py
}

Location place_of(const Finding& finding, const Report& report) {
    Location place = report.root;
    for (const std::string& file : report.named) {
        const auto is_about = [&](const Evidence& one) { return one.origin.path == file; };
        if (starts_with(finding.subject, file) || any_of(finding.found, is_about)) place = {file, 1, 0};
    }
    const bool is_elsewhere = report.explanation && !report.explanation->in_project;
    if (finding.location && !finding.location->file.empty() && !is_elsewhere) place = *finding.location;
    return place.line > 0 ? place : Location{place.file, 1, 0};
}

const Edit* edit_of(const Finding& finding) {
    for (const Fix& fix : finding.fix)
        if (fix.edit) return &*fix.edit;
    return nullptr;
}

bool is_fixable(const Finding& finding) { return !finding.suppressed && edit_of(finding); }

std::string compiler_line(const Finding& finding, const std::string& after) {
    const std::optional<Location>& at = finding.location;
    std::string text = at ? at->file : finding.subject;
    if (at && at->line) text += ":" + std::to_string(at->line);
    if (at && at->line && at->column) text += ":" + std::to_string(at->column);
    text += std::string(": ") + to_string(finding.level) + ": " + finding.message + after;
    return visible(text + " [" + finding.code + "]" + (is_fixable(finding) ? " [*]" : ""));
}

const Plan* plan_for(const Finding& finding, const Report& report) {
    const bool planned = finding.level == Level::error && shows_plan(report.judgement);
    return planned ? &report.judgement.plans.front() : nullptr;
}

std::vector<std::string> explanation(const Finding& finding, const Report& report) {
    const Plan* plan = plan_for(finding, report);
    std::vector<std::string> lines;
    if (!finding.because.empty()) lines.push_back("because: " + finding.because);
    for (const Fix& fix : plan ? plan->steps : finding.fix)
        lines.push_back((plan ? "plan: " : "fix: ") + fix.text);
    for (const std::string& decide : finding.decide) lines.push_back("to check: " + decide);
    return lines;
}

std::string replaced(const std::string& text, const std::vector<std::pair<char, const char*>>& pairs) {
    std::string result;
    for (const char c : text) {
        const char* by = nullptr;
        for (const auto& pair : pairs)
            if (c == pair.first) by = pair.second;
        if (by)
            result += by;
        else
            result += c;
    }
    return result;
}

namespace {

// U+FFFE and U+FFFF are not allowed in XML.
std::string quoted(const std::string& text) {
    std::string result = replaced(text, {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}});
    for (const char* letter : {"\xEF\xBF\xBE", "\xEF\xBF\xBF"})
        result = replace_all(std::move(result), letter, "?");
    return result;
}

}  // namespace

std::string escaped(const std::string& text) { return quoted(visible(text)); }

std::string escaped_lines(const std::string& text) { return quoted(visible_lines(text, false)); }

}  // namespace ptxguard
