// The compilers that programs call while they run: the ptxas of frameworks, libNVVM, NVRTC.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "facts/tool_search.hpp"
#include "judge/build_questions.hpp"
#include "judge/entry_fit.hpp"
#include "judge/fixes.hpp"
#include "judge/ptx_questions.hpp"
#include "judge/rules/CC203_arch_unknown_to_tool/parts.hpp"
#include "judge/search_questions.hpp"
#include "judge/severity.hpp"
#include "model/file_names.hpp"

namespace ptxguard {
namespace {

bool knows(const CudaRelease& release, const Pick& pick, const Gpu& gpu) {
    return gpu.arch && assembles(release, asked_for(pick, *gpu.arch));
}

const ToolSearch* row_of(const Scenario& scenario, const Facts& facts, const Pick& pick) {
    return first_where(facts.tool_searches(), [&](const ToolSearch& row) {
        return row.package == pick.search->package && row.tool == pick.tool && pick.search->release &&
               row.is_for(*pick.search->release) &&
               (row.systems.empty() || contains(row.systems, scenario.system));
    });
}

// The framework that requires one release of the package (torch on Linux): only another of its releases
// brings another.
const Expectation* owner_of(const Scenario& scenario, const ToolSearch& row) {
    if (scenario.system != System::linux_) return nullptr;
    return first_where(scenario.expectations,
                       [&](const Expectation& one) { return one.package == row.companion_of; });
}

// A framework that continues without ptxas also continues if its ptxas refuses, with the driver's compiler,
// and PyTorch until something is compiled. A GPU that was not named may only drive the screen.
Level level_of(const Scenario& scenario, const Facts& facts, const Pick& pick, const CudaRelease& release,
               const Gpu& gpu) {
    const bool another = any_of(scenario.gpus, [&](const Gpu& other) { return knows(release, pick, other); });
    if (!gpu.declared && another) return Level::note;
    if (!pick.search->companion_of.empty()) return Level::warning;
    const ToolSearch* row = row_of(scenario, facts, pick);
    const auto level = row && row->when_refused ? row->when_refused : pick.search->when_none;
    return level == Level::error ? level_by(Certainty::predicted, scenario) : Level::warning;
}

// A setting that selects that ptxas for the framework.
Fix ptxas_setting_for(const Pick& pick, const std::string& ptxas, System system) {
    const std::string folder = folder_of(ptxas);
    if (pick.search->setting.rfind("XLA_FLAGS=", 0) == 0) return xla_folder_fix(folder_of(folder), system);
    if (setting_names_file(pick)) return set_variable(pick.search->setting, ptxas, system);
    return by_hand(SAY("select it with {}", pick.search->setting));
}

// A ptxas that does not support what its users ask it for. Those with one setting (Triton and torch.compile)
// share the cause and the fix.
struct UnfitPtxas {
    std::vector<const Pick*> picks;
    const CudaRelease* release = nullptr;
    const Gpu* gpu = nullptr;
    Arch code;

    bool is_also_of(const Pick& pick, const Gpu& other_gpu, Arch other_code) const {
        const Pick& first = *picks.front();
        return first.path == pick.path && first.search->setting == pick.search->setting &&
               gpu == &other_gpu && code == other_code;
    }
};

// The framework's ptxas compiles for the GPUs that run the framework, regardless of what the build requests.
void find_unfit(const Scenario& scenario, const Facts& facts, const Pick& pick,
                std::vector<UnfitPtxas>& unfit) {
    const CudaRelease* release = pick.version ? facts.cuda(*pick.version) : nullptr;
    if (!release || release->ptxas_archs.empty()) return;
    for (const Gpu& gpu : scenario.gpus) {
        if (!gpu.arch || (pick.search->min_arch && gpu.arch->number < pick.search->min_arch->number) ||
            (pick.search->max_arch && gpu.arch->number > pick.search->max_arch->number))
            continue;
        const Arch code = asked_for(pick, *gpu.arch);
        if (facts.cuda_releases_with(code).empty() || knows(*release, pick, gpu)) continue;
        auto* same =
            first_where(unfit, [&](const UnfitPtxas& one) { return one.is_also_of(pick, gpu, code); });
        if (same)
            same->picks.push_back(&pick);
        else
            unfit.push_back({{&pick}, release, &gpu, code});
    }
}

void report_unfit(const Scenario& scenario, const Facts& facts, const UnfitPtxas& unfit, Findings& findings) {
    const Pick& pick = *unfit.picks.front();
    std::vector<std::string> consumers, without;
    Level level = Level::note;
    for (const Pick* one : unfit.picks) {
        add_once(consumers, one->consumer);
        if (!one->search->companion_of.empty()) add_once(without, one->search->companion_of);
        level = std::max(level, level_of(scenario, facts, *one, *unfit.release, *unfit.gpu));
    }
    const std::string sm = unfit.code.sm();
    const std::vector<Version> releases = facts.cuda_releases_with(unfit.code);
    const bool too_new = *pick.version < releases.front();
    const Version& wanted = too_new ? releases.front() : releases.back();
    const std::string since = too_new ? SAY("needs CUDA {}", wanted.release())
                                      : SAY("dropped, last supported by CUDA {}", wanted.release());
    const Origin taken = Origin::from_file(pick.path).shown_as(SAY("{} ({})", pick.path, pick.because));
    Composed finding = add(findings, "CC203", level, pick.consumer,
                           consumers.size() == 1 ? SAY("{} uses {} {}, which does not support {} ({})",
                                                       consumers, pick.tool, pick.version->text, sm, since)
                                                 : SAY("{} use {} {}, which does not support {} ({})",
                                                       consumers, pick.tool, pick.version->text, sm, since));
    for (const Pick* one : unfit.picks) finding.about(users_of(scenario, facts, *one));
    finding.about(ids_of(scenario, unfit.picks))
        .about(scenario, *unfit.gpu)
        .of_package(brought_by(scenario, facts, pick))
        .found("ptxas", pick.version->text, taken)
        .found(evidence_of(*unfit.gpu))
        .expected("ptxas", too_new ? SAY(">= {}", wanted.release()) : SAY("<= {}", wanted.release()),
                  unfit.release->origin)
        .because(SAY("each kernel that {} makes is assembled for the GPU at hand", pick.consumer));
    for (const std::string& one : without)
        finding->because += SAY("; {} runs without it until something is compiled", one);
    const std::string get = too_new ? SAY("CUDA {}, the first that supports {}", wanted.release(), sm)
                                    : SAY("CUDA {}, the newest that supports {}", wanted.release(), sm);
    // Its own compiler, which runs before, refuses the GPU whatever ptxas follows.
    if (const ToolSearch* row = row_of(scenario, facts, pick);
        row && row->compiles_to && unfit.gpu->arch->number > row->compiles_to->number && row->below) {
        const std::string newer = SAY(
            "{} {} or newer", row->records.empty() ? row->package : row->records.front(), row->below->text);
        const Expectation* owner = owner_of(scenario, *row);
        finding.by_hand(
            owner ? SAY("install a release of {} that requires {}: the compiler in older ones does not "
                        "support {}",
                        owner->package, newer, sm)
                  : SAY("install {}: the compiler in older ones does not support {}", newer, sm));
        return;
    }
    const auto* later =
        first_where(pick.losers, [](const Pick::Loser& loser) { return loser.skipped == Skipped::later; });
    if (later)
        finding.fix(where_there(SAY("{} is of {}", later->path, get),
                                ptxas_setting_for(pick, later->path, scenario.system)));
    finding.by_hand(SAY("select the ptxas of {}, with {}", get, pick.search->setting));
}

// A libNVVM or NVRTC that a package calls while it runs, and that no longer makes code for the GPU. For a GPU
// that is newer than the compiler, such packages ask for PTX of an older one.
void judge_run_time_compiler(const Scenario& scenario, const Facts& facts, const RunTimePtx& made,
                             Findings& findings) {
    for (const Gpu* gpu : gpus_judged(scenario)) {
        const ArchFacts* arch = facts.arch(Arch{gpu->arch->number, 0});
        if (!arch || !arch->last_toolkit || arch->last_toolkit->major() >= made.version->major()) continue;
        const std::string last = arch->last_toolkit->release();
        const std::string found_by = SAY("{}, by {}", made.path, made.because);
        add(findings, "CC203", Level::warning, made.consumer,
            SAY("{} compiles with {} {}, which does not support {} (dropped, last supported by CUDA {})",
                made.consumer, made.tool, made.version->text, gpu->arch->sm(), last))
            .about(made.id)
            .about(scenario, *gpu)
            .of_package(made.package)
            .found(made.tool, made.version->text, made.version.origin.shown_as(found_by))
            .found(evidence_of(*gpu))
            .expected(made.tool, "<= " + last, arch->origin)
            .because("each kernel is compiled for the GPU at hand when it is first used")
            .by_hand(made.setting.empty()
                         ? SAY("use an {} of CUDA {} or older in place of {}", made.tool, last, made.path)
                         : SAY("set {} to a CUDA toolkit {} or older", made.setting, last));
    }
}

}  // namespace

void judge_run_time_tools(const Scenario& scenario, const Facts& facts, Findings& findings) {
    std::vector<UnfitPtxas> unfit;
    for (const Pick& pick : scenario.picks)
        if (pick.search && pick.tool == "ptxas" && !pick.path.empty())
            find_unfit(scenario, facts, pick, unfit);
    for (const UnfitPtxas& one : unfit) report_unfit(scenario, facts, one, findings);
    for (const RunTimePtx& made : run_time_ptx(scenario, facts))
        judge_run_time_compiler(scenario, facts, made, findings);
}

}  // namespace ptxguard
