// SPDX-License-Identifier: Apache-2.0
#include "judge/check_list.hpp"

#include <algorithm>
#include <iterator>

namespace ptxguard {
namespace {

// `effect` follows from `cause` where both are about the same toolkit or framework. The first row that fits
// counts.
struct Row {
    const char *cause, *effect;
    std::string Finding::*shared;
};
const Row k_rows[] = {
    {"CC104", "CC201", &Finding::toolkit},  // components of two releases: cicc's PTX is too new for ptxas
    // The CUDA that a framework needs is not installed: neither its DLLs nor its tools are there.
    {"CC501", "CC502", &Finding::package},
    {"CC501", "CC109", &Finding::package},
    {"CC501", "CC111", &Finding::package},
    {"CC502", "CC109", &Finding::package},
    {"CC502", "CC111", &Finding::package},
    {"CC401", "CC109", &Finding::package},
    {"CC401", "CC111", &Finding::package},
};

// A folder that is there and that a misspelt entry means: nothing is missing but the entry.
bool has_misspelt_entry(const Scenario& scenario) {
    const auto is_misspelt = [](const auto& one) {
        return one.problem == PathProblem::missing && !one.nearest.empty();
    };
    return std::any_of(scenario.entries.begin(), scenario.entries.end(), is_misspelt) ||
           std::any_of(scenario.selectors.begin(), scenario.selectors.end(), is_misspelt);
}

bool follows(const Row& row, const Finding& effect, const Finding& cause, const Scenario& scenario) {
    if (cause.level != Level::error || cause.suppressed || effect.level < Level::warning) return false;
    if (cause.scenario != scenario.name || effect.scenario != scenario.name) return false;
    const std::string& about = cause.*row.shared;
    const bool of_framework = row.shared == &Finding::package;
    return effect.code == row.effect && !about.empty() && about == effect.*row.shared &&
           !(of_framework && has_misspelt_entry(scenario));
}

}  // namespace

void name_causes(const std::vector<Scenario>& scenarios, std::vector<Finding>& findings) {
    for (const Scenario& scenario : scenarios)
        for (const Row& row : k_rows)  // the roots first
            for (const Finding& cause : findings) {
                if (cause.code != row.cause || cause.caused_by) continue;
                for (Finding& effect : findings)
                    if (!effect.caused_by && follows(row, effect, cause, scenario))
                        effect.caused_by = FindingKey{cause.code, cause.subject};
            }
}

}  // namespace ptxguard
