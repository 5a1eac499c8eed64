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

bool is_in_wsl(const LogQuestion& question) { return question.all.of_wsl || question.has_value("wsl"); }

bool is_in_container(const LogQuestion& question) {
    return question.all.of_compose || question.has_value("container_command");
}

// A cause that another one replaces or joins where a message comes from a container, from WSL, or beside
// others.
struct Displaced {
    std::vector<std::string_view> causes;
    bool (*is_so)(const LogQuestion& question);
    const char* other;   // before it; null = none
    Confidence at_most;  // of the other
    Confidence rest;     // at most that of the cause itself from then on
};

// The first that holds is taken.
const std::vector<Displaced>& displacements() {
    static const std::vector<Displaced> all = {
        {{"no_driver", "no_gpu_visible", "cuda_unavailable"}, is_in_wsl, "wsl_other_driver", likely, likely},
        // Windows gives no process a GPU of its own.
        {{"gpu_busy"}, is_in_wsl, "wsl_other_driver", likely, possible},
        // Error 35 is of old drivers, and of none.
        {{"driver_too_old"},
         [](const LogQuestion& q) { return q.value("driver").empty() && q.has_cause("no_smi"); },
         "no_driver",
         likely,
         possible},
        // The kernel's, modprobe's or DKMS's own words say why.
        {{"no_driver"}, says_why, nullptr, possible, possible},
        // Error 35 beside a driver of CUDA 12.4 or newer: the container does not see it.
        {{"driver_too_old"},
         [](const LogQuestion& q) {
             return q.value("runtime").empty() && q.all.of_container && cuda_of_driver(q) >= 1204;
         },
         "container_sees_no_gpu",
         likely,
         possible},
        {{"no_driver"}, is_in_container, "container_sees_no_gpu", certain, certain},
    };
    return all;
}

Suspects refined_by_place(const Suspects& suspects, const LogQuestion& question) {
    Suspects result;
    for (const Suspect& suspect : suspects) {
        const Displaced* row = first_where(displacements(), [&](const Displaced& one) {
            return contains(one.causes, std::string_view(suspect.cause)) && one.is_so(question);
        });
        if (row && row->other) result.push_back({row->other, at_most(suspect.confidence, row->at_most)});
        result.push_back({suspect.cause, row ? at_most(suspect.confidence, row->rest) : suspect.confidence});
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
    return weighed_by_line(message, refined_by_place(result, question));
}

}  // namespace ptxguard
