// Reads the payloads: which toolkit built each cubin, and whether the header matches the payload. The header
// decides, because the driver selects by it; a difference is a remark.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "formats/device_code.hpp"
#include "inspect/inspect.hpp"
#include "inspect/reading.hpp"

namespace ptxguard {

namespace {

constexpr std::size_t k_ptx_head = 4096;

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
    const Result<std::string> text = read_payload(source, entry, k_ptx_head);
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

// Ascending, each once; of one release the most exact (12.8.93 rather than 12.8).
std::vector<Version> toolkits_of(const std::vector<DeviceEntry>& entries) {
    std::vector<Version> versions;
    for (const DeviceEntry& entry : entries) {
        if (entry.kind == EntryKind::cubin && entry.toolkit &&
            std::find(versions.begin(), versions.end(), *entry.toolkit) == versions.end())
            versions.push_back(*entry.toolkit);
    }
    std::sort(versions.begin(), versions.end(), [](const Version& a, const Version& b) { return a < b; });
    const auto vaguer = [&](const Version& version) {
        return version.numbers.size() == 2 &&
               std::any_of(versions.begin(), versions.end(), [&](const Version& other) {
                   return other.numbers.size() > 2 && same_release(version, other);
               });
    };
    std::vector<Version> kept;
    std::copy_if(versions.begin(), versions.end(), std::back_inserter(kept),
                 [&](const Version& v) { return !vaguer(v); });
    return kept;
}

}  // namespace

void look_into_payloads(Reading& reading, const Source& source) {
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

// Of each target and PTX version the smallest text, decompressed: the head of a PTX decides who reads it.

namespace {

constexpr std::size_t k_largest_text = 64u << 20;

struct Best {
    std::size_t count = 0;
    DeviceEntry entry;
    std::string text;
};

std::uint64_t size_of(const DeviceEntry& entry) {
    return entry.uncompressed ? entry.uncompressed : entry.size;
}

// Code that is still to be linked (-rdc=true) names functions that it does not hold.
bool better(const DeviceEntry& entry, const DeviceEntry& other) {
    if (entry.relocatable != other.relocatable) return !entry.relocatable;
    return size_of(entry) < size_of(other);
}

std::string where(const BinaryFile& file, const Best& best) {
    if (file.format == FileFormat::ptx) return "";
    return best.count == 1 ? "its only PTX of this kind"
                           : "the smallest of " + std::to_string(best.count) + " PTX texts";
}

}  // namespace

Result<std::vector<PtxText>> ptx_texts(const Host& host, const Facts& facts, const std::string& path) {
    const Result<Source> source = host.open(path);
    if (!source) return source.trouble();
    std::map<std::pair<Arch, std::string>, Best> chosen;
    std::string trouble;
    BinaryFile last;
    read_binary(host, facts, path, *source, false, [&](BinaryFile&& file, const Source& whole) {
        if (trouble.empty()) trouble = file.trouble;
        for (const DeviceEntry& entry : file.entries) {
            if (entry.kind != EntryKind::ptx || !entry.ptx || size_of(entry) > k_largest_text) continue;
            Best& best = chosen[{entry.arch, entry.ptx->text()}];
            if (++best.count > 1 && !better(entry, best.entry)) continue;
            auto text = read_payload(whole, entry);
            if (!text) {
                if (trouble.empty()) trouble = text.trouble().text();
                --best.count;
                continue;
            }
            // A PTX text is followed by its zero byte and padding.
            text->resize(text->find_last_not_of('\0') + 1);
            best.entry = entry;
            best.text = std::move(*text);
        }
        file.entries.clear();
        last = std::move(file);
    });
    std::vector<PtxText> texts;
    for (auto& [kind, best] : chosen)
        if (!best.text.empty())
            texts.push_back({kind.first, *best.entry.ptx, std::move(best.text), where(last, best),
                             best.entry.relocatable});
    if (texts.empty() && !trouble.empty()) return Trouble{path, trouble, ""};
    return texts;
}

}  // namespace ptxguard
