// The PTX in the binary is newer than the driver's JIT compiler accepts: CUDA error 222 on every GPU without
// a matching cubin.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "judge/build_questions.hpp"
#include "judge/fitting_builds.hpp"
#include "judge/fixes.hpp"
#include "judge/loading_questions.hpp"
#include "judge/log_questions.hpp"
#include "judge/ptx_questions.hpp"
#include "judge/severity.hpp"

namespace ptxguard {
namespace {

void add_fixes(const Composed& finding, const Scenario& scenario, const Facts& facts, const Toolkit& toolkit,
               const PtxNeed& need, PtxVersion made, const DriverAnswer& answer) {
    if (!need.cubins.empty() && knows_all(facts, toolkit, need.cubins))
        finding.fix(arch_list_fix(scenario, need.cubins));
    if (answer.newest)
        if (auto release = facts.newest_cuda_for_ptx(*answer.newest))
            finding.fix(get_toolkit_fix(scenario, *release, facts,
                                        SAY("or older (PTX up to {})", answer.newest->text())));
    add_driver_for_ptx(scenario, facts, made, finding);
}

std::string consequence(bool needed, const std::vector<std::string>& who) {
    if (needed)
        return who.size() == 1 ? SAY("{} has no cubin and needs it", who)
                               : SAY("{} have no cubin and need it", who);
    return "GPUs with a cubin still work, newer ones cannot use the PTX";
}

bool predicted(const Origin& origin) { return origin.certainty == Certainty::predicted; }

void say_limit_unknown(const Scenario& scenario, const Driver& driver, const Known<PtxVersion>& made,
                       const DriverAnswer& answer, Findings& findings) {
    add(findings, "CC202", Level::unknown, name_of(driver),
        SAY("{} may or may not read the PTX {} of this build", name_of(driver), made->text()))
        .about(k_build)
        .about(scenario, driver)
        .found("PTX ISA", made->text(), made.origin)
        .because(answer.why_unknown)
        .required(driver.declared)
        .decide("--driver-libs DIR with the libnvidia-ptxjitcompiler.so.1 of that driver")
        .decide("a newer table of drivers: --facts DIR");
}

// With a GPU, `native` compiles a cubin for it and no PTX; without one, nvcc falls back to PTX of its default
// target.
void say_open(const Scenario& scenario, const Driver& driver, const Known<PtxVersion>& made,
              const DriverAnswer& answer, Findings& findings) {
    Composed finding = add(findings, "CC202", Level::unknown, name_of(driver),
                           SAY("{} does not read the PTX {} of this toolkit, and whether 'native' puts PTX "
                               "into the binary is not known here",
                               name_of(driver), made->text()));
    finding.about(k_build)
        .about(scenario, driver)
        .found("PTX ISA", made->text(), made.origin)
        .because("'native' makes cubins for the GPUs of the machine that builds, and none is known here")
        .decide("the GPUs of that machine: --gpu 8.6,9.0")
        .required(driver.declared);
    if (answer.newest) finding.expected("PTX ISA", "<= " + answer.newest->text(), answer.newest.origin);
}

// A compiler among Python packages, where JAX and TensorFlow find their ptxas: no variable, path or option
// selects it for a build, and no build was requested.
bool is_chosen(const Scenario& scenario) {
    if (scenario.project.archs_text) return true;
    return none_of(scenario.selectors, [](const Selector& selector) {
        return selector.decides && selector.kind == SelectorKind::package;
    });
}

// If all components had nvcc's release: whether the driver accepts their newest PTX.
bool would_be_read(const Facts& facts, const Toolkit& toolkit, const DriverAnswer& answer) {
    const Part* nvcc = toolkit.part(PartKind::nvcc);
    const CudaRelease* release = nvcc && nvcc->version ? facts.cuda(*nvcc->version) : nullptr;
    return release && release->ptx_max && answer.newest && *release->ptx_max <= *answer.newest;
}

void say_refused(const Scenario& scenario, const Facts& facts, const Toolkit& toolkit, const Driver& driver,
                 const Known<PtxVersion>& made, const DriverAnswer& answer, const PtxNeed& need,
                 Findings& findings) {
    // A driver of which only the version is known cannot be run; its JIT library could be.
    bool by_table = predicted(made.origin) || (predicted(answer.newest.origin) && !driver.jit.empty());
    Certainty basis = by_table ? Certainty::predicted : Certainty::measured;
    std::string limit = answer.newest ? SAY(" (it reads up to {})", answer.newest->text()) : "";
    const Level level = need.needed           ? level_by(basis, scenario)
                        : is_chosen(scenario) ? Level::warning
                                              : Level::note;
    std::string wanted = answer.newest ? "<= " + answer.newest->text() : "a version that the driver reads";
    const Known<std::string>& asked = scenario.project.archs_text;
    Composed finding =
        add(findings, "CC202", level, name_of(driver),
            by_table ? SAY("{} is predicted to refuse the PTX {} of {}{}; {}", name_of(driver), made->text(),
                           build_of(scenario), limit, consequence(need.needed, need.who))
                     : SAY("{} refuses the PTX {} of {}{}; {}", name_of(driver), made->text(),
                           build_of(scenario), limit, consequence(need.needed, need.who)));
    finding.about(k_build)
        .about(scenario, driver)
        .about(ids_of(scenario, need.gpus))
        .found("PTX ISA", made->text(), made.origin)
        .expected("PTX ISA", wanted, answer.newest.origin)
        .because(asked ? SAY("the list of architectures '{}' puts PTX into the binary, and a GPU that no "
                             "cubin fits has to compile it (CUDA error 222)",
                             *asked)
                       : SAY("the default target of {} puts PTX into the binary, and a GPU that no cubin "
                             "fits has to compile it (CUDA error 222)",
                             name_of(toolkit)));
    if (would_be_read(facts, toolkit, answer)) finding.of_toolkit(toolkit.root);
    locate_at_place(scenario, finding);
    add_fixes(finding, scenario, facts, toolkit, need, *made, answer);
}

void judge_driver(const Scenario& scenario, const Facts& facts, const Toolkit& toolkit, const Driver& driver,
                  const Known<PtxVersion>& made, Findings& findings) {
    const PtxNeed need = need_of_ptx(scenario, facts, driver);
    if (!need.any) return;
    DriverAnswer answer = ask_driver(scenario, facts, driver, *made);
    if (!answer.reads)
        say_limit_unknown(scenario, driver, made, answer, findings);
    else if (!*answer.reads && need.open)
        say_open(scenario, driver, made, answer, findings);
    else if (!*answer.reads)
        say_refused(scenario, facts, toolkit, driver, made, answer, need, findings);
}

void say_unknown(const Scenario& scenario, const Facts& facts, const Toolkit& toolkit,
                 const std::vector<const Driver*>& drivers, Findings& findings) {
    for (const Driver* driver : drivers) {
        if (!need_of_ptx(scenario, facts, *driver).any) continue;
        add(findings, "CC202", Level::unknown, name_of(*driver),
            SAY("{} cannot be compared: which PTX {} writes is not known", name_of(*driver),
                name_of(toolkit)))
            .about(k_build)
            .about(scenario, *driver)
            .because("nvcc wrote no PTX or was not run, and its release is in no table")
            .decide("--probe auto with an nvcc that runs here")
            .required(driver->declared);
    }
}

// The architectures that a binary was built for, as a build's list would name them.
std::vector<Target> targets_of(const BinaryFile& file) {
    std::vector<Target> targets;
    for (const DeviceEntry& entry : file.entries) {
        bool cubin = entry.kind == EntryKind::cubin, ptx = entry.kind == EntryKind::ptx;
        if (!entry.is_run() || entry.arch.number == 0 || (!cubin && !ptx)) continue;
        auto same = [&](const Target& target) { return target.arch == entry.arch; };
        auto found = std::find_if(targets.begin(), targets.end(), same);
        if (found == targets.end()) found = targets.insert(found, {entry.arch, false, false});
        found->real = found->real || cubin;
        found->ptx = found->ptx || ptx;
    }
    return targets;
}

// Whether a driver accepts the PTX of a binary that it has to compile, and the GPUs that need it.
struct BinaryHarm {
    std::vector<std::string> who;
    std::vector<const Gpu*> gpus = {};  // those of them
    std::optional<PtxVersion> ptx;
    DriverAnswer answer;
    bool needed = false;
    Arch arch;
};

// Named GPUs that have nothing else to run. If that is not known, CC204 reports it.
BinaryHarm harm_for_gpus(const Scenario& scenario, const Facts& facts, const BinaryFile& file,
                         const Driver& driver, const std::vector<const Gpu*>& gpus) {
    BinaryHarm harm;
    for (const Gpu* gpu : gpus) {
        RunAnswer answer = ask_run(file, *gpu, &driver, scenario, facts);
        if (answer.cause != RunCause::ptx_refused) continue;
        harm.needed = true;
        harm.who.push_back(answer.said.gpu);
        harm.gpus.push_back(gpu);
        harm.ptx = answer.ptx;
        harm.answer = answer.driver;
        harm.arch = *gpu->arch;
    }
    return harm;
}

bool is_readable_ptx(const DeviceEntry& entry) {
    return entry.kind == EntryKind::ptx && entry.ptx && entry.is_run() && !entry.obfuscated;
}

// No GPU named: architectures with PTX only, and the fallback for GPUs newer than the cubins.
BinaryHarm harm_for_targets(const Scenario& scenario, const Facts& facts, const BinaryFile& file,
                            const Driver& driver) {
    BinaryHarm harm;
    std::vector<Target> targets = targets_of(file), alone = targets_with_ptx_only(targets);
    if (!any_ptx(targets)) return harm;
    for (const DeviceEntry& entry : file.entries) {
        if (!is_readable_ptx(entry)) continue;
        DriverAnswer answer = ask_driver(scenario, facts, driver, *entry.ptx);
        if (answer.reads && *answer.reads) continue;
        auto same = [&](const Target& target) { return target.arch == entry.arch; };
        bool needed = any_of(alone, same);
        std::string who = SAY("architecture {}", entry.arch.name());
        if (needed && !contains(harm.who, who)) harm.who.push_back(who);
        if (harm.ptx && (harm.needed || !needed) && (*harm.ptx >= *entry.ptx)) continue;
        harm.ptx = entry.ptx;
        harm.answer = answer;
        harm.arch = entry.arch;
        harm.needed = harm.needed || needed;
    }
    return harm;
}

void judge_binary(const Scenario& scenario, const Facts& facts, const BinaryFile& file, const Driver& driver,
                  Findings& findings) {
    std::vector<const Gpu*> gpus = gpus_concerned(scenario, driver);
    BinaryHarm harm = gpus.empty() ? harm_for_targets(scenario, facts, file, driver)
                                   : harm_for_gpus(scenario, facts, file, driver, gpus);
    if (!harm.ptx) return;
    bool known = harm.answer.reads.has_value();
    std::string limit = harm.answer.newest ? SAY(" (it reads up to {})", harm.answer.newest->text()) : "";
    std::string whose = SAY("the PTX {} of {}", harm.ptx->text(), file.path);
    Composed finding = add(findings, "CC202",
                           !known        ? Level::unknown
                           : harm.needed ? Level::error
                                         : Level::warning,
                           SAY("{}, {}", name_of(driver), file.path),
                           known ? SAY("{} does not read {}{}; {}", name_of(driver), whose, limit,
                                       consequence(harm.needed, harm.who))
                                 : SAY("{} may or may not read {}", name_of(driver), whose));
    finding.about(scenario, driver, file)
        .about(ids_of(scenario, harm.gpus))
        .found("PTX ISA", harm.ptx->text(), evidence_of(file).origin);
    if (!known) {
        finding.because(harm.answer.why_unknown)
            .required(driver.declared)
            .decide("--driver-libs DIR with the libnvidia-ptxjitcompiler.so.1 of that driver");
        return;
    }
    std::string wanted =
        harm.answer.newest ? "<= " + harm.answer.newest->text() : "a version that the driver reads";
    finding.expected("PTX ISA", wanted, harm.answer.newest.origin);
    finding.because(
        "where no cubin fits, the driver compiles the PTX, and refuses a PTX version newer than its own "
        "(CUDA error 222)");
    if (harm.needed) finding.fix(code_for_gpu_fix(file, harm.arch, scenario, facts));
    add_driver_for_ptx(scenario, facts, *harm.ptx, finding);
}

// The PTX that the message names, else what that nvcc writes.
std::optional<PtxVersion> ptx_made(const LogMessage& message, const Part* nvcc, const Facts& facts) {
    if (message.made) return message.made;
    const CudaRelease* release = nvcc ? facts.cuda(*nvcc->version) : nullptr;
    return release ? release->ptx_max : std::nullopt;
}

// A log that reports error 222: its PTX and the driver's limit, from the message, else from the nvcc and the
// driver that it names.
void report_driver_of_log(const Scenario& scenario, const Facts& facts, const LogMessage& message,
                          Findings& findings) {
    const Driver* driver = scenario.drivers.empty() ? nullptr : &scenario.drivers.front();
    const Part* nvcc = nvcc_of_log(scenario);
    const std::optional<PtxVersion> made = ptx_made(message, nvcc, facts);
    if (!made) return;
    std::optional<PtxVersion> read = message.read;
    if (!read && driver) read = ask_driver(scenario, facts, *driver, *made).newest.value;
    if (!read || *made <= *read) return;  // another compiler wrote it
    const std::string writer = compiler_of(scenario, facts, *made);
    Composed finding = add(findings, "CC202", Level::error, driver ? name_of(*driver) : "driver",
                           SAY("{} refuses the PTX {}{} (it reads up to {}), and no cubin fits the GPU",
                               driver ? name_of(*driver) : "the driver", made->text(),
                               writer.empty() ? "" : SAY(" of {}", writer), read->text()));
    if (driver) finding.about(scenario, *driver);
    finding.found(evidence_of(message))
        .expected("PTX ISA", "<= " + read->text(), driver ? driver->origin : message.origin)
        .because("where no cubin fits, the driver compiles the PTX, and refuses a newer PTX than its own")
        .by_hand(
            "compile for the GPU itself, for example CMAKE_CUDA_ARCHITECTURES=80-real or -gencode "
            "arch=compute_80,code=sm_80");
    if (!message.made) finding.found("nvcc", nvcc->version);
    if (auto older = facts.newest_cuda_for_ptx(*read))
        finding.by_hand(SAY("compile with CUDA {} or older", older->release()));
    add_driver_for_ptx(scenario, facts, *made, finding);
}

}  // namespace

PTXGUARD_RULE(CC202) {
    if (scenario.source == SourceKind::log) {
        for (const LogMessage* message : messages_with(scenario, {"ptx_newer_than_driver"}))
            if (findings.empty()) report_driver_of_log(scenario, facts, *message, findings);
        return;
    }
    for (const Driver* driver : drivers_concerned(scenario))
        for (const auto& file : binaries_concerned(scenario))
            judge_binary(scenario, facts, *file, *driver, findings);
    const Toolkit* toolkit = toolkit_of_build(scenario);
    if (!toolkit || !toolkit->part(PartKind::nvcc)) return;
    std::vector<const Driver*> drivers = drivers_concerned(scenario);
    Known<PtxVersion> made = ptx_made(scenario, facts, *toolkit);
    if (!made) return say_unknown(scenario, facts, *toolkit, drivers, findings);
    for (const Driver* driver : drivers) judge_driver(scenario, facts, *toolkit, *driver, made, findings);
}

}  // namespace ptxguard
