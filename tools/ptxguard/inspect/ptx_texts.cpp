// PTX, LTO-IR and Tile IR in a file: the smallest one for each target and version, as its head determines
// which consumers accept it; and those that a GPU has to run.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <tuple>

#include "formats/device_code.hpp"
#include "formats/fatbin.hpp"
#include "inspect/inspect.hpp"
#include "inspect/reading.hpp"
#include "model/ranges.hpp"

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

// Code that must still be linked (-rdc=true) uses functions that it does not contain.
bool better(const DeviceEntry& entry, const DeviceEntry& other) {
    if (entry.relocatable != other.relocatable) return !entry.relocatable;
    return size_of(entry) < size_of(other);
}

// Nothing = no compiler accepts it.
std::optional<PtxVersion> version_of(const DeviceEntry& entry) {
    if (entry.kind == EntryKind::ptx) return entry.ptx;
    return entry.kind == EntryKind::ltoir || entry.kind == EntryKind::tileir ? entry.ir : std::nullopt;
}

// A zero byte and padding follow a PTX text. Obfuscated code from nvcc is only read in its fatbin.
Result<std::string> text_of(const Source& source, const DeviceEntry& entry) {
    if (entry.obfuscated && entry.kind == EntryKind::ltoir) {
        std::string fatbin = fatbin_of(source, entry);
        if (!fatbin.empty()) return fatbin;
    }
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

using Chosen = std::map<std::tuple<EntryKind, Arch, std::string>, Best>;

// The best entry of each kind; `trouble`: of the first that cannot be read.
void choose_texts(const BinaryFile& file, const Source& source, Chosen& chosen, std::string& trouble) {
    for (const DeviceEntry& entry : file.entries) {
        const auto version = version_of(entry);
        if (!version || size_of(entry) > k_largest_text) continue;
        Best& best = chosen[{entry.kind, entry.arch, version->text()}];
        if (++best.count > 1 && !better(entry, best.entry)) continue;
        auto text = text_of(source, entry);
        if (!text) {
            if (trouble.empty()) trouble = text.trouble().text();
            --best.count;
            continue;
        }
        best.entry = entry;
        best.text = std::move(*text);
    }
}

}  // namespace

Result<std::vector<PtxText>> ptx_texts(const Host& host, const Facts& facts, const std::string& path) {
    const Result<Source> source = host.open(path);
    if (!source) return source.trouble();
    Chosen chosen;
    std::string trouble;
    BinaryFile last;
    read_binary(host, facts, path, *source, InspectOptions{}, [&](BinaryFile&& file, const Source& whole) {
        if (trouble.empty()) trouble = file.trouble;
        if (file.format == FileFormat::archive) return;  // its members are separate files
        choose_texts(file, whole, chosen, trouble);
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

using Entries = std::vector<const DeviceEntry*>;

// The entry of a kind that is compiled for a GPU: the one with the newest target.
const DeviceEntry* newest_for(Arch gpu, EntryKind kind, const Entries& entries) {
    const DeviceEntry* best = nullptr;
    for (const DeviceEntry* entry : entries) {
        const bool fits = entry->arch.number == 0 || ptx_compiles_for(entry->arch, gpu);
        if (entry->kind != kind || !fits) continue;
        if (!best || best->arch.number < entry->arch.number) best = entry;
    }
    return best;
}

bool has_cubin_for(Arch gpu, const Entries& entries) {
    return any_of(entries, [&](const DeviceEntry* entry) {
        return entry->kind == EntryKind::cubin && cubin_runs_on(entry->arch, gpu);
    });
}

// A driver loads PTX and Tile IR from a linked fatbin if no cubin fits; LTO-IR is linked on request,
// regardless of what is beside it.
bool counts(const DeviceEntry& entry) {
    if (entry.kind == EntryKind::ltoir) return version_of(entry).has_value();
    const bool code = version_of(entry) || entry.kind == EntryKind::cubin;
    return code && entry.is_run() && !entry.relocatable && !entry.obfuscated;
}

class Collector {
public:
    Collector(const std::vector<Arch>& gpus, std::size_t most, CodeOfFile& found)
        : m_gpus(gpus), m_most(most), m_found(found) {}

    void take(const BinaryFile& file, const Source& source) {
        std::map<std::uint32_t, Entries> fatbins;
        for (const DeviceEntry& entry : file.entries) {
            if (entry.kind == EntryKind::ptx && entry.ptx && entry.relocatable) ++m_found.unlinked;
            if (counts(entry)) fatbins[entry.fatbin].push_back(&entry);
        }
        std::vector<std::pair<Arch, const DeviceEntry*>> wanted;
        for (const auto& [number, fatbin] : fatbins) {
            for (const Arch gpu : m_gpus) choose(gpu, fatbin, wanted);
            for (const DeviceEntry* entry : fatbin)
                if (m_gpus.empty() && entry->kind != EntryKind::cubin)
                    wanted.emplace_back(entry->arch, entry);
        }
        std::stable_sort(wanted.begin(), wanted.end(), [](const auto& a, const auto& b) {
            return size_of(*a.second) < size_of(*b.second);
        });
        for (const auto& [arch, entry] : wanted) add(arch, *entry, source);
    }

private:
    static void choose(Arch gpu, const Entries& fatbin,
                       std::vector<std::pair<Arch, const DeviceEntry*>>& wanted) {
        for (const EntryKind kind : {EntryKind::ptx, EntryKind::tileir, EntryKind::ltoir}) {
            if (kind != EntryKind::ltoir && has_cubin_for(gpu, fatbin)) continue;
            if (const DeviceEntry* entry = newest_for(gpu, kind, fatbin)) wanted.emplace_back(gpu, entry);
        }
    }

    void add(Arch arch, const DeviceEntry& entry, const Source& source) {
        if (arch.number == 0) {
            ++m_found.without_target;
            return;
        }
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
        if (entry.arch.number != 0) arch.suffix = entry.arch.suffix;
        if (!m_known.emplace(arch, std::hash<std::string>()(*text)).second) return;
        m_bytes += text->size();
        m_found.texts.push_back(
            {arch, {entry.arch, *version_of(entry), std::move(*text), "", false, entry.kind}});
    }

    const std::vector<Arch>& m_gpus;
    std::size_t m_most, m_bytes = 0;
    CodeOfFile& m_found;
    std::set<std::pair<Arch, std::size_t>> m_known;
};

}  // namespace

CodeOfFile code_to_compile(const Host& host, const Facts& facts, const std::string& path,
                           const std::vector<Arch>& gpus, std::size_t most) {
    CodeOfFile found;
    const Result<Source> source = host.open(path);
    if (!source) return found;
    Collector collector(gpus, most, found);
    read_binary(host, facts, path, *source, InspectOptions{}, [&](BinaryFile&& file, const Source& whole) {
        if (file.format != FileFormat::archive) collector.take(file, whole);
    });
    return found;
}

}  // namespace ptxguard
