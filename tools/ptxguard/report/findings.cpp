// SPDX-License-Identifier: Apache-2.0
#include "report/findings.hpp"

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

std::string fingerprint(const Finding& finding) {
    const std::string file = finding.location ? finding.location->file : "";
    return fnv1a(finding.code + '\n' + finding.subject + '\n' + finding.scenario + '\n' + file);
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
        for (auto at = result.find(letter); at != std::string::npos; at = result.find(letter))
            result.replace(at, 3, "?");
    return result;
}

}  // namespace

std::string escaped(const std::string& text) { return quoted(visible(text)); }

std::string escaped_lines(const std::string& text) { return quoted(visible_lines(text, false)); }

}  // namespace ptxguard
