// Device code that is not registered with the runtime: NVIDIA's libraries keep fatbins in a resource section
// and load them themselves, others have bare cubins among their constants.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "formats/device_code.hpp"
#include "inspect/reading.hpp"

namespace ptxguard {
namespace {

constexpr std::size_t k_block = 1u << 16, k_elf_header = 64;
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

void add_cubin(FatbinWalk& found, const Source& source, std::uint64_t at, std::uint64_t length) {
    DeviceEntry entry = bare_cubin(part_of(source, at, length), at);
    if (entry.arch.number == 0) return;
    entry.fatbin = static_cast<std::uint32_t>(found.fatbins++);
    found.entries.push_back(std::move(entry));
}

FatbinWalk search_cubins(const Source& source, const CodePart& part, std::size_t most) {
    FatbinWalk found;
    if (part.offset >= source.size) return found;
    const std::uint64_t end = part.offset + std::min(part.size, source.size - part.offset);
    std::vector<char> block(k_block);
    std::uint64_t searched = 0;
    for (std::uint64_t at = part.offset; at < end && end - at >= k_elf_header;) {
        const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(k_block, end - at));
        const std::size_t got = source.read(at, block.data(), wanted);
        std::size_t i = 0;
        while (i + k_elf_header <= got && (std::memcmp(&block[i],
                                                       "\x7f"
                                                       "ELF",
                                                       4) != 0 ||
                                           !is_cubin({&block[i], k_elf_header})))
            i += 8;
        searched += i;
        at += i;
        if (i + k_elf_header <= got) {
            const std::uint64_t length = length_of_cubin(&block[i], end - at);
            add_cubin(found, source, at, length);
            at += (length + 7) / 8 * 8;
        } else if (got < wanted) {
            found.trouble = "the file ended early; was it changed meanwhile?";
            break;
        }
        if (searched > k_most_searched) found.trouble = "the search for cubins ended after 1 GiB";
        if (found.entries.size() >= most) found.trouble = "there are more cubins than are kept";
        if (!found.trouble.empty()) break;
    }
    return found;
}

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

void read_outside(FileReading& reading, const Source& source, const std::vector<CodePart>& parts) {
    for (const CodePart& part : parts) {
        const bool large = part.kind == CodePart::Kind::large_data;
        const bool constants = part.kind == CodePart::Kind::constants;
        if (!large && !(reading.deep && (constants || part.kind == CodePart::Kind::resources))) continue;
        FatbinWalk found = constants ? search_cubins(source, part, reading.budget.entries)
                                     : scan_fatbins(source, part.offset, part.size, reading.budget.entries);
        if (!found.entries.empty()) {
            reading.file.remarks.push_back(counted(found.entries.size(), constants ? "bare cubin" : "entry",
                                                   constants ? "bare cubins" : "entries") +
                                           " in " + part.name + ", which the library loads by itself");
        }
        add_walk(reading, source, std::move(found), part, false);
    }
}

}  // namespace ptxguard
