// CC216 ptx_raises_minimum_driver: for some GPUs a wheel has only PTX that the oldest driver of its CUDA
// refuses.
// SPDX-License-Identifier: Apache-2.0

#include "judge/entry_fit.hpp"
#include "judge/loading_questions.hpp"

namespace ptxguard {
namespace {

// The GPUs of a package that need a newer driver than its CUDA, and the PTX that needs the newest one.
struct Raised {
    std::vector<std::string> gpus;
    std::vector<std::string> never;  // GPUs whose last branch is older than that driver
    std::vector<std::string> last;   // these branches
    Known<Version> from, to;
    PtxVersion ptx;
    Arch target;
    const BinaryFile* member = nullptr;
};

// The CUDA major that compiled all code of a file; 0 = not known.
int major_of(const Scenario& scenario, const Facts& facts, const BinaryFile& file) {
    const RunQuestion question{file, nullptr, scenario, facts, {}, nullptr};
    std::vector<const DeviceEntry*> entries;
    for (const DeviceEntry& entry : file.entries) entries.push_back(&entry);
    const CudaMajors majors = made_by(question, entries);
    return majors.lowest == majors.highest ? majors.highest : 0;
}

// The driver of the first toolkit that compiles for a GPU; older drivers do not support that GPU.
std::optional<Version> driver_of_first_toolkit(const Scenario& scenario, const Facts& facts,
                                               const ArchFacts& gpu) {
    const CudaRelease* release = gpu.first_toolkit ? facts.cuda(*gpu.first_toolkit) : nullptr;
    if (!release) return std::nullopt;
    return scenario.system == System::windows ? release->driver_of_release_windows
                                              : release->driver_of_release_linux;
}

// Of those that support the GPU and programs of that CUDA.
Driver oldest_driver(const Scenario& scenario, const Facts& facts, const ArchFacts& gpu,
                     const Known<Version>& minimum) {
    const std::optional<Version> first = driver_of_first_toolkit(scenario, facts, gpu);
    Driver oldest;
    oldest.version = first && *first > *minimum ? Known<Version>{*first, gpu.origin} : minimum;
    return oldest;
}

// Where the oldest one refuses the PTX.
Known<Version> driver_needed(const Scenario& scenario, const Facts& facts, const RunAnswer& answer) {
    if (answer.cause != RunCause::ptx_refused || !answer.ptx) return {};
    return facts.first_driver_for_ptx(*answer.ptx, scenario.system);
}

Gpu gpu_of(Arch arch) { return {arch.sm(), {arch, Origin{}}}; }

// Of packages for Jetson and DRIVE: other GPUs are in other machines.
bool is_for_integrated_only(const Facts& facts, const BinaryFile& file) {
    bool any = false;
    for (const DeviceEntry& entry : file.entries) {
        if (!entry.is_run() || entry.kind != EntryKind::cubin) continue;
        const ArchFacts* row = facts.arch(Arch{entry.arch.number, 0});
        if (!row || !row->integrated) return false;
        any = true;
    }
    return any;
}

void add_member(const Scenario& scenario, const Facts& facts, const BinaryFile& file, Raised& raised) {
    const int major = major_of(scenario, facts, file);
    const Known<Version> minimum = major ? facts.minimum_driver(major, scenario.system) : Known<Version>{};
    if (!minimum || is_for_integrated_only(facts, file)) return;
    for (const Arch arch : facts.archs()) {
        const ArchFacts* row = facts.arch(arch);
        if (arch.suffix || !row || row->integrated) continue;
        const Driver oldest = oldest_driver(scenario, facts, *row, minimum);
        const RunAnswer answer = ask_run(file, gpu_of(arch), &oldest, scenario, facts);
        const Known<Version> needed = driver_needed(scenario, facts, answer);
        if (!needed) continue;
        const bool never = row->last_driver && needed->major() > *row->last_driver;
        add_once(never ? raised.never : raised.gpus, arch.sm());
        if (never) add_once(raised.last, std::to_string(*row->last_driver));
        if (raised.member && *needed <= *raised.to) continue;
        raised.from = minimum;
        raised.to = needed;
        raised.ptx = *answer.ptx;
        raised.target = arch;
        raised.member = &file;
    }
}

std::string message_of(const BinaryFile& package, const Raised& raised) {
    const std::string gpus = list(raised.gpus), never = list(raised.never);
    if (raised.gpus.empty())
        return SAY("{} runs with no driver on {}, where it has only PTX", package.path, never);
    return raised.never.empty()
               ? SAY("{} needs driver {} or newer on {}, where it has only PTX; its CUDA runs from {}",
                     package.path, raised.to->text, gpus, raised.from->text)
               : SAY("{} needs driver {} or newer on {}, where it has only PTX; its CUDA runs from {}; on {} "
                     "it runs with no driver",
                     package.path, raised.to->text, gpus, raised.from->text, never);
}

void report(const BinaryFile& package, const Raised& raised, Findings& findings) {
    Composed finding = add(findings, "CC216", Level::note, package.path, message_of(package, raised));
    finding.found("PTX ISA", SAY("{} in {}", raised.ptx.text(), raised.member->member), raised.member->origin)
        .expected("device code", SAY("a cubin for {}", raised.target.sm()), {})
        .because(
            "a driver compiles PTX up to its own version and refuses newer PTX (CUDA error 222), also where "
            "it runs the cubins of that CUDA major");
    if (!raised.never.empty())
        finding->because += SAY("; the last driver branch of {} is {}, and this PTX needs {}", raised.never,
                                raised.last, raised.to->text);
    const std::string number = raised.target.name();
    finding.by_hand(raised.gpus.empty()
                        ? SAY("add -gencode arch=compute_{},code=sm_{}", number, number)
                        : SAY("add -gencode arch=compute_{},code=sm_{}, or name driver {} as its minimum",
                              number, number, raised.to->text));
}

}  // namespace

PTXGUARD_RULE(CC216) {
    // CC202 and CC204 judge named drivers and GPUs.
    if (scenario.source != SourceKind::binary || !scenario.drivers.empty()) return;
    for (const BinaryFile& package : scenario.binaries) {
        if (package.archive != ArchiveKind::wheel && package.archive != ArchiveKind::conda) continue;
        if (!alternatives_in(scenario, package).empty()) continue;
        Raised raised;
        for (const BinaryFile& file : scenario.binaries)
            if (file.container == package.path) add_member(scenario, facts, file, raised);
        if (raised.member) report(package, raised, findings);
    }
}

}  // namespace ptxguard
