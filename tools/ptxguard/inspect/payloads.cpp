// Reads the payloads: which toolkit built each cubin, and whether the header matches the payload. The header
// decides, because the driver selects by it; a difference is a remark.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "facts/lto_ir.hpp"
#include "formats/device_code.hpp"
#include "formats/raw_ir.hpp"
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

}  // namespace ptxguard
