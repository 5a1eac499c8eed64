// `ptxguard plan`: which build of a framework to install for a driver, GPUs and a Python, before anything is
// installed. Judges scenarios made only of the wishes; reads nothing of this machine.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "commands/command.hpp"
#include "commands/constraints.hpp"
#include "commands/run.hpp"
#include "discover/discover.hpp"
#include "expect/declared.hpp"
#include "host/host.hpp"
#include "judge/fitting_builds.hpp"
#include "judge/framework_questions.hpp"
#include "judge/judge.hpp"
#include "judge/plan.hpp"
#include "judge/ptx_questions.hpp"
#include "judge/steps.hpp"
#include "report/report.hpp"

namespace ptxguard {
namespace {

constexpr std::size_t k_most_builds = 3;

struct Wish {
    Request request;
    WantedFramework framework;
    System system = System::linux_;
};

std::string title_of(const Step& build) { return build.subject + " " + build.version.text; }

bool is_python(const std::string& text) {
    const auto version = parse_version(text);
    return version && version->numbers.size() > 1 && version->major() == 3;
}

class Planner {
public:
    Planner(const Host& host, const Facts& facts) : m_host(host), m_facts(facts) {}

    // The drivers, GPUs and Python of a wish, without a framework.
    Scenario machine_of(const Wish& wish) const {
        Scenario scenario;
        scenario.name = "what was named";
        scenario.system = wish.system;
        scenario.foreign = true;  // nothing can be run
        scenario.project.wanted = false;
        declare_drivers_and_gpus(m_host, m_facts, wish.request, scenario);
        scenario.python.version = wish.request.python;
        scenario.python.named = !wish.request.python.empty();
        return scenario;
    }

    Expectation framework_of(const Wish& wish) const {
        Expectation expectation = wish.framework.reader->declared(m_facts, wish.system, wish.framework.build);
        expectation.required = true;
        return expectation;
    }

    // Of the named release and build, if any.
    std::vector<Fix> builds_of(const Wish& wish, bool installable) const {
        const DeclaredBuild& named = wish.framework.build;
        std::vector<Fix> builds = published_builds(framework_of(wish), wish.system, m_facts, installable);
        builds.erase(std::remove_if(builds.begin(), builds.end(),
                                    [&](const Fix& fix) {
                                        const Version& version = fix.step->version;
                                        return (named.version && version != *named.version) ||
                                               (!named.build.empty() && version.local() != named.build);
                                    }),
                     builds.end());
        return builds;
    }

    std::vector<Fix> builds_that_run(const Wish& wish, const Scenario& machine, std::size_t most) const {
        return ptxguard::builds_that_run(framework_of(wish), builds_of(wish, true), most, machine, m_facts,
                                         judge());
    }

    PlannedSet plan(const Wish& wish) const {
        const Scenario machine = machine_of(wish);
        PlannedSet set;
        set.machine = words_of(machine);
        set.framework = wish.framework.build.text;
        const bool named = !machine.drivers.empty() || !machine.gpus.empty();
        if (named)
            for (const Fix& fix : builds_that_run(wish, machine, k_most_builds))
                set.builds.push_back(title_of(*fix.step));
        if (!set.builds.empty()) return set;
        if (const auto open = left_open(wish, machine)) {
            set.unproven = title_of(*open->build.step);
            set.unknown = open->unknown;
            if (!named) set.unknown.push_back("whether it runs (name --driver and --gpu)");
            return set;
        }
        if (const Expectation like = framework_of(wish); like.version) judge_named(like, machine, set);
        find_wish_in_the_way(wish, set);
        return set;
    }

    std::optional<OpenBuild> left_open(const Wish& wish, const Scenario& machine) const {
        return build_left_open(framework_of(wish), builds_of(wish, false), machine, m_facts, judge());
    }

    // False: the driver is older than the GPU.
    bool is_possible(const Wish& wish) const {
        const std::vector<Finding> findings = judge()(machine_of(wish));
        return std::none_of(findings.begin(), findings.end(),
                            [](const Finding& finding) { return finding.level == Level::error; });
    }

    // What to install, and how: the newest build that runs; if none does, one that breaks a wish about the
    // framework. Nothing if one may run that is not known to.
    std::optional<Step> choice_for(Wish wish) const {
        if (!plan(wish).unproven.empty()) return std::nullopt;
        for (;;) {
            const auto builds = builds_that_run(wish, machine_of(wish), 1);
            if (!builds.empty()) return *builds.front().step;
            DeclaredBuild& named = wish.framework.build;
            if (named.build.empty() && !named.version) return std::nullopt;
            if (named.build.empty()) named.version.reset();
            named.build.clear();
        }
    }

    std::optional<Step> newest(const Wish& wish) const {
        if (const auto open = left_open(wish, machine_of(wish))) return *open->build.step;
        const auto builds = published_builds(framework_of(wish), wish.system, m_facts);
        return builds.empty() ? std::nullopt : builds.front().step;
    }

    // A wheel contains its CUDA: an image or an environment with Python is enough.
    std::vector<InstallLine> install_lines(const Step& step, const Wish& wish) const {
        const System system = wish.system;
        std::string python = wish.request.python;
        const FrameworkRelease* release = m_facts.framework_release(step.package, step.version);
        const bool windows = system == System::windows;
        Step shown = step;  // PyPI's own build needs no other index in a new environment
        if (!windows && release && release->cuda && step.cuda && same_release(*release->cuda, *step.cuda))
            shown.version = release->version;
        std::string words = pip_words(shown, m_facts);
        for (const std::string& bound : bounds_for_gpus(step, machine_of(wish), m_facts))
            words += " '" + bound + "'";
        if (python.empty() && release && release->python_to) python = release->python_to->text;
        const std::string pip = std::string(windows ? "python" : "python3") + " -m pip install " + words;
        const std::string& name = step.subject;
        std::vector<InstallLine> lines{{"pip", pip}, {"uv", "uv pip install " + words}};
        if (python.empty()) return lines;
        lines.push_back({"conda", "conda create -y -n " + name + " python=" + python +
                                      " pip && conda run -n " + name + " " + pip});
        if (!windows) lines.push_back({"docker", "FROM python:" + python + "\nRUN " + pip});
        return lines;
    }

private:
    JudgeOne judge() const {
        return [this](const Scenario& scenario) { return judge_once(scenario, m_facts); };
    }

    static std::string words_of(const Scenario& machine) {
        std::string words;
        const auto add = [&](const std::string& word) { words += (words.empty() ? "" : ", ") + word; };
        for (const Driver& driver : machine.drivers) add(name_of(driver));
        for (const Gpu& gpu : machine.gpus) add(name_of(gpu));
        if (machine.python.named) add("Python " + machine.python.version);
        return words.empty() ? to_string(machine.system) : words;
    }

    // With the same judge as `check --framework`.
    void judge_named(const Expectation& like, const Scenario& machine, PlannedSet& set) const {
        const Judgement judgement = ptxguard::judge({meeting_of(like, machine)}, m_facts, {});
        for (const Finding& finding : judgement.findings)
            if (finding.level == Level::error)
                add_once(set.because, finding.code);
            else if (finding.level == Level::unknown && finding.required && finding.code != "CC607")
                add_once(set.unknown, finding.message);
        if (!machine.gpus.empty() && !like.archs)
            add_once(set.unknown, "which GPU architectures it has code for");
        for (const Plan& plan : judgement.plans)
            if (plan.steps.size() == 1 && plan.steps[0].step->kind == StepKind::driver)
                set.instead.push_back(plan.steps[0].text);
    }

    // Leaves out one wish at a time.
    void find_wish_in_the_way(const Wish& wish, PlannedSet& set) const {
        const auto leave_out = [&](const std::string& what, auto change) {
            Wish less = wish;
            change(less);
            const auto builds = builds_that_run(less, machine_of(less), 1);
            if (!builds.empty()) set.without.push_back({what, title_of(*builds.front().step)});
        };
        const DeclaredBuild& named = wish.framework.build;
        if (!named.build.empty())
            leave_out("+" + named.build, [](Wish& less) { less.framework.build.build.clear(); });
        if (named.version && set.without.empty())
            leave_out("==" + named.version->text, [](Wish& less) {
                less.framework.build.build.clear();
                less.framework.build.version.reset();
            });
        const auto without_each = [&](const std::string& option, std::vector<std::string> Request::*values) {
            for (const std::string& value : wish.request.*values)
                leave_out(option + value, [&](Wish& less) {
                    auto& all = less.request.*values;
                    all.erase(std::find(all.begin(), all.end(), value));
                });
        };
        if (set.instead.empty()) without_each("--driver ", &Request::drivers);
        without_each("--gpu ", &Request::gpus);
        if (!wish.request.python.empty())
            leave_out("--python " + wish.request.python, [](Wish& less) { less.request.python.clear(); });
        if (wish.system == System::windows)
            leave_out("--os windows", [](Wish& less) { less.system = System::linux_; });
    }

    const Host& m_host;
    const Facts& m_facts;
};

// A version. In a configuration it is the interpreter of `check`.
std::string python_of(const Settings& settings) {
    const std::string python = settings.one("python");
    const bool said = settings.origin("python").kind == OriginKind::option;
    return said || is_python(python) ? python : "";
}

std::optional<Trouble> check_wishes(const Settings& settings) {
    if (!settings.has("framework")) return Trouble{"--framework", "is missing", "for example torch"};
    for (const std::string& text : settings.all("framework"))
        if (const auto parsed = parse_framework(text); !parsed) return parsed.trouble();
    const std::string python = python_of(settings);
    if (!python.empty() && !is_python(python))
        return Trouble{"--python", "needs a version such as 3.12, not '" + python + "'", ""};
    return std::nullopt;
}

// Each driver with each GPU, if there are several.
std::vector<Wish> pairs_of(const Wish& wish) {
    std::vector<Wish> pairs;
    std::vector<std::string> drivers = wish.request.drivers, gpus = wish.request.gpus;
    if (drivers.size() < 2 && gpus.size() < 2) return pairs;
    if (drivers.empty()) drivers.resize(1);
    if (gpus.empty()) gpus.resize(1);
    for (const std::string& driver : drivers)
        for (const std::string& gpu : gpus) {
            Wish pair = wish;
            if (!driver.empty()) pair.request.drivers = {driver};
            if (!gpu.empty()) pair.request.gpus = {gpu};
            pairs.push_back(std::move(pair));
        }
    return pairs;
}

}  // namespace

int run_plan(const Settings& settings) {
    if (auto trouble = check_wishes(settings)) return usage_error("plan", *trouble);
    auto run = prepare_run(settings, true);
    if (!run) return usage_error("plan", run.trouble());
    const Planner planner(*run->host, run->facts);
    Report report;
    std::vector<std::string> constraints;
    bool all_fit = true;
    for (const std::string& text : settings.all("framework")) {
        Wish wish{request_from(settings), *parse_framework(text), run->host->system()};
        wish.request.python = python_of(settings);
        if (settings.has("os")) wish.system = *from_word<System>(settings.one("os"));
        for (const Wish& pair : pairs_of(wish)) report.sets.push_back(planner.plan(pair));
        PlannedSet all = planner.plan(wish);
        all_fit = all_fit && !all.builds.empty();
        auto choice = planner.choice_for(wish);
        if (choice) {
            all.install = planner.install_lines(*choice, wish);
            for (const std::string& line : planned_constraints(*choice, planner.machine_of(wish), run->facts))
                add_once(constraints, line);
        }
        if (report.scenarios.empty()) report.scenarios.push_back(planner.machine_of(wish));
        // Judged again: what runs, else what was named, else the newest build; only the machine if no
        // framework runs on it.
        Expectation framework = planner.framework_of(wish);
        if (!choice && planner.is_possible(wish)) choice = planner.newest(wish);
        if (choice && (!all.builds.empty() || !framework.version))
            framework = *published_build(*choice, framework, wish.system, run->facts);
        if (framework.version) report.scenarios.front().expectations.push_back(std::move(framework));
        report.sets.push_back(std::move(all));
    }
    const int code = finish_run("plan", *run, settings, std::move(report));
    return write_constraints(settings, constraints, run->found_errors,
                             code == exit_ok && !all_fit ? exit_findings : code);
}

}  // namespace ptxguard
