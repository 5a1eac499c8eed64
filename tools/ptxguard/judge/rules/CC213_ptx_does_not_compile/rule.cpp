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
    return SAY("{} of {} {}", some, compiled.texts, compiled.texts == 1 ? words.one : words.many);
}

std::string with_target(const std::optional<PtxVersion>& version, Arch target) {
    const std::string number = version ? version->text() : "";
    if (target.number == 0) return number;
    return number.empty() ? SAY("{}for {}", number, target.sm()) : SAY("{} for {}", number, target.sm());
}

// The file on the GPUs for which it was compiled.
std::vector<Entity> run_of(const BinaryFile& file, const CompiledCode& compiled, const Scenario& scenario) {
    std::vector<Entity> ids{id_of(scenario, file)};
    for (const Driver& driver : scenario.drivers)
        if (driver.id == compiled.driver) ids.push_back(id_of(scenario, driver));
    for (const Gpu& gpu : scenario.gpus)
        if (gpu.arch && gpu.arch->number == compiled.arch.number) ids.push_back(id_of(scenario, gpu));
    return ids;
}

void say_refused(const BinaryFile& file, const CompiledCode& compiled, const Scenario& scenario,
                 const Facts& facts, Findings& findings) {
    const bool ptx = compiled.code == EntryKind::ptx;
    const CodeWords words = words_of(compiled.code);
    add(findings, "CC213", Level::error,
        SAY("{} for {} by {}", file.path, compiled.arch.sm(), compiled.compiler),
        SAY("{} refuses {} of {} for {}: {}", compiled.compiler, texts_words(compiled.refused, compiled),
            file.path, compiled.arch.sm(), compiled.words))
        .about(run_of(file, compiled, scenario))
        .found(ptx ? "PTX ISA" : words.name, with_target(ptx ? compiled.ptx : compiled.ir, compiled.target),
               file.origin)
        .expected(words.name, SAY("that {} compiles for {}", compiled.compiler, compiled.arch.sm()),
                  compiled.command.empty() ? Origin{} : Origin::from_command("", compiled.command))
        .because(compiled.driver.empty()
                     ? words.because
                     : "the driver compiles this PTX when the program starts: CUDA_ERROR_INVALID_PTX (218)")
        .fix(ptx ? code_for_gpu_fix(file, compiled.arch, scenario, facts)
                 : std::vector<Fix>{
                       by_hand(SAY("use {} of the release that made it, or newer", words.other))});
}

void say_undecided(const BinaryFile& file, const CompiledCode& compiled, const Scenario& scenario,
                   Findings& findings) {
    const CodeWords words = words_of(compiled.code);
    const std::size_t open = compiled.texts - compiled.accepted - compiled.refused;
    add(findings, "CC213", Level::unknown,
        SAY("{} for {} by {}", file.path, compiled.arch.sm(), compiled.compiler),
        SAY("whether {} compiles {} of {} for {} is not known", compiled.compiler,
            texts_words(open, compiled), file.path, compiled.arch.sm()))
        .about(run_of(file, compiled, scenario))
        .because(compiled.words)
        .decide(compiled.driver.empty() ? SAY("{} that answers, or fewer {}", words.other, words.many)
                                        : "a run on that GPU")
        .required();
}

// PTX text that was written by hand or generated: nvcc never writes such a pair.
void judge_versions(const Scenario& scenario, const BinaryFile& file, const Facts& facts,
                    Findings& findings) {
    std::set<std::pair<std::string, PtxVersion>> said;
    for (const CompiledCode& compiled : file.compiled)  // measured
        if (compiled.outcome == Outcome::refused && compiled.ptx)
            said.insert({compiled.target.sm(), *compiled.ptx});
    for (const DeviceEntry& entry : file.entries) {
        if (entry.kind != EntryKind::ptx || !entry.ptx) continue;
        const Known<PtxVersion> needed = ptx_needed_by(facts, entry.arch);
        if (!needed || *entry.ptx >= *needed || !said.insert({entry.arch.sm(), *entry.ptx}).second) continue;
        const std::string target = SAY(".target {}", entry.arch.sm());
        add(findings, "CC213", Level::error, SAY("{} for {}", file.path, entry.arch.sm()),
            SAY("{}: PTX .version {} does not support {}, which needs {} or newer", file.path,
                entry.ptx->text(), target, needed->text()))
            .about(scenario, file)
            .of_package(file.path)
            .found("PTX ISA", SAY("{} for {}", entry.ptx->text(), entry.arch.sm()), file.origin)
            .expected("PTX ISA", ">= " + needed->text(), needed.origin)
            .because("every ptxas and every driver refuses this pair, whatever the code")
            .fix(Fix{FixKind::edit, SAY(".version {}", needed->text())});
    }
}

}  // namespace

PTXGUARD_RULE(CC213) {
    for (const BinaryFile& file : scenario.binaries) judge_versions(scenario, file, facts, findings);
    for (const BinaryFile& file : scenario.binaries)
        for (const CompiledCode& compiled : file.compiled) {
            // CC202 reports a driver that is too old for the PTX, CC204 one that is too old for the GPU.
            const bool other_rule = !compiled.driver.empty() && compiled.failure != Failure::other;
            if (compiled.outcome == Outcome::refused && !other_rule)
                say_refused(file, compiled, scenario, facts, findings);
            // A part of a program: the linker read it, but did not get the other parts.
            const bool part = compiled.failure == Failure::unlinked;
            if (compiled.outcome == Outcome::unknown && !part)
                say_undecided(file, compiled, scenario, findings);
        }
}

}  // namespace ptxguard
