// SPDX-License-Identifier: Apache-2.0
#include "judge/steps.hpp"

#include "judge/build_questions.hpp"
#include "judge/fitting_builds.hpp"
#include "judge/ptx_questions.hpp"
#include "judge/search_questions.hpp"
#include "judge/search_steps.hpp"
#include "judge/toolkit_questions.hpp"
#include "model/ranges.hpp"

namespace ptxguard {
namespace {

template <typename T, typename Gone>
void drop(std::vector<T>& all, Gone gone) {
    erase_if(all, gone);
}

template <typename T>
Known<T> planned(T value) {
    Origin origin;
    origin.certainty = Certainty::predicted;
    origin.text = "the plan";
    return {std::move(value), origin};
}

// Updates all older drivers. A driver with a libcuda of another driver is more than a version.
bool newer_driver(const Version& version, Scenario& scenario, const Facts& facts) {
    const DriverBranch* branch = facts.driver_branch(version);
    if (!branch) return false;
    std::vector<std::string> concerned;
    for (const Driver* driver : drivers_concerned(scenario)) concerned.push_back(driver->id);
    for (Driver& driver : scenario.drivers) {
        if (!contains(concerned, driver.id)) continue;
        const Known<Version> now = version_of(driver);
        if (driver.compat || driver.stub || driver.init_error) return false;
        if (now && *now >= version) continue;
        driver.version = planned(version);
        driver.cuda = branch->cuda ? planned(*branch->cuda) : Known<Version>{};
        if (driver.kernel) driver.kernel = driver.version;
        driver.jit.clear();
        drop(scenario.probes, [&](const ProbeResult& probe) { return probe.driver == driver.id; });
    }
    return true;
}

std::optional<Version> pinned_version(const FrameworkRelease& release, const std::string& package) {
    for (const RequiredPackage& required : release.required)
        if (required.package == package && required.extra.empty() &&
            (starts_with(required.range, "==") || starts_with(required.range, "~=")))
            return parse_version(required.range.substr(2));
    return std::nullopt;
}

bool supports_gpus(const Version& tool, const Scenario& scenario, const Facts& facts) {
    const CudaRelease* release = facts.cuda(tool);
    const std::vector<Arch> gpus = archs_concerned(scenario);
    return release && all_of(gpus, [&](Arch arch) { return assembles(*release, arch); });
}

// "ptxas", or one for some GPUs, which a release names "ptxas-blackwell".
std::optional<Version> tool_of(const FrameworkRelease& release, const std::string& tool,
                               const Scenario& scenario, const Facts& facts) {
    std::optional<Version> first;
    for (const auto& [name, version] : release.tools) {
        if (name != tool && !starts_with(name, tool + "-")) continue;
        if (supports_gpus(version, scenario, facts)) return version;
        if (!first) first = version;
    }
    return first;
}

// Another release of torch replaces the Triton that it pins, with the ptxas inside.
void replace_pinned(const FrameworkRelease& by, const std::string& site, Scenario& scenario,
                    const Facts& facts) {
    for (Expectation& one : scenario.expectations) {
        const auto version = one.site == site ? pinned_version(by, one.package) : std::nullopt;
        const FrameworkRelease* release = version ? facts.framework_release(one.package, *version) : nullptr;
        if (!release) continue;
        for (Pick& pick : scenario.picks) {
            if (!pick.search || pick.search->package != one.package ||
                brought_by(scenario, facts, pick) != one.package)
                continue;
            const auto tool = tool_of(*release, pick.tool, scenario, facts);
            pick.version = tool ? planned(*tool) : Known<Version>{};
            pick.search->release = planned(*version);
        }
        one.version = planned(*version);
    }
}

bool other_build(const Step& step, Scenario& scenario, const Facts& facts) {
    scenario = without_libraries(scenario, step.subject, facts);
    bool any = false;
    for (Expectation& one : scenario.expectations) {
        if (one.package != step.subject) continue;
        const auto build = published_build(step, one, scenario.system, facts);
        if (!build) return false;
        one = *build;
        any = true;
        if (const FrameworkRelease* release = facts.framework_release(step.package, step.version))
            if (!one.site.empty()) replace_pinned(*release, one.site, scenario, facts);
    }
    return any;
}

// Targets that were not requested are the compiler's defaults.
void compiles_with(const std::string& toolkit, Scenario& scenario, const Facts& facts) {
    scenario.project.toolkit = toolkit;
    if (scenario.project.archs_text) return;
    scenario.project.archs = {};
    const Toolkit* chosen = scenario.toolkit(toolkit);
    const CudaRelease* release = chosen && chosen->version() ? facts.cuda(*chosen->version()) : nullptr;
    if (release && release->default_arch)
        scenario.project.archs.targets = {{*release->default_arch, true, true}};
}

bool chosen_toolkit(const std::string& id, Scenario& scenario, const Facts& facts) {
    const Toolkit* toolkit = scenario.toolkit(id);
    if (!toolkit) return false;
    for (Selector& selector : scenario.selectors) {
        if (!selector.decides) continue;
        selector.toolkit = id;
        selector.value = toolkit->root;
        selector.problem = PathProblem::none;
    }
    compiles_with(id, scenario, facts);
    return true;
}

// The toolkit of this build, complete and from one release.
bool whole_toolkit(const Version& version, Scenario& scenario, const Facts& facts) {
    const Toolkit* now = toolkit_at_hand(scenario);
    if (!now || !facts.cuda(version)) return false;
    const std::string id = now->id;
    for (Toolkit& toolkit : scenario.toolkits) {
        if (toolkit.id != id) continue;
        for (PartKind kind : parts_to_compile())
            if (!toolkit.part(kind)) toolkit.parts.push_back({kind, {}, {}, {}, {}, PartFault::none});
        for (Part& part : toolkit.parts) {
            if (is_program(part.kind) || part.version) part.version = planned(version);
            part.trouble.clear();
            part.fault = PartFault::none;
        }
    }
    drop(scenario.probes, [&](const ProbeResult& probe) {
        return probe.toolkit == id && probe.kind != ProbeKind::driver_jit;
    });
    compiles_with(id, scenario, facts);
    return true;
}

// A tool's messages about architectures that are no longer requested do not count.
void other_architectures(const std::vector<Target>& targets, Scenario& scenario) {
    scenario.project.archs = {targets, {}, cmake_spelling(targets)};
    scenario.project.archs_text.value = cmake_spelling(targets);
    drop(scenario.probes, [&](const ProbeResult& probe) {
        const auto is_it = [&](const Target& target) { return probe.target && target.arch == *probe.target; };
        return probe.failure == Failure::architecture && none_of(targets, is_it);
    });
}

}  // namespace

std::optional<Scenario> after(const Step& step, const Scenario& scenario, const Facts& facts) {
    Scenario copy = scenario;
    bool determined = true;
    switch (step.kind) {
        case StepKind::driver:
            determined = newer_driver(step.version, copy, facts);
            break;
        case StepKind::framework:
            determined = other_build(step, copy, facts);
            break;
        case StepKind::toolkit:
            determined = step.subject.empty() ? whole_toolkit(step.version, copy, facts)
                                              : chosen_toolkit(step.subject, copy, facts);
            break;
        case StepKind::architectures:
            other_architectures(step.targets, copy);
            break;
        case StepKind::search_path:
            determined = other_entry(step, copy, facts);
            break;
        case StepKind::cxx_abi:
            copy.project.cxx_abi.value = step.number;
            break;
        case StepKind::cxx_standard:
            copy.project.cxx_standard.value = step.number;
            break;
    }
    if (!determined) return std::nullopt;
    return copy;
}

Scenario without_libraries(const Scenario& scenario, const std::string& package, const Facts& facts) {
    Scenario copy = scenario;
    for (Expectation& one : copy.expectations) {
        if (one.package != package) continue;
        one.shared_files.clear();
        one.jax = {};
        drop(copy.traces, [&](const LoadTrace& trace) { return trace.framework() == one.framework; });
        drop(copy.picks, [&](const Pick& pick) {
            return pick.search &&
                   (pick.search->package == one.package || brought_by(scenario, facts, pick) == one.package);
        });
    }
    return copy;
}

Scenario meeting_of(const Expectation& framework, const Scenario& scenario) {
    Scenario meeting;
    meeting.name = scenario.name;
    meeting.system = scenario.system;
    meeting.foreign = scenario.foreign;
    meeting.probe_mode = scenario.probe_mode;
    meeting.drivers = scenario.drivers;
    meeting.gpus = scenario.gpus;
    meeting.python = scenario.python;
    meeting.python.named = !scenario.python.version.empty();
    meeting.project.wanted = false;
    meeting.expectations = {framework};
    for (const ProbeResult& probe : scenario.probes)
        if (probe.kind == ProbeKind::driver_jit) meeting.probes.push_back(probe);
    return meeting;
}

}  // namespace ptxguard
