// CC104 toolkit_parts_disagree: the programs and headers that one nvcc uses come from different releases.
// Most checks look only at nvcc's own version, but cicc decides which PTX is written and the crt headers
// which code is generated.
// SPDX-License-Identifier: Apache-2.0
#include "judge/rule.hpp"
#include "judge/fixes.hpp"
#include "judge/ptx_questions.hpp"
#include "judge/toolkit_questions.hpp"

namespace ptxguard {
namespace {

// A failure that another rule explains is no evidence about the parts.
bool may_come_from_the_mix(const ProbeResult& probe) {
    return probe.failure != Failure::host_compiler && probe.failure != Failure::architecture &&
           !(probe.culprit == Culprit::host_compiler && probe.outcome == Outcome::broken);
}

const ProbeResult* failure_of_the_mix(const Scenario& scenario, const Toolkit& toolkit) {
    for (ProbeKind kind : {ProbeKind::ptx, ProbeKind::assemble, ProbeKind::object})
        for (const ProbeResult* probe : probes_of(scenario, kind, toolkit.id))
            if (failed(probe) && may_come_from_the_mix(*probe)) return probe;
    return nullptr;
}

std::string names_of(const std::vector<const Part*>& parts) {
    std::vector<std::string> names;
    for (const Part* part : parts)
        names.push_back(std::string(to_string(part->kind)) + " " + part->version->text);
    return list(names);
}

std::string reason(const ProbeResult* failure, bool works) {
    if (failure) return "the test compile with these parts fails: " + failure->first_error;
    if (works) return "the test compile succeeded; other code may fail where the releases differ";
    return "predicted: nvcc passes the output of one part to the next and assumes that all are from its own "
           "release";
}

// CCCL compares nvcc's release with CUDART_VERSION of the headers that it includes, by major and minor.
void judge_headers(const Scenario& scenario, const Facts& facts, const Toolkit& toolkit, const Part& nvcc,
                   Findings& findings) {
    const Part *headers = toolkit.part(PartKind::runtime_headers), *cccl = toolkit.part(PartKind::cccl);
    if (!cccl || !headers || !headers->version || same_release(*headers->version, *nvcc.version)) return;
    Finding& finding = add(findings, "CC104", Level::warning, toolkit.root,
                           "toolkit at " + toolkit.root + " is mixed: nvcc " + nvcc.version->text +
                               " with runtime headers " + headers->version->text + ", which CCCL refuses");
    finding.toolkit = toolkit.root;
    finding.found = {evidence_of(nvcc), evidence_of(*headers), evidence_of(*cccl)};
    Origin like;
    like.text = "the release of nvcc";
    finding.expected = {{to_string(PartKind::runtime_headers), nvcc.version->release(), like}};
    finding.because =
        "every file that includes Thrust, CUB or cuda/std ends with '#error \"CUDA compiler and CUDA toolkit "
        "headers are incompatible\"'; other code compiles";
    // A framework's wheel pins the runtime, nothing pins nvcc.
    const bool pinned = toolkit.layout == Layout::wheel && !scenario.expectations.empty();
    finding.fix = same_release_fix(scenario, toolkit, facts, pinned ? &*headers->version : nullptr);
}

void judge_toolkit(const Scenario& scenario, const Facts& facts, const Toolkit& toolkit, Findings& findings) {
    const Part* nvcc = toolkit.part(PartKind::nvcc);
    if (!nvcc || !nvcc->version) return;
    const ProbeResult* failure = failure_of_the_mix(scenario, toolkit);
    std::vector<const Part*> parts = parts_that_differ(toolkit, *nvcc->version, false);
    if (parts.empty() && failure) {
        // Refused architectures and the like are excluded; a runtime of another minor is suspect only with
        // its own header.
        const bool header =
            failure->culprit == Culprit::runtime_headers || failure->culprit == Culprit::crt_headers;
        if (header) parts = parts_that_differ(toolkit, *nvcc->version, true);
    }
    if (parts.empty()) return judge_headers(scenario, facts, toolkit, *nvcc, findings);

    Finding& finding = add(
        findings, "CC104", failure ? Level::error : Level::warning, toolkit.root,
        "toolkit at " + toolkit.root + " is mixed: nvcc " + nvcc->version->text + " with " + names_of(parts));
    finding.toolkit = toolkit.root;
    finding.found = {evidence_of(*nvcc)};
    for (const Part* part : parts) finding.found.push_back(evidence_of(*part));
    if (failure)
        finding.found.push_back({std::string("test compile (") + to_string(failure->kind) + ")",
                                 failure->first_error, failure->origin()});
    Origin like;
    like.text = "the release of nvcc";
    for (const Part* part : parts)
        finding.expected.push_back({to_string(part->kind), nvcc->version->release(), like});
    finding.because = reason(failure, compiled(scenario, toolkit.id));
    finding.fix = same_release_fix(scenario, toolkit, facts);
}

}  // namespace

PTXGUARD_RULE(CC104) {
    for (const Toolkit& toolkit : scenario.toolkits) judge_toolkit(scenario, facts, toolkit, findings);
}

}  // namespace ptxguard
