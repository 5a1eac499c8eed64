// CC213 ptx_does_not_compile: a compiler was given the PTX of a file and refused it, or none can compile it.
// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "judge/ptx_questions.hpp"
#include "judge/rule.hpp"

namespace ptxguard {
namespace {

std::string texts_words(std::size_t some, std::size_t all) {
    return std::to_string(some) + " of " + std::to_string(all) + (all == 1 ? " PTX text" : " PTX texts");
}

void say_refused(const BinaryFile& file, const CompiledPtx& compiled, Findings& findings) {
    const bool by_driver = !compiled.driver.empty();
    Finding& finding = add(findings, "CC213", Level::error,
                           file.path + " for " + compiled.arch.sm() + " by " + compiled.compiler,
                           compiled.compiler + " refuses " + texts_words(compiled.refused, compiled.texts) +
                               " of " + file.path + " for " + compiled.arch.sm() + ": " + compiled.words);
    finding.found = {{"PTX ISA",
                      (compiled.ptx ? compiled.ptx->text() + " " : "") + "for " + compiled.target.sm(),
                      file.origin}};
    finding.expected = {{"PTX", "that " + compiled.compiler + " compiles for " + compiled.arch.sm(),
                         compiled.command.empty() ? Origin{} : Origin::from_command("", compiled.command)}};
    finding.because =
        by_driver ? "the driver compiles this PTX when the program starts: CUDA_ERROR_INVALID_PTX (218)"
                  : "a program that assembles this PTX with this ptxas gets the same message";
    finding.fix = {{FixKind::manual, "a build of it with -gencode arch=compute_" + compiled.arch.name() +
                                         ",code=sm_" + compiled.arch.name()}};
}

void say_undecided(const BinaryFile& file, const CompiledPtx& compiled, Findings& findings) {
    const std::size_t open = compiled.texts - compiled.accepted - compiled.refused;
    Finding& finding = add(findings, "CC213", Level::unknown,
                           file.path + " for " + compiled.arch.sm() + " by " + compiled.compiler,
                           "whether " + compiled.compiler + " compiles " + texts_words(open, compiled.texts) +
                               " of " + file.path + " for " + compiled.arch.sm() + " is not known");
    finding.because = compiled.words;
    finding.decide = {compiled.driver.empty() ? "a ptxas that answers, or fewer PTX texts"
                                              : "a run on that GPU"};
    finding.required = true;
}

// PTX text that somebody wrote or generated: nvcc never writes such a pair.
void judge_versions(const BinaryFile& file, const Facts& facts, Findings& findings) {
    std::set<std::pair<std::string, PtxVersion>> said;
    for (const CompiledPtx& compiled : file.compiled)  // measured
        if (compiled.outcome == Outcome::refused && compiled.ptx)
            said.insert({compiled.target.sm(), *compiled.ptx});
    for (const DeviceEntry& entry : file.entries) {
        if (entry.kind != EntryKind::ptx || !entry.ptx) continue;
        const Known<PtxVersion> needed = ptx_needed_by(facts, entry.arch);
        if (!needed || *entry.ptx >= *needed || !said.insert({entry.arch.sm(), *entry.ptx}).second) continue;
        const std::string target = ".target " + entry.arch.sm();
        Finding& finding = add(findings, "CC213", Level::error, file.path + " for " + entry.arch.sm(),
                               file.path + ": PTX .version " + entry.ptx->text() + " does not support " +
                                   target + ", which needs " + needed->text() + " or newer");
        finding.package = file.path;
        finding.found = {{"PTX ISA", entry.ptx->text() + " for " + entry.arch.sm(), file.origin}};
        finding.expected = {{"PTX ISA", ">= " + needed->text(), needed.origin}};
        finding.because = "every ptxas and every driver refuses this pair, whatever the code";
        finding.fix = {{FixKind::edit, ".version " + needed->text()}};
    }
}

}  // namespace

PTXGUARD_RULE(CC213) {
    for (const BinaryFile& file : scenario.binaries) judge_versions(file, facts, findings);
    for (const BinaryFile& file : scenario.binaries)
        for (const CompiledPtx& compiled : file.compiled) {
            // A driver that is too old for the PTX is CC202's, one that is too old for the GPU CC204's.
            const bool other_rule = !compiled.driver.empty() && compiled.failure != Failure::other;
            if (compiled.outcome == Outcome::refused && !other_rule) say_refused(file, compiled, findings);
            if (compiled.outcome == Outcome::unknown) say_undecided(file, compiled, findings);
        }
}

}  // namespace ptxguard
