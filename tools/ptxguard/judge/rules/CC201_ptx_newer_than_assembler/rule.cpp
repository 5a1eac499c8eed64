// This nvcc's cicc writes PTX that the ptxas of the same toolkit refuses. Only this pair is checked, because
// nvcc really uses it. A log has both sides in the message of the ptxas that refused.
// SPDX-License-Identifier: Apache-2.0
#include "judge/fixes.hpp"
#include "judge/framework_questions.hpp"
#include "judge/log_questions.hpp"
#include "judge/module_questions.hpp"
#include "judge/ptx_questions.hpp"
#include "judge/severity.hpp"
#include "model/file_names.hpp"

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
    pair.read.origin.text = SAY("measured: {}", probe.first_error);
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
    if (cicc && cicc->version) return with_release("cicc", cicc->version);
    return SAY("the cicc of {}", name_of(toolkit));
}

std::string assembler_of(const Toolkit& toolkit) {
    const Part* ptxas = toolkit.part(PartKind::ptxas);
    return ptxas ? with_release("ptxas", ptxas->version) : "ptxas";
}

void report_refused_ptx(const Scenario& scenario, const Facts& facts, const LogMessage& message,
                        Findings& findings) {
    const std::string writer = compiler_of(scenario, facts, *message.made);
    Composed finding =
        add(findings, "CC201", Level::error, "ptxas",
            writer.empty()
                ? SAY("{} refuses the PTX {} (it reads up to {})", assembler_of(facts, *message.read),
                      message.made->text(), message.read->text())
                : SAY("{} refuses the PTX {} of {} (it reads up to {})", assembler_of(facts, *message.read),
                      message.made->text(), writer, message.read->text()));
    finding.found(evidence_of(message))
        .expected("PTX ISA", "<= " + message.read->text(), message.origin)
        .because("the compiler and the ptxas that assembles its output are from different CUDA releases")
        .by_hand(writer.empty()
                     ? SAY("use the ptxas of a release that reads PTX {}: its bin folder first on PATH "
                           "(Triton: TRITON_PTXAS_PATH)",
                           message.made->text())
                     : SAY("use the ptxas of {}: its bin folder first on PATH (Triton: TRITON_PTXAS_PATH)",
                           writer));
    if (auto release = facts.newest_cuda_for_ptx(*message.read))
        finding.by_hand(SAY("compile with CUDA {} or older", release->release()));
}

void report_refused_ptx(const Scenario& scenario, const Facts& facts, Findings& findings) {
    for (const LogMessage* message : messages_with(scenario, {"ptx_newer_than_ptxas"}))
        if (message->made && message->read && *message->made > *message->read)
            return report_refused_ptx(scenario, facts, *message, findings);
}

// The first release whose tools read that PTX; null = no table lists one.
const CudaRelease* first_that_reads(const Facts& facts, PtxVersion ptx) {
    for (const Version& version : facts.cuda_releases())
        if (const CudaRelease* release = facts.cuda(version);
            release && release->ptx_max && *release->ptx_max >= ptx)
            return release;
    return nullptr;
}

// Code of a package that numba-cuda links into its kernels, with the nvJitLink that it uses.
void judge_linked(const Scenario& scenario, const Facts& facts, const NativeModule& module,
                  Findings& findings) {
    for (const Expectation& numba : scenario.expectations)
        for (const BundledTool& tool : numba.tools) {
            if (numba.package != "numba-cuda" || tool.tool != k_nvjitlink || !tool.version) continue;
            const CudaRelease* release = facts.cuda(*tool.version);
            if (!release || !release->ptx_max || *module.linked <= *release->ptx_max) continue;
            const std::string limit = release->ptx_max->text(), file = file_of(module.path);
            Composed finding =
                add(findings, "CC201", Level::warning, SAY("{} of {}", file, name_of_package(module)),
                    SAY("{} links PTX {} with nvJitLink {}, which reads up to {}", name_of_package(module),
                        module.linked->text(), tool.version->text, limit));
            finding.of_package(module.package)
                .found("PTX ISA", module.linked->text(), module.linked.origin)
                .found(k_nvjitlink, tool.version->text, tool.version.origin)
                .expected("PTX ISA", SAY("<= {}", limit), release->origin)
                .because(SAY("numba-cuda links {} into kernels that users write, and nvJitLink refuses PTX "
                             "that is newer than its release; the rest of the package works",
                             file));
            const CudaRelease* first = first_that_reads(facts, *module.linked);
            if (!first || !numba.cuda) continue;
            const std::string package =
                numba.cuda->major() < 13 ? "nvidia-nvjitlink-cu12" : "nvidia-nvjitlink";
            finding.fix(pip_fix(SAY("'{}>={}'", package, first->release.release())))
                .by_hand(SAY("if another package pins an older {}, use two environments", package));
        }
}

void report_pair(const Scenario& scenario, const Facts& facts, const Toolkit& toolkit, const Pair& pair,
                 Findings& findings) {
    std::string made = pair.made ? SAY("PTX {}", pair.made->text()) : "PTX";
    std::string limit = pair.read ? SAY(" (it reads up to {})", pair.read->text()) : "";
    bool predicted = pair.basis == Certainty::predicted;
    Composed finding = add(findings, "CC201", level_by(pair.basis, scenario), SAY("toolkit {}", toolkit.root),
                           predicted ? SAY("{} writes {}, which its own {} is predicted to refuse{}",
                                           name_of(toolkit), made, assembler_of(toolkit), limit)
                                     : SAY("{} writes {}, which its own {} refuses{}", name_of(toolkit), made,
                                           assembler_of(toolkit), limit));
    finding.about(scenario, toolkit)
        .of_toolkit(toolkit.root)
        .expected("PTX ISA", pair.read ? "<= " + pair.read->text() : "a version that ptxas reads",
                  pair.read.origin)
        .because(SAY("{} writes the PTX that {} of the same nvcc has to assemble: every compile to a cubin "
                     "or an object fails",
                     writer_of(toolkit), assembler_of(toolkit)))
        .fix(same_release_fix(scenario, toolkit, facts));
    if (pair.made) finding.found("PTX ISA", pair.made->text(), pair.made.origin);
    for (PartKind kind : {PartKind::nvcc, PartKind::cicc, PartKind::ptxas}) {
        const Part* part = toolkit.part(kind);
        if (part && part->version) finding.found(evidence_of(*part));
    }
}

}  // namespace

PTXGUARD_RULE(CC201) {
    if (scenario.source == SourceKind::log) return report_refused_ptx(scenario, facts, findings);
    for (const NativeModule& module : scenario.modules)
        if (module.linked) judge_linked(scenario, facts, module, findings);
    const Toolkit* toolkit = toolkit_of_build(scenario);
    if (!toolkit || !toolkit->part(PartKind::nvcc)) return;
    bool decided = false;
    std::optional<Pair> pair = measured_pair(scenario, facts, *toolkit, decided);
    if (!pair && !decided) pair = predicted_pair(scenario, facts, *toolkit);
    if (pair) report_pair(scenario, facts, *toolkit, *pair, findings);
}

}  // namespace ptxguard
