// The plan: steps after which no error remains, and alternatives.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "model/ranges.hpp"
#include "report/report.hpp"
#include "report/table.hpp"

namespace ptxguard {
namespace {

std::string in_one_line(const Plan& plan) {
    std::string text;
    for (const Fix& step : plan.steps) text += (text.empty() ? "" : ", then ") + step.text;
    return text;
}

}  // namespace

bool shows_plan(const Judgement& judgement) {
    const auto causes =
        std::count_if(judgement.findings.begin(), judgement.findings.end(), [](const Finding& finding) {
            return finding.level == Level::error && !finding.suppressed && !finding.caused_by;
        });
    const auto has_steps = [](const Plan& plan) { return plan.steps.size() > 1; };
    const std::vector<Plan>& plans = judgement.plans;
    return !plans.empty() && (causes > 1 || any_of(plans, has_steps));
}

std::string plan_text(const std::vector<Plan>& plans, const ReportOptions& options) {
    const Plan& first = plans.front();
    const bool one = first.steps.size() == 1;
    const std::string head = plans.size() > 1 && one ? "Any one of these fixes everything:"
                             : one                   ? "This fixes everything:"
                                                     : "These steps together fix everything:";
    std::string text = (options.color ? "\x1b[1m" + head + "\x1b[0m" : head) + "\n";
    for (std::size_t i = 0; i < first.steps.size(); ++i)
        text += line("  " + (one ? "" : std::to_string(i + 1) + ". ") + first.steps[i].text);
    for (std::size_t i = 1; i < plans.size(); ++i)
        text += line((one ? "  " : "  or: ") + in_one_line(plans[i]));
    return text + "\n";
}

}  // namespace ptxguard
