// SPDX-License-Identifier: Apache-2.0
#include "judge/fatbin_fit.hpp"

#include "facts/lto_ir.hpp"
#include "judge/driver_questions.hpp"

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
        tile ? "Tile IR" + (entry.ir ? " " + entry.ir->text() : "") +
                   " is compiled by the driver, whose compiler of it has no documented interface"
             : "an entry of kind " + std::to_string(entry.raw_kind) + " may fit, of which nothing is known";
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

}  // namespace ptxguard
