// CC114 run_time_nvcc_unfit: a package compiles CUDA code while it runs, and the nvcc that it uses does not
// compile for the GPU, or there is none; or none for its C code.
// SPDX-License-Identifier: Apache-2.0

#include "facts/tool_search.hpp"
#include "judge/fixes.hpp"
#include "judge/framework_questions.hpp"
#include "judge/ptx_questions.hpp"
#include "judge/search_questions.hpp"

namespace ptxguard {
namespace {

struct Need {
    Version release;
    bool at_least = true;  // false: at most
    std::string effect;
};

const ToolSearch* search_of(const Pick& pick, const Facts& facts) {
    for (const ToolSearch& search : facts.tool_searches())
        if (search.package == pick.search->package && search.tool == pick.tool && pick.search->release &&
            search.is_for(*pick.search->release))
            return &search;
    return nullptr;
}

// What the package requires, else what nvcc's releases support.
std::optional<Need> need_of(const Pick& pick, const ToolSearch* search, Arch arch, const Facts& facts) {
    const Version& nvcc = *pick.version;
    std::optional<Need> need;
    if (search)
        for (const ToolFloor& floor : search->floors)
            if (arch.number >= floor.from.number && nvcc < floor.release)
                need = Need{floor.release, true, floor.effect};
    if (need) return need;
    const std::vector<Version> releases = facts.cuda_releases_with({arch.number, 0});
    const std::vector<Version> known = facts.cuda_releases();
    // A release that no table lists may support it.
    if (releases.empty() || (!same_release(nvcc, known.back()) && nvcc > known.back())) return std::nullopt;
    const std::string effect = SAY("nvcc refuses '-gencode arch=compute_{}'", arch.name());
    if (nvcc < releases.front()) return Need{releases.front(), true, effect};
    if (nvcc > releases.back() && !same_release(nvcc, releases.back()))
        return Need{releases.back(), false, effect};
    return std::nullopt;
}

std::vector<Fix> fixes_of(const Scenario& scenario, const Pick& pick, const Need& need) {
    for (const Toolkit& toolkit : scenario.toolkits) {
        const Part* nvcc = toolkit.part(PartKind::nvcc);
        if (!nvcc || !nvcc->version || !nvcc->trouble.empty() || nvcc->path == pick.path) continue;
        const bool fits =
            need.at_least ? *nvcc->version >= need.release : same_release(*nvcc->version, need.release);
        if (fits) return {set_variable(pick.search->setting, toolkit.root, scenario.system)};
    }
    return {by_hand(need.at_least ? SAY("install CUDA {} or newer and set {} to its folder",
                                        need.release.release(), pick.search->setting)
                                  : SAY("install CUDA {} or older and set {} to its folder",
                                        need.release.release(), pick.search->setting))};
}

void judge_release(const Scenario& scenario, const Facts& facts, const Pick& pick, Findings& findings) {
    const ToolSearch* search = search_of(pick, facts);
    // If a missing nvcc is harmless, the package only compiles code that its user writes.
    const Level level = search && !search->when_none ? Level::note : Level::error;
    for (const Gpu& gpu : scenario.gpus) {
        const auto need = gpu.arch ? need_of(pick, search, *gpu.arch, facts) : std::nullopt;
        if (!need) continue;
        const std::string wanted = need->at_least ? SAY("{} or newer", need->release.release())
                                                  : SAY("{} or older", need->release.release());
        add(findings, "CC114", level, SAY("{}, {}", pick.consumer, name_of(gpu)),
            SAY("{} uses nvcc {}, and for {} it needs {}", pick.consumer, pick.version->text, name_of(gpu),
                wanted))
            .about(scenario, pick, gpu)
            .of_package(pick.search->package)
            .found(evidence_of(pick, "nvcc"))
            .found(evidence_of(gpu))
            .expected("nvcc", wanted, pick.search->table)
            .because(need->effect)
            .fix(fixes_of(scenario, pick, *need));
    }
}

// Code that includes a framework's headers is linked with its libraries, which are of one CUDA major.
void judge_framework(const Scenario& scenario, const Pick& pick, Findings& findings) {
    for (const Expectation& one : scenario.expectations) {
        if (one.package != pick.search->compiles_against || !one.cuda || !one.may_use_cuda() ||
            one.cuda->major() == pick.version->major())
            continue;
        Composed finding = add(findings, "CC114", Level::warning, SAY("{}, {}", pick.consumer, name_of(one)),
                               SAY("{} compiles with nvcc {} against {}, which is built with CUDA {}",
                                   pick.consumer, pick.version->text, name_of(one), one.cuda->text));
        finding.about(scenario, pick, one)
            .of_package(pick.search->package)
            .found(evidence_of(pick, "nvcc"))
            .expected("nvcc", std::to_string(one.cuda->major()) + ".x", one.cuda.origin)
            .because("it refuses an nvcc of another major than the framework's when it first compiles");
        for (const Toolkit& toolkit : scenario.toolkits) {
            const Part* nvcc = toolkit.part(PartKind::nvcc);
            if (nvcc && nvcc->version && nvcc->version->major() == one.cuda->major() && finding->fix.empty())
                finding->fix = {set_variable(pick.search->setting, toolkit.root, scenario.system)};
        }
        if (finding->fix.empty())
            finding->fix = {by_hand(
                SAY("install CUDA {} and set {} to its folder", one.cuda->release(), pick.search->setting))};
    }
}

// A program that needs a certain release for each GPU: tileiras, of the toolkit that a variable selects.
void judge_ptxas(const Pick& pick, const Facts& facts, Findings& findings) {
    const ToolSearch* search = search_of(pick, facts);
    if (!search || search->floors.empty()) return;
    const ToolFloor& floor = search->floors.front();
    if (*pick.version >= floor.release) return;
    const std::string wanted = SAY("{} or newer", floor.release.release());
    add(findings, "CC114", Level::warning, pick.consumer,
        SAY("{} uses ptxas {}, and it needs {}", pick.consumer, pick.version->text, wanted))
        .of_package(pick.search->package)
        .found(evidence_of(pick, "ptxas"))
        .expected("ptxas", wanted, pick.search->table)
        .because(floor.effect)
        .by_hand(
            SAY("start the program without {}, or set it to a toolkit of CUDA {}", pick.because, wanted));
}

// The oldest listed release that compiles for it; null = none.
const ToolSupport* release_for(const ToolSearch& search, Arch gpu) {
    return first_where(search.supports, [&](const ToolSupport& row) {
        return contains(row.gpus, Arch{gpu.number, 0});
    });
}

// A compiler that has a list of GPUs of its own. A release without a list may compile for any.
void judge_listed(const Scenario& scenario, const Facts& facts, const Pick& pick, Findings& findings) {
    const ToolSearch* search = search_of(pick, facts);
    const auto* row =
        search ? first_where(search->supports,
                             [&](const ToolSupport& one) { return same_release(one.release, *pick.version); })
               : nullptr;
    if (!row) return;
    std::vector<std::string> names;
    for (const Arch arch : row->gpus) names.push_back(arch.sm());
    for (const Gpu& gpu : scenario.gpus) {
        if (!gpu.arch || contains(row->gpus, Arch{gpu.arch->number, 0})) continue;
        const ToolSupport* other = release_for(*search, *gpu.arch);
        const std::string wanted =
            other ? SAY("{} or newer", other->release.release()) : SAY("a release for {}", gpu.arch->sm());
        Composed finding = add(findings, "CC114", Level::error, SAY("{}, {}", pick.consumer, name_of(gpu)),
                               SAY("{} compiles with {} {}, which does not compile for {}", pick.consumer,
                                   pick.tool, pick.version->text, name_of(gpu)));
        finding.about(scenario, pick, gpu)
            .of_package(pick.search->package)
            .found(evidence_of(pick, pick.tool))
            .found(evidence_of(gpu))
            .expected(pick.tool, wanted, pick.search->table)
            .because(
                SAY("{} {} compiles for {} only", pick.tool, row->release.release(), joined(names, ", ")));
        if (other)
            finding.by_hand(SAY("install {} {}: {}", pick.tool, wanted, pick.search->get));
        else
            finding.by_hand(SAY("use another GPU: no listed release, up to {}, compiles for {}",
                                search->supports.back().release.release(), gpu.arch->sm()));
    }
}

}  // namespace

PTXGUARD_RULE(CC114) {
    judge_searches(scenario, facts, "CC114", "nvcc", findings);
    judge_searches(scenario, facts, "CC114", k_tileiras, findings);
    judge_searches(scenario, facts, "CC114", k_c_compiler, findings);
    for (const Pick& pick : scenario.picks)
        if (pick.search && pick.tool == k_tileiras && pick.version)
            judge_listed(scenario, facts, pick, findings);
    for (const Pick& pick : scenario.picks)
        if (pick.search && pick.tool == "nvcc" && pick.version)
            judge_release(scenario, facts, pick, findings);
    for (const Pick& pick : scenario.picks)
        if (pick.search && pick.tool == "nvcc" && pick.version && !pick.search->compiles_against.empty())
            judge_framework(scenario, pick, findings);
    for (const Pick& pick : scenario.picks)
        if (pick.search && pick.tool == "ptxas" && pick.version) judge_ptxas(pick, facts, findings);
}

}  // namespace ptxguard
