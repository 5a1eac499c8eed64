// SPDX-License-Identifier: Apache-2.0
#include "diagnose/refine.hpp"

#include <algorithm>

#include "diagnose/question.hpp"

namespace ptxguard {
namespace {

const Refinement* find_refinement(std::string_view cause) {
    static const std::vector<Refinement> all = [] {
        std::vector<Refinement> joined;
        for (auto* some :
             {refinements_of_libraries, refinements_of_symbols, refinements_of_sources, refinements_of_builds,
              refinements_of_packages, refinements_of_python, refinements_of_versions}) {
            const std::vector<Refinement> part = some();
            joined.insert(joined.end(), part.begin(), part.end());
        }
        return joined;
    }();
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const Refinement& one) { return cause == one.id; });
    return found == all.end() ? nullptr : &*found;
}

// The same message has another cause where it comes from a container, or from WSL.
Suspects refined_by_place(const Suspects& suspects, const FoundMessages& all, const LogQuestion& question) {
    const auto of_container = [&] { return all.of_compose || question.has_pattern("container_command"); };
    const auto is_in_wsl = [&] { return all.of_wsl || question.has_pattern("{wsl}"); };
    Suspects result;
    for (const Suspect& suspect : suspects) {
        const std::string_view id = suspect.cause;
        const bool no_driver = id == "no_driver";
        if (id == "cuda_unavailable" && is_in_wsl()) {
            result.push_back({"wsl_other_driver", at_most(suspect.confidence, likely)});
            result.push_back({suspect.cause, at_most(suspect.confidence, likely)});
            continue;
        }
        if ((no_driver || id == "no_gpu_visible") && is_in_wsl()) {
            result.push_back({"wsl_other_driver", at_most(suspect.confidence, likely)});
            result.push_back({suspect.cause, at_most(suspect.confidence, likely)});
            continue;
        }
        // Error 35 is of old drivers, and of none.
        if (id == "driver_too_old" && question.value("driver").empty() && question.has_cause("no_smi")) {
            result.push_back({"no_driver", at_most(suspect.confidence, likely)});
            result.push_back({suspect.cause, possible});
            continue;
        }
        // The kernel's or DKMS's own words say why.
        if (no_driver && question.has_cause("dkms_failed")) {
            result.push_back({suspect.cause, at_most(suspect.confidence, likely)});
            continue;
        }
        if (no_driver && of_container()) result.push_back({"container_sees_no_gpu", suspect.confidence});
        result.push_back(suspect);
    }
    return result;
}

}  // namespace

bool is_refined(std::string_view cause) { return find_refinement(cause) != nullptr; }

std::vector<Suspect> refined_suspects(const FoundMessage& message, const FoundMessages& all,
                                      LogValues& values, const Facts& facts) {
    Suspects result;
    for (const Suspect& suspect : message.message->suspects) {
        const Refinement* refinement = find_refinement(suspect.cause);
        if (!refinement) {
            result.push_back(suspect);
            continue;
        }
        LogQuestion question{message, all, values, facts, suspect.confidence};
        for (const Suspect& one : refinement->suspects(question)) result.push_back(one);
    }
    return refined_by_place(result, all, {message, all, values, facts, certain});
}

}  // namespace ptxguard
