// From fatbins to the file.
// SPDX-License-Identifier: Apache-2.0
#include "judge/loading_questions.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "facts/lto_ir.hpp"
#include "judge/driver_questions.hpp"
#include "judge/fatbin_fit.hpp"
#include "model/ranges.hpp"

namespace ptxguard {
namespace {

struct Parts {
    std::vector<const FatbinKind*> linked, relocatable;  // registered fatbins
    FatbinEntries alone;                                 // code that the library loads itself
    bool any_ltoir = false, any_other_than_ltoir = false, any_tile_ir = false;
    bool unlinked = false;  // objects: a device link is still to come
};

Parts parts_of(const BinaryFile& file, const std::vector<FatbinKind>& kinds) {
    Parts parts;
    for (const DeviceEntry& entry : file.entries) {
        if (entry.empty) continue;
        parts.any_tile_ir = parts.any_tile_ir || entry.kind == EntryKind::tileir;
        if (!entry.registered)
            parts.alone.push_back(&entry);
        else
            (entry.kind == EntryKind::ltoir ? parts.any_ltoir : parts.any_other_than_ltoir) = true;
    }
    for (const FatbinKind& kind : kinds)
        (kind.relocatable ? parts.relocatable : parts.linked).push_back(&kind);
    return parts;
}

// Fatbins with equal entries are judged once.
struct Units {
    Unit unit;
    std::size_t number = 0;
};
struct Sum {
    std::vector<Units> units;
    std::size_t all() const {
        std::size_t number = 0;
        for (const Units& one : units) number += one.number;
        return number;
    }
    std::size_t count(UnitFit fit) const {
        std::size_t number = 0;
        for (const Units& one : units) number += one.unit.fit == fit ? one.number : 0;
        return number;
    }
    std::size_t fits() const { return count(UnitFit::cubin) + count(UnitFit::jit); }
    // The architecture that most units of this kind share.
    const Unit* typical(UnitFit fit) const {
        std::map<std::string, std::pair<std::size_t, const Unit*>> by_name;
        const Unit* best = nullptr;
        std::size_t most = 0;
        for (const auto& [unit, count] : units) {
            if (unit.fit != fit) continue;
            auto& [number, first] = by_name[unit.entry ? unit.entry->arch.sm() : ""];
            if (!first) first = &unit;
            number += count;
            if (number > most) {
                most = number;
                best = first;
            }
        }
        return best;
    }
};

Sum judge_all(const RunQuestion& question, const std::vector<const FatbinKind*>& kinds) {
    Sum sum;
    for (const FatbinKind* kind : kinds) {
        FatbinEntries entries;
        for (const std::size_t place : kind->entries) entries.push_back(&question.file.entries[place]);
        sum.units.push_back({judge_fatbin(question, entries), kind->count});
    }
    return sum;
}

// If no linked cubin matches, the driver may link the relocatable code itself; each object must have some.
std::optional<Unit> linked_by_driver(const RunQuestion& question, const Parts& parts) {
    Sum sum = judge_all(question, parts.relocatable);
    for (UnitFit fit :
         {UnitFit::no, UnitFit::old_driver, UnitFit::refused, UnitFit::open, UnitFit::jit, UnitFit::cubin}) {
        const Unit* unit = sum.typical(fit);
        if (!unit) continue;
        if (fit == UnitFit::no) return std::nullopt;
        Unit worst = *unit;
        if (fit == UnitFit::cubin) worst.fit = UnitFit::jit;
        return worst;
    }
    return std::nullopt;
}

std::string fatbins_words(std::size_t some, std::size_t all) {
    return all == 1 ? SAY("{} of {} fatbin", some, all) : SAY("{} of {} fatbins", some, all);
}

void say_runs(const RunQuestion& question, const Sum& sum, RunAnswer& answer) {
    std::size_t cubins = sum.count(UnitFit::cubin), jits = sum.count(UnitFit::jit);
    bool by_cubin = cubins > jits;
    const Unit& unit = *sum.typical(by_cubin ? UnitFit::cubin : UnitFit::jit);
    const DeviceEntry& entry = *unit.entry;
    answer.cause = RunCause::runs;
    answer.cubins = cubins;
    answer.code = entry.arch;
    answer.said.verdict = by_cubin ? RunVerdict::cubin : RunVerdict::jit;
    std::string counted = fatbins_words(by_cubin ? cubins : jits, sum.all());
    if (by_cubin) {
        answer.said.why = SAY("cubin {} in {}{}", entry.arch.sm(), counted, words_of_board(question));
        if (jits > 0) answer.said.why += SAY("; {} more by PTX", jits);
        return;
    }
    if (entry.kind == EntryKind::cubin) {
        answer.said.why =
            SAY("relocatable cubins {} of every object are linked by the driver", entry.arch.sm());
        return;
    }
    answer.ptx = entry.ptx;
    answer.said.why = entry.relocatable ? SAY("{}relocatable {} is compiled by the driver, in {}",
                                              cubins > 0 ? "" : "no cubin fits; ", ptx_words(entry), counted)
                                        : SAY("{}{} is compiled by the driver, in {}",
                                              cubins > 0 ? "" : "no cubin fits; ", ptx_words(entry), counted);
    if (question.driver) answer.said.why += SAY(", and {} reads it", name_of(*question.driver));
    if (cubins > 0) answer.said.why += SAY("; {} more have a cubin", cubins);
}

void say_refused(const RunQuestion& question, const Unit& unit, RunAnswer& answer) {
    answer.cause = RunCause::ptx_refused;
    answer.code = unit.entry->arch;
    answer.ptx = unit.entry->ptx;
    answer.driver = unit.detail.driver;
    answer.said.verdict = RunVerdict::no;
    answer.said.why =
        SAY("no cubin fits, and {} does not read {}", name_of(*question.driver), ptx_words(*unit.entry));
    if (answer.driver.newest) answer.said.why += SAY(" (it reads up to {})", answer.driver.newest->text());
}

void say_old_driver(const RunQuestion& question, const Unit& unit, RunAnswer& answer) {
    answer.cause = RunCause::cubin_too_new;
    answer.code = unit.entry->arch;
    answer.minimum = unit.detail.minimum;
    answer.made_by = unit.detail.made_by;
    answer.said.verdict = RunVerdict::no;
    answer.said.why = SAY("cubin {} is of {}, which {} does not run", unit.entry->arch.sm(),
                          unit.detail.made_by, name_of(*question.driver));
    if (answer.minimum) answer.said.why += SAY(" ({} or newer does)", answer.minimum->text);
}

void say_open(const std::string& why, const std::string& decide, RunAnswer& answer) {
    answer.cause = RunCause::open;
    answer.said.verdict = RunVerdict::unknown;
    answer.said.why = why;
    answer.said.decide = decide;
}

bool may_fit(const RunQuestion& question, const DeviceEntry& entry) {
    if (entry.kind == EntryKind::cubin) return cubin_fits(question, entry.arch).fits.value_or(true);
    return entry.kind == EntryKind::ptx && fit_of_ptx(question, entry).fit != Fit::not_there;
}

// The result if nothing registered matches.
void say_not_there(const RunQuestion& question, const Parts& parts, RunAnswer& answer) {
    if (parts.any_ltoir && (parts.unlinked || !parts.any_other_than_ltoir))
        return say_open("only LTO-IR may fit; a device link has to make code from it",
                        "the file that it is linked into", answer);
    if (is_bytecode(question.file))
        return say_open("Tile IR only; tileiras has to make code from it", "the cubin that it makes", answer);
    if (!question.file.trouble.empty())
        return say_open(SAY("nothing that was read fits, and the file could not be read to its end: {}",
                            question.file.trouble),
                        "a whole copy of the file", answer);
    for (const DeviceEntry* entry : parts.alone)
        if (may_fit(question, *entry))
            return say_open(
                entry->kind == EntryKind::ptx
                    ? SAY("only {} fits that the library loads by itself", ptx_words(*entry))
                    : SAY("only a cubin for {} fits that the library loads by itself", entry->arch.sm()),
                "a run on that GPU", answer);
    answer.cause = RunCause::not_there;
    answer.said.verdict = RunVerdict::no;
    answer.said.why = SAY("it contains {}", code_words(question.file));
    if (parts.any_ltoir) answer.said.why += ", and LTO-IR, which is not used by itself";
    if (parts.any_tile_ir && compiles_tile_ir(question) == false)
        answer.said.why +=
            SAY(", and Tile IR, which {} does not compile: the first driver that does is that of CUDA {}",
                name_of(*question.driver), first_tile_ir(question.facts)->release.text);
}

// The device link made one of the fatbins; the file does not say which one.
void count_device_link(const RunQuestion& question, const Parts& parts, Sum& sum) {
    const auto unit = linked_by_driver(question, parts);
    const auto missing = std::find_if(sum.units.begin(), sum.units.end(),
                                      [](const Units& one) { return one.unit.fit == UnitFit::no; });
    if (!unit || missing == sum.units.end()) return;
    --missing->number;
    sum.units.push_back({*unit, 1});
}

std::set<Arch> cubins_of(const BinaryFile& file, const FatbinKind& kind) {
    std::set<Arch> archs;
    for (const std::size_t place : kind.entries)
        if (file.entries[place].kind == EntryKind::cubin) archs.insert(file.entries[place].arch);
    return archs;
}

// The one fatbin that the device link made of the relocatable objects (NCCL's).
bool is_device_link(const BinaryFile& file, const FatbinKind& kind, const Parts& parts) {
    return kind.count == 1 && any_of(parts.relocatable, [&](const FatbinKind* object) {
               return cubins_of(file, *object) == cubins_of(file, kind);
           });
}

// How many fatbins beside the device link have nothing for the GPU, if none of them has. One that is not
// there for any of the file's own kernels does not run. `sum` is of parts.linked, in that order.
std::size_t lacking_beside_link(const RunQuestion& question, const Parts& parts, const Sum& sum) {
    std::size_t lacking = 0;
    if (parts.unlinked || parts.relocatable.empty()) return 0;
    for (std::size_t i = 0; i < sum.units.size(); ++i) {
        if (i >= parts.linked.size() || is_device_link(question.file, *parts.linked[i], parts)) continue;
        if (sum.units[i].unit.fit != UnitFit::no && sum.units[i].number > 0) return 0;
        lacking += sum.units[i].number;
    }
    return lacking > 1 ? lacking : 0;
}

void say_only_link(const RunQuestion& question, std::size_t lacking, const Sum& sum, RunAnswer& answer) {
    answer.cause = RunCause::not_there;
    answer.said.verdict = RunVerdict::no;
    answer.said.why =
        SAY("{} have nothing for {}: only what is linked of relocatable objects does; it contains {}",
            fatbins_words(lacking, sum.all()), question.gpu.sm(), code_words(question.file));
}

void say_unsupported_gpu(const RunQuestion& question, RunAnswer& answer) {
    const auto last = dropped_after(question.facts, *question.driver, question.gpu);
    const std::string driver = name_of(*question.driver), gpu = question.gpu.sm();
    answer.cause = last ? RunCause::gpu_too_old : RunCause::gpu_too_new;
    answer.said.verdict = RunVerdict::no;
    answer.said.fatbins_fit = 0;
    if (!last)
        answer.minimum =
            question.facts.first_driver_for_ptx(*question.gpu_facts->first_ptx, question.scenario.system);
    answer.said.why =
        last ? SAY("{} no longer supports {}: the last branch that does is {}", driver, gpu, *last)
        : answer.minimum
            ? SAY("{} is older than {}, which needs {} or newer", driver, gpu, answer.minimum->text)
            : SAY("{} is older than {}", driver, gpu);
}

void sum_up(const RunQuestion& question, const Parts& parts, Sum sum, RunAnswer& answer) {
    if (sum.fits() == 0 && !parts.unlinked && !parts.relocatable.empty())
        count_device_link(question, parts, sum);
    answer.said.fatbins = sum.all();
    answer.said.fatbins_fit = sum.fits();
    const bool any = sum.fits() > 0 || sum.count(UnitFit::refused) + sum.count(UnitFit::old_driver) > 0;
    if (any && driver_knows_gpu(question) == false) return say_unsupported_gpu(question, answer);
    const std::size_t refused = sum.count(UnitFit::refused), old = sum.count(UnitFit::old_driver);
    if (const std::size_t lacking = sum.fits() > 0 ? lacking_beside_link(question, parts, sum) : 0)
        return say_only_link(question, lacking, sum, answer);
    if (sum.fits() >= std::max<std::size_t>(refused + old, 1)) {
        say_runs(question, sum, answer);
        if (refused + old > 0)
            answer.said.why += SAY("; {} does not run {} more", name_of(*question.driver), refused + old);
        return;
    }
    if (const Unit* open = sum.fits() == 0 ? sum.typical(UnitFit::open) : nullptr)
        return say_open(open->detail.why + words_of_board(question), open->detail.decide, answer);
    if (refused + old == 0) return say_not_there(question, parts, answer);
    if (refused >= old)
        say_refused(question, *sum.typical(UnitFit::refused), answer);
    else
        say_old_driver(question, *sum.typical(UnitFit::old_driver), answer);
    if (sum.fits() > 0)
        answer.said.why +=
            SAY(", in {} of {} fatbins; it runs only {}", std::max(refused, old), sum.all(), sum.fits());
}

// A measurement decides: PTX with an accepted version may still be refused.
void heed_compiler(const RunQuestion& question, RunAnswer& answer) {
    if (answer.said.verdict != RunVerdict::jit || !question.driver) return;
    for (const CompiledCode& compiled : question.file.compiled) {
        if (compiled.driver != question.driver->id || compiled.arch.number != question.gpu.number ||
            compiled.outcome != Outcome::refused || compiled.failure != Failure::other)
            continue;
        answer.cause = RunCause::ptx_invalid;
        answer.said.verdict = RunVerdict::no;
        answer.said.why =
            compiled.texts == 1
                ? SAY("no cubin fits, and {} refuses {} of {} PTX text: {}", name_of(*question.driver),
                      compiled.refused, compiled.texts, compiled.words)
                : SAY("no cubin fits, and {} refuses {} of {} PTX texts: {}", name_of(*question.driver),
                      compiled.refused, compiled.texts, compiled.words);
    }
}

// The best result of alternative libraries, of which one is loaded.
RunAnswer ask_alternatives(const std::vector<const BinaryFile*>& files, const Gpu& gpu, const Driver* driver,
                           const Scenario& scenario, const Facts& facts) {
    const auto rank = [](const RunAnswer& answer) {
        return answer.said.verdict == RunVerdict::cubin     ? 3
               : answer.said.verdict == RunVerdict::jit     ? 2
               : answer.said.verdict == RunVerdict::unknown ? 1
                                                            : 0;
    };
    std::optional<RunAnswer> best;
    for (const BinaryFile* file : files) {
        RunAnswer answer = ask_run(*file, gpu, driver, scenario, facts);
        if (best && rank(*best) >= rank(answer)) continue;
        answer.said.why = SAY("{}, one of {} builds: {}", file->member, files.size(), answer.said.why);
        best = std::move(answer);
    }
    return *best;
}

void say_nothing_to_load(const BinaryFile& file, const Parts& parts, RunAnswer& answer) {
    if (!file.trouble.empty())
        return say_open(SAY("it could not be read: {}", file.trouble), "a whole copy of the file", answer);
    if (!parts.alone.empty())
        return say_open("all of its device code is loaded by the library itself", "a run on that GPU",
                        answer);
    say_open("it contains no device code", "", answer);
    answer.cause = RunCause::no_code;
}

}  // namespace

RunAnswer ask_run(const BinaryFile& file, const Gpu& gpu, const Driver* driver, const Scenario& scenario,
                  const Facts& facts) {
    if (file.format == FileFormat::archive && file.entries.empty() && file.fatbins > 0) {
        BinaryFile whole = with_members(scenario, file);
        if (!whole.entries.empty()) return ask_run(whole, gpu, driver, scenario, facts);
    }
    if (const auto files = alternatives_in(scenario, file); !files.empty())
        return ask_alternatives(files, gpu, driver, scenario, facts);
    RunAnswer answer;
    answer.said.gpu = name_of(gpu);
    if (!gpu.arch) {
        say_open(SAY("which architecture '{}' has is not known", gpu.name),
                 "its compute capability: --gpu 8.6", answer);
        return answer;
    }
    Arch arch{gpu.arch->number, 0};
    answer.said.arch = arch;
    RunQuestion question{file, driver, scenario, facts, arch, facts.arch(arch)};
    const std::vector<FatbinKind> own =
        file.kinds.empty() ? fatbin_kinds(file.entries) : std::vector<FatbinKind>();
    Parts parts = parts_of(file, file.kinds.empty() ? own : file.kinds);
    if (parts.linked.empty() && parts.relocatable.empty()) {
        say_nothing_to_load(file, parts, answer);
        return answer;
    }
    // Not linked yet, so each is judged separately: objects, and archives of them.
    parts.unlinked = parts.linked.empty() || file.format == FileFormat::archive;
    if (parts.unlinked) append(parts.linked, parts.relocatable);
    sum_up(question, parts, judge_all(question, parts.linked), answer);
    heed_compiler(question, answer);
    return answer;
}

RunsOn runs_on(const BinaryFile& file, const Gpu& gpu, const Driver* driver, const Scenario& scenario,
               const Facts& facts) {
    return ask_run(file, gpu, driver, scenario, facts).said;
}

}  // namespace ptxguard
