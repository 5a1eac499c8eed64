// Which builds run on the machines of a wish, in words for `plan`. Judges scenarios made only of the wishes;
// nothing of this machine but its active Python counts.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "commands/plan_wish.hpp"
#include "facts/plan_table.hpp"
#include "facts/pypi.hpp"
#include "judge/plan.hpp"
#include "model/planned.hpp"
#include "python/requirement.hpp"

namespace ptxguard {

struct PlanAnswer {
    PlannedSet set;
    std::optional<Step> build;  // the first that runs
};

std::string title_of(const Step& build);  // "torch 2.11.0+cu126"
PlannedNeed needs_driver(const Version& first);

class Planner {
public:
    Planner(const Host& host, const Facts& facts, const PlanTable& words)
        : m_host(host), m_facts(facts), m_words(words) {}

    // The drivers, GPUs and Python of a wish, without a framework.
    Scenario machine_of(const Wish& wish) const;
    Expectation framework_of(const Wish& wish) const;
    // Of the named release and build, if any. `installable`: only those that pip installs with their CUDA.
    std::vector<Fix> builds_of(const Wish& wish, bool installable) const;
    // Newest first; at most `most`.
    std::vector<Fix> running(const Wish& wish, const Scenario& machine, std::size_t most) const;

    PlanAnswer plan(const Wish& wish) const;
    // Builds that run on each of them.
    std::vector<Step> running_on_all(const Wish& wish, const std::vector<Wish>& machines,
                                     std::size_t most) const;
    PlanAnswer plan_for_all(const Wish& wish, const std::vector<Wish>& machines) const;
    PlannedCell cell(const Wish& machine, const Step& build) const;

    bool is_possible(const Wish& wish) const;  // false: the driver is older than the GPU
    bool has_arm(const Wish& wish) const;      // a GPU beside a processor of Arm
    // What to install: the newest build that runs; if none does, one that breaks a wish about the framework.
    // Nothing if one may run that is not known to.
    std::optional<Step> choice_for(Wish wish) const;
    std::optional<Step> newest(const Wish& wish) const;
    std::vector<InstallLine> install_lines(const Step& step, const Wish& wish) const;

private:
    std::string python_for(const Wish& wish, const std::optional<Version>& newest) const;
    std::vector<InstallLine> lines_for(const std::string& words, const std::string& name,
                                       const std::string& python, const Wish& wish) const;
    JudgeOne judge() const;
    std::optional<OpenBuild> left_open(const Wish& wish, const Scenario& machine) const;
    void answer_by_builds(const std::vector<Fix>& builds, const Wish& wish, const Scenario& machine,
                          PlanAnswer& answer) const;
    void answer_by_open_build(const OpenBuild& open, const Wish& wish, const Scenario& machine,
                              PlannedSet& set) const;
    void say_why_none(const Wish& wish, const Scenario& machine, PlannedSet& set) const;
    void judge_named(const Expectation& like, const Scenario& machine, PlannedSet& set) const;
    void find_wish_in_the_way(const Wish& wish, PlannedSet& set) const;
    // The first that runs of `complete`, which bring their CUDA, else the first of `builds` that is left
    // open.
    std::optional<OpenBuild> first_fitting(const Expectation& like, const std::vector<Fix>& complete,
                                           const std::vector<Fix>& builds, const Scenario& machine) const;
    // `machine`: of the builds' system, `here`: the one whose driver counts; both without drivers.
    void add_driver_in_the_way(const Wish& wish, const std::vector<Fix>& builds, const Scenario& machine,
                               const Scenario& here, PlannedSet& set) const;
    bool brings_cuda(const Step& build) const;  // pip installs it with its CUDA libraries
    std::optional<Version> driver_for(const Version& cuda, const Scenario& machine) const;
    std::vector<PlannedNeed> provided_for(const Step& build, const Wish& wish, const Scenario& machine) const;

    // plan_answers.cpp: where no table of builds has the answer. True: that is the answer.
    bool answer_by_system(const Wish& wish, PlannedSet& set) const;
    bool answer_by_linux_build(const Wish& wish, PlannedSet& set) const;
    bool answer_by_other_system(const Wish& wish, const Wish& linux_, PlannedSet& set) const;
    bool say_why_none_on_windows(const Wish& wish, const std::vector<Fix>& builds, PlannedSet& set) const;
    bool answer_by_board(const Wish& wish, const Scenario& machine, PlannedSet& set) const;
    bool answer_at_run_time(const Wish& wish, const Scenario& machine, PlannedSet& set) const;
    void add_at_run_time(const AtRunTime& row, const Wish& wish, const Scenario& machine,
                         PlannedSet& set) const;
    struct PackageFiles {
        bool pure, compiled, on_index;  // Python only; wheels with its device code; PyTorch's index has it
    };
    PackageFiles files_of(const PypiRow& row, const std::string& package) const;
    std::optional<Step> build_for_package(const Requirement& required, const PackageFiles& files,
                                          const std::vector<Fix>& builds) const;
    bool add_package(const Wish& wish, const Version& version, const Step& below, const PackageFiles& files,
                     PlannedSet& set) const;
    bool answer_for_package(const Wish& wish, PlannedSet& set) const;
    bool has_arm_wheel(const Step& build) const;

    const Host& m_host;
    const Facts& m_facts;
    const PlanTable& m_words;
};

}  // namespace ptxguard
