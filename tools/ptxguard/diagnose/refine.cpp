// SPDX-License-Identifier: Apache-2.0
#include "diagnose/refine.hpp"

#include <set>

#include "diagnose/question.hpp"
#include "model/ranges.hpp"

namespace ptxguard {
namespace {

const Refinement* find_refinement(std::string_view cause) {
    static const std::vector<Refinement> all = [] {
        std::vector<Refinement> joined;
        for (auto* some : {refinements_of_libraries, refinements_of_symbols, refinements_of_sources,
                           refinements_of_builds, refinements_of_packages, refinements_of_python,
                           refinements_of_versions, refinements_of_statements}) {
            const std::vector<Refinement> part = some();
            append(joined, part);
        }
        return joined;
    }();
    return first_where(all, [&](const Refinement& one) { return cause == one.id; });
}

// Whether another message names the reason for which there is no driver.
bool says_why(const LogQuestion& question) {
    const auto is_reason = [](const Suspect& one) {
        static const std::set<std::string_view> reasons{"dkms_failed",           "kernel_module_refused",
                                                        "kernel_module_missing", "kernel_module_build",
                                                        "other_driver_in_use",   "gpu_driver_unfit"};
        return one.confidence >= likely && reasons.count(one.cause) != 0;
    };
    return any_of(question.all.messages,
                  [&](const FoundMessage& one) { return any_of(one.message->suspects, is_reason); });
}

// The same message has another cause where it comes from a container, or from WSL.
Suspects refined_by_place(const Suspects& suspects, const FoundMessages& all, const LogQuestion& question) {
    const auto of_container = [&] { return all.of_compose || question.has_value("container_command"); };
    const auto is_in_wsl = [&] { return all.of_wsl || question.has_value("wsl"); };
    Suspects result;
    for (const Suspect& suspect : suspects) {
        const std::string_view id = suspect.cause;
        const bool no_driver = id == "no_driver";
        if ((no_driver || id == "no_gpu_visible" || id == "cuda_unavailable") && is_in_wsl()) {
            result.push_back({"wsl_other_driver", at_most(suspect.confidence, likely)});
            result.push_back({suspect.cause, at_most(suspect.confidence, likely)});
            continue;
        }
        // Windows gives no process a GPU of its own.
        if (id == "gpu_busy" && is_in_wsl()) {
            result.push_back({"wsl_other_driver", at_most(suspect.confidence, likely)});
            result.push_back({suspect.cause, possible});
            continue;
        }
        // Error 35 is of old drivers, and of none.
        if (id == "driver_too_old" && question.value("driver").empty() && question.has_cause("no_smi")) {
            result.push_back({"no_driver", at_most(suspect.confidence, likely)});
            result.push_back({suspect.cause, possible});
            continue;
        }
        // The kernel's, modprobe's or DKMS's own words say why.
        if (no_driver && says_why(question)) {
            result.push_back({suspect.cause, at_most(suspect.confidence, possible)});
            continue;
        }
        // Error 35 beside a driver of CUDA 12.4 or newer: the container does not see it.
        if (id == "driver_too_old" && question.value("runtime").empty() && all.of_container &&
            cuda_of_driver(question) >= 1204) {
            result.push_back({"container_sees_no_gpu", at_most(suspect.confidence, likely)});
            result.push_back({suspect.cause, possible});
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
    LogQuestion question{message, all, values, facts, certain};
    if (is_statement(*message.message)) result = weighed_statement(question, result);
    result = weighed_by_owner(question, result);
    return weighed_by_line(message, refined_by_place(result, all, question));
}

}  // namespace ptxguard
