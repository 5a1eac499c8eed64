// SPDX-License-Identifier: Apache-2.0
#include "judge/library_faults.hpp"

#include "facts/libraries.hpp"
#include "judge/judge.hpp"
#include "judge/library_words.hpp"
#include "model/file_names.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"

namespace ptxguard {
namespace {

using Kind = LibraryFaultKind;
using Family = LibraryFamily;

// The rule whose head names the fault; the family before "all others".
std::string_view rule_of(const LibraryFault& fault, System system) {
    const bool of_driver = fault.family == Family::driver && fault.kind == Kind::missing;
    if (of_driver && system == System::linux_) return {};  // CC210 reports the driver
    std::string_view of_all;
    for (const Rule& rule : rules())
        for (const ReportedFault& reported : rule.head.faults) {
            if (reported.kind != fault.kind || (reported.system && *reported.system != system)) continue;
            if (reported.family == fault.family) return rule.code;
            if (!reported.family) of_all = rule.code;
        }
    return of_all;
}

const LoadLoser* loser_of(const LoadedFile& library, LoadLost lost) {
    return first_where(library.losers, [&](const LoadLoser& loser) { return loser.lost == lost; });
}

// A missing cuDNN of a framework that lacks nothing else.
void add_cudnn(const Process& process, Faults& faults) {
    const CudnnInUse& cudnn = process.cudnn;
    if (!cudnn.asked || !is_absent(*cudnn.asked)) return;
    const int wanted = major_asked(*cudnn.asked, process.framework, process.facts);
    LibraryFault& fault = add_fault(process, Kind::missing, Family::cudnn, {*cudnn.asked}, faults);
    if (wanted) fault.wanted = {version_of_major(wanted), Origin{}};
    for (const CudnnCopy& copy : process.scenario.cudnns)
        if (!fault.copy || (fault.copy->major != wanted && copy.major == wanted)) fault.copy = &copy;
    if (!fault.copy) return;
    fault.kind = !wanted || fault.copy->major == wanted ? Kind::not_searched : Kind::other_name;
}

// Reports a framework once, with everything that it lacks.
void add_framework(const Process& process, const std::vector<LoadedFile>& missing, Faults& faults) {
    LibraryFault& fault = add_fault(process, Kind::missing, Family::other, missing, faults);
    const LoadLoser* other = nullptr;
    for (const LoadedFile& library : missing) {
        if (loser_of(library, LoadLost::unreadable)) continue;  // the search ends there
        if (const LoadLoser* near = loser_of(library, LoadLost::not_searched)) fault.near.push_back(*near);
        if (!other && (other = loser_of(library, LoadLost::other_name))) fault.others = {library};
    }
    if (other && fault.near.size() < missing.size()) {
        fault.near = {*other};
        fault.kind = Kind::other_name;
    } else if (!fault.near.empty()) {
        fault.kind = Kind::not_searched;
    }
}

// Absent, and neither the driver's nor what NVRTC opens, which have rules of their own.
bool is_wanted(const LoadedFile& library, const Facts& facts) {
    return is_absent(library) && !is_of_driver(library, facts) && library.library != "nvrtc-builtins";
}

// Each one of a file: another one that it needs may be found.
void add_missing_of_file(const Process& process, Faults& faults) {
    for (const LoadedFile& library : process.trace.libraries)
        if (library.library != "nvrtc-builtins" && is_absent(library))
            add_fault(process, Kind::missing,
                      is_of_driver(library, process.facts) ? Family::driver : Family::other, {library},
                      faults);
}

void add_missing(const Process& process, Faults& faults) {
    const LoadTrace& trace = process.trace;
    for (const LoadedFile& library : trace.libraries)
        if (library.library == "nvrtc-builtins" && is_absent(library))
            add_fault(process, Kind::missing, Family::nvrtc_builtins, {library}, faults);
    if (!trace.traced_for) return add_missing_of_file(process, faults);
    std::vector<LoadedFile> missing = missing_libraries(trace, process.facts);
    if (missing.empty()) return;
    // What is opened later is needed as much where the framework is of no use without.
    if (is_needed_to_start(missing.front()) && needs_cuda_at_use(trace, process.framework, process.facts))
        for (const LoadedFile& library : trace.libraries)
            if (is_wanted(library, process.facts) && !is_needed_to_start(library)) missing.push_back(library);
    if (all_of(missing, is_cudnn))
        add_cudnn(process, faults);
    else
        add_framework(process, missing, faults);
}

// Why a DLL is missing: the kind that is easiest to fix, with the file that shows it.
std::pair<Kind, const LoadLoser*> dll_kind(const LoadedFile& library) {
    if (const LoadLoser* near = loser_of(library, LoadLost::not_searched)) return {Kind::not_searched, near};
    for (const LoadLost lost : {LoadLost::other_machine, LoadLost::unreadable})
        if (const LoadLoser* near = loser_of(library, lost)) return {Kind::wrong_machine, near};
    if (const LoadLoser* near = loser_of(library, LoadLost::other_name)) return {Kind::other_name, near};
    return {Kind::missing, nullptr};
}

std::string folder_of_near(const LibraryFault& fault) {
    return fault.near.empty() ? std::string() : folder_of(fault.near.front().path);
}

// Two DLLs of one CUDA that one file needs in the same way: the CUDA is not there.
bool is_of_one_cuda(const LoadedFile& a, const LoadedFile& b) {
    return a.cuda_major != 0 && a.cuda_major == b.cuda_major && a.how == b.how && a.needed_by == b.needed_by;
}

// DLLs of a framework with one cause in one folder are reported together. Files spell the name of one DLL in
// different letter case.
void add_or_join(LibraryFault fault, Faults& faults) {
    const bool of_framework = fault.trace->traced_for.has_value();
    const auto same = [&](const LibraryFault& other) {
        return other.kind == fault.kind && other.trace == fault.trace && other.family != Family::cudnn &&
               folder_of_near(other) == folder_of_near(fault) &&
               (of_framework || is_of_one_cuda(other.library(), fault.library()));
    };
    auto* group = first_where(faults, same);
    const bool alone = fault.family == Family::cudnn || fault.kind == Kind::wrong_machine;
    if (alone || !group) {
        faults.push_back(std::move(fault));
        return;
    }
    const auto is_there = [&](const LoadedFile& library) {
        return lower(library.name) == lower(fault.library().name);
    };
    if (any_of(group->libraries, is_there)) return;
    group->libraries.push_back(fault.library());
    append(group->near, fault.near);
}

// Absent until its first call.
bool is_delayed(const LoadedFile& library) {
    return library.how == LoadHow::delay_load && !library.taken && !library.undecided &&
           library.losers.empty() && !library.library.empty();
}

void add_missing_dlls(const Process& process, Faults& faults) {
    for (const LoadedFile& library : process.trace.libraries) {
        const bool driver = is_of_driver(library, process.facts);
        if (is_delayed(library) && !driver)
            add_fault(process, Kind::delayed, Family::other, {library}, faults);
        if (!is_absent(library)) continue;
        const auto [kind, near] = dll_kind(library);
        if (kind == Kind::missing && driver && process.trace.traced_for) continue;
        const bool cudnn = kind == Kind::other_name && library.library == "cudnn";
        const Family family = cudnn ? Family::cudnn : driver ? Family::driver : Family::other;
        Faults found;
        LibraryFault& fault = add_fault(process, kind, family, {library}, found);
        if (near) fault.near = {*near};
        if (cudnn)
            fault.wanted = {version_of_major(major_asked(library, process.framework, process.facts)), {}};
        add_or_join(std::move(fault), faults);
    }
}

// In folders that are not available (System32 of an unpacked tree, an unknown PATH): once per file. On Linux
// only cuDNN: it is the only library that a framework can lack without the others.
void add_undecided(const Process& process, Faults& faults) {
    const LoadTrace& trace = process.trace;
    std::vector<LoadedFile> open;
    const auto keep = [&](const LoadedFile& library) {
        if (library.undecided && !library.taken && !library.optional) open.push_back(library);
    };
    if (process.scenario.system == System::linux_) {
        const CudnnInUse& cudnn = process.cudnn;
        if (cudnn.asked && trace.traced_for) keep(*cudnn.asked);
    } else {
        for (const LoadedFile& library : trace.libraries)
            if (library.how != LoadHow::text && (!trace.traced_for || !is_of_driver(library, process.facts)))
                keep(library);
    }
    if (!open.empty()) add_fault(process, Kind::undecided, Family::other, open, faults);
}

// Libraries that cuDNN opens at the first call that needs them. It searches even for an optional one when a
// graph needs its engine: a package that lists one of them and has lost it is incomplete.
void add_incomplete(const Process& process, Faults& faults) {
    const CudnnInUse& cudnn = process.cudnn;
    if (!cudnn.asked || !is_taken(*cudnn.asked) || !process.trace.traced_for) return;
    const std::vector<std::string>& half = process.trace.traced_for->half_removed;
    const bool lost =
        any_of(half, [](const std::string& package) { return starts_with(package, "nvidia-cudnn"); });
    std::vector<LoadedFile> missing;
    for (const LoadedFile& library : process.trace.libraries) {
        const bool lost_part =
            lost && library.optional && !library.taken && !library.undecided && library.how != LoadHow::text;
        if (is_cudnn(library) && (is_absent(library) || lost_part)) missing.push_back(library);
    }
    if (!missing.empty()) add_fault(process, Kind::incomplete, Family::cudnn, missing, faults);
}

}  // namespace

LibraryFault& add_fault(const Process& process, LibraryFaultKind kind, LibraryFamily family,
                        std::vector<LoadedFile> libraries, Faults& faults) {
    LibraryFault fault;
    fault.kind = kind;
    fault.family = family;
    fault.trace = &process.trace;
    fault.framework = process.framework;
    fault.libraries = std::move(libraries);
    faults.push_back(std::move(fault));
    return faults.back();
}

const std::vector<LibraryFault>& LibraryFaults::all() const {
    if (m_all) return *m_all;
    Faults faults;
    for (const LoadTrace& trace : m_scenario.traces) {
        const Process process{m_scenario, m_facts, trace, m_scenario.framework_of(trace)};
        (m_scenario.system == System::windows ? add_missing_dlls : add_missing)(process, faults);
        add_undecided(process, faults);
        add_incomplete(process, faults);
        add_faults_of_found(process, faults);
    }
    for (LibraryFault& fault : faults) {
        fault.rule = rule_of(fault, m_scenario.system);
        fault.about = {id_of(m_scenario, *fault.trace)};
        for (const LoadedFile& library : fault.libraries)
            fault.about.push_back(id_of(m_scenario, *fault.trace, library));
    }
    return m_all.emplace(std::move(faults));
}

std::vector<std::reference_wrapper<const LibraryFault>> LibraryFaults::reported_by(
    std::string_view rule) const {
    std::vector<std::reference_wrapper<const LibraryFault>> reported;
    for (const LibraryFault& fault : all())
        if (fault.rule == rule) reported.push_back(fault);
    return reported;
}

const LibraryFault* LibraryFaults::of(const LoadTrace& trace, const LoadedFile& library) const {
    const LibraryFault* worst = nullptr;
    for (const LibraryFault& fault : all()) {
        const auto is_it = [&](const LoadedFile& one) { return one.name == library.name; };
        if (fault.trace == &trace && any_of(fault.libraries, is_it) &&
            (!worst || (outcome_of(*worst) != Outcome::refused && outcome_of(fault) == Outcome::refused)))
            worst = &fault;
    }
    return worst;
}

Outcome outcome_of(const LibraryFault& fault) {
    if (fault.rule.empty() || fault.open) return Outcome::unknown;
    switch (fault.kind) {
        case Kind::undecided:
        case Kind::delayed: return Outcome::unknown;
        case Kind::other_cuda: return fault.family == Family::other ? Outcome::unknown : Outcome::refused;
        case Kind::mixed:
        case Kind::shadowed: return fault.proven ? Outcome::refused : Outcome::unknown;
        default: return Outcome::refused;
    }
}

std::string package_without_cuda(const LibraryFault& fault) {
    const auto of_cuda = [](const LoadedFile& library) { return library.cuda_major != 0; };
    const bool any = any_of(fault.libraries, of_cuda);
    return fault.framework && any ? fault.framework->package : "";
}

bool is_absent(const LoadedFile& library) {
    return !library.taken && !library.undecided && !library.optional && library.how != LoadHow::text;
}

bool is_taken(const LoadedFile& library) { return library.taken && !library.stub; }

bool is_needed_to_start(const LoadedFile& library) {
    return library.how == LoadHow::needed && !library.optional;
}

bool is_cudnn(const LoadedFile& library) {
    return library.library == "cudnn" || starts_with(library.library, "cudnn_");
}

bool is_of_driver(const LoadedFile& library, const Facts& facts) {
    const auto name = library_by_file_name(facts, file_of(library.name));
    return name && name->driver;
}

std::vector<LoadedFile> missing_libraries(const LoadTrace& trace, const Facts& facts) {
    std::vector<LoadedFile> needed, later;
    for (const LoadedFile& library : trace.libraries)
        if (is_wanted(library, facts)) (is_needed_to_start(library) ? needed : later).push_back(library);
    return needed.empty() ? later : needed;
}

}  // namespace ptxguard
