// The few facts in a report that a build system uses: programs, PTX version, usable architectures, and the
// files whose change makes the answer stale.
// SPDX-License-Identifier: Apache-2.0
#include "report/build.hpp"

#include "model/ranges.hpp"
#include "model/serialize.hpp"
#include "model/text.hpp"
#include "model/visible.hpp"

namespace ptxguard {
namespace {

std::string part_path(const Toolkit* toolkit, PartKind kind) {
    const Part* part = toolkit ? toolkit->part(kind) : nullptr;
    return part ? part->path : "";
}

bool succeeded(const Scenario& scenario, ProbeKind kind, Arch arch) {
    return any_of(scenario.probes, [&](const ProbeResult& probe) {
        return probe.kind == kind && probe.toolkit == scenario.project.toolkit && probe.target &&
               *probe.target == arch && probe.outcome == Outcome::accepted;
    });
}

std::vector<Target> usable_targets(const Scenario& scenario) {
    std::vector<Target> usable;
    for (const Target& target : scenario.project.archs.targets)
        if (succeeded(scenario, target.real ? ProbeKind::assemble : ProbeKind::ptx, target.arch))
            usable.push_back(target);
    return usable;
}

std::optional<PtxVersion> emitted(const Scenario& scenario) {
    for (const ProbeResult& probe : scenario.probes)
        if (probe.kind == ProbeKind::ptx && probe.toolkit == scenario.project.toolkit && probe.ptx)
            return probe.ptx;
    return std::nullopt;
}

// The most important message, which a build system prints as it is: the worst finding, or a required unknown.
const Finding* first_finding(const Judgement& judgement) {
    for (const Finding& finding : judgement.findings)
        if (!finding.suppressed && (finding.level >= Level::warning || finding.required)) return &finding;
    return judgement.findings.empty() ? nullptr : &judgement.findings.front();
}

// What would stop the build if it stayed as it is.
std::vector<std::string> errors_for_later(const Judgement& judgement) {
    std::vector<std::string> messages;
    for (const Finding& finding : judgement.later)
        if (finding.level == Level::error) add_once(messages, finding.code + ": " + visible(finding.message));
    return messages;
}

}  // namespace

BuildAnswer build_answer(const Scenario& scenario, const Judgement& judgement) {
    const Toolkit* toolkit = scenario.build_toolkit();
    BuildAnswer answer;
    answer.nvcc = part_path(toolkit, PartKind::nvcc);
    answer.ptxas = part_path(toolkit, PartKind::ptxas);
    const Part* nvcc = toolkit ? toolkit->part(PartKind::nvcc) : nullptr;
    if (nvcc && nvcc->version) answer.nvcc_version = nvcc->version->text;
    answer.ptx = emitted(scenario);
    for (const Target& target : usable_targets(scenario))
        answer.architectures.push_back(cmake_spelling({target}));
    for (const Expectation& one : scenario.expectations)
        if (one.version) add_once(answer.frameworks, one.framework);
    // Libraries that the project links are components, like frameworks.
    if (scenario.requires_("cudnn") && !scenario.cudnns.empty()) add_once(answer.frameworks, "cuDNN");
    if (scenario.requires_("cublas") && toolkit && toolkit->part(PartKind::cublas))
        add_once(answer.frameworks, "cuBLAS");
    for (const Finding& finding : judgement.findings)
        if (!finding.suppressed) add_once(answer.codes, finding.code);
    answer.first = first_finding(judgement);
    answer.later = errors_for_later(judgement);
    for (PartKind kind : {PartKind::nvcc, PartKind::cicc, PartKind::ptxas})
        add_once(answer.inputs, part_path(toolkit, kind));
    return answer;
}

Json build_json(const Scenario& scenario, const Judgement& judgement) {
    const BuildAnswer answer = build_answer(scenario, judgement);
    Json json = Json::object();
    json.set("nvcc", answer.nvcc);
    json.set("ptxas", answer.ptxas);
    json.set("ptx_version", answer.ptx ? Json(answer.ptx->text()) : Json());
    json.set("architectures_ok", array_json(answer.architectures));
    json.set("frameworks", array_json(answer.frameworks));
    json.set("findings", array_json(answer.codes));
    json.set("first", answer.first ? Json(visible(answer.first->message)) : Json());
    json.set("later", array_json(answer.later));
    return json.set("inputs", array_json(answer.inputs));
}

}  // namespace ptxguard
