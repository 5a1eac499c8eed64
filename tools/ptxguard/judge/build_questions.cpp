// SPDX-License-Identifier: Apache-2.0
#include "judge/build_questions.hpp"

#include "judge/entry_fit.hpp"
#include "judge/ptx_questions.hpp"
#include "judge/toolkit_questions.hpp"

namespace ptxguard {
namespace {

// A word that no list contains.
constexpr const char* k_later = "(later)";

ArchKnowledge measured(const Scenario& scenario, const Toolkit& toolkit, Arch arch) {
    bool known = false;
    for (ProbeKind kind : {ProbeKind::ptx, ProbeKind::assemble})
        for (const ProbeResult* probe : probes_of(scenario, kind, toolkit.id)) {
            if (probe->basis != Certainty::measured || !probe->target || *probe->target != arch) continue;
            if (probe->outcome == Outcome::refused && probe->failure == Failure::architecture) {
                Origin origin = probe->origin();
                origin.text =
                    SAY("measured: {}", probe->first_error.empty() ? probe->words : probe->first_error);
                return {ArchAnswer::refused, origin};
            }
            known = known || probe->outcome == Outcome::accepted;
        }
    const ProbeResult* offered = find_probe(scenario, ProbeKind::list_archs, toolkit.id);
    const bool listed = offered && offered->basis == Certainty::measured && contains(offered->archs, arch);
    return {known || listed ? ArchAnswer::known : ArchAnswer::not_known, {}};
}

const CudaRelease* release_row(const Facts& facts, const Toolkit& toolkit) {
    const Known<Version> version = release_of(toolkit);
    return version ? facts.cuda(*version) : nullptr;
}

std::vector<Target> without_ptx(const std::vector<Target>& targets) {
    std::vector<Target> real;
    for (Target target : targets) {
        target.real = true;
        target.ptx = false;
        real.push_back(target);
    }
    return real;
}

void add_cubin(std::vector<Target>& targets, Arch arch) {
    Target target{{arch.number, 0}, true, false};
    if (!contains(targets, target)) targets.push_back(target);
}

PtxNeed need_for_gpus(const std::vector<Target>& targets, const std::vector<const Gpu*>& gpus) {
    PtxNeed need;
    for (const Target& target : targets)
        if (target.real) need.cubins.push_back({target.arch, true, false});
    for (const Gpu* gpu : gpus) {
        if (!depends_on_ptx(targets, *gpu->arch)) continue;
        need.any = need.needed = true;
        need.who.push_back(name_of(*gpu));
        need.gpus.push_back(gpu);
        add_cubin(need.cubins, *gpu->arch);
    }
    return need;
}

PtxNeed need_for_architectures(const std::vector<Target>& targets) {
    PtxNeed need;
    need.any = targets.empty() ||
               any_ptx(targets);  // without a list nvcc adds PTX of its default target to the cubin
    for (const Target& target : targets_with_ptx_only(targets)) {
        need.needed = true;
        need.who.push_back(SAY("architecture {}", target.arch.name()));
    }
    need.cubins = without_ptx(targets);
    return need;
}

}  // namespace

bool assembles(const CudaRelease& release, Arch arch) { return contains(release.ptxas_archs, arch); }

ArchKnowledge ask_compiler(const Scenario& scenario, const Facts& facts, const Toolkit& toolkit, Arch arch) {
    const ArchKnowledge said = measured(scenario, toolkit, arch);
    if (said.answer != ArchAnswer::not_known) return said;
    const CudaRelease* release = release_row(facts, toolkit);
    if (!release || release->ptxas_archs.empty()) return said;
    if (assembles(*release, arch)) return {ArchAnswer::known, {}};
    Origin origin = release->origin;
    origin.certainty = Certainty::predicted;
    origin.text = origin.text.empty() ? SAY("predicted for {}", name_of(toolkit))
                                      : SAY("predicted for {}, {}", name_of(toolkit), origin.text);
    return {ArchAnswer::refused, origin};
}

bool knows_all(const Facts& facts, const Toolkit& toolkit, const std::vector<Target>& targets) {
    const CudaRelease* release = release_row(facts, toolkit);
    if (!release || release->ptxas_archs.empty()) return true;
    return all_of(targets, [&](const Target& target) { return assembles(*release, target.arch); });
}

bool asks_for_architectures(const Scenario& scenario) {
    const Project& project = scenario.project;
    return project.archs_text || project.archs_open || !project.archs.words.empty();
}

void decide_architectures_later(Scenario& scenario) {
    scenario.project.archs_text = {};
    scenario.project.archs = {};
    scenario.project.archs.words = {k_later};
}

bool is_decided_later(const Scenario& scenario) {
    return scenario.project.archs.words == std::vector<std::string>{k_later};
}

bool is_at_place(const Scenario& scenario) {
    const Known<std::string>& asked = scenario.project.archs_text;
    return scenario.source == SourceKind::machine && asked && asked.origin.kind == OriginKind::file;
}

std::string build_of(const Scenario& scenario) {
    return is_at_place(scenario) ? SAY("this build ({})", scenario.project.archs_text.origin.variable)
                                 : "this build";
}

void locate_at_place(const Scenario& scenario, Finding& finding) {
    const Origin& origin = scenario.project.archs_text.origin;
    if (is_at_place(scenario) && !origin.path.empty()) Composed(finding).at(origin);
}

namespace {

// What nvcc compiles for if nothing names an architecture.
Known<std::vector<Target>> default_code(const Facts& facts, const Toolkit& toolkit) {
    const CudaRelease* release = release_row(facts, toolkit);
    if (!release || !release->default_arch) return {};
    Origin origin = release->origin;
    origin.certainty = Certainty::predicted;
    origin.text = SAY("default target of {}", name_of(toolkit));
    return {std::vector<Target>{{*release->default_arch, true, true}}, origin};
}

}  // namespace

Known<std::vector<Target>> code_of_build(const Scenario& scenario, const Facts& facts) {
    const Project& project = scenario.project;
    if (!project.wanted || scenario.source == SourceKind::binary || scenario.source == SourceKind::log)
        return {};
    if (project.archs_open) return {};
    // Its tools have defaults of their own.
    if (scenario.source == SourceKind::recipe && !project.archs_text) return {};
    const Toolkit* toolkit = toolkit_of_build(scenario);
    const bool compiles = toolkit && toolkit->part(PartKind::nvcc);
    if (!project.archs.targets.empty()) {
        if (!compiles && !project.archs_text) return {};
        Origin origin = project.archs_text.origin;
        if (!project.archs_text) origin.text = SAY("default target of {}", name_of(*toolkit));
        return {project.archs.targets, origin};
    }
    return compiles && !asks_for_architectures(scenario) ? default_code(facts, *toolkit)
                                                         : Known<std::vector<Target>>{};
}

namespace {

// A test compile for an architecture that was not requested need not succeed.
bool is_asked_for(const Scenario& scenario, const ProbeResult& probe) {
    if (!asks_for_architectures(scenario))
        return scenario.project.nvcc_flags || probe.failure != Failure::architecture;
    return !probe.target || any_of(scenario.project.archs.targets,
                                   [&](const Target& target) { return target.arch == *probe.target; });
}

}  // namespace

bool tells_of_build(const Scenario& scenario, const ProbeResult& probe) {
    if (probe.toolkit != scenario.project.toolkit || probe.basis != Certainty::measured) return false;
    if (probe.kind == ProbeKind::list_archs || probe.kind == ProbeKind::driver_jit) return false;
    if (probe.kind == ProbeKind::link && probe.shared_runtime != links_shared_runtime(scenario.project))
        return false;
    // Flags for a whole build may only stop `nvcc -ptx`.
    if (probe.kind == ProbeKind::ptx && compiled(scenario, probe.toolkit)) return false;
    return probe.outcome != Outcome::unknown && is_asked_for(scenario, probe);
}

std::vector<const Gpu*> gpus_of_build(const Scenario& scenario, const Facts& facts,
                                      const std::vector<Target>& code) {
    std::vector<const Gpu*> gpus = gpus_judged(scenario);
    const auto is_found_and_served = [&](const Gpu* gpu) {
        const CodeFit fit = code_fit(code, *gpu->arch, scenario, facts);
        return !gpu->declared && (fit == CodeFit::cubin || fit == CodeFit::ptx);
    };
    if (any_of(gpus, is_found_and_served)) gpus.clear();
    return gpus;
}

PtxNeed need_of_ptx(const Scenario& scenario, const Facts& facts, const Driver& driver) {
    std::vector<const Gpu*> gpus = gpus_concerned(scenario, driver);
    std::vector<Target> targets = scenario.project.archs.targets;
    if (const auto code = code_of_build(scenario, facts); targets.empty() && code) targets = *code;
    const bool any_open = scenario.project.archs_open.value.has_value();
    if (targets.empty() && is_decided_later(scenario)) return {};
    PtxNeed need;
    if (!targets.empty() || !any_open)
        need =
            gpus.empty() || targets.empty() ? need_for_architectures(targets) : need_for_gpus(targets, gpus);
    const std::vector<std::string>& words = scenario.project.archs.words;
    auto is_native = [](const std::string& word) { return word.compare(0, 6, "native") == 0; };
    need.open = !need.needed && (any_open || any_of(words, is_native));
    return need;
}

}  // namespace ptxguard
