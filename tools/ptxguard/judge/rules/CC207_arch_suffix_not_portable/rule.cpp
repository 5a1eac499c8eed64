// The binary has code only for an 'a' target: GPUs of the same major, or all newer GPUs, cannot run it.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "judge/entry_fit.hpp"
#include "judge/loading_questions.hpp"
#include "judge/rule.hpp"

namespace ptxguard {
namespace {

struct Held {
    std::vector<Arch> cubins, texts;  // each once, of registered code
    bool plain = false;               // something without suffix
};

void keep(std::vector<Arch>& archs, Arch arch) {
    if (!contains(archs, arch)) archs.push_back(arch);
}

Held held_by(const BinaryFile& file) {
    Held held;
    for (const DeviceEntry& entry : file.entries) {
        if (!entry.is_run() || entry.arch.number == 0) continue;
        if (entry.kind == EntryKind::cubin) keep(held.cubins, entry.arch);
        if (entry.kind == EntryKind::ptx) keep(held.texts, entry.arch);
        held.plain = held.plain || (entry.kind != EntryKind::other && entry.arch.suffix == 0);
    }
    return held;
}

// Anything that may run counts as covered, even if it is not known to run.
bool runs_somehow(const RunQuestion& question, const Held& held) {
    auto cubin = [&](Arch arch) { return cubin_fits(question, arch).fits.value_or(true); };
    auto text = [&](Arch arch) { return ptx_fits(question, arch).fits.value_or(true); };
    return any_of(held.cubins, cubin) || any_of(held.texts, text);
}

// GPUs of the same major with a newer minor that run nothing in the file.
std::vector<Arch> left_out(const Scenario& scenario, const Facts& facts, const BinaryFile& file,
                           const Held& held, Arch code) {
    std::vector<Arch> missing;
    for (Arch sibling : facts.archs()) {
        if (sibling.suffix != 0 || sibling.major() != code.major() || sibling.number <= code.number) continue;
        if (sibling.number == 101) continue;  // renamed to 11.0
        RunQuestion question{file, nullptr, scenario, facts, sibling, facts.arch(sibling)};
        if (!runs_somehow(question, held)) missing.push_back(sibling);
    }
    return missing;
}

std::string ccs(const std::vector<Arch>& archs) {
    std::vector<std::string> words;
    for (Arch arch : archs) words.push_back(arch.cc());
    return list(words);
}

std::string gencode(Arch arch) { return SAY("-gencode arch={},code={}", arch.compute(), arch.sm()); }

void say_siblings(const Facts& facts, const BinaryFile& file, Arch code, const std::vector<Arch>& missing,
                  Findings& findings) {
    Arch plain{code.number, 0}, family{code.number, 'f'};
    bool has_family = !facts.family(family).empty();
    std::vector<Arch> all = missing;
    Composed finding =
        add(findings, "CC207", Level::warning, SAY("{}, {}", file.path, code.sm()),
            SAY("{}: {} runs only on {}; {} cannot run it", file.path, code.sm(), code.cc(), ccs(missing)));
    finding.found(evidence_of(file))
        .expected("device code", has_family ? SAY("{} or {}", family.sm(), plain.sm()) : plain.sm(), {})
        .because(
            "code with the suffix 'a' may use what only that GPU has, so no other GPU loads it, not even a "
            "newer one of its major");
    all.insert(all.begin(), code);
    if (has_family) finding.by_hand(SAY("{}: runs on {}", gencode(family), ccs(all)));
    finding.by_hand(SAY("{} beside it", gencode(plain)));
}

void say_newer(const BinaryFile& file, const Held& held, Findings& findings) {
    std::vector<std::string> words;
    for (Arch text : held.texts) words.push_back(SAY("PTX for {}", text.sm()));
    Arch plain{held.texts.front().number, 0};
    add(findings, "CC207", Level::warning, SAY("{}, {}", file.path, words.front()),
        SAY("{}: {} is not a fallback for newer GPUs, and there is no code without suffix beside it",
            file.path, words))
        .found(evidence_of(file))
        .expected("device code", SAY("PTX for {}", Arch{held.texts.front().number, 0}.sm()), {})
        .because("PTX with a suffix compiles for the same GPUs as its cubin: 'a' for one, 'f' for its family")
        .by_hand(SAY("-gencode arch={},code={} beside it", plain.compute(), plain.compute()));
}

}  // namespace

PTXGUARD_RULE(CC207) {
    // If GPUs were named, CC204 reports which of them run nothing.
    if (any_of(scenario.gpus, [](const Gpu& gpu) { return gpu.declared; })) return;
    for (const auto& file : binaries_concerned(scenario)) {
        Held held = held_by(*file);
        std::vector<Arch> exact;
        for (const std::vector<Arch>* archs : {&held.cubins, &held.texts})
            for (Arch arch : *archs)
                if (arch.suffix == 'a') keep(exact, arch);
        std::sort(exact.begin(), exact.end());
        std::vector<Arch> said;
        for (Arch arch : exact) {
            std::vector<Arch> missing = left_out(scenario, facts, *file, held, arch);
            std::size_t before = said.size();
            for (Arch one : missing) keep(said, one);
            if (said.size() > before) say_siblings(facts, *file, arch, missing, findings);
        }
        if (said.empty() && !held.plain && !held.texts.empty()) say_newer(*file, held, findings);
    }
}

}  // namespace ptxguard
