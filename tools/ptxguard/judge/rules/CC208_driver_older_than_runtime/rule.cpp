// The driver is older than the first that supports programs of this CUDA major: cudaErrorInsufficientDriver
// at start.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "facts/libraries.hpp"
#include "judge/driver_questions.hpp"
#include "judge/entry_fit.hpp"
#include "judge/fitting_builds.hpp"
#include "judge/fixes.hpp"
#include "judge/framework_questions.hpp"
#include "judge/loading_questions.hpp"
#include "judge/log_questions.hpp"
#include "judge/module_questions.hpp"
#include "judge/ptx_questions.hpp"
#include "judge/rules/CC208_driver_older_than_runtime/parts.hpp"
#include "judge/severity.hpp"
#include "model/named_cuda.hpp"

namespace ptxguard {
namespace {

// Something with its own CUDA runtime.
struct RuntimeNeed {
    std::string who;              // "nvcc 13.0.88", "PyTorch 2.11.0"
    Known<Version> cuda;          // 13.0
    Known<Version> minimum = {};  // first driver for it
    bool of_toolkit = false;
    const Expectation* expectation = nullptr;  // of a framework
    const NativeModule* module = nullptr;      // of a package that is no framework
    Entity id = k_build;
};

Known<Version> runtime_of(const Toolkit& toolkit) {
    const Part* cudart = toolkit.part(PartKind::cudart);
    if (cudart && cudart->version) return cudart->version;
    return cudart || toolkit.part(PartKind::nvcc) ? release_of(toolkit) : Known<Version>{};
}

// The program of a log that failed on its driver was made by the nvcc that the log names.
const Part* nvcc_of_failed_log(const Scenario& scenario) {
    if (scenario.source != SourceKind::log || messages_with(scenario, {"driver_too_old"}).empty())
        return nullptr;
    return nvcc_of_log(scenario);
}

std::vector<RuntimeNeed> needs_of(const Scenario& scenario, const Facts& facts) {
    std::vector<RuntimeNeed> needs;
    const auto add_need = [&](RuntimeNeed need) {
        if (!need.cuda) return;
        need.minimum = minimum_for(scenario, facts, *need.cuda);
        needs.push_back(std::move(need));
    };
    if (const Toolkit* toolkit = toolkit_of_build(scenario))
        add_need({name_of(*toolkit), runtime_of(*toolkit), {}, true});
    const auto add_framework = [&](const Expectation& one) {
        if (one.may_use_cuda() && !never_released(one) && needs_cuda_runtime(one, facts))
            add_need({name_of(one), one.cuda, {}, false, &one, nullptr, id_of(scenario, one)});
    };
    for (const Expectation& one : scenario.expectations) add_framework(one);
    for (const Expectation& one : scenario.newest)
        if (none_of(needs, [&](const RuntimeNeed& need) {
                return need.expectation && need.expectation->package == one.package;
            }))
            add_framework(one);
    for (const NativeModule* module : modules_with_runtime(scenario))
        add_need(
            {name_of_package(*module), module->cuda, {}, false, nullptr, module, id_of(scenario, *module)});
    for (const auto& file : binaries_concerned(scenario))
        if (const int major = runs_code(*file) ? 0 : runtime_started_by(facts, file->needed).cuda_major)
            add_need({file->path,
                      {*parse_version(std::to_string(major) + ".0"), file->origin},
                      {},
                      false,
                      nullptr,
                      nullptr,
                      id_of(scenario, *file)});
    if (const Part* nvcc = nvcc_of_failed_log(scenario))
        add_need({SAY("nvcc {}", nvcc->version->text), nvcc->version, {}, true});
    return needs;
}

Level level_of(const RuntimeNeed& need, const Scenario& scenario, const Facts& facts) {
    // The bindings are there for others, which may never call them.
    if (need.module && is_binding_of_cuda(need.module->package))
        return level_of_unused_gpu({need.module->package}, scenario);
    if (need.module) return level_without_gpu(need.module->package, scenario, facts);
    return need.expectation ? level_of(*need.expectation) : Level::error;
}

bool is_of_older_cuda(const RuntimeNeed& a, const RuntimeNeed& b) { return *a.cuda < *b.cuda; }

// Whether the driver certainly supports programs of that release. For a bare branch, the release of the
// branch counts.
bool runs(const Scenario& scenario, const Facts& facts, const Driver& driver, const Version& release) {
    if (const auto starts = runtime_starts(scenario, facts, driver, release)) return *starts;
    const Known<Version> version = version_of(driver);
    const DriverBranch* branch = version ? facts.driver_branch(*version) : nullptr;
    return branch && branch->cuda && release <= *branch->cuda;
}

// The newest CUDA release whose programs this driver supports.
std::optional<Version> newest_release_for(const Scenario& scenario, const Facts& facts,
                                          const Driver& driver) {
    std::vector<Version> releases = facts.cuda_releases();
    for (auto release = releases.rbegin(); release != releases.rend(); ++release)
        if (runs(scenario, facts, driver, *release)) return *release;
    return std::nullopt;
}

std::string generation(const Version& cuda) {
    return SAY("CUDA {}", cuda.major() >= 11 ? std::to_string(cuda.major()) : cuda.release());
}

// "580" of 580.65.06, unless the driver is of that branch.
std::string branch_or_whole(const Version& minimum, const Driver& driver) {
    const Known<Version> version = version_of(driver);
    return version && version->major() == minimum.major() ? minimum.text : std::to_string(minimum.major());
}

std::vector<Evidence> evidence_of(const Driver& driver) {
    const Known<Version> version = version_of(driver);
    return version ? std::vector<Evidence>{{"driver", version->text, version.origin}}
                   : std::vector<Evidence>{};
}

std::vector<Evidence> at_least(const Known<Version>& minimum) {
    return minimum ? std::vector<Evidence>{{"driver", ">= " + minimum->text, minimum.origin}}
                   : std::vector<Evidence>{};
}

// Evidence of the driver; without a version, the CUDA that it reports.
std::vector<Evidence> release_evidence(const Driver& driver) {
    if (version_of(driver) || !driver.cuda) return evidence_of(driver);
    return {{"CUDA of the driver", driver.cuda->text, driver.cuda.origin}};
}

// For each of them an older CUDA, which the driver supports.
void add_older_cuda(const Scenario& scenario, const Facts& facts, const Driver& driver,
                    const std::vector<RuntimeNeed>& failing, const Composed& finding) {
    std::optional<Version> release = newest_release_for(scenario, facts, driver);
    if (!release) return;
    if (failing.front().of_toolkit)
        finding.fix(get_toolkit_fix(scenario, *release, facts,
                                    SAY("or older (the newest that {} supports)", name_of(driver))));
    for (const RuntimeNeed& need : failing) {
        if (need.module)
            finding.by_hand(SAY("install a build of {} for CUDA {}, which {} supports", need.module->package,
                                release->major(), name_of(driver)));
        if (need.expectation) finding.fix(other_build_fix(*need.expectation, facts, release->major()));
    }
}

std::string message_of(const Driver& driver, const std::string& users, const std::string& cuda,
                       const Known<Version>& minimum) {
    return minimum ? SAY("{} is too old for {}: {} needs {} or newer", name_of(driver), users, cuda,
                         minimum->text)
                   : SAY("{} is too old for {}: {} needs a newer one", name_of(driver), users, cuda);
}

std::string brief_of(const Driver& driver, const std::string& users, const std::string& cuda,
                     const Known<Version>& minimum) {
    return minimum ? SAY("{}: too old for {} (needs {})", name_of(driver), users,
                         branch_or_whole(*minimum, driver))
                   : SAY("{}: too old for {} (needs a driver for {})", name_of(driver), users, cuda);
}

// Of those with an older runtime, which this driver does not start either, each names its own. `newest`: the
// others.
std::string users_of(const std::vector<RuntimeNeed>& failing, const std::string& cuda,
                     std::vector<std::string>& newest) {
    std::vector<std::string> who;
    for (const RuntimeNeed& need : failing) {
        const bool other = generation(*need.cuda) != cuda;
        who.push_back(other ? SAY("{} ({})", need.who, generation(*need.cuda)) : need.who);
        if (!other) newest.push_back(need.who);
    }
    return list(who);
}

void report(const Scenario& scenario, const Facts& facts, const Driver& driver,
            const std::vector<RuntimeNeed>& failing, const std::vector<RuntimeNeed>& open,
            Findings& findings) {
    const RuntimeNeed& worst = *std::max_element(failing.begin(), failing.end(), is_of_older_cuda);
    const std::string cuda = generation(*worst.cuda);
    std::vector<std::string> newest;
    const std::string users = users_of(failing, cuda, newest);
    Level level = Level::warning;
    for (const RuntimeNeed& need : failing) level = std::max(level, level_of(need, scenario, facts));
    const Known<Version>& minimum = worst.minimum;
    const Composed finding =
        add(findings, "CC208", level, name_of(driver), message_of(driver, users, cuda, minimum));
    for (const RuntimeNeed& need : failing) finding.about(need.id);
    // A driver that runs the newest runs what is open for this one, too.
    for (const RuntimeNeed& need : open)
        if (!is_of_older_cuda(worst, need)) finding.about(need.id);
    finding.about(scenario, driver)
        .brief(brief_of(driver, users, cuda, minimum))
        .found(release_evidence(driver))
        .because(newest.size() == 1
                     ? SAY("{} uses the runtime of {}, which fails with cudaErrorInsufficientDriver (35) "
                           "on an older driver, whatever code is in the binary",
                           newest, cuda)
                     : SAY("{} use the runtime of {}, which fails with cudaErrorInsufficientDriver (35) "
                           "on an older driver, whatever code is in the binary",
                           newest, cuda));
    if (worst.expectation) finding.of_package(worst.expectation->package);
    if (worst.module) finding.of_package(worst.module->package);
    for (const RuntimeNeed& need : failing)
        finding.found(need.of_toolkit ? "CUDA runtime" : SAY("CUDA of {}", need.who), need.cuda->text,
                      need.cuda.origin);
    if (minimum)
        finding.expected(at_least(minimum));
    else
        finding.expected("CUDA of the driver", ">= " + cuda.substr(5), worst.cuda.origin);
    if (only_boards(scenario, facts) && worst.expectation) {
        finding.by_hand(SAY("install a build of {} for the JetPack of this board, or a JetPack of {}",
                            worst.expectation->package, cuda));
        return;
    }
    finding.fix(minimum ? driver_fix(*minimum)
                        : by_hand(SAY("install a driver that reports {} or newer", cuda)));
    add_older_cuda(scenario, facts, driver, failing, finding);
}

void say_unknown(const Scenario& scenario, const Driver& driver, const std::vector<RuntimeNeed>& open,
                 Findings& findings) {
    const RuntimeNeed& need = open.front();
    std::vector<Entity> users;
    for (const RuntimeNeed& one : open) users.push_back(one.id);
    std::string wanted = need.minimum ? need.minimum->text : generation(*need.cuda);
    add(findings, "CC208", Level::unknown, name_of(driver),
        SAY("{} may be older than {}, which {} needs", name_of(driver), wanted, need.who))
        .about(users)
        .about(scenario, driver)
        .found(evidence_of(driver))
        .expected(at_least(need.minimum))
        .because("the known part of the driver version is not precise enough to compare it with the minimum")
        .decide(need.minimum ? SAY("the driver's whole version: --driver {}", wanted)
                             : "the driver's whole version: --driver 550.54.14")
        .required(driver.declared);
}

// One for each architecture that the binary has cubins for, where none is named.
std::vector<Gpu> gpus_of_cubins(const BinaryFile& file) {
    std::vector<Gpu> gpus;
    for (const EntryGroup& group : file.summary) {
        if (group.kind != EntryKind::cubin || group.arch.number == 0) continue;
        Gpu gpu;
        gpu.arch.value = Arch{group.arch.number, 0};
        gpu.name = gpu.arch->sm();
        gpus.push_back(gpu);
    }
    return gpus;
}

void say_unknown_cubins(const BinaryFile& file, const Driver& driver, const RunAnswer& answer,
                        Findings& findings) {
    add(findings, "CC208", Level::unknown, SAY("{}, {}", name_of(driver), file.path),
        SAY("whether {} runs {} is not known: {}", name_of(driver), file.path, answer.said.why))
        .found(evidence_of(driver))
        .found(evidence_of(file))
        .because("a driver runs cubins of the CUDA majors up to its own")
        .decide(answer.said.decide)
        .required(driver.declared);
}

void say_cubins_too_new(const BinaryFile& file, const Driver& driver, const RunAnswer& refused,
                        const std::vector<std::string>& gpus, const std::optional<Version>& release,
                        Findings& findings) {
    const std::string needed = refused.minimum ? SAY("{} or newer", refused.minimum->text) : "a newer driver";
    const Composed finding =
        add(findings, "CC208", Level::error, SAY("{}, {}", name_of(driver), file.path),
            SAY("{} is too old for the {} cubins of {} for {}: {} needs {}", name_of(driver), refused.made_by,
                file.path, gpus, refused.made_by, needed));
    finding.found(evidence_of(driver))
        .found(evidence_of(file))
        .expected(at_least(refused.minimum))
        .because(SAY("programs of {} fail with cudaErrorInsufficientDriver (35) on an older driver, whatever "
                     "code is in the binary",
                     refused.made_by))
        .fix(refused.minimum ? driver_fix(*refused.minimum)
                             : by_hand(SAY("install a driver that runs {}", refused.made_by)));
    if (release) finding.fix(older_cuda_fix(file, *release));
}

// A binary with cubins of a CUDA major that the driver does not support: its runtime is of that major too.
void judge_runtime_of(const Scenario& scenario, const Facts& facts, const BinaryFile& file,
                      const Driver& driver, Findings& findings) {
    std::optional<RunAnswer> refused, open;
    std::vector<std::string> who;
    std::vector<Entity> about{id_of(scenario, driver), id_of(scenario, file)};
    std::vector<const Gpu*> gpus = gpus_concerned(scenario, driver);
    const bool named = !gpus.empty();
    const std::vector<Gpu> others = named ? std::vector<Gpu>() : gpus_of_cubins(file);
    for (const Gpu& gpu : others) gpus.push_back(&gpu);
    for (const Gpu* gpu : gpus) {
        RunAnswer answer = ask_run(file, *gpu, &driver, scenario, facts);
        if (answer.cause == RunCause::runs && !named) return;
        if (answer.cause == RunCause::open && !open) open = answer;
        if (answer.cause != RunCause::cubin_too_new) continue;
        if (who.empty()) refused = answer;
        who.push_back(answer.said.gpu);
        about.push_back(id_of(scenario, *gpu));
    }
    const AllAbout whole(findings, about);
    // CC204 reports named GPUs, CC210 a driver without a version.
    if (refused)
        say_cubins_too_new(file, driver, *refused, who, newest_release_for(scenario, facts, driver),
                           findings);
    else if (open && !named && runs_code(file) && version_of(driver))
        say_unknown_cubins(file, driver, *open, findings);
}

// A recipe's own NVIDIA_REQUIRE_CUDA, which the container runtime checks before it starts the image.
void judge_gate(const Scenario& scenario, const Facts& facts, Findings& findings) {
    const Known<std::string>& gate = scenario.recipe.driver_gate;
    const auto lowest = gate ? lowest_cuda(*gate) : std::nullopt;
    if (!lowest) return;
    const std::vector<RuntimeNeed> needs = needs_of(scenario, facts);
    const auto worst = std::max_element(needs.begin(), needs.end(), is_of_older_cuda);
    if (worst == needs.end()) return;
    // From CUDA 11 one driver minimum applies to a major.
    const bool too_low = worst->cuda->major() > lowest->major();
    const std::string wanted = SAY("cuda>={}.0", worst->cuda->major());
    Composed finding = add(
        findings, "CC208", too_low ? Level::warning : Level::note, "NVIDIA_REQUIRE_CUDA",
        too_low
            ? SAY("NVIDIA_REQUIRE_CUDA={} starts the image on drivers that cannot run {}", *gate, worst->who)
            : "NVIDIA_REQUIRE_CUDA is not checked where CDI passes the GPUs");
    finding.found("NVIDIA_REQUIRE_CUDA", *gate, gate.origin)
        .found(SAY("CUDA of {}", worst->who), worst->cuda)
        .because(too_low ? (worst->minimum ? SAY("it needs a driver for {}, {} or newer",
                                                 generation(*worst->cuda), worst->minimum->text)
                                           : SAY("it needs a driver for {}", generation(*worst->cuda)))
                         : "with CDI, the default of the NVIDIA Container Toolkit since 1.18, the image "
                           "starts with any driver")
        .by_hand(too_low ? "NVIDIA_REQUIRE_CUDA=" + wanted
                         : "run 'ptxguard check' in the entrypoint, or select nodes by their driver");
    if (too_low) finding.expected("NVIDIA_REQUIRE_CUDA", wanted, worst->minimum.origin);
}

}  // namespace

PTXGUARD_RULE(CC208) {
    if (scenario.source == SourceKind::log) judge_gate_of_log(scenario, findings);
    judge_gate(scenario, facts, findings);
    const auto drivers = drivers_concerned(scenario);
    if (drivers.empty()) return;
    for (const Driver* driver : drivers)
        for (const auto& file : binaries_concerned(scenario))
            judge_runtime_of(scenario, facts, *file, *driver, findings);
    std::vector<RuntimeNeed> needs = needs_of(scenario, facts);
    for (const Driver* driver : drivers) {
        judge_demand(scenario, facts, *driver, findings);
        std::vector<RuntimeNeed> failing, open;
        for (const RuntimeNeed& need : needs) {
            std::optional<bool> answer = too_old(scenario, facts, *driver, *need.cuda, need.minimum);
            if (!answer)
                open.push_back(need);
            else if (*answer)
                failing.push_back(need);
        }
        if (!failing.empty())
            report(scenario, facts, *driver, failing, open, findings);
        else if (!open.empty() && version_of(*driver))
            say_unknown(scenario, *driver, open, findings);
    }
}

}  // namespace ptxguard
