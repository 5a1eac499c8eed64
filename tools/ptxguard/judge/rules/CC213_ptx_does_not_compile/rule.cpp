// CC213 ptx_does_not_compile: a compiler refused the PTX, LTO-IR or Tile IR of a file when it was run, or
// none can compile it.
// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "judge/fitting_builds.hpp"
#include "judge/fixes.hpp"
#include "judge/ptx_questions.hpp"
#include "judge/rule.hpp"

namespace ptxguard {
namespace {

struct CodeWords {
    const char *name, *one, *many;
    const char* because;  // of a refusal by a toolkit's compiler
    const char* other;    // a compiler that would decide
};

CodeWords words_of(EntryKind code) {
    if (code == EntryKind::ltoir)
        return {"LTO-IR", "LTO-IR entry", "LTO-IR entries",
                "a program that links this LTO-IR with this nvJitLink gets the same message", "an nvJitLink"};
    if (code == EntryKind::tileir)
        return {"Tile IR", "Tile IR entry", "Tile IR entries",
                "a program that compiles this Tile IR with this tileiras gets the same message",
                "a tileiras"};
    return {"PTX", "PTX text", "PTX texts",
            "a program that assembles this PTX with this ptxas gets the same message", "a ptxas"};
}

std::string texts_words(std::size_t some, const CompiledCode& compiled) {
    const CodeWords words = words_of(compiled.code);
    return std::to_string(some) + " of " + std::to_string(compiled.texts) + " " +
           (compiled.texts == 1 ? words.one : words.many);
}

std::string with_target(const std::optional<PtxVersion>& version, Arch target) {
    const std::string number = version ? version->text() : "";
    if (target.number == 0) return number;
    return number + (number.empty() ? "for " : " for ") + target.sm();
}

void say_refused(const BinaryFile& file, const CompiledCode& compiled, const Scenario& scenario,
                 const Facts& facts, Findings& findings) {
    const bool ptx = compiled.code == EntryKind::ptx;
    const CodeWords words = words_of(compiled.code);
    Finding& finding = add(findings, "CC213", Level::error,
                           file.path + " for " + compiled.arch.sm() + " by " + compiled.compiler,
                           compiled.compiler + " refuses " + texts_words(compiled.refused, compiled) +
                               " of " + file.path + " for " + compiled.arch.sm() + ": " + compiled.words);
    finding.found = {{ptx ? "PTX ISA" : words.name,
                      with_target(ptx ? compiled.ptx : compiled.ir, compiled.target), file.origin}};
    finding.expected = {{words.name, "that " + compiled.compiler + " compiles for " + compiled.arch.sm(),
                         compiled.command.empty() ? Origin{} : Origin::from_command("", compiled.command)}};
    finding.because =
        compiled.driver.empty()
            ? words.because
            : "the driver compiles this PTX when the program starts: CUDA_ERROR_INVALID_PTX (218)";
    finding.fix = {by_hand("use " + std::string(words.other) + " of the release that made it, or newer")};
    if (ptx) finding.fix = code_for_gpu_fix(file, compiled.arch, scenario, facts);
}

void say_undecided(const BinaryFile& file, const CompiledCode& compiled, Findings& findings) {
    const CodeWords words = words_of(compiled.code);
    const std::size_t open = compiled.texts - compiled.accepted - compiled.refused;
    Finding& finding = add(findings, "CC213", Level::unknown,
                           file.path + " for " + compiled.arch.sm() + " by " + compiled.compiler,
                           "whether " + compiled.compiler + " compiles " + texts_words(open, compiled) +
                               " of " + file.path + " for " + compiled.arch.sm() + " is not known");
    finding.because = compiled.words;
    finding.decide = {compiled.driver.empty()
                          ? words.other + std::string(" that answers, or fewer ") + words.many
                          : "a run on that GPU"};
    finding.required = true;
}

// PTX text that was written by hand or generated: nvcc never writes such a pair.
void judge_versions(const BinaryFile& file, const Facts& facts, Findings& findings) {
    std::set<std::pair<std::string, PtxVersion>> said;
    for (const CompiledCode& compiled : file.compiled)  // measured
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
        for (const CompiledCode& compiled : file.compiled) {
            // CC202 reports a driver that is too old for the PTX, CC204 one that is too old for the GPU.
            const bool other_rule = !compiled.driver.empty() && compiled.failure != Failure::other;
            if (compiled.outcome == Outcome::refused && !other_rule)
                say_refused(file, compiled, scenario, facts, findings);
            // A part of a program: the linker read it, but did not get the other parts.
            const bool part = compiled.failure == Failure::unlinked;
            if (compiled.outcome == Outcome::unknown && !part) say_undecided(file, compiled, findings);
        }
}

}  // namespace ptxguard
