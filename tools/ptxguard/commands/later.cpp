// SPDX-License-Identifier: Apache-2.0
#include "commands/later.hpp"

#include <string_view>

#include "judge/build_questions.hpp"
#include "judge/judge.hpp"
#include "model/ranges.hpp"

namespace ptxguard {

bool decides_later(const Settings& settings, const std::string& what) {
    const std::vector<std::string>& all = settings.all("later");
    return contains(all, what);
}

std::set<std::string> rules_for_later(const Settings& settings) {
    const bool toolkit = decides_later(settings, "toolkit");
    std::set<std::string> codes;
    for (const Rule& rule : rules()) {
        const std::vector<std::string_view>& later = rule.head.later;
        const auto says = [&](std::string_view word) { return contains(later, word); };
        const std::string_view area = rule.area;
        const bool of_toolkit =
            area == "toolkit" || area == "PTX" || area == "architectures" || area == "driver";
        if ((toolkit && (of_toolkit || says("toolkit")) && !says("never")) ||
            (says("host-compiler") && decides_later(settings, "host-compiler")) ||
            (says("driver") && decides_later(settings, "driver")))
            codes.insert(rule.code);
    }
    return codes;
}

std::vector<Scenario> judged_now(const std::vector<Scenario>& found, const Settings& settings) {
    std::vector<Scenario> scenarios = found;
    if (decides_later(settings, "architectures"))
        for (Scenario& scenario : scenarios) decide_architectures_later(scenario);
    return scenarios;
}

}  // namespace ptxguard
