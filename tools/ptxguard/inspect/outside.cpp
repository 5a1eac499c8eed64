// Device code that is not registered with the runtime: NVIDIA's libraries keep fatbins in a resource section
// and load them themselves, others have fatbins, bare cubins and PTX among their constants and data.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <utility>

#include "formats/device_code.hpp"
#include "formats/sections.hpp"
#include "inspect/inspect.hpp"
#include "inspect/reading.hpp"
#include "model/ranges.hpp"
#include "model/say.hpp"
#include "model/text.hpp"

namespace ptxguard {
namespace {

constexpr std::uint32_t k_elf_magic = 0x464c457f;
constexpr std::size_t k_block = 1u << 16, k_elf_header = 64, k_fatbin_header = 16;
constexpr std::uint64_t k_most_searched = std::uint64_t{1} << 30;

// Program headers and section headers come after everything else.
std::uint64_t length_of_cubin(const char* head, std::uint64_t left) {
    std::uint64_t length = k_elf_header;
    const auto table = [&](std::uint64_t at, std::uint64_t rows, std::uint64_t row) {
        if (rows != 0 && at < left && rows * row <= left - at) length = std::max(length, at + rows * row);
    };
    table(load_u64(head + 40), load_u16(head + 60), load_u16(head + 58));
    table(load_u64(head + 32), load_u16(head + 56), load_u16(head + 54));
    return length;
}

// Fatbins, bare cubins and PTX texts in a part with other data.
class Search {
public:
    Search(const Source& source, const CodePart& part, std::size_t most)
        : m_source(source),
          m_begin(std::min(part.offset, source.size)),
          m_end(m_begin + std::min(part.size, source.size - m_begin)),
          m_most(most) {}

    void look() {
        look_for_binaries();
        if (found.trouble.empty()) look_for_texts();
        if (found.entries.size() >= m_most) found.trouble = "there is more device code than is kept";
    }
    void look_only_for_texts() { look_for_texts(); }

    FatbinWalk found;
    std::size_t cubins = 0, texts = 0;

private:
    static bool is_start(const char* at) {
        const std::uint32_t mark = load_u32(at);
        return mark == k_elf_magic ? is_cubin({at, k_elf_header}) : mark == k_fatbin_magic;
    }

    // Both are at 8-byte boundaries.
    void look_for_binaries() {
        std::vector<char> block(k_block);
        std::uint64_t searched = 0;
        for (std::uint64_t at = m_begin; at < m_end && m_end - at >= k_elf_header;) {
            const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(k_block, m_end - at));
            const std::size_t got = m_source.read(at, block.data(), wanted);
            std::size_t i = 0;
            while (i + k_elf_header <= got && !is_start(&block[i])) i += 8;
            searched += i;
            at += i;
            if (i + k_elf_header <= got) {
                at += take(&block[i], at);
            } else if (got < wanted) {
                found.trouble = "the file ended early; was it changed meanwhile?";
            }
            if (searched > k_most_searched) found.trouble = "the search for device code ended after 1 GiB";
            if (!found.trouble.empty() || found.entries.size() >= m_most) return;
        }
    }

    // The number of bytes that it has, a multiple of 8.
    std::uint64_t take(const char* head, std::uint64_t at) {
        const bool fatbin = load_u32(head) == k_fatbin_magic;
        const std::uint64_t length = fatbin ? take_fatbin(head, at) : take_cubin(head, at);
        if (length == 0) return 8;
        m_taken.push_back({at, at + length});
        return (length + 7) / 8 * 8;
    }

    std::uint64_t take_cubin(const char* head, std::uint64_t at) {
        const std::uint64_t length = length_of_cubin(head, m_end - at);
        DeviceEntry entry = bare_cubin(part_of(m_source, at, length), at);
        if (entry.arch.number == 0) return length;
        ++cubins;
        add(std::move(entry));
        return length;
    }

    // 0: only the mark, as in the code of programs that read fatbins.
    std::uint64_t take_fatbin(const char* head, std::uint64_t at) {
        const std::uint64_t size = load_u64(head + 8), left = m_end - at;
        if (left < k_fatbin_header || size > left - k_fatbin_header) return 0;
        FatbinWalk walk = walk_fatbins(m_source, at, k_fatbin_header + size, m_most - found.entries.size());
        if (!walk.trouble.empty() || walk.entries.empty()) return 0;
        for (DeviceEntry& entry : walk.entries) {
            entry.fatbin += static_cast<std::uint32_t>(found.fatbins);
            found.entries.push_back(std::move(entry));
        }
        found.fatbins += walk.fatbins;
        return k_fatbin_header + size;
    }

    // At any place.
    void look_for_texts() {
        constexpr std::string_view k_mark = ".version";
        constexpr std::size_t k_head = 512;
        for (std::uint64_t at = m_begin; at < m_end && found.entries.size() < m_most;) {
            const std::string block = read_bytes(
                m_source, at, static_cast<std::size_t>(std::min<std::uint64_t>(k_block, m_end - at)));
            const bool last = block.size() < k_block;
            // A head that the block cuts is in the next one.
            const std::size_t end = last ? block.size() : block.size() - k_head;
            std::size_t i = block.find(k_mark);
            for (; i < end; i = block.find(k_mark, i)) {
                const Result<PtxFacts> facts = read_ptx(std::string_view(block).substr(i, k_head));
                i += facts && !is_taken(at + i) ? take_text(*facts, at + i) : k_mark.size();
            }
            if (last && i >= block.size()) return;
            at += i == std::string::npos ? end : std::max(i, end);
        }
    }

    // They are in order.
    bool is_taken(std::uint64_t at) const {
        const auto after = std::upper_bound(m_taken.begin(), m_taken.end(), std::make_pair(at, UINT64_MAX));
        return after != m_taken.begin() && at < std::prev(after)->second;
    }

    std::uint64_t take_text(const PtxFacts& facts, std::uint64_t at) {
        DeviceEntry entry;
        entry.kind = EntryKind::ptx;
        entry.raw_kind = 1;
        entry.arch = facts.target;
        entry.ptx = facts.version;
        entry.debug = facts.debug;
        entry.offset = at;
        entry.size = length_of_text(at);
        ++texts;
        const std::uint64_t length = entry.size;
        add(std::move(entry));
        return length;
    }

    // To its zero byte, or to the next text: Rust stores them without one.
    std::uint64_t length_of_text(std::uint64_t at) const {
        constexpr std::string_view k_next = "\n.version";
        std::uint64_t length = 0;
        while (at + length < m_end) {
            const std::string block =
                read_bytes(m_source, at + length,
                           static_cast<std::size_t>(std::min<std::uint64_t>(k_block, m_end - at - length)));
            const std::size_t end = std::min(block.find('\0'), block.find(k_next));
            if (end != std::string::npos) return length + end;
            if (block.size() <= k_next.size()) return length + block.size();
            length += block.size() - k_next.size();
        }
        return length;
    }

    void add(DeviceEntry entry) {
        entry.fatbin = static_cast<std::uint32_t>(found.fatbins++);
        found.entries.push_back(std::move(entry));
    }

    const Source& m_source;
    const std::uint64_t m_begin, m_end;
    const std::size_t m_most;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> m_taken;
};

std::string counted(std::size_t count, const char* one, const char* many) {
    return std::to_string(count) + " " + (count == 1 ? one : many);
}

}  // namespace

DeviceEntry bare_cubin(const Source& cubin, std::uint64_t offset) {
    DeviceEntry entry;
    entry.kind = EntryKind::cubin;
    entry.raw_kind = 2;
    entry.offset = offset;
    entry.size = cubin.size;
    const Result<CubinFacts> facts = read_cubin(cubin);
    if (!facts) return entry;
    entry.arch = facts->arch;
    entry.abi = facts->abi;
    entry.relocatable = facts->relocatable;
    entry.toolkit = facts->toolkit;
    // Without a fatbin header, only the compiler's options show 'f'.
    const std::size_t at = facts->options ? facts->options->find("-arch sm_") : std::string::npos;
    if (at == std::string::npos) return entry;
    const std::string_view word = std::string_view(*facts->options).substr(at + 6);
    const auto arch = parse_arch(word.substr(0, word.find(' ')));
    if (arch && arch->number == entry.arch.number) entry.arch = *arch;
    return entry;
}

namespace {

constexpr std::size_t k_most_texts = 1u << 16;

// "vector_add" of ".visible .entry vector_add(".
void visit_kernels(std::string_view text, const std::function<void(std::string)>& visit) {
    constexpr std::string_view k_entry = ".entry ";
    for (std::size_t at = text.find(k_entry); at != std::string_view::npos; at = text.find(k_entry, at)) {
        at += k_entry.size();
        const std::string_view rest = text.substr(at);
        visit(std::string(trim(rest.substr(0, rest.find_first_of("( \t\r\n")))));
    }
}

}  // namespace

TextsForDriver texts_for_driver(const Host& host, const std::string& path) {
    const Result<Source> source = host.open(path);
    const auto range = source ? read_only_data(*source) : std::nullopt;
    TextsForDriver texts;
    if (!range) return texts;
    const CodePart part{CodePart::Kind::constants, "", range->begin, range->end - range->begin};
    Search search(*source, part, k_most_texts);
    search.look_only_for_texts();
    std::map<std::string, PtxVersion> oldest;  // of each kernel
    for (const DeviceEntry& entry : search.found.entries) {
        if (none_of(texts.targets, [&](const Target& one) { return one.arch == entry.arch; }))
            texts.targets.push_back({entry.arch, false, true});
        visit_kernels(read_bytes(*source, entry.offset, static_cast<std::size_t>(entry.size)),
                      [&](std::string kernel) {
                          const auto [known, is_new] = oldest.emplace(std::move(kernel), *entry.ptx);
                          if (!is_new && *entry.ptx < known->second) known->second = *entry.ptx;
                      });
    }
    for (const auto& [kernel, version] : oldest)
        if (!texts.ptx || *texts.ptx < version)
            texts.ptx = {version, Origin::from_library(path, SAY("PTX of {} in {}", kernel, path))};
    return texts;
}

EarlyWalks search_early(const Source& source, const std::vector<CodePart>& parts, std::size_t most) {
    EarlyWalks found(parts.size());
    for (std::size_t i = 0; i < parts.size(); ++i)
        if (parts[i].kind == CodePart::Kind::large_data)
            found[i] = scan_fatbins(source, parts[i].offset, parts[i].size, most);
    return found;
}

void read_outside(FileReading& reading, const Source& source, const std::vector<CodePart>& parts,
                  EarlyWalks early) {
    early.resize(parts.size());
    const bool all = reading.deep || (reading.search && reading.file.summary.empty());
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const CodePart& part = parts[i];
        const bool large = part.kind == CodePart::Kind::large_data;
        const bool constants = part.kind == CodePart::Kind::constants;
        if (!large && !(all && (constants || part.kind == CodePart::Kind::resources))) continue;
        std::vector<std::string> what;
        const auto say = [&](std::size_t count, const char* one, const char* many) {
            if (count != 0) what.push_back(counted(count, one, many));
        };
        FatbinWalk found;
        if (constants) {
            Search search(source, part, reading.budget.entries);
            search.look();
            found = std::move(search.found);
            say(search.cubins, "bare cubin", "bare cubins");
            say(search.texts, "PTX text", "PTX texts");
            say(found.entries.size() - search.cubins - search.texts, "entry", "entries");
        } else {
            const bool is_whole = early[i] && early[i]->entries.size() < reading.budget.entries;
            found = is_whole ? std::move(*early[i])
                             : scan_fatbins(source, part.offset, part.size, reading.budget.entries);
            say(found.entries.size(), "entry", "entries");
        }
        if (!what.empty())
            reading.file.remarks.push_back(list(what) + " in " + part.name +
                                           ", which the library loads by itself");
        add_walk(reading, source, std::move(found), part, false);
    }
}

}  // namespace ptxguard
