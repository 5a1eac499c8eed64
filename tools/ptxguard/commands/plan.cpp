// `ptxguard plan`: which build of a framework to install for a driver, GPUs and a Python, before anything is
// installed.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "commands/command.hpp"
#include "commands/constraints.hpp"
#include "commands/plan_together.hpp"
#include "commands/run.hpp"
#include "judge/fitting_builds.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "report/report.hpp"

namespace ptxguard {
namespace {

// PowerShell 5 has no "&&", and cmd no single quotes.
void speak_windows(std::vector<InstallLine>& lines) {
    for (InstallLine& one : lines)
        one.text = replace_all(replace_all(std::move(one.text), "'", "\""), " && ", "\n");
}

class PlanRun {
public:
    PlanRun(const Run& run, const Settings& settings, const PlanTable& words)
        : m_facts(run.facts), m_settings(settings), m_planner(*run.host, run.facts, words) {}

    void add(const Wish& wish) {
        const std::vector<Wish> machines = machines_of(wish, m_settings);
        if (wish.unlisted) return add_unlisted(wish);
        const bool nodes = m_settings.has("node");
        std::vector<PlanAnswer> answers;
        for (const Wish& machine : machines) answers.push_back(m_planner.plan(machine));
        PlanAnswer all = nodes ? m_planner.plan_for_all(wish, machines) : m_planner.plan(wish);
        all.set.all = !machines.empty();
        add_columns(machines, answers, all);
        const bool listed = wish.package.empty() && !wish.nothing && !all.set.settled;
        const auto choice = nodes || !listed ? all.build : m_planner.choice_for(wish);
        if (choice) {
            if (all.set.install.empty()) all.set.install = m_planner.install_lines(*choice, wish);
            for (const std::string& line : planned_constraints(*choice, m_planner.machine_of(wish), m_facts))
                add_once(constraints, line);
        }
        if (nodes)
            for (std::size_t i = 0; i < machines.size(); ++i)
                judge_on(machines[i], answers[i].build, scenario_of(i, machines[i]));
        else
            judge_as_a_whole(wish, all, choice);
        const auto fits = [](const PlanAnswer& answer) { return !answer.set.builds.empty(); };
        all_fit = all_fit && (nodes ? all_of(answers, fits) : fits(all));
        for (PlanAnswer& answer : answers) add_set(std::move(answer.set), wish);
        add_set(std::move(all.set), wish);
    }

    void add_together(const std::vector<Wish>& wishes) {
        auto together = plan_together(m_planner, wishes, m_settings, m_facts);
        if (!together) return;
        all_fit = all_fit && !together->builds.empty();
        add_set(std::move(together->set), wishes.front());
    }

    Report report;
    std::vector<std::string> constraints;
    bool all_fit = true;

private:
    void add_set(PlannedSet set, const Wish& wish) {
        if (wish.system == System::windows && !set.settled) speak_windows(set.install);
        const bool says_why = !set.says.empty() || !set.because.empty() || !set.without.empty();
        if (!set.builds.empty())
            set.fit = PlannedFit::runs;
        else if (!set.unproven.empty() || !set.unknown.empty() || !says_why)
            set.fit = PlannedFit::unknown;
        report.sets.push_back(std::move(set));
    }

    void add_unlisted(const Wish& wish) {
        all_fit = false;
        add_set(m_planner.plan(wish).set, wish);
    }

    // The builds of all rows, each on each machine, and how to install that of the row.
    void add_columns(const std::vector<Wish>& machines, std::vector<PlanAnswer>& answers,
                     const PlanAnswer& all) const {
        std::vector<Step> columns;
        const auto add_column = [&](const std::optional<Step>& build) {
            if (build && none_of(columns, [&](const Step& one) { return title_of(one) == title_of(*build); }))
                columns.push_back(*build);
        };
        for (const PlanAnswer& answer : answers) add_column(answer.build);
        add_column(all.build);
        std::stable_sort(columns.begin(), columns.end(),
                         [](const Step& a, const Step& b) { return b.version < a.version; });
        for (std::size_t i = 0; i < answers.size(); ++i) {
            PlannedSet& set = answers[i].set;
            for (const Step& build : columns) set.cells.push_back(m_planner.cell(machines[i], build));
            if (!answers[i].build) continue;
            set.install = m_planner.install_lines(*answers[i].build, machines[i]);
            set.install.resize(1);
        }
    }

    Scenario& scenario_of(std::size_t at, const Wish& machine) {
        if (report.scenarios.size() <= at) report.scenarios.push_back(m_planner.machine_of(machine));
        return report.scenarios[at];
    }

    void judge_on(const Wish& machine, const std::optional<Step>& build, Scenario& scenario) const {
        if (machine.nothing || machine.macos || !machine.package.empty()) return;
        Expectation framework = m_planner.framework_of(machine);
        if (build) framework = *published_build(*build, framework, machine.system, m_facts);
        if (framework.version) scenario.expectations.push_back(std::move(framework));
    }

    // Judged again: what runs, else what was named, else the newest build; only the machine if no framework
    // runs on it.
    void judge_as_a_whole(const Wish& wish, const PlanAnswer& all, std::optional<Step> choice) {
        Scenario& scenario = scenario_of(0, wish);
        if (all.set.settled) scenario.source = SourceKind::binary;  // no driver or GPU helps
        const bool listed = wish.package.empty() && !wish.macos && !wish.nothing && !all.set.settled;
        const bool open_on_arm = m_planner.has_arm(wish) && !all.set.unproven.empty();
        if (!listed || open_on_arm) return;  // the tables list the code of another wheel
        Expectation framework = m_planner.framework_of(wish);
        if (!choice && m_planner.is_possible(wish)) choice = m_planner.newest(wish);
        if (choice && (!all.set.builds.empty() || !framework.version))
            framework = *published_build(*choice, framework, wish.system, m_facts);
        if (framework.version) scenario.expectations.push_back(std::move(framework));
    }

    const Facts& m_facts;
    const Settings& m_settings;
    const Planner m_planner;
};

std::string why_none_fits(const Scenario& machine) {
    if (machine.drivers.empty() && machine.gpus.empty()) return "neither a driver nor a GPU is named";
    return "no listed build is known to fit";
}

}  // namespace

int run_plan(const Settings& settings) {
    auto run = prepare_run(settings, true);
    if (!run) return usage_error("plan", run.trouble());
    const auto words = read_plan_table(run->facts);
    if (!words) return usage_error("plan", words.trouble());
    const auto wishes = wishes_from(settings, *run->host, run->facts, *words);
    if (!wishes) return usage_error("plan", wishes.trouble());
    PlanRun plan(*run, settings, *words);
    for (const Wish& wish : *wishes) plan.add(wish);
    if (wishes->size() > 1) plan.add_together(*wishes);
    if (!plan.all_fit) run->missing = why_none_fits(plan.report.scenarios.front());
    const int code = finish_run("plan", *run, settings, std::move(plan.report));
    return write_constraints(settings, plan.constraints, run->found_errors, code);
}

}  // namespace ptxguard
