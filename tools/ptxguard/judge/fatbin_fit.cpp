// SPDX-License-Identifier: Apache-2.0
#include "judge/fatbin_fit.hpp"

#include <set>

#include "facts/lto_ir.hpp"
#include "judge/entry_fit.hpp"
#include "judge/loading_questions.hpp"
#include "judge/rule.hpp"

namespace ptxguard {
namespace {

UnitFit unit_fit(Fit fit, UnitFit yes, UnitFit no) {
    return fit == Fit::yes ? yes : fit == Fit::open ? UnitFit::open : no;
}

bool better(const DeviceEntry* a, const DeviceEntry* b) { return !b || a->arch.number > b->arch.number; }

// Tile IR can also be compiled for newer GPUs.
bool may_take(const RunQuestion& question, const DeviceEntry& entry) {
    if (entry.arch.number == 0) return true;
    const ArchFit fit =
        entry.kind == EntryKind::tileir ? ptx_fits(question, entry.arch) : cubin_fits(question, entry.arch);
    return fit.fits.value_or(true);
}

// The newest target, and PTX that the driver accepts before PTX that it does not.
void take_ptx(const RunQuestion& question, const DeviceEntry& entry, Unit& ptx) {
    const EntryFit fit = fit_of_ptx(question, entry);
    if (fit.fit == Fit::not_there) return;
    const UnitFit by = unit_fit(fit.fit, UnitFit::jit, UnitFit::refused);
    if (ptx.entry && ptx.fit == UnitFit::jit && by != UnitFit::jit) return;
    if (!ptx.entry || (ptx.fit != UnitFit::jit && by == UnitFit::jit) || better(&entry, ptx.entry))
        ptx = {by, &entry, fit};
}

void take_cubin(const EntryFit& fit, const DeviceEntry& entry, Unit& cubin) {
    if (fit.fit == Fit::not_there || !better(&entry, cubin.entry)) return;
    cubin = {unit_fit(fit.fit, UnitFit::cubin, UnitFit::old_driver), &entry, fit};
}

// Tile IR, and entries of which nothing is known.
void take_other(const RunQuestion& question, const DeviceEntry& entry, Unit& other) {
    const bool tile = entry.kind == EntryKind::tileir;
    if (!tile && entry.kind != EntryKind::other) return;
    if (other.entry || (tile && compiles_tile_ir(question) == false) || !may_take(question, entry)) return;
    other = {UnitFit::open, &entry, {}};
    other.detail.why =
        tile ? (entry.ir
                    ? SAY("Tile IR {} is compiled by the driver, whose compiler of it has no documented "
                          "interface",
                          entry.ir->text())
                    : "Tile IR is compiled by the driver, whose compiler of it has no documented interface")
             : SAY("an entry of kind {} may fit, of which nothing is known", entry.raw_kind);
    other.detail.decide = "a run on that GPU";
}

}  // namespace

bool is_bytecode(const BinaryFile& file) { return file.looks_like == Content::tileir; }

std::optional<bool> compiles_tile_ir(const RunQuestion& question) {
    if (is_bytecode(question.file)) return false;
    const auto first = first_tile_ir(question.facts);
    if (!first || !question.driver) return std::nullopt;
    return ask_driver(question.scenario, question.facts, *question.driver, first->ptx).reads;
}

Unit judge_fatbin(const RunQuestion& question, const FatbinEntries& entries) {
    CudaMajors majors = made_by(question, entries);
    Unit cubin, maybe, ptx, other;
    for (const DeviceEntry* entry : entries)
        if (entry->kind == EntryKind::cubin) {
            const bool there = cubin_fits(question, entry->arch).fits.value_or(false);
            take_cubin(fit_of_cubin(question, *entry, majors), *entry, there ? cubin : maybe);
        } else if (entry->kind == EntryKind::ptx) {
            take_ptx(question, *entry, ptx);
        } else {
            take_other(question, *entry, other);
        }
    if (cubin.entry) return cubin;
    if (other.entry && ptx.fit != UnitFit::jit) return other;
    if (ptx.entry && (ptx.fit == UnitFit::jit || !maybe.entry)) return ptx;
    return maybe;
}

// Which binaries and GPUs are checked, and how rules name them.

namespace {

bool lacks_entries(const BinaryFile& file) {
    return file.format == FileFormat::archive && file.entries.empty();
}

}  // namespace

std::string ptx_words(const DeviceEntry& entry) {
    return entry.ptx ? SAY("PTX {} for {}", entry.ptx->text(), entry.arch.sm())
                     : SAY("PTX for {}", entry.arch.sm());
}

BinaryFile with_members(const Scenario& scenario, const BinaryFile& archive) {
    BinaryFile whole = archive;
    whole.fatbins = 0;
    whole.kinds.clear();
    for (const BinaryFile& member : scenario.binaries) {
        if (member.format == FileFormat::archive || !starts_with(member.container + "(", archive.path + "("))
            continue;
        for (DeviceEntry entry : member.entries) {
            entry.fatbin += static_cast<std::uint32_t>(whole.fatbins);
            whole.entries.push_back(std::move(entry));
        }
        whole.fatbins += member.fatbins;
        if (whole.trouble.empty()) whole.trouble = member.trouble;
    }
    return whole;
}

namespace {

// "pkg/libx_cuda118.so" -> "pkg/libx_cuda#.so"; empty if no number follows "cuda" or "cu".
std::string without_cuda_release(const std::string& name) {
    for (const std::string_view word :
         {std::string_view("cuda"), std::string_view("_cu"), std::string_view("-cu")}) {
        const std::size_t at = name.rfind(word);
        if (at == std::string::npos || at < name.rfind('/') + 1) continue;
        const std::size_t first = at + word.size(), end = name.find_first_not_of("0123456789", first);
        if (end != first && end != std::string::npos)
            return SAY("{}#{}", name.substr(0, first), name.substr(end));
    }
    return "";
}

}  // namespace

std::vector<const BinaryFile*> alternatives_in(const Scenario& scenario, const BinaryFile& package) {
    std::vector<const BinaryFile*> all;
    std::string name;
    if (package.archive == ArchiveKind::none || package.archive == ArchiveKind::library) return {};
    for (const BinaryFile& file : scenario.binaries) {
        if (file.container != package.path || file.entries.empty()) continue;
        const std::string other = without_cuda_release(file.member);
        if (other.empty() || (!all.empty() && other != name)) return {};
        name = other;
        all.push_back(&file);
    }
    return all.size() > 1 ? all : std::vector<const BinaryFile*>();
}

std::string code_words(const BinaryFile& file, std::size_t limit) {
    std::set<Arch> cubins;
    std::set<std::pair<Arch, std::string>> texts;
    const bool runs = runs_code(file);
    for (const DeviceEntry& entry : file.entries) {
        if (runs ? !entry.is_run() : entry.empty) continue;
        if (entry.kind == EntryKind::cubin) cubins.insert(entry.arch);
        if (entry.kind == EntryKind::ptx) texts.emplace(entry.arch, ptx_words(entry));
    }
    if (cubins.empty() && texts.empty()) return "no cubins and no PTX";
    std::vector<std::string> machine_code, ptx;
    for (const Arch arch : cubins) machine_code.push_back(arch.sm());
    for (const auto& [arch, text] : texts) ptx.push_back(text);
    const std::string words = cubins.empty() ? "no cubins"
                              : cubins.size() == 1
                                  ? SAY("cubin {}", some_of(std::move(machine_code), limit))
                                  : SAY("cubins {}", some_of(std::move(machine_code), limit));
    if (texts.empty()) return SAY("{} and no PTX", words);
    return cubins.size() > 1 ? SAY("{}, and {}", words, some_of(std::move(ptx), limit))
                             : SAY("{} and {}", words, some_of(std::move(ptx), limit));
}

bool is_mistaken_for_ptx(const BinaryFile& file) {
    if (!ends_with(lower(file.path), ".ptx")) return false;
    if (file.format == FileFormat::unknown)
        return file.looks_like != Content::unknown || file.trouble.empty();
    return file.format != FileFormat::ptx || !file.trouble.empty();
}

Evidence evidence_of(const BinaryFile& file) {
    Evidence evidence{"device code", code_words(file), file.origin};
    if (evidence.origin.path.empty()) evidence.origin = Origin::from_file(file.path);
    return evidence;
}

BinaryFiles binaries_concerned(const Scenario& scenario) {
    BinaryFiles files;
    for (const BinaryFile& file : scenario.binaries) {
        bool asked = scenario.source == SourceKind::binary || file.origin.certainty == Certainty::declared;
        // An archive is checked as a whole.
        if (!asked || !file.container.empty()) continue;
        if (lacks_entries(file))
            files.push_back(std::make_shared<const BinaryFile>(with_members(scenario, file)));
        else  // the scenario outlives its judgement
            files.push_back({std::shared_ptr<const BinaryFile>(), &file});
    }
    return files;
}

std::vector<RunPair> pairs_concerned(const Scenario& scenario) {
    std::vector<RunPair> pairs;
    std::vector<const Driver*> drivers = drivers_concerned(scenario);
    for (const Driver* driver : drivers)
        for (const Gpu* gpu : gpus_concerned(scenario, *driver)) pairs.push_back({gpu, driver});
    if (!drivers.empty()) return pairs;
    for (const Gpu& gpu : scenario.gpus)
        if (gpu.arch) pairs.push_back({&gpu, nullptr});
    return pairs;
}

}  // namespace ptxguard
