// SPDX-License-Identifier: Apache-2.0
#include "commands/planner.hpp"

#include <algorithm>

#include "commands/plan_companion.hpp"
#include "discover/discover.hpp"
#include "facts/plan_table.hpp"
#include "facts/pypi.hpp"
#include "judge/driver_questions.hpp"
#include "judge/entry_fit.hpp"
#include "judge/fitting_builds.hpp"
#include "judge/framework_questions.hpp"
#include "judge/judge.hpp"
#include "judge/plan.hpp"
#include "judge/ptx_questions.hpp"
#include "judge/steps.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"

namespace ptxguard {
namespace {

constexpr std::size_t k_most_builds = 3;

// The newest Python that is a year old on the day of the tables: 3.N is released in October of 2011 + N.
Version settled_python(const Facts& facts) {
    const PypiPackage* table = pypi_package(facts, "torch");
    int year = 0, month = 0;
    if (table && table->read.size() > 6) {
        year = std::atoi(table->read.substr(0, 4).c_str());
        month = std::atoi(table->read.substr(5, 2).c_str());
    }
    const int minor = (month > 10 ? year : year - 1) - 2011 - 1;
    return *parse_version("3." + std::to_string(std::max(minor, 9)));
}

std::string words_of_machine(const Scenario& machine, const Wish& wish) {
    std::string words;
    const auto add = [&](const std::string& word) { words += (words.empty() ? "" : ", ") + word; };
    for (const Driver& driver : machine.drivers) add(name_of(driver));
    for (const Gpu& gpu : machine.gpus) add(name_of(gpu));
    const std::string python = wish.free_threaded.empty() ? machine.python.version : wish.free_threaded;
    if (machine.python.named)
        add("Python " + python + (wish.python_from.empty() ? "" : " (" + wish.python_from + ")"));
    if (wish.macos) add("macOS");
    return words.empty() ? to_string(machine.system) : words;
}

// "sm_75 to sm_120" for the cubins of a build.
std::string range_of_code(const std::vector<Target>& code) {
    std::vector<Arch> archs;
    for (const Target& target : code)
        if (target.real) archs.push_back(Arch{target.arch.number, 0});
    if (archs.empty()) return "";
    const auto ends = std::minmax_element(archs.begin(), archs.end());
    return ends.first->number == ends.second->number ? ends.first->sm()
                                                     : ends.first->sm() + " to " + ends.second->sm();
}

// Whether a package compiles, no table has.
void leave_to_nvcc(const Step& below, const Wish& wish, PlannedSet& set) {
    set.unproven = wish.named + " with " + title_of(below);
    set.unknown.push_back(k_nvcc_words);
}

void say_unlisted(const std::string& package, PlannedSet& set) {
    set.unknown = {"which releases of " + package + " exist, and what they need"};
    set.says.push_back("no table lists " + package +
                       "; ptxguard check judges an installed one by its own libraries");
}

// What a build needs where the option `what` is in its way.
std::string needs_instead(const std::string& what, const FrameworkRelease* release, const PypiRow* files) {
    if (starts_with(what, "--python") && release && release->python_from && release->python_to)
        return "Python " + release->python_from->text + " to " + release->python_to->text;
    return starts_with(what, "--os") && files && !files->windows_wheel ? "Linux" : "";
}

}  // namespace

std::string title_of(const Step& build) { return build.subject + " " + build.version.text; }

PlannedNeed needs_driver(const Version& first) { return {"driver " + first.text + " or newer", "--driver"}; }

JudgeOne Planner::judge() const {
    return [this](const Scenario& scenario) { return judge_once(scenario, m_facts); };
}

Scenario Planner::machine_of(const Wish& wish) const {
    Scenario scenario;
    scenario.name = wish.node.empty() ? "what was named" : wish.node;
    scenario.system = wish.system;
    scenario.foreign = true;  // nothing can be run
    scenario.project.wanted = false;
    declare_drivers_and_gpus(m_host, m_facts, wish.request, scenario);
    scenario.python.version = wish.request.python;
    scenario.python.named = !wish.request.python.empty();
    return scenario;
}

Expectation Planner::framework_of(const Wish& wish) const {
    Expectation expectation = wish.framework.reader->declared(m_facts, wish.system, wish.framework.build);
    expectation.required = true;
    return expectation;
}

std::vector<Fix> Planner::builds_of(const Wish& wish, bool installable) const {
    const DeclaredBuild& named = wish.framework.build;
    std::vector<Fix> builds = published_builds(framework_of(wish), wish.system, m_facts, installable);
    const bool arm = has_arm(wish);
    const auto is_out = [&](const Fix& fix) {
        const Step& step = *fix.step;
        if ((arm && !has_arm_wheel(step)) || !has_companion(wish, step, m_facts)) return true;
        if (!wish.free_threaded.empty() && !m_words.has_wheel(step.package, step.version, wish.free_threaded))
            return true;
        return (named.version && step.version != *named.version) ||
               (!named.build.empty() && step.version.local() != named.build);
    };
    erase_if(builds, is_out);
    return builds;
}

std::vector<Fix> Planner::running(const Wish& wish, const Scenario& machine, std::size_t most) const {
    return builds_that_run(framework_of(wish), builds_of(wish, true), most, machine, m_facts, judge());
}

std::optional<OpenBuild> Planner::left_open(const Wish& wish, const Scenario& machine) const {
    return build_left_open(framework_of(wish), builds_of(wish, false), machine, m_facts, judge());
}

// The first driver for a CUDA release and the GPUs of a machine.
std::optional<Version> Planner::driver_for(const Version& cuda, const Scenario& machine) const {
    std::optional<Version> driver = minimum_for(machine, m_facts, cuda).value;
    for (const Gpu* gpu : gpus_judged(machine)) {
        const auto first = first_driver_for(machine, m_facts, *gpu->arch);
        if (first && (!driver || *driver < *first)) driver = *first;
    }
    return driver;
}

// What a build needs of the driver or GPU that was not named.
std::vector<PlannedNeed> Planner::provided_for(const Step& build, const Wish& wish,
                                               const Scenario& machine) const {
    std::vector<PlannedNeed> provided;
    const auto published = published_build(build, framework_of(wish), wish.system, m_facts);
    if (!published) return provided;
    if (machine.drivers.empty() && build.cuda)
        if (const auto driver = driver_for(*build.cuda, machine)) provided.push_back(needs_driver(*driver));
    if (machine.gpus.empty() && published->archs)
        if (const std::string range = range_of_code(*published->archs); !range.empty())
            provided.push_back({"a GPU of " + range, "--gpu"});
    return provided;
}

bool Planner::brings_cuda(const Step& build) const {
    const FrameworkRelease* release = m_facts.framework_release(build.package, build.version);
    return release && !release->pip.empty();
}

PlanAnswer Planner::plan(const Wish& wish) const {
    PlanAnswer answer;
    PlannedSet& set = answer.set;
    const Scenario machine = machine_of(wish);
    set.machine = words_of_machine(machine, wish);
    set.node = wish.node;
    set.framework = wish.named;
    set.says = wish.says;
    set.settled = wish.nothing;
    if (wish.unlisted) say_unlisted(wish.named, set);
    if (wish.nothing || wish.unlisted || answer_by_system(wish, set)) return answer;
    if (answer_by_board(wish, machine, set) || answer_for_package(wish, set)) return answer;
    if (answer_at_run_time(wish, machine, set) || answer_by_linux_build(wish, set)) return answer;
    const bool named = !machine.drivers.empty() || !machine.gpus.empty();
    std::vector<Fix> builds = named ? running(wish, machine, k_most_builds) : std::vector<Fix>();
    if (builds.empty() && has_arm(wish) && is_possible(wish)) {
        Scenario any_code = machine;  // the wheel for Arm may have other code than the listed one
        any_code.gpus.clear();
        builds = running(wish, any_code, 1);
    }
    if (!builds.empty())
        answer_by_builds(builds, wish, machine, answer);
    else if (const auto open = left_open(wish, machine))
        answer_by_open_build(*open, wish, machine, set);
    else
        say_why_none(wish, machine, set);
    return answer;
}

void Planner::answer_by_builds(const std::vector<Fix>& builds, const Wish& wish, const Scenario& machine,
                               PlanAnswer& answer) const {
    const Step& newest = *builds.front().step;
    PlannedSet& set = answer.set;
    const bool arm = has_arm(wish);
    if (!arm) set.provided = provided_for(newest, wish, machine);
    if (arm || wish.compiled || wish.own_code) set.install = install_lines(newest, wish);
    if (wish.own_code) {
        set.unproven = wish.named + " with " + title_of(newest);
        set.unknown = {own_code_words(wish)};
    } else if (arm) {
        set.unproven = title_of(newest);
        set.unknown = {"the device code of its wheel for Arm (the tables list the one for x86-64)"};
    } else if (wish.compiled) {
        leave_to_nvcc(newest, wish, set);
    } else {
        for (const Fix& fix : builds) add_once(set.builds, title_of(*fix.step));
        answer.build = newest;
    }
}

void Planner::answer_by_open_build(const OpenBuild& open, const Wish& wish, const Scenario& machine,
                                   PlannedSet& set) const {
    const Step& build = *open.build.step;
    set.unproven = title_of(build);
    set.unknown = open.unknown;
    if (wish.compiled) leave_to_nvcc(build, wish, set);
    set.provided = provided_for(build, wish, machine);
    if (open.build.kind == FixKind::command) set.install = install_lines(build, wish);
    if (!brings_cuda(build) && set.install.size() > 2)
        set.install.resize(2);  // an image or environment with Python only is not enough
}

void Planner::say_why_none(const Wish& wish, const Scenario& machine, PlannedSet& set) const {
    const Expectation like = framework_of(wish);
    const bool none = builds_of(wish, false).empty();
    if (m_facts.framework_releases(like.package).empty()) {
        set.unknown = {"which builds of " + like.package + " exist"};
        set.says.push_back(
            "no table lists its builds; ptxguard check judges an installed one by its own libraries");
    }
    if (none && has_arm(wish)) set.says.push_back("no listed wheel of " + like.package + " for Arm has CUDA");
    if (none && !wish.free_threaded.empty())
        set.says.push_back("no listed release of " + like.package +
                           " has a wheel for the free-threaded Python " + wish.free_threaded);
    if (like.version) judge_named(like, machine, set);
    find_wish_in_the_way(wish, set);
}

std::vector<Step> Planner::running_on_all(const Wish& wish, const std::vector<Wish>& machines,
                                          std::size_t most) const {
    std::vector<Step> steps;
    if (wish.nothing || wish.macos || !wish.package.empty()) return steps;
    for (const Fix& fix : builds_of(wish, true)) {
        if (steps.size() == most) break;
        if (all_of(machines,
                   [&](const Wish& machine) { return cell(machine, *fix.step).fit == PlannedFit::runs; }))
            steps.push_back(*fix.step);
    }
    return steps;
}

PlanAnswer Planner::plan_for_all(const Wish& wish, const std::vector<Wish>& machines) const {
    PlanAnswer answer;
    answer.set.framework = wish.named;
    for (const Step& step : running_on_all(wish, machines, k_most_builds)) {
        if (!answer.build) answer.build = step;
        add_once(answer.set.builds, title_of(step));
    }
    if (!answer.build) answer.set.says.push_back("no listed build runs on all of them");
    return answer;
}

PlannedCell Planner::cell(const Wish& machine, const Step& build) const {
    PlannedCell one{title_of(build), PlannedFit::unknown, {}};
    const Scenario scenario = machine_of(machine);
    const Expectation like = framework_of(machine);
    Fix fix{FixKind::command, "", build};
    if (!builds_that_run(like, {fix}, 1, scenario, m_facts, judge()).empty()) {
        one.fit = PlannedFit::runs;
        return one;
    }
    const auto published = published_build(build, like, machine.system, m_facts);
    if (!published) return one;
    for (const Finding& finding : judge()(meeting_of(*published, scenario)))
        if (finding.level == Level::error) add_once(one.because, finding.code);
    if (!one.because.empty()) one.fit = PlannedFit::no;
    return one;
}

bool Planner::is_possible(const Wish& wish) const {
    const std::vector<Finding> findings = judge()(machine_of(wish));
    return none_of(findings, [](const Finding& finding) { return finding.level == Level::error; });
}

std::optional<Step> Planner::choice_for(Wish wish) const {
    if (!plan(wish).set.unproven.empty()) return std::nullopt;
    for (;;) {
        const auto builds = running(wish, machine_of(wish), 1);
        if (!builds.empty()) return *builds.front().step;
        DeclaredBuild& named = wish.framework.build;
        if (named.build.empty() && !named.version) return std::nullopt;
        if (named.build.empty()) named.version.reset();
        named.build.clear();
    }
}

std::optional<Step> Planner::newest(const Wish& wish) const {
    if (const auto open = left_open(wish, machine_of(wish))) return *open->build.step;
    const auto builds = published_builds(framework_of(wish), wish.system, m_facts);
    return builds.empty() ? std::nullopt : builds.front().step;
}

// The named one, else one that has been out for a year. Empty: for which there are wheels is not known.
std::string Planner::python_for(const Wish& wish, const std::optional<Version>& newest) const {
    if (!wish.request.python.empty() || !newest) return wish.request.python;
    return std::min(*newest, settled_python(m_facts)).text;
}

// A wheel contains its CUDA: an image or an environment with Python is enough.
std::vector<InstallLine> Planner::install_lines(const Step& step, const Wish& wish) const {
    const bool windows = wish.system == System::windows;
    const FrameworkRelease* release = m_facts.framework_release(step.package, step.version);
    Step shown = step;  // PyPI's own build needs no other index in a new environment
    if (!windows && is_own_build(step, m_facts)) shown.version = release->version;
    std::string words = pip_words(shown, m_facts);
    for (const std::string& bound : bounds_for_gpus(step, machine_of(wish), m_facts))
        words += " '" + bound + "'";
    return lines_for(words, step.subject, python_for(wish, release ? release->python_to : std::nullopt),
                     with_companion(wish, step, m_facts));
}

std::vector<InstallLine> Planner::lines_for(const std::string& words, const std::string& name,
                                            const std::string& python, const Wish& wish) const {
    const bool windows = wish.system == System::windows;
    const std::string python_words = std::string(windows ? "python" : "python3") + " -m pip install ";
    const auto install = [&](const std::string& start) {
        if (wish.install.empty()) return start + words;
        return start + words + (wish.same_command ? " " : " && " + start) + wish.install;
    };
    std::vector<InstallLine> lines{{"pip", install(python_words)}, {"uv", install("uv pip install ")}};
    if (python.empty() || wish.compiled) return lines;  // an environment with Python only has no nvcc
    const bool threads = !wish.free_threaded.empty();
    const std::string interpreter =
        threads ? "-c conda-forge python-freethreading=" + python : "python=" + python;
    lines.push_back({"conda", "conda create -y -n " + name + " " + interpreter + " pip && " +
                                  install("conda run -n " + name + " " + python_words)});
    if (!windows && !threads)
        lines.push_back({"docker", "FROM python:" + python + "\nRUN " + install(python_words)});
    return lines;
}

// With the same judge as `check --framework`.
void Planner::judge_named(const Expectation& like, const Scenario& machine, PlannedSet& set) const {
    const Judgement judgement = ptxguard::judge({meeting_of(like, machine)}, m_facts, {});
    for (const Finding& finding : judgement.findings)
        if (finding.level == Level::error)
            add_once(set.because, finding.code);
        else if (finding.level == Level::unknown && finding.required && !is_of_unlisted_archs(finding))
            add_once(set.unknown, finding.message);
    if (!machine.gpus.empty() && !like.archs)
        add_once(set.unknown, "which GPU architectures it has code for");
    for (const Plan& plan : judgement.plans)
        if (plan.steps.size() == 1 && plan.steps[0].step->kind == StepKind::driver)
            set.instead.push_back(needs_driver(plan.steps[0].step->version).needs);
}

// Leaves out one wish at a time.
void Planner::find_wish_in_the_way(const Wish& wish, PlannedSet& set) const {
    const auto leave_out = [&](const std::string& what, auto change) {
        Wish less = wish;
        change(less);
        const auto builds = running(less, machine_of(less), 1);
        if (builds.empty()) return;
        const Step& build = *builds.front().step;
        const FrameworkRelease* release = m_facts.framework_release(build.package, build.version);
        const PypiRow* files = pypi_row(m_facts, build.package, build.version);
        set.without.push_back({what, title_of(build), needs_instead(what, release, files)});
    };
    const DeclaredBuild& named = wish.framework.build;
    if (!named.build.empty())
        leave_out("+" + named.build, [](Wish& less) { less.framework.build.build.clear(); });
    if (named.version && set.without.empty())
        leave_out("==" + named.version->text, [](Wish& less) {
            less.framework.build.build.clear();
            less.framework.build.version.reset();
        });
    if (set.instead.empty() && !wish.request.drivers.empty()) {
        Wish less = wish;
        less.request.drivers.clear();
        const Scenario machine = machine_of(less);
        const std::vector<Fix> builds = builds_of(less, true);
        add_driver_in_the_way(wish, builds.empty() ? builds_of(less, false) : builds, machine, machine, set);
    }
    for (const std::string& value : wish.request.gpus)
        leave_out("--gpu " + value, [&](Wish& less) {
            auto& all = less.request.gpus;
            all.erase(std::find(all.begin(), all.end(), value));
        });
    if (!wish.request.python.empty())
        leave_out("--python " + wish.request.python, [](Wish& less) {
            less.request.python.clear();
            less.free_threaded.clear();
        });
    if (wish.system == System::windows)
        leave_out("--os windows", [](Wish& less) { less.system = System::linux_; });
}

}  // namespace ptxguard
