// PTX, LTO-IR and Tile IR of a file: of each target and version the smallest one, as its head decides who
// reads it; and those that a GPU has to run.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <tuple>

#include "formats/device_code.hpp"
#include "inspect/inspect.hpp"
#include "inspect/reading.hpp"

namespace ptxguard {

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

// Nothing: no compiler reads it.
std::optional<PtxVersion> version_of(const DeviceEntry& entry) {
    if (entry.kind == EntryKind::ptx) return entry.ptx;
    return entry.kind == EntryKind::ltoir || entry.kind == EntryKind::tileir ? entry.ir : std::nullopt;
}

// A PTX text is followed by its zero byte and padding.
Result<std::string> text_of(const Source& source, const DeviceEntry& entry) {
    auto text = read_payload(source, entry);
    if (text && entry.kind == EntryKind::ptx) text->resize(text->find_last_not_of('\0') + 1);
    return text;
}

std::string where(const BinaryFile& file, const Best& best) {
    if (file.format == FileFormat::ptx || file.format == FileFormat::unknown) return "";
    if (best.entry.kind != EntryKind::ptx) return "one of " + std::to_string(best.count) + " of this kind";
    return best.count == 1 ? "its only PTX of this kind"
                           : "the smallest of " + std::to_string(best.count) + " PTX texts";
}

}  // namespace

Result<std::vector<PtxText>> ptx_texts(const Host& host, const Facts& facts, const std::string& path) {
    const Result<Source> source = host.open(path);
    if (!source) return source.trouble();
    std::map<std::tuple<EntryKind, Arch, std::string>, Best> chosen;
    std::string trouble;
    BinaryFile last;
    read_binary(host, facts, path, *source, false, [&](BinaryFile&& file, const Source& whole) {
        if (trouble.empty()) trouble = file.trouble;
        if (file.format == FileFormat::archive) return;  // its members are separate files
        for (const DeviceEntry& entry : file.entries) {
            const auto version = version_of(entry);
            const bool hidden =
                entry.obfuscated && entry.kind != EntryKind::ptx;  // nvJitLink reads it in its fatbin
            if (!version || hidden || size_of(entry) > k_largest_text) continue;
            Best& best = chosen[{entry.kind, entry.arch, version->text()}];
            if (++best.count > 1 && !better(entry, best.entry)) continue;
            auto text = text_of(whole, entry);
            if (!text) {
                if (trouble.empty()) trouble = text.trouble().text();
                --best.count;
                continue;
            }
            best.entry = entry;
            best.text = std::move(*text);
        }
        file.entries.clear();
        last = std::move(file);
    });
    std::vector<PtxText> texts;
    for (auto& [kind, best] : chosen)
        if (!best.text.empty())
            texts.push_back({best.entry.arch, *version_of(best.entry), std::move(best.text),
                             where(last, best), best.entry.relocatable && best.entry.kind == EntryKind::ptx,
                             best.entry.kind});
    if (texts.empty() && !trouble.empty()) return Trouble{path, trouble, ""};
    return texts;
}

namespace {

constexpr std::size_t k_most_bytes = 256u << 20;

// The entry that a driver compiles for a GPU: of PTX that fits the one of the newest target, if no cubin
// fits.
const DeviceEntry* chosen_for(Arch gpu, const std::vector<const DeviceEntry*>& fatbin) {
    const DeviceEntry* best = nullptr;
    for (const DeviceEntry* entry : fatbin) {
        if (entry->kind == EntryKind::cubin && cubin_runs_on(entry->arch, gpu)) return nullptr;
        if (entry->kind != EntryKind::ptx || !ptx_compiles_for(entry->arch, gpu)) continue;
        if (!best || best->arch.number < entry->arch.number) best = entry;
    }
    return best;
}

class Collector {
public:
    Collector(const std::vector<Arch>& gpus, std::size_t most, PtxOfFile& found)
        : m_gpus(gpus), m_most(most), m_found(found) {}

    void take(const BinaryFile& file, const Source& source) {
        std::map<std::uint32_t, std::vector<const DeviceEntry*>> fatbins;
        for (const DeviceEntry& entry : file.entries) {
            const bool ptx = entry.kind == EntryKind::ptx && entry.ptx;
            if (ptx && entry.relocatable) ++m_found.unlinked;
            const bool counts = (ptx || entry.kind == EntryKind::cubin) && entry.registered &&
                                !entry.relocatable && !entry.obfuscated;
            if (counts) fatbins[entry.fatbin].push_back(&entry);
        }
        std::vector<std::pair<Arch, const DeviceEntry*>> wanted;
        for (const auto& [number, fatbin] : fatbins) {
            for (const Arch gpu : m_gpus)
                if (const DeviceEntry* entry = chosen_for(gpu, fatbin)) wanted.emplace_back(gpu, entry);
            for (const DeviceEntry* entry : fatbin)
                if (m_gpus.empty() && entry->kind == EntryKind::ptx) wanted.emplace_back(entry->arch, entry);
        }
        std::stable_sort(wanted.begin(), wanted.end(), [](const auto& a, const auto& b) {
            return size_of(*a.second) < size_of(*b.second);
        });
        for (const auto& [arch, entry] : wanted) add(arch, *entry, source);
    }

private:
    void add(Arch arch, const DeviceEntry& entry, const Source& source) {
        if (m_found.texts.size() >= m_most || m_bytes + size_of(entry) > k_most_bytes) {
            ++m_found.left_out;
            return;
        }
        auto text = text_of(source, entry);
        if (!text) {
            if (m_found.trouble.empty()) m_found.trouble = text.trouble().text();
            return;
        }
        // An `a` or `f` target is only compiled for a GPU name of the same form.
        arch.suffix = entry.arch.suffix;
        if (!m_known.emplace(arch, std::hash<std::string>()(*text)).second) return;
        m_bytes += text->size();
        m_found.texts.push_back({arch, {entry.arch, *entry.ptx, std::move(*text), "", false}});
    }

    const std::vector<Arch>& m_gpus;
    std::size_t m_most, m_bytes = 0;
    PtxOfFile& m_found;
    std::set<std::pair<Arch, std::size_t>> m_known;
};

}  // namespace

PtxOfFile ptx_to_compile(const Host& host, const Facts& facts, const std::string& path,
                         const std::vector<Arch>& gpus, std::size_t most) {
    PtxOfFile found;
    const Result<Source> source = host.open(path);
    if (!source) return found;
    Collector collector(gpus, most, found);
    read_binary(host, facts, path, *source, false, [&](BinaryFile&& file, const Source& whole) {
        if (file.format != FileFormat::archive) collector.take(file, whole);
    });
    return found;
}

}  // namespace ptxguard
