// Programs, libraries and object files: the sections with device code, and the NVIDIA libraries that they
// need.
// SPDX-License-Identifier: Apache-2.0
#include "facts/libraries.hpp"
#include "formats/elf.hpp"
#include "formats/pe.hpp"
#include "inspect/reading.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"

namespace ptxguard {
namespace {

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
    walk_parts(reading, source, parts);
    file.summary = summarize(file.entries);
    read_outside(reading, source, parts);
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

}  // namespace ptxguard
