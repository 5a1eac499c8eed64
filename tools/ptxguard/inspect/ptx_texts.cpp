// Of each target and PTX version the smallest text, decompressed: the head of a PTX decides who reads it.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

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
