// The rules of NVIDIA's compatibility guides. What no guide or table covers is unknown.
// SPDX-License-Identifier: Apache-2.0
#include "judge/entry_fit.hpp"

#include <algorithm>
#include <set>

#include "facts/libraries.hpp"
#include "facts/lto_ir.hpp"
#include "judge/driver_questions.hpp"

namespace ptxguard {

namespace {

// Assumed if no driver is named: this branch or newer, the oldest in NVIDIA's data centre list (CUDA 12.2,
// PTX 8.2).
constexpr int k_oldest_branch = 535;

// The lowest level of a driver that supports this GPU.
struct Floor {
    int cuda_major = 0;
    PtxVersion ptx;
};

Floor floor_of(const RunQuestion& question) {
    Floor floor;
    Version oldest;
    oldest.numbers = {k_oldest_branch};
    if (const DriverBranch* branch = question.facts.driver_branch(oldest)) {
        if (branch->cuda) floor.cuda_major = branch->cuda->major();
        if (branch->ptx_max) floor.ptx = *branch->ptx_max;
    }
    const ArchFacts* gpu = question.gpu_facts;
    if (gpu && gpu->first_toolkit) floor.cuda_major = std::max(floor.cuda_major, gpu->first_toolkit->major());
    if (gpu && gpu->first_ptx) floor.ptx = std::max(floor.ptx, *gpu->first_ptx);
    return floor;
}

bool integrated(const RunQuestion& question, Arch arch) {
    const ArchFacts* facts = question.facts.arch({arch.number, 0});
    return facts && facts->integrated;
}

// A Jetson before Thor, whose libraries are not those of ARM servers.
bool is_board(Arch gpu, const Facts& facts) {
    constexpr int k_first_with_server_libraries = 110;  // Thor
    const ArchFacts* row = facts.arch({gpu.number, 0});
    return row && row->integrated && gpu.number < k_first_with_server_libraries;
}

// CUDA 13 renamed 10.1 of CUDA 12 to 11.0.
bool renamed(Arch code, Arch gpu) {
    return (code.number == 101 && gpu.number == 110) || (code.number == 110 && gpu.number == 101);
}

ArchFit in_family(const RunQuestion& question, Arch code) {
    std::vector<int> members = question.facts.family(code);
    if (contains(members, question.gpu.number)) return {true, ""};
    bool listed = question.gpu_facts && !members.empty();
    if (listed || code.major() != question.gpu.major()) return {false, ""};
    return {std::nullopt, SAY("the tables do not say whether {} belongs to the family of {}",
                              question.gpu.sm(), code.sm())};
}

// Highest CUDA major in the tables.
int newest_major(const Facts& facts) {
    std::vector<Version> releases = facts.cuda_releases();
    return releases.empty() ? 0 : releases.back().major();
}

void narrow(CudaMajors& majors, int lowest, int highest) {
    // Contradictory evidence is not used: a fatbin may have been assembled by hand.
    if (lowest > majors.highest || highest < majors.lowest) return;
    majors.lowest = std::max(majors.lowest, lowest);
    majors.highest = std::min(majors.highest, highest);
}

void narrow_by_cubin(CudaMajors& majors, const DeviceEntry& cubin) {
    if (cubin.abi == 7) narrow(majors, 0, 12);
    if (const int first = first_cuda_of_cubin(cubin.abi, cubin.arch.number))
        narrow(majors, first, majors.highest);
}

std::string cuda_words(const CudaMajors& majors) {
    if (majors.release && majors.release->major() < 11) return SAY("CUDA {}", majors.release->release());
    if (majors.lowest == majors.highest) return SAY("CUDA {}", majors.lowest);
    if (majors.lowest < 11) return SAY("CUDA {} or older", majors.highest);
    return SAY("CUDA {} or {}", majors.lowest, majors.highest);
}

Version release_of_major(int major) {
    Version version;
    version.numbers = {major, 0};
    version.text = version.release();
    return version;
}

EntryFit open(std::string why, std::string decide) {
    EntryFit fit;
    fit.fit = Fit::open;
    fit.why = std::move(why);
    fit.decide = std::move(decide);
    return fit;
}

const char* const k_name_driver = "the driver: --driver VERSION";
const char* const k_look_deeper = "the toolkit that made the cubins: --deep";

// From CUDA 11 on.
std::vector<Version> releases_of(const CudaMajors& majors) {
    if (majors.release) return {*majors.release};
    std::vector<Version> releases;
    for (int major = std::max(majors.lowest, 11); major <= majors.highest; ++major)
        releases.push_back(release_of_major(major));
    return releases;
}

EntryFit by_driver(const RunQuestion& question, const CudaMajors& majors) {
    EntryFit fit;
    fit.fit = Fit::yes;
    bool some_run =
        !majors.release && majors.lowest < 11;  // CUDA 10 programs run on every driver that is still in use
    bool some_do_not = false, unknown = false;
    for (const Version& release : releases_of(majors)) {
        Known<Version> minimum = minimum_for(question.scenario, question.facts, release);
        auto old = too_old(question.scenario, question.facts, *question.driver, release, minimum);
        unknown = unknown || !old;
        some_run = some_run || (old && !*old);
        if (!old || !*old) continue;
        some_do_not = true;
        if (!fit.minimum) fit.minimum = minimum;
    }
    std::string who = name_of(*question.driver);
    if (some_do_not && !some_run && !unknown) {
        fit.fit = Fit::old_driver;
        fit.made_by = cuda_words(majors);
    } else if (some_do_not) {
        return open(SAY("its cubins may be of {}, and {} does not run all of these", cuda_words(majors), who),
                    k_look_deeper);
    } else if (unknown) {
        return open(SAY("whether {} runs programs of {} is not known", who, cuda_words(majors)),
                    "the driver's whole version: --driver 580.65.06");
    }
    return fit;
}

}  // namespace

ArchFit cubin_fits(const RunQuestion& question, Arch code) {
    if (code.number == 0) return {std::nullopt, "an entry names no architecture"};
    Arch gpu = question.gpu;
    if (renamed(code, gpu))
        return {std::nullopt, SAY("{} and {} are names of one GPU in CUDA 12 and 13, and whether a cubin of "
                                  "the one loads as the other is not known",
                                  code.sm(), gpu.sm())};
    if (code.number == gpu.number) return {true, ""};
    if (code.suffix == 'a') return {false, ""};
    if (code.suffix == 'f') return in_family(question, code);
    if (!cubin_runs_on(code, gpu)) return {false, ""};
    const std::vector<int> reported = question.facts.family(code);
    if (contains(reported, gpu.number)) return {true, ""};
    if (integrated(question, code) || integrated(question, gpu))
        return {
            std::nullopt,
            SAY("a cubin for {} may or may not load on {}: no compatibility guarantee covers integrated GPUs",
                code.sm(), gpu.sm())};
    return {true, ""};
}

std::string words_of_board(const RunQuestion& question) {
    const bool board = is_board(question.gpu, question.facts);
    if (!board || question.file.machine != "aarch64") return "";
    return "; if it was built for ARM servers (sbsa, as PyPI's wheels are), this board needs a build for "
           "Jetson";
}

bool only_boards(const Scenario& scenario, const Facts& facts) {
    const std::vector<const Gpu*> gpus = gpus_judged(scenario);
    return !gpus.empty() &&
           all_of(gpus, [&](const Gpu* gpu) { return gpu->arch && is_board(*gpu->arch, facts); });
}

ArchFit ptx_fits(const RunQuestion& question, Arch target) {
    if (target.number == 0) return {std::nullopt, "PTX names no target"};
    if (target.suffix == 'f' && !renamed(target, question.gpu)) return in_family(question, target);
    return {ptx_compiles_for(target, question.gpu), ""};
}

CudaMajors made_by(const RunQuestion& question, const std::vector<const DeviceEntry*>& fatbin) {
    CudaMajors majors{0, newest_major(question.facts), std::nullopt};
    std::optional<Version> newest;
    for (const DeviceEntry* entry : fatbin)
        if (entry->toolkit && (!newest || *entry->toolkit > *newest)) newest = entry->toolkit;
    if (newest) return {newest->major(), newest->major(), newest};
    for (const DeviceEntry* entry : fatbin) {
        if (entry->kind == EntryKind::cubin) narrow_by_cubin(majors, *entry);
        if (entry->kind != EntryKind::ptx || !entry->ptx) continue;
        auto release = question.facts.newest_cuda_for_ptx(*entry->ptx);
        const CudaRelease* row = release ? question.facts.cuda(*release) : nullptr;
        if (row && row->ptx_max == entry->ptx) narrow(majors, release->major(), release->major());
    }
    // The members of a package may be for several.
    std::set<int> needed;
    for (const std::string& name : question.file.needed)
        needed.insert(runtime_started_by(question.facts, {name}).cuda_major);
    needed.erase(0);
    if (needed.size() == 1) narrow(majors, *needed.begin(), *needed.begin());
    return majors;
}

bool runs_code(const BinaryFile& file) {
    return any_of(file.entries, [](const DeviceEntry& entry) { return entry.is_run(); });
}

EntryFit fit_of_cubin(const RunQuestion& question, const DeviceEntry& entry, const CudaMajors& majors) {
    ArchFit arch = cubin_fits(question, entry.arch);
    if (!arch.fits) return open(arch.why, "a run on that GPU");
    if (!*arch.fits) return {};
    if (question.driver) return by_driver(question, majors);
    EntryFit fit;
    fit.fit = Fit::yes;
    if (majors.highest <= floor_of(question).cuda_major) return fit;
    Known<Version> minimum = minimum_for(question.scenario, question.facts, release_of_major(majors.highest));
    std::string which = majors.lowest == majors.highest ? "is" : "may be";
    return open(minimum ? SAY("a cubin for {} fits, but it {} of CUDA {}, which needs driver {} or newer",
                              entry.arch.sm(), which, majors.highest, minimum->text)
                        : SAY("a cubin for {} fits, but it {} of CUDA {}, which needs driver of its own",
                              entry.arch.sm(), which, majors.highest),
                k_name_driver);
}

EntryFit fit_of_ptx(const RunQuestion& question, const DeviceEntry& entry) {
    ArchFit arch = ptx_fits(question, entry.arch);
    if (!arch.fits) return open(arch.why, "a run on that GPU");
    if (!*arch.fits) return {};
    if (entry.obfuscated)
        return open(SAY("its PTX for {} is obfuscated", entry.arch.sm()), "a run on that GPU");
    if (!entry.ptx) return open(SAY("its PTX for {} names no version", entry.arch.sm()), "--deep");
    if (const auto needed = ptx_needed_by(question.facts, entry.arch); needed && *entry.ptx < *needed)
        return {};
    EntryFit fit;
    fit.fit = Fit::yes;
    if (!question.driver) {
        if (*entry.ptx <= floor_of(question).ptx) return fit;
        Known<Version> first = question.facts.first_driver_for_ptx(*entry.ptx, question.scenario.system);
        return open(first ? SAY("no cubin fits, and PTX {} for {} needs driver {} or newer",
                                entry.ptx->text(), entry.arch.sm(), first->text)
                          : SAY("no cubin fits, and PTX {} for {} is newer than every listed driver",
                                entry.ptx->text(), entry.arch.sm()),
                    k_name_driver);
    }
    fit.driver = ask_driver(question.scenario, question.facts, *question.driver, *entry.ptx);
    if (!fit.driver.reads)
        return open(SAY("no cubin fits, and whether {} reads PTX {} is not known", name_of(*question.driver),
                        entry.ptx->text()),
                    "--driver-libs DIR with the libnvidia-ptxjitcompiler.so.1 of that driver");
    if (!*fit.driver.reads) fit.fit = Fit::refused;
    return fit;
}

std::optional<bool> driver_knows_gpu(const RunQuestion& question) {
    if (!question.driver || !question.gpu_facts) return std::nullopt;
    return driver_knows(question.scenario, question.facts, *question.driver, question.gpu);
}

CodeFit code_fit(const std::vector<Target>& code, Arch gpu, const Scenario& scenario, const Facts& facts) {
    static const BinaryFile none;
    const Arch base{gpu.number, 0};
    const RunQuestion question{none, nullptr, scenario, facts, base, facts.arch(base)};
    bool open = false, ptx = false;
    for (const Target& target : code) {
        const auto cubin = target.real ? cubin_fits(question, target.arch) : ArchFit{false, ""};
        if (cubin.fits.value_or(false)) return CodeFit::cubin;
        const auto text = target.ptx ? ptx_fits(question, target.arch) : ArchFit{false, ""};
        ptx = ptx || text.fits.value_or(false);
        open = open || !cubin.fits || !text.fits;
    }
    return ptx ? CodeFit::ptx : open ? CodeFit::open : CodeFit::none;
}

std::string code_for(const std::vector<Target>& code, Arch gpu, CodeFit fit) {
    const Target* best = nullptr;
    for (const Target& target : code) {
        const bool fits = fit == CodeFit::cubin
                              ? target.real && cubin_runs_on(target.arch, gpu)
                              : fit == CodeFit::ptx && target.ptx && ptx_compiles_for(target.arch, gpu);
        if (fits && (!best || best->arch.number < target.arch.number)) best = &target;
    }
    if (!best)
        return fit == CodeFit::open ? SAY("{}; no rule says whether these run there", words_of(code))
                                    : words_of(code);
    return fit == CodeFit::cubin ? SAY("cubin {}", best->arch.sm()) : SAY("PTX for {}", best->arch.sm());
}

std::vector<const Gpu*> gpus_judged(const Scenario& scenario) {
    std::vector<const Gpu*> declared, found;
    for (const Gpu& gpu : scenario.gpus)
        if (gpu.arch) (gpu.declared ? declared : found).push_back(&gpu);
    return declared.empty() ? found : declared;
}

}  // namespace ptxguard
