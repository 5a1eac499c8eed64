// SPDX-License-Identifier: Apache-2.0
#include "judge/plan.hpp"

#include <algorithm>
#include <deque>
#include <string>

#include "judge/entry_fit.hpp"
#include "judge/fitting_builds.hpp"
#include "judge/fixes.hpp"
#include "judge/framework_questions.hpp"
#include "judge/judge.hpp"
#include "judge/steps.hpp"

namespace ptxguard {
namespace {

constexpr std::size_t k_most_steps = 3, k_most_plans = 4, k_most_trials = 60;

bool is_error(const Finding& finding) { return finding.level == Level::error && !finding.suppressed; }
bool is_open(const Finding& finding) {
    return finding.level == Level::unknown && finding.required && !finding.suppressed;
}
bool is_same(const Finding& a, const Finding& b) { return a.code == b.code && a.subject == b.subject; }

bool holds(const Findings& all, const Finding& one) {
    return any_of(all, [&](const Finding& other) {
        return is_same(one, other) && other.level >= one.level && !other.suppressed;
    });
}

bool any_error(const Findings& all) { return any_of(all, is_error); }

// A decided question became open, which is not a fix. Subjects contain the driver's name.
bool any_newly_open(const Findings& all, const Findings& before) {
    return any_of(all, [&](const Finding& one) {
        return is_open(one) && none_of(before, [&](const Finding& other) {
                   return is_open(other) && other.code == one.code;
               });
    });
}

std::ptrdiff_t count_like(const Findings& all, const Finding& one) {
    return std::count_if(all.begin(), all.end(), [&](const Finding& other) {
        return other.code == one.code && other.level >= one.level && !other.suppressed;
    });
}

// It follows from a finding that has disappeared.
bool is_cured(const Finding& effect, const Findings& now) {
    return effect.caused_by &&
           none_of(now, [&](const Finding& one) { return is_error(one) && follows_from(effect, one); });
}

// A set contains at most one step for each place.
std::pair<StepKind, std::string> place_of(const Step& step) {
    if (step.kind == StepKind::search_path) return {step.kind, SAY("{}:{}", step.from, step.to)};
    return {step.kind, step.kind == StepKind::framework ? step.subject : ""};
}

bool is_equal(const Step& a, const Step& b) {
    return place_of(a) == place_of(b) && a.subject == b.subject && a.version == b.version &&
           a.cuda == b.cuda && a.targets == b.targets && a.number == b.number;
}

const Expectation* framework_of(const Step& step, const Scenario& scenario) {
    return first_where(scenario.expectations,
                       [&](const Expectation& one) { return one.package == step.subject; });
}

// A build for another CUDA, which this finding itself offers: its rule found the libraries of that one.
bool brings_libraries(const Step& step, const Finding& finding, const Scenario& scenario) {
    const Expectation* now = framework_of(step, scenario);
    return now && now->cuda && step.cuda && now->cuda->major() != step.cuda->major() &&
           any_of(finding.fix, [&](const Fix& fix) { return fix.step && is_equal(*fix.step, step); });
}

// The findings after the step. An error still counts if it disappeared only because the framework's old
// libraries were removed from the facts.
std::optional<Findings> judge_after(const Step& step, const Scenario& scenario, const Findings& before,
                                    const Facts& facts, const JudgeOne& judge_one) {
    const auto copy = after(step, scenario, facts);
    if (!copy) return std::nullopt;
    Findings findings = judge_one(*copy);
    if (step.kind == StepKind::framework) {
        const Findings forgotten = judge_one(without_libraries(scenario, step.subject, facts));
        for (const Finding& one : before)
            if (is_error(one) && !holds(forgotten, one) && !is_cured(one, findings) &&
                !brings_libraries(step, one, scenario))
                findings.push_back(one);
    }
    return findings;
}

bool helps(const Finding& finding, const Findings& before, const Findings& now) {
    if (holds(now, finding) || count_like(now, finding) >= count_like(before, finding)) return false;
    if (any_newly_open(now, before)) return false;
    return all_of(now, [&](const Finding& one) { return !is_error(one) || holds(before, one); });
}

// Cheapest first.
struct Cost {
    int rank;
    std::string text;
};
Cost cost_of(const Step& step, const Scenario& scenario) {
    switch (step.kind) {
        case StepKind::architectures: return {0, "other architectures"};
        case StepKind::cxx_abi:
        case StepKind::cxx_standard: return {0, "other compiler options"};
        case StepKind::framework: {
            const Expectation* now = framework_of(step, scenario);
            const bool same =
                now && now->version && now->version->without_local() == step.version.without_local();
            if (same) return {1, "another build of the same release"};
            return {3, SAY("another release of {}", step.subject)};
        }
        case StepKind::search_path: return {0, SAY("another {}", step.subject)};
        case StepKind::toolkit:
            if (!step.subject.empty() && !scenario.build_toolkit()) return {0, "another setting"};
            return {step.subject.empty() ? 4 : 2, "another CUDA toolkit"};
        case StepKind::driver: break;
    }
    return {5, "a newer driver"};
}

// The steps that were tried on the scenario itself: fixes and plans try the same ones.
class Trials {
public:
    Trials(const Scenario& scenario, const Facts& facts, const JudgeOne& judge_one, const Findings& before)
        : m_scenario(scenario), m_facts(facts), m_judge_one(judge_one), m_before(before) {}

    // The findings after that step; nothing if it changes no facts.
    const std::optional<Findings>& of(const Step& step) {
        for (const auto& [other, now] : m_tried)
            if (is_equal(step, other)) return now;
        return m_tried.emplace_back(step, judge_after(step, m_scenario, m_before, m_facts, m_judge_one))
            .second;
    }

private:
    const Scenario& m_scenario;
    const Facts& m_facts;
    const JudgeOne& m_judge_one;
    const Findings& m_before;
    std::deque<std::pair<Step, std::optional<Findings>>> m_tried;
};

struct State {
    Scenario scenario;
    Findings findings;
    std::vector<Fix> steps;
};

struct Search {
    const Scenario& scenario;
    const Facts& facts;
    const JudgeOne& judge_one;
    const Findings& before;
    Trials& trials;
    std::size_t tried = 0;
    std::vector<State> solved = {};

    // If no rule offers a build that runs: the same release first, then the last older one, then the first
    // newer one that runs.
    void add_builds(const State& state, std::vector<Fix>& fixes) const {
        if (only_boards(state.scenario, facts)) return;  // the tables list builds for other machines
        for (const Expectation& one : state.scenario.expectations) {
            if (!one.version || !one.may_use_cuda()) continue;
            std::vector<Fix> offered;
            for (const Fix& fix : fixes)
                if (fix.step->kind == StepKind::framework && fix.step->subject == one.package)
                    offered.push_back(fix);
            if (!any_error(judge_one(meeting_of(one, state.scenario))) ||
                !builds_that_run(one, offered, 1, state.scenario, facts, judge_one).empty())
                continue;
            const BuildsAround builds = builds_around(one, state.scenario, facts);
            for (const auto* some : {&builds.same, &builds.older, &builds.newer}) {
                const auto found = builds_that_run(one, *some, 1, state.scenario, facts, judge_one);
                append(fixes, found);
                if (some == &builds.same && !found.empty()) break;
            }
        }
    }

    std::vector<Fix> candidates(const State& state) const {
        std::vector<Fix> fixes, unique;
        for (const Finding& finding : state.findings)
            if (is_error(finding))
                for (const Fix& fix : finding.fix)
                    if (fix.step) fixes.push_back(fix);
        add_builds(state, fixes);
        for (const Fix& fix : fixes) {
            auto* same =
                first_where(unique, [&](const Fix& other) { return is_equal(*fix.step, *other.step); });
            const bool is_done = any_of(
                state.steps, [&](const Fix& other) { return place_of(*fix.step) == place_of(*other.step); });
            if (same && same->kind == FixKind::manual)
                *same = fix;  // prefer a command
            else if (!same && !is_done)
                unique.push_back(fix);
        }
        return unique;
    }

    bool is_known(const std::vector<Fix>& steps) const {
        return any_of(solved, [&](const State& other) {
            return all_of(steps, [&](const Fix& step) {
                return any_of(other.steps, [&](const Fix& one) { return is_equal(*step.step, *one.step); });
            });
        });
    }

    std::vector<State> widen(const std::vector<State>& states) {
        std::vector<State> next;
        for (const State& state : states)
            for (const Fix& fix : candidates(state)) {
                if (++tried > k_most_trials) return next;
                const auto now = state.steps.empty() ? trials.of(*fix.step)
                                                     : judge_after(*fix.step, state.scenario, state.findings,
                                                                   facts, judge_one);
                if (!now) continue;
                State one{*after(*fix.step, state.scenario, facts), *now, state.steps};
                one.steps.push_back(fix);
                const bool done = !any_error(one.findings) && !any_newly_open(one.findings, before);
                if (!done)
                    next.push_back(std::move(one));
                else if (!is_known(one.steps))
                    solved.push_back(std::move(one));
            }
        return next;
    }
};

// The smallest sets of steps after which no error remains. Steps come from the fixes of errors and from the
// published builds of the frameworks.
std::vector<Plan> make_plans(const Scenario& scenario, const Facts& facts, const JudgeOne& judge_one,
                             const Findings& findings, Trials& trials) {
    if (!any_error(findings)) return {};
    Search search{scenario, facts, judge_one, findings, trials};
    std::vector<State> states{{scenario, findings, {}}};
    for (std::size_t steps = 0; steps < k_most_steps && search.solved.empty(); ++steps)
        states = search.widen(states);
    std::vector<std::pair<int, Plan>> ranked;
    for (State& solved : search.solved) {
        int rank = 0;
        Plan plan{std::move(solved.steps), ""};
        for (const Fix& fix : plan.steps) {
            const Cost cost = cost_of(*fix.step, scenario);
            rank += cost.rank;
            plan.costs += plan.costs.empty() ? cost.text : SAY(", {}", cost.text);
        }
        ranked.emplace_back(rank, std::move(plan));
    }
    std::stable_sort(ranked.begin(), ranked.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<Plan> plans;
    for (auto& [rank, plan] : ranked)
        if (plans.size() < k_most_plans) plans.push_back(std::move(plan));
    return plans;
}

void drop_useless_fixes(const Findings& before, Trials& trials, std::vector<Finding>& findings) {
    for (Finding& finding : findings) {
        if (finding.level < Level::warning || finding.suppressed) continue;
        auto& all = finding.fix;
        const auto is_useless = [&](const Fix& fix) {
            const auto now = fix.step ? trials.of(*fix.step) : std::nullopt;
            return now && !helps(finding, before, *now);
        };
        erase_if(all, is_useless);
    }
}

// If there is one cause and each plan is one step, its finding offers them all, a driver last.
void offer_plans(const std::vector<Plan>& plans, std::vector<Finding>& findings) {
    Finding* cause = nullptr;
    for (Finding& finding : findings) {
        if (!is_error(finding) || finding.caused_by) continue;
        if (cause) return;
        cause = &finding;
    }
    const auto is_one_step = [](const Plan& plan) { return plan.steps.size() == 1; };
    if (!cause || plans.empty() || !all_of(plans, is_one_step)) return;
    for (const Plan& plan : plans) {
        const Fix& step = plan.steps.front();
        if (none_of(cause->fix, [&](const Fix& fix) { return fix.step && is_equal(*fix.step, *step.step); }))
            cause->fix.push_back(step);
    }
    put_easiest_first(cause->fix);
}

// PTX of an old target is not recommended: the libraries that the build links have none for that GPU.
bool holds_cubins(const Expectation& build, const Scenario& scenario, const Facts& facts) {
    const std::vector<const Gpu*> gpus = gpus_judged(scenario);
    return all_of(gpus, [&](const Gpu* gpu) {
        return build.archs && code_fit(*build.archs, *gpu->arch, scenario, facts) == CodeFit::cubin;
    });
}

// The GPUs for which a build has only PTX, with libraries of the CUDA major that supports them, or that are
// newer than the tables; nothing if one has no code. A build whose code no table lists has none for a GPU
// that is newer than its CUDA major.
std::optional<std::vector<const Gpu*>> gpus_of_ptx(const Expectation& build, const Scenario& scenario,
                                                   const Facts& facts) {
    std::vector<const Gpu*> gpus;
    for (const Gpu* gpu : gpus_judged(scenario)) {
        const ArchFacts* arch = facts.arch(Arch{gpu->arch->number, 0});
        const bool of_this_major =
            build.cuda && arch && arch->first_toolkit && arch->first_toolkit->major() <= build.cuda->major();
        if (!build.archs && !of_this_major) return std::nullopt;
        if (!build.archs) continue;
        const CodeFit fit = code_fit(*build.archs, *gpu->arch, scenario, facts);
        if (fit == CodeFit::cubin) continue;
        if (fit != CodeFit::ptx || (arch && !of_this_major)) return std::nullopt;
        gpus.push_back(gpu);
    }
    return gpus;
}

// What no table lists about a build. The wheels of a release support only some Python versions.
std::vector<std::string> unlisted(const Expectation& build, const FrameworkRelease* release,
                                  const Scenario& scenario) {
    std::vector<std::string> unknown;
    if (!gpus_judged(scenario).empty() && !build.archs)
        unknown.push_back("which GPU architectures it has code for");
    if (!scenario.python.version.empty() && !(release && release->python_to))
        unknown.push_back("which Python versions it has wheels for");
    return unknown;
}

}  // namespace

std::vector<Fix> builds_that_run(const Expectation& like, const std::vector<Fix>& builds, std::size_t most,
                                 const Scenario& scenario, const Facts& facts, const JudgeOne& judge_one) {
    std::vector<Fix> fitting;
    for (const Fix& fix : builds) {
        const auto build = published_build(*fix.step, like, scenario.system, facts);
        const FrameworkRelease* release = facts.framework_release(fix.step->package, fix.step->version);
        if (!build || is_other_patch(like, fix.step->version, facts)) continue;
        if (!unlisted(*build, release, scenario).empty() || !holds_cubins(*build, scenario, facts)) continue;
        const Findings findings = judge_one(meeting_of(*build, scenario));
        if (any_error(findings) || any_newly_open(findings, {})) continue;
        fitting.push_back(fix);
        if (fitting.size() == most) break;
    }
    return fitting;
}

bool is_of_unlisted_archs(const Finding& finding) {
    const Rule* const rule = find_rule(finding.code);
    return rule && rule->head.open_without_archs;
}

std::optional<OpenBuild> build_left_open(const Expectation& like, const std::vector<Fix>& builds,
                                         const Scenario& scenario, const Facts& facts,
                                         const JudgeOne& judge_one) {
    for (const Fix& fix : builds) {
        const auto build = published_build(*fix.step, like, scenario.system, facts);
        const auto by_ptx = build ? gpus_of_ptx(*build, scenario, facts) : std::nullopt;
        if (!by_ptx) continue;
        const Findings findings = judge_one(meeting_of(*build, scenario));
        if (any_error(findings)) continue;
        const FrameworkRelease* release = facts.framework_release(fix.step->package, fix.step->version);
        OpenBuild open{fix, unlisted(*build, release, scenario)};
        for (const Gpu* gpu : *by_ptx)
            open.unknown.push_back(SAY("whether it runs on {}, for which it has only PTX", name_of(*gpu)));
        if (!release || release->pip.empty()) {
            const std::string cudnn = build->cudnn ? SAY(" and cuDNN {}", build->cudnn->text) : "";
            open.unknown.push_back(
                cudnn.empty()
                    ? SAY("whether CUDA {}{} is there, which pip does not install", build->cuda->text, cudnn)
                    : SAY("whether CUDA {}{} are there, which pip does not install", build->cuda->text,
                          cudnn));
        }
        for (const Finding& finding : findings)
            if (is_open(finding) && (build->archs || !is_of_unlisted_archs(finding)))
                open.unknown.push_back(finding.message);
        return open;
    }
    return std::nullopt;
}

std::vector<Plan> prove_fixes(const Scenario& shown, const Facts& facts, const JudgeOne& judge_one,
                              std::vector<Finding>& findings) {
    // With --probe off a prediction is only a warning, and a plan has to mend it all the same (level_by).
    Scenario scenario = shown;
    const bool off = shown.probe_mode == ProbeMode::off && any_error(findings);
    if (off) scenario.probe_mode = ProbeMode::auto_;
    const Findings before = off ? judge_one(scenario) : findings;
    Trials trials(scenario, facts, judge_one, before);
    std::vector<Plan> plans = make_plans(scenario, facts, judge_one, before, trials);
    drop_useless_fixes(before, trials, findings);
    offer_plans(plans, findings);
    for (Plan& plan : plans) bound_installs(scenario, facts, plan.steps);
    for (Finding& finding : findings) bound_installs(scenario, facts, finding.fix);
    return plans;
}

}  // namespace ptxguard
