// SPDX-License-Identifier: Apache-2.0
#include "commands/later.hpp"

#include <algorithm>
#include <string_view>

#include "judge/build_questions.hpp"
#include "judge/judge.hpp"

namespace ptxguard {

bool decides_later(const Settings& settings, const std::string& what) {
    const std::vector<std::string>& all = settings.all("later");
    return std::find(all.begin(), all.end(), what) != all.end();
}

std::set<std::string> rules_for_later(const Settings& settings) {
    std::set<std::string> codes;
    if (decides_later(settings, "host-compiler")) codes = {"CC108", "CC116"};
    if (decides_later(settings, "driver")) codes.insert({"CC202", "CC204", "CC206"});
    if (!decides_later(settings, "toolkit")) return codes;
    for (const Rule& rule : rules()) {
        const std::string_view area = rule.area;
        if (area == "toolkit" || area == "PTX" || area == "architectures" || area == "driver")
            codes.insert(rule.code);
    }
    for (const char* code : {"CC005", "CC304", "CC305", "CC307", "CC601", "CC602"}) codes.insert(code);
    for (const char* code : {"CC209", "CC210", "CC212", "CC219"}) codes.erase(code);  // of the driver only
    return codes;
}

std::vector<Scenario> judged_now(const std::vector<Scenario>& found, const Settings& settings) {
    std::vector<Scenario> scenarios = found;
    if (decides_later(settings, "architectures"))
        for (Scenario& scenario : scenarios) decide_architectures_later(scenario);
    return scenarios;
}

}  // namespace ptxguard
