// SPDX-License-Identifier: Apache-2.0
#include "judge/steps.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "facts/libraries.hpp"
#include "judge/build_questions.hpp"
#include "judge/fitting_builds.hpp"
#include "judge/library_faults.hpp"
#include "judge/ptx_questions.hpp"
#include "judge/search_questions.hpp"
#include "judge/toolkit_questions.hpp"
#include "model/file_names.hpp"

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
        case StepKind::driver: determined = newer_driver(step.version, copy, facts); break;
        case StepKind::framework: determined = other_build(step, copy, facts); break;
        case StepKind::toolkit:
            determined = step.subject.empty() ? whole_toolkit(step.version, copy, facts)
                                              : chosen_toolkit(step.subject, copy, facts);
            break;
        case StepKind::architectures: other_architectures(step.targets, copy); break;
        case StepKind::search_path: determined = other_entry(step, copy, facts); break;
        case StepKind::cxx_abi: copy.project.cxx_abi.value = step.number; break;
        case StepKind::cxx_standard: copy.project.cxx_standard.value = step.number; break;
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

namespace {

bool is_by_variable(const LoadedFile& library, const Step& step) {
    return library.taken && deciding_variable(library.rule) == step.subject &&
           entry_in_variable(library) == step.from;
}

// A copy without a known version cannot be compared with its set.
bool take(const LoadLoser& copy, const LoadRule& rule, const Facts& facts, LoadedFile& library) {
    if (!copy.version) return false;
    library.taken = library.real_path = copy.path;
    library.rule = rule;
    library.rule_detail.clear();
    library.because.clear();
    library.version = copy.version;
    library.cuda = cuda_of_library(facts, library.library, library.version);
    library.package.clear();
    library.pinned = library.stub = false;
    library.undefined.reset();
    library.undefined_names.clear();
    library.missing_versions.clear();
    return true;
}

bool take_next(const Facts& facts, LoadedFile& library) {
    const auto next = std::find_if(library.losers.begin(), library.losers.end(),
                                   [](const LoadLoser& loser) { return loser.lost == LoadLost::later; });
    if (next == library.losers.end()) {
        if (library.how == LoadHow::preload) return false;  // nothing is known to need it
        library.taken.reset();
        return true;
    }
    const LoadLoser copy = *next;
    library.losers.erase(library.losers.begin(), next + 1);
    return take(copy, copy.rule, facts, library);
}

// DT_RPATH is searched before the variable.
bool take_from(const std::string& folders, const Facts& facts, LoadedFile& library) {
    if (library.taken && library.rule.step == LoadStep::rpath) return true;
    const auto is_there = [&](const LoadLoser& loser) {
        return loser.lost == LoadLost::not_searched &&
               (SAY(":{}:", folders)).find(SAY(":{}:", folder_of(loser.path))) != std::string::npos;
    };
    const auto* copy = first_where(library.losers, is_there);
    return !copy || take(LoadLoser(*copy), LoadRule(LoadStep::ld_library_path), facts, library);
}

bool is_entry(const Selector& selector, const Step& step) {
    return selector.name == step.subject && selector.value == step.from;
}

// C:\a\ and c:/a: if they differ on Linux, the result is only more careful.
std::string plain(std::string folder) {
    folder = lower(folder);
    std::replace(folder.begin(), folder.end(), '\\', '/');
    while (folder.size() > 1 && folder.back() == '/') folder.pop_back();
    return folder;
}

// Without the entry other programs are used, which were not tried.
bool selects_compiler(const Step& step, const Scenario& scenario) {
    return any_of(scenario.selectors,
                  [&](const Selector& selector) {
                      return is_entry(selector, step) && (selector.decides || !selector.toolkit.empty());
                  }) ||
           (step.subject == "PATH" && any_of(scenario.picks, [&](const Pick& pick) {
                return !pick.path.empty() && plain(folder_of(pick.path)) == plain(step.from);
            }));
}

// The symbols that were counted with the replaced files.
void forget_symbols(const std::set<std::string>& replaced, std::optional<std::size_t>& count,
                    std::vector<std::string>& names) {
    const auto is_of_replaced = [&](const std::string& name) {
        return replaced.count(name.substr(name.rfind('@') + 1)) != 0;
    };
    erase_if(names, is_of_replaced);
    if (count) count = names.size();
}

// 9.19.0 and 9.19.0.56
bool is_alike(const Known<Version>& a, const Known<Version>& b) {
    return a && b && a->at(0) == b->at(0) && a->at(1) == b->at(1) && a->at(2) == b->at(2);
}

// Its opener is now another file, with its own RPATH: the library found there is only known to be alike.
bool may_be_another(const LoadedFile& library, const Step& step, const Known<Version>& opener) {
    return !library.optional && !is_by_variable(library, step) &&
           !(library.taken && is_alike(library.version, opener));
}

bool load_again(const Step& step, const Facts& facts, LoadTrace& trace) {
    std::set<std::string> replaced;
    std::map<std::string, Known<Version>> gone;  // the path of a replaced file -> its replacement
    for (LoadedFile& library : trace.libraries) {
        const std::optional<std::string> before = library.taken;
        const auto opener = gone.find(library.needed_by);
        if (opener != gone.end() && may_be_another(library, step, opener->second)) return false;
        if (is_by_variable(library, step) && !take_next(facts, library)) return false;
        // Another opener may open another name: libcudnn_graph.so.9.3.0 instead of .so.9.1.0.
        if (!library.taken && before && opener != gone.end() && !library.optional) return false;
        if (!step.to.empty() && !take_from(step.to, facts, library)) return false;
        if (library.taken == before) continue;
        replaced.insert(library.name);
        if (before) gone.emplace(*before, library.version);
    }
    forget_symbols(replaced, trace.undefined, trace.undefined_names);
    for (LoadedFile& library : trace.libraries)
        forget_symbols(replaced, library.undefined, library.undefined_names);
    return true;
}

}  // namespace

std::string entry_in_variable(const LoadedFile& library) {
    if (library.rule.step == LoadStep::ld_preload) return library.name;
    if (!library.rule_detail.empty()) return library.rule_detail;
    return library.taken ? folder_of(*library.taken) : "";
}

bool other_entry(const Step& step, Scenario& scenario, const Facts& facts) {
    const bool is_of_loader = starts_with(step.subject, "LD_");
    if (!is_of_loader && (!step.to.empty() || selects_compiler(step, scenario))) return false;
    const auto is_it = [&](const EnvironmentEntry& entry) {
        return entry.variable == step.subject && entry.value == step.from;
    };
    erase_if(scenario.entries, is_it);
    const auto selects = [&](const Selector& selector) { return is_entry(selector, step); };
    erase_if(scenario.selectors, selects);
    return all_of(scenario.traces, [&](LoadTrace& trace) { return load_again(step, facts, trace); });
}

}  // namespace ptxguard
