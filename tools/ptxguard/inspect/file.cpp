// Identifies a file by its content, and parses formats that need no section table.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "facts/lto_ir.hpp"
#include "formats/device_code.hpp"
#include "formats/elf.hpp"
#include "formats/fatbin.hpp"
#include "formats/pe.hpp"
#include "host/paths.hpp"
#include "inspect/inspect.hpp"
#include "inspect/reading.hpp"
#include "model/ranges.hpp"

namespace ptxguard {

namespace {

constexpr std::size_t k_first_bytes = 4096, k_ptx_head = 1u << 16;

bool may_be_ptx(std::string_view head) {
    if (head.substr(0, 3) == "\xef\xbb\xbf") head.remove_prefix(3);
    const std::size_t first = head.find_first_not_of(" \t\r\n\f\v");
    return first != std::string_view::npos && (head[first] == '/' || head[first] == '.');
}

// The entry for a file that is itself one entry.
DeviceEntry& add_bare(FileReading& reading, DeviceEntry entry) {
    reading.file.sections.emplace_back();
    reading.file.fatbins = 1;
    reading.file.entries.push_back(std::move(entry));
    return reading.file.entries.back();
}

void read_fatbin_file(FileReading& reading, const Source& source) {
    reading.file.format = FileFormat::fatbin;
    add_walk(reading, source, walk_fatbins(source, 0, source.size, reading.budget.entries), {});
}

void read_cubin_file(FileReading& reading, const Source& source) {
    reading.file.format = FileFormat::cubin;
    const Result<CubinFacts> facts = read_cubin(source);
    if (!facts) return add_trouble(reading, facts.trouble().text());
    add_bare(reading, bare_cubin(source, 0));
}

// False: not such a file.
bool read_ptx_file(FileReading& reading, const Source& source, const std::string& head) {
    if (!may_be_ptx(head)) return false;
    const std::string text = head.size() < k_first_bytes ? head : read_bytes(source, 0, k_ptx_head);
    if (!looks_like_ptx(text)) return false;
    reading.file.format = FileFormat::ptx;
    const Result<PtxFacts> facts = read_ptx(text);
    if (!facts) {
        add_trouble(reading, facts.trouble().text());
        return true;
    }
    DeviceEntry entry;
    entry.kind = EntryKind::ptx;
    entry.raw_kind = 1;
    entry.arch = facts->target;
    entry.ptx = facts->version;
    entry.debug = facts->debug;
    entry.size = source.size;
    entry.toolkit = facts->toolkit;
    add_bare(reading, std::move(entry));
    return true;
}

// LTO-IR and Tile IR outside a container: the version follows the first bytes, the architecture is not
// stored.
void read_ir_file(FileReading& reading, const Source& source, const RawIr& ir) {
    const bool tile = ir.kind == EntryKind::tileir;
    reading.file.looks_like = tile ? Content::tileir : Content::ltoir;
    if (!ir.version) return add_trouble(reading, "is cut off in its header");
    DeviceEntry entry;
    entry.kind = ir.kind;
    entry.raw_kind = tile ? 0x80 : 8;
    entry.ir = ir.version;
    if (const LtoIrRelease* row = ir.nvvm ? lto_ir_release(reading.facts, *ir.nvvm) : nullptr) {
        entry.toolkit = row->release;
        reading.file.toolkits = {*row->release};
    }
    entry.size = source.size;
    add_bare(reading, std::move(entry));
    reading.file.remarks.push_back(std::string("it is ") + (tile ? "Tile IR" : "LTO-IR") +
                                   " outside a container, which names no architecture");
}

void read_nothing(FileReading& reading, const Source& source, const std::string& head) {
    if (source.size == 0) return add_trouble(reading, "is empty");
    if (head.empty()) return add_trouble(reading, "cannot be read");
    reading.file.looks_like = looks_like(head);
    const std::string guess = to_string(reading.file.looks_like);
    add_trouble(reading, "is not an ELF, PE, archive, fatbin, cubin or PTX file" +
                             (guess.empty() ? "" : "; it looks like " + guess));
}

}  // namespace

void read_file(FileReading& reading, const Source& source) {
    const std::string head = read_bytes(source, 0, k_first_bytes);
    if (is_cubin(head))
        read_cubin_file(reading, source);
    else if (is_elf(head))
        read_elf_program(reading, source);
    else if (head.substr(0, 2) == "MZ" && is_pe(source))
        read_pe_program(reading, source);
    else if (head.size() >= 4 && load_u32(head.data()) == k_fatbin_magic)
        read_fatbin_file(reading, source);
    else if (const auto ir = read_raw_ir(head))
        read_ir_file(reading, source, *ir);
    else if (!read_ptx_file(reading, source, head))
        read_nothing(reading, source, head);
    if (reading.file.summary.empty()) reading.file.summary = summarize(reading.file.entries);
    if (reading.deep) look_into_payloads(reading, source);
}

void add_trouble(FileReading& reading, const std::string& text) {
    std::string& all = reading.file.trouble;
    switch (reading.troubles++) {
        case 0: all = text; break;
        case 1: all += "; " + text; break;
        case 2: all += "; and more"; break;
        default: break;
    }
}

void add_walk(FileReading& reading, const Source& source, FatbinWalk walk, const CodePart& part,
              bool registered) {
    BinaryFile& file = reading.file;
    const std::string prefix = part.name.empty() ? "" : part.name + ": ";
    if (!walk.trouble.empty()) add_trouble(reading, prefix + walk.trouble);
    for (const std::string& remark : walk.remarks) file.remarks.push_back(prefix + remark);
    reading.budget.entries -= std::min(reading.budget.entries, walk.entries.size());
    const auto first = static_cast<std::uint32_t>(
        file.entries.empty() ? 0 : std::max<std::size_t>(file.fatbins, file.entries.back().fatbin + 1));
    if (registered) file.fatbins += walk.fatbins;
    if (registered) mark_empty(source, walk.entries, file.remarks);
    if (walk.entries.empty()) return;

    auto section = std::find(file.sections.begin(), file.sections.end(), part.name);
    if (section == file.sections.end()) section = file.sections.insert(section, part.name);
    for (DeviceEntry& entry : walk.entries) {
        entry.section = static_cast<std::uint16_t>(section - file.sections.begin());
        entry.fatbin += first;
        entry.registered = registered;
        entry.relocatable = entry.relocatable || part.kind == CodePart::Kind::relocatable_fatbins;
    }
    if (file.entries.empty()) {
        file.entries = std::move(walk.entries);
    } else {
        file.entries.insert(file.entries.end(), std::make_move_iterator(walk.entries.begin()),
                            std::make_move_iterator(walk.entries.end()));
    }
}

// A library may have several times the size of the wheel that it is in, and 1.5 GB.
Budget::Budget(std::uint64_t file_size) {
    constexpr std::uint64_t k_mega = 1u << 20;
    const std::uint64_t size = std::min(file_size, 4096 * k_mega);
    memory = std::clamp(8 * size, 480 * k_mega, 4096 * k_mega);  // with our own: 512 MB
    bytes = std::clamp(64 * size, 4096 * k_mega, 32768 * k_mega);
}

// Reads each BinaryFile independently of errors in the others.
void read_binary(const Host& host, const Facts& facts, const std::string& path, const Source& source,
                 const InspectOptions& options, const Visit& visit) {
    Budget budget(source.size);
    FileReading reading{facts, options.deep, budget, {}};
    reading.search = options.search;
    reading.counted = options.counted;
    read_at(host, reading, Place{path, parent_path(path), source}, source, visit);
}

void inspect(const Host& host, const Facts& facts, const std::vector<std::string>& paths,
             const InspectOptions& options, Scenario& scenario) {
    std::size_t done = 0;
    for (const std::string& path : paths) {
        if (options.counted && paths.size() > 1) options.counted(++done, paths.size(), file_name(path));
        const Result<Source> source = host.open(path);
        if (!source) {
            scenario.unreadable.push_back(
                {path, source.trouble().what + ": " + source.trouble().cause, true, Origin::from_file(path)});
            continue;
        }
        std::vector<BinaryFile>& all = scenario.binaries;
        const auto first = static_cast<std::ptrdiff_t>(all.size());
        read_binary(host, facts, path, *source, options,
                    [&](BinaryFile&& file, const Source&) { all.push_back(std::move(file)); });
        // An archive is complete once its members are known, and is listed before them.
        std::rotate(all.begin() + first, all.end() - 1, all.end());
    }
}

// What users pass instead of a binary: the page of a failed download, a pointer instead of a large file,
// another compiler's output.

namespace {

struct Mark {
    std::string_view start;
    Content content;
};
constexpr std::string_view k_gzip("\x1f\x8b", 2), k_fatbin("\x50\xed\x55\xba", 4);
constexpr Mark k_marks[] = {
    {"version https://git-lfs.github.com/spec", Content::git_lfs},
    {"\xff\xfe", Content::utf16},
    {"\xfe\xff", Content::utf16},
    {"PK\x03\x04", Content::zip},
    {k_gzip, Content::gzip},
    {"\xfd"
     "7zXZ",
     Content::xz},
    {"\x28\xb5\x2f\xfd", Content::zstd},
    {"BC\xc0\xde", Content::bitcode},
    {"\xde\xc0\x17\x0b", Content::bitcode},
    {"; ModuleID", Content::llvm_ir},
    {"target datalayout", Content::llvm_ir},
    {"\xcf\xfa\xed\xfe", Content::mach_o},
    {"\xca\xfe\xba\xbe", Content::mach_o},
    {"#!", Content::script},
    {k_fatbin, Content::fatbin},
    {"\x64\x86", Content::coff},
    {"MZ", Content::dos},
};

bool is_text(std::string_view head) {
    return all_of(head, [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return byte >= 0x20 || (byte >= '\t' && byte <= '\r');
    });
}

}  // namespace

Content looks_like(std::string_view head) {
    if (head.empty()) return Content::unknown;
    if (is_cubin(head)) return Content::cubin;
    if (is_elf(head)) return Content::elf;
    for (const Mark& mark : k_marks)
        if (head.substr(0, mark.start.size()) == mark.start) return mark.content;
    const std::string start = lower(trim(head.substr(0, 256)));
    if (starts_with(start, "<!doctype html") || starts_with(start, "<html")) return Content::html;
    if (all_of(head, [](char c) { return c == 0; })) return Content::zeros;
    // A stored PTX text ends with a zero byte and padding.
    const std::size_t last = head.find_last_not_of('\0');
    return is_text(head.substr(0, last + 1)) ? Content::text : Content::unknown;
}

}  // namespace ptxguard
