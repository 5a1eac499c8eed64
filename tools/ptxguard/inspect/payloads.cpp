// Reads the payloads: which toolkit built each cubin, and whether the header matches the payload. The header
// decides, because the driver selects by it; a difference is a remark.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <functional>
#include <map>

#include "facts/libraries.hpp"
#include "facts/lto_ir.hpp"
#include "formats/device_code.hpp"
#include "formats/elf.hpp"
#include "formats/fatbin.hpp"
#include "formats/pe.hpp"
#include "host/together.hpp"
#include "inspect/reading.hpp"
#include "model/ranges.hpp"

namespace ptxguard {
namespace {

constexpr std::size_t k_payload_head = 4096;

struct Seen {
    std::size_t count = 0, first = 0;
};
using Remarks = std::map<std::string, Seen>;

void note(Remarks& remarks, const std::string& what, std::size_t index) {
    Seen& seen = remarks[what];
    if (seen.count++ == 0) seen.first = index;
}

// For a compressed cubin only the beginning: the header is enough for ABI 7; the note of ABI 8 comes after
// names and symbols, mostly within the first 128 KiB.
Result<CubinFacts> facts_of(const Source& source, const DeviceEntry& entry) {
    if (!entry.compressed) return read_cubin(part_of(source, entry.offset, entry.size));
    Result<CubinFacts> facts = Trouble{};
    for (const std::size_t limit : {std::size_t{64}, std::size_t{1} << 17, std::size_t{1} << 20}) {
        if (limit == 64 && entry.abi != 7) continue;
        const Result<std::string> bytes = read_payload(source, entry, limit);
        if (!bytes) return bytes.trouble();
        facts = read_cubin(source_of(*bytes));
        if (!facts || facts->toolkit || facts->abi == 7 || bytes->size() < limit) break;
    }
    return facts;
}

void look_into_cubin(const Source& source, DeviceEntry& entry, std::size_t index, Remarks& remarks,
                     Remarks& troubles) {
    const Result<CubinFacts> facts = facts_of(source, entry);
    if (!facts)
        return note(
            troubles,
            facts.trouble().what + (facts.trouble().cause.empty() ? "" : ": " + facts.trouble().cause),
            index);
    entry.toolkit = facts->toolkit;
    if (facts->arch.number != 0 && facts->arch.number != entry.arch.number)
        note(remarks, "the header says " + entry.arch.sm() + ", the cubin " + facts->arch.sm(), index);
    else if (facts->arch.suffix == 'a' && entry.arch.suffix == 0)
        note(remarks, "the header says " + entry.arch.sm() + ", the cubin " + facts->arch.sm(), index);
    if (entry.abi != 0 && facts->abi != entry.abi)
        note(remarks,
             "the header says ABI " + std::to_string(entry.abi) + ", the cubin " + std::to_string(facts->abi),
             index);
}

void look_into_ptx(const Source& source, DeviceEntry& entry, std::size_t index, Remarks& remarks,
                   Remarks& troubles) {
    const Result<std::string> text = read_payload(source, entry, k_payload_head);
    if (!text)
        return note(troubles,
                    text.trouble().what + (text.trouble().cause.empty() ? "" : ": " + text.trouble().cause),
                    index);
    const Result<PtxFacts> facts = read_ptx(*text);
    if (!facts) {
        entry.looks_like = looks_like(*text);
        return note(remarks, facts.trouble().text(), index);
    }
    if (facts->target != entry.arch)
        note(remarks, "the header says " + entry.arch.compute() + ", the PTX text " + facts->target.compute(),
             index);
    if (entry.ptx && facts->version != *entry.ptx)
        note(remarks, "the header says PTX " + entry.ptx->text() + ", the PTX text " + facts->version.text(),
             index);
}

std::string with_count(const std::string& what, const Seen& seen) {
    const std::string entry = "entry " + std::to_string(seen.first);
    return seen.count == 1 ? entry + ": " + what
                           : std::to_string(seen.count) + " entries (first: " + entry + "): " + what;
}

void look_into_lto_ir(const FileReading& reading, const Source& source, DeviceEntry& entry) {
    constexpr std::size_t k_lto_ir_head = 16;
    const auto head = read_payload(source, entry, k_lto_ir_head);
    const auto ir = head ? read_raw_ir(*head) : std::nullopt;
    const LtoIrRelease* row = ir && ir->nvvm ? lto_ir_release(reading.facts, *ir->nvvm) : nullptr;
    if (row) entry.toolkit = row->release;
}

// Ascending, each once; for one release the most exact (12.8.93 rather than 12.8).
std::vector<Version> toolkits_of(const std::vector<DeviceEntry>& entries) {
    std::vector<Version> versions;
    for (const DeviceEntry& entry : entries) {
        if ((entry.kind == EntryKind::cubin || entry.kind == EntryKind::ltoir) && entry.toolkit &&
            !contains(versions, *entry.toolkit))
            versions.push_back(*entry.toolkit);
    }
    std::sort(versions.begin(), versions.end(), [](const Version& a, const Version& b) { return a < b; });
    const auto vaguer = [&](const Version& version) {
        return version.numbers.size() == 2 && any_of(versions, [&](const Version& other) {
                   return other.numbers.size() > 2 && same_release(version, other);
               });
    };
    std::vector<Version> kept;
    std::copy_if(versions.begin(), versions.end(), std::back_inserter(kept),
                 [&](const Version& v) { return !vaguer(v); });
    return kept;
}

}  // namespace

void look_into_payloads(FileReading& reading, const Source& source) {
    BinaryFile& file = reading.file;
    file.deep = true;
    if (file.format == FileFormat::cubin || file.format == FileFormat::ptx) {
        file.toolkits = toolkits_of(file.entries);
        return;
    }
    Remarks remarks, troubles;
    for (std::size_t i = 0; i < file.entries.size(); ++i) {
        DeviceEntry& entry = file.entries[i];
        if (entry.obfuscated && entry.kind != EntryKind::ltoir)
            note(remarks, "it is obfuscated, only the driver can read it", i);
        else if (entry.kind == EntryKind::cubin)
            look_into_cubin(source, entry, i, remarks, troubles);
        else if (entry.kind == EntryKind::ltoir)
            look_into_lto_ir(reading, source, entry);
        else if (entry.kind == EntryKind::ptx)
            look_into_ptx(source, entry, i, remarks, troubles);
    }
    constexpr std::size_t k_most_remarks = 20;  // damaged files could have one for each entry
    std::size_t shown = 0;
    for (const auto& [what, seen] : remarks)
        if (shown++ < k_most_remarks) file.remarks.push_back(with_count(what, seen));
    if (shown > k_most_remarks)
        file.remarks.push_back("and " + std::to_string(shown - k_most_remarks) + " more differences");
    for (const auto& [what, seen] : troubles) add_trouble(reading, with_count(what, seen));
    file.toolkits = toolkits_of(file.entries);
}

// Programs, libraries and object files: the sections with device code, and the NVIDIA libraries that they
// need.

namespace {

constexpr std::uint64_t k_searched_meanwhile = 1u << 20;  // smaller large data is not worth a thread

// PE truncates names to 8 bytes. In this order: NVIDIA's own tool also lists registered code first.
struct KnownSection {
    std::string_view elf, pe;
    CodePart::Kind kind;
};
constexpr KnownSection k_sections[] = {
    {".nv_fatbin", ".nv_fatb", CodePart::Kind::fatbins},
    {"__nv_relfatbin", "__nv_rel", CodePart::Kind::relocatable_fatbins},
    {".ldata", "", CodePart::Kind::large_data},  // cuFFT from CUDA 13
    {".cask_resource", ".cask_re", CodePart::Kind::resources},
    {".rodata", ".rdata", CodePart::Kind::constants},
    {".data", ".data", CodePart::Kind::constants},
    {".data.rel.ro", ".rsrc", CodePart::Kind::constants},
};

void add_needed(FileReading& reading, const std::string& name) {
    if (reading.links) reading.links->insert(name);
    if (library_by_file_name(reading.facts, name)) reading.file.needed.push_back(name);
}

bool holds_registered(const CodePart& part) {
    return part.kind == CodePart::Kind::fatbins || part.kind == CodePart::Kind::relocatable_fatbins;
}

void walk_parts(FileReading& reading, const Source& source, const std::vector<CodePart>& parts) {
    std::vector<const CodePart*> walked;
    for (const CodePart& part : parts) {
        if (!holds_registered(part) || part.size == 0) continue;
        const auto overlaps = [&](const CodePart* other) {
            return part.offset < other->offset + other->size && other->offset < part.offset + part.size;
        };
        const bool wraps = part.size > UINT64_MAX - part.offset;
        if (wraps || any_of(walked, overlaps)) {
            add_trouble(reading,
                        part.name + ": it " +
                            (wraps ? "leaves the file" : "overlaps another section with device code"));
            continue;
        }
        walked.push_back(&part);
        add_walk(reading, source, walk_fatbins(source, part.offset, part.size, reading.budget.entries), part);
        // The time for any number of sections would grow with its square.
        if (walked.size() >= 4096) return add_trouble(reading, "has more than 4096 sections of device code");
    }
}

void scan_all(FileReading& reading, const Source& source) {
    reading.file.by_scan = true;
    FatbinWalk walk = scan_fatbins(source, 0, source.size, reading.budget.entries);
    if (walk.fatbins != 0)
        reading.file.remarks.emplace_back("section headers are missing; fatbins were found by their marks");
    add_walk(reading, source, std::move(walk), {});
}

std::vector<CodePart> parts_of(const ElfFile& elf, BinaryFile& file) {
    std::vector<CodePart> parts;
    for (const KnownSection& known : k_sections) {
        for (const ElfSection& section : elf.sections) {
            if (section.name != known.elf) continue;
            CodePart part{known.kind, section.name, section.offset, section.size};
            if (section.type != k_sht_nobits)
                parts.push_back(std::move(part));
            else if (holds_registered(part) && file.remarks.empty())
                file.remarks.push_back(
                    section.name + " has no content here, as in files that contain only debug information");
        }
    }
    return parts;
}

void read_elf_needed(FileReading& reading, const Source& source, const ElfFile& elf) {
    const Result<ElfDynamic> dynamic = read_elf_dynamic(source, elf);
    if (!dynamic) return add_trouble(reading, dynamic.trouble().what);
    for (const std::string& name : dynamic->needed) add_needed(reading, name);
}

}  // namespace

void read_elf_program(FileReading& reading, const Source& source) {
    BinaryFile& file = reading.file;
    file.format = FileFormat::elf;
    file.machine = elf_machine(read_bytes(source, 0, 64));
    const Result<ElfFile> elf = read_elf(source);
    if (!elf) return add_trouble(reading, elf.trouble().what);
    if (!elf->trouble.empty()) add_trouble(reading, elf->trouble);
    read_elf_needed(reading, source, *elf);
    if (elf->sections.empty()) return scan_all(reading, source);
    const std::vector<CodePart> parts = parts_of(*elf, file);
    const bool has_large = any_of(parts, [](const CodePart& part) {
        return part.kind == CodePart::Kind::large_data && part.size > k_searched_meanwhile;
    });
    EarlyWalks early;
    std::vector<std::function<void()>> tasks{[&] { walk_parts(reading, source, parts); }};
    if (has_large)
        tasks.emplace_back([&, most = reading.budget.entries] { early = search_early(source, parts, most); });
    run_together(tasks);
    file.summary = summarize(file.entries);
    read_outside(reading, source, parts, std::move(early));
}

void read_pe_program(FileReading& reading, const Source& source) {
    BinaryFile& file = reading.file;
    file.format = FileFormat::pe;
    const Result<PeFile> pe = read_pe(source);
    if (!pe) return add_trouble(reading, pe.trouble().what);
    file.machine = pe_machine(pe->machine);
    const Result<std::vector<PeImport>> imports = read_pe_imports(source, *pe);
    if (!imports) add_trouble(reading, imports.trouble().what);
    if (imports)
        for (const PeImport& import : *imports) add_needed(reading, import.dll);
    std::vector<CodePart> parts;
    for (const KnownSection& known : k_sections)
        for (const PeSection& section : pe->sections)
            if (!known.pe.empty() && section.name == known.pe)
                parts.push_back({known.kind, section.name, section.offset, section.size});
    walk_parts(reading, source, parts);
    file.summary = summarize(file.entries);
    read_outside(reading, source, parts);
}

// Fatbins with nothing to run. nvcc writes device code for every .cu file; one with only host code has a
// cubin and PTX that contain nothing, by default for the oldest architecture.

namespace {

// With debug information (-G) an empty cubin has 2 KiB.
constexpr std::uint64_t k_most_of_empty = 16u << 10;
constexpr std::size_t k_fatbins_of_piece = 128;  // unpacked by one thread at a time

bool may_be_empty(const DeviceEntry& entry) {
    const bool readable = entry.kind == EntryKind::cubin || entry.kind == EntryKind::ptx;
    const std::uint64_t size = entry.compressed ? entry.uncompressed : entry.size;
    return readable && !entry.obfuscated && size <= k_most_of_empty && entry.size <= k_most_of_empty;
}

bool is_empty(const Source& source, const DeviceEntry& entry) {
    const Result<std::string> payload = read_payload(source, entry);
    if (!payload) return false;
    return entry.kind == EntryKind::cubin ? is_empty_cubin(source_of(*payload)) : is_empty_ptx(*payload);
}

}  // namespace

void mark_empty(const Source& source, std::vector<DeviceEntry>& entries, std::vector<std::string>& remarks) {
    std::vector<std::vector<DeviceEntry*>> fatbins;  // that may be empty, each with its smallest entry first
    for (auto first = entries.begin(); first != entries.end();) {
        const auto end = std::find_if(
            first, entries.end(), [&](const DeviceEntry& entry) { return entry.fatbin != first->fatbin; });
        if (std::all_of(first, end, may_be_empty)) {
            auto& fatbin = fatbins.emplace_back();
            for (auto entry = first; entry != end; ++entry) fatbin.push_back(&*entry);
            std::stable_sort(fatbin.begin(), fatbin.end(),
                             [](const DeviceEntry* a, const DeviceEntry* b) { return a->size < b->size; });
        }
        first = end;
    }
    std::atomic<std::size_t> count{0};
    const std::size_t pieces = (fatbins.size() + k_fatbins_of_piece - 1) / k_fatbins_of_piece;
    run_for_each(pieces, [&](std::size_t piece) {
        const std::size_t end = std::min(fatbins.size(), (piece + 1) * k_fatbins_of_piece);
        for (std::size_t i = piece * k_fatbins_of_piece; i < end; ++i) {
            const auto& fatbin = fatbins[i];
            if (!all_of(fatbin, [&](const DeviceEntry* entry) { return is_empty(source, *entry); })) continue;
            for (DeviceEntry* entry : fatbin) entry->empty = true;
            ++count;
        }
    });
    if (count == 0) return;
    remarks.push_back(std::to_string(count) + (count == 1 ? " fatbin has" : " fatbins have") +
                      " no function and no variable, as nvcc makes for host code: nothing in " +
                      (count == 1 ? "it" : "them") + " is run");
}

}  // namespace ptxguard
