// This nvcc's cicc writes PTX that the ptxas of the same toolkit refuses. Only this pair is checked, because
// nvcc really uses it. A log has both sides in the message of the ptxas that refused.
// SPDX-License-Identifier: Apache-2.0
#include "judge/fixes.hpp"
#include "judge/log_questions.hpp"
#include "judge/ptx_questions.hpp"

namespace ptxguard {
namespace {

struct Pair {
    Known<PtxVersion> made;  // .version that nvcc writes
    Known<PtxVersion> read;  // newest .version that ptxas accepts; may be unknown if only a refusal was seen
    Certainty basis = Certainty::measured;
};

Pair refused_by(const ProbeResult& probe, Known<PtxVersion> made) {
    Pair pair;
    pair.made = std::move(made);
    if (!pair.made) pair.made.origin = probe.origin();
    if (probe.ptx) pair.made.value = probe.ptx;
    pair.read.value = probe.accepts_up_to;
    pair.read.origin = probe.origin();
    pair.read.origin.text = "measured: " + probe.first_error;
    return pair;
}

bool answered(const ProbeResult& probe) {
    return probe.basis == Certainty::measured &&
           (probe.outcome == Outcome::accepted || probe.outcome == Outcome::refused);
}

// What the tools reported when they were run; sets `decided` if they were.
std::optional<Pair> measured_pair(const Scenario& scenario, const Facts& facts, const Toolkit& toolkit,
                                  bool& decided) {
    for (ProbeKind kind : {ProbeKind::assemble, ProbeKind::object})
        for (const ProbeResult* probe : probes_of(scenario, kind, toolkit.id)) {
            if (!answered(*probe)) continue;
            const bool too_new = probe->outcome == Outcome::refused && probe->failure == Failure::ptx_version;
            if (too_new) return refused_by(*probe, ptx_made(scenario, facts, toolkit));
            decided = decided || kind == ProbeKind::assemble || probe->outcome == Outcome::accepted;
        }
    // An nvcc that cannot even write PTX has no such pair; other rules report why.
    for (const ProbeResult* probe : probes_of(scenario, ProbeKind::ptx, toolkit.id))
        decided = decided || (probe->basis == Certainty::measured && probe->outcome != Outcome::accepted &&
                              probe->outcome != Outcome::unknown);
    return std::nullopt;
}

std::optional<Pair> predicted_pair(const Scenario& scenario, const Facts& facts, const Toolkit& toolkit) {
    Pair pair{ptx_made(scenario, facts, toolkit), ptx_read_by_ptxas(facts, toolkit), Certainty::predicted};
    if (!pair.made || !pair.read || *pair.made <= *pair.read) return std::nullopt;
    return pair;
}

std::string writer_of(const Toolkit& toolkit) {
    const Part* cicc = toolkit.part(PartKind::cicc);
    if (cicc && cicc->version) return "cicc " + cicc->version->text;
    return "the cicc of " + name_of(toolkit);
}

std::string assembler_of(const Toolkit& toolkit) {
    const Part* ptxas = toolkit.part(PartKind::ptxas);
    return ptxas && ptxas->version ? "ptxas " + ptxas->version->text : "ptxas";
}

void report_refused_ptx(const Scenario& scenario, const Facts& facts, const LogMessage& message,
                        Findings& findings) {
    const std::string writer = compiler_of(scenario, facts, *message.made);
    Finding& finding =
        add(findings, "CC201", Level::error, "ptxas",
            assembler_of(facts, *message.read) + " refuses the PTX " + message.made->text() +
                (writer.empty() ? "" : " of " + writer) + " (it reads up to " + message.read->text() + ")");
    finding.found = {evidence_of(message)};
    finding.expected = {{"PTX ISA", "<= " + message.read->text(), message.origin}};
    finding.because = "the compiler and the ptxas that assembles its output are from different CUDA releases";
    finding.fix.push_back(by_hand(
        "use the ptxas of " + (writer.empty() ? "a release that reads PTX " + message.made->text() : writer) +
        ": its bin folder first on PATH (Triton: TRITON_PTXAS_PATH)"));
    if (auto release = facts.newest_cuda_for_ptx(*message.read))
        finding.fix.push_back(by_hand("compile with CUDA " + release->release() + " or older"));
}

void report_refused_ptx(const Scenario& scenario, const Facts& facts, Findings& findings) {
    for (const LogMessage* message : messages_with(scenario, {"ptx_newer_than_ptxas"}))
        if (message->made && message->read && *message->made > *message->read)
            return report_refused_ptx(scenario, facts, *message, findings);
}

}  // namespace

PTXGUARD_RULE(CC201) {
    if (scenario.source == SourceKind::log) return report_refused_ptx(scenario, facts, findings);
    const Toolkit* toolkit = toolkit_of_build(scenario);
    if (!toolkit || !toolkit->part(PartKind::nvcc)) return;
    bool decided = false;
    std::optional<Pair> pair = measured_pair(scenario, facts, *toolkit, decided);
    if (!pair && !decided) pair = predicted_pair(scenario, facts, *toolkit);
    if (!pair) return;

    std::string made = pair->made ? "PTX " + pair->made->text() : "PTX";
    std::string limit = pair->read ? " (it reads up to " + pair->read->text() + ")" : "";
    bool predicted = pair->basis == Certainty::predicted;
    Finding& finding =
        add(findings, "CC201", level_by(pair->basis, scenario), "toolkit " + toolkit->root,
            name_of(*toolkit) + " writes " + made + ", which its own " + assembler_of(*toolkit) +
                (predicted ? " is predicted to refuse" : " refuses") + limit);
    finding.toolkit = toolkit->root;
    if (pair->made) finding.found.push_back({"PTX ISA", pair->made->text(), pair->made.origin});
    for (PartKind kind : {PartKind::nvcc, PartKind::cicc, PartKind::ptxas}) {
        const Part* part = toolkit->part(kind);
        if (part && part->version) finding.found.push_back(evidence_of(*part));
    }
    finding.expected.push_back({"PTX ISA",
                                pair->read ? "<= " + pair->read->text() : "a version that ptxas reads",
                                pair->read.origin});
    finding.because = writer_of(*toolkit) + " writes the PTX that " + assembler_of(*toolkit) +
                      " of the same nvcc has to assemble: every compile to a cubin or an object fails";
    finding.fix = same_release_fix(scenario, *toolkit, facts);
}

}  // namespace ptxguard
