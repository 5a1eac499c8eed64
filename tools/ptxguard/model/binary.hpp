// The device code in a binary: cubins, PTX and LTO-IR, each for one architecture, in containers ("fatbins").
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/arch.hpp"
#include "model/fields.hpp"
#include "model/origin.hpp"
#include "model/version.hpp"

namespace ptxguard {

enum class FileFormat { unknown, elf, pe, archive, fatbin, cubin, ptx };
const char* to_string(FileFormat format);

// What a file is by its first bytes, if it is none of the formats above.
enum class Content {
    text,
    cubin,
    elf,
    fatbin,
    ltoir,
    git_lfs,
    html,
    utf16,
    zip,
    gzip,
    xz,
    zstd,
    bitcode,
    llvm_ir,
    mach_o,
    script,
    coff,
    dos,
    zeros,
    unknown
};
const char* to_string(Content content);  // "a Git LFS pointer", "an HTML page", "UTF-16 text"

enum class EntryKind { cubin, ptx, ltoir, other };
const char* to_string(EntryKind kind);  // "cubin", "ptx", "ltoir", "other"

// One entry of a fatbin, only from its header; a bare cubin or PTX text is one entry too.
struct DeviceEntry {
    EntryKind kind = EntryKind::other;
    std::uint16_t raw_kind = 0;     // as stored: 1 PTX, 2 cubin, 8 NVVM ...
    Arch arch;                      // number 0 = not in the header
    std::optional<PtxVersion> ptx;  // of PTX: its `.version`
    std::uint32_t fatbin = 0;       // 0-based, within the file; entries of one fatbin are one module
    std::uint16_t section = 0;      // index into BinaryFile::sections
    bool relocatable = false;       // from __nv_relfatbin: is linked before it is loaded
    bool registered = true;         // false: the library loads it itself (.cask_resource, bare in .rodata)
    bool compressed = false, debug = false, obfuscated = false;
    std::uint64_t offset = 0, size = 0;  // of the payload as stored, bytes from the start of the file
    std::uint64_t uncompressed = 0;      // bytes; 0 = not compressed
    std::uint64_t flags = 0;             // as stored
    std::uint8_t abi = 0;                // of a cubin: 7 or 8; 0 = not known
    std::optional<Version> toolkit;      // that built it; only with --deep (or if it costs nothing)
    Content looks_like = Content::unknown;  // of an entry marked PTX that is not PTX (--deep)

    template <class V>
    void fields(V& v, std::string& section_name) {
        std::optional<bool> self_registered;  // written only where it is false
        if (!registered) self_registered = false;
        PTXGUARD_ALWAYS(v, kind);
        PTXGUARD_FIELDS(v, arch, ptx, fatbin);
        v.fields("section", section_name);
        PTXGUARD_FIELDS(v, raw_kind, relocatable);
        v.fields("registered", self_registered);
        if (V::reads) registered = self_registered.value_or(true);
        PTXGUARD_FIELDS(v, compressed, debug, obfuscated, offset, size, uncompressed, flags, abi, toolkit,
                        looks_like);
    }
};

// Entries with equal kind, arch and PTX version.
struct EntryGroup {
    EntryKind kind = EntryKind::other;
    Arch arch;
    std::optional<PtxVersion> ptx;
    std::size_t count = 0;    // entries
    std::size_t fatbins = 0;  // in how many fatbins

    template <class V>
    void fields(V& v) {
        PTXGUARD_ALWAYS(v, kind);
        PTXGUARD_FIELDS(v, arch, ptx);
        PTXGUARD_ALWAYS(v, count, fatbins);
    }
};

// Fatbins that are equal for a driver: NVIDIA's libraries contain thousands, of a few kinds.
struct FatbinKind {
    std::vector<std::size_t> entries;  // of the first such fatbin: indices into BinaryFile::entries
    std::size_t count = 0;             // fatbins
    bool relocatable = false;          // is linked before it is loaded
};
// Of registered entries, in the order of the fatbins.
std::vector<FatbinKind> fatbin_kinds(const std::vector<DeviceEntry>& entries);

// Would a GPU run the file?
enum class RunVerdict { cubin, jit, no, unknown };
const char* to_string(RunVerdict verdict);
struct RunsOn {
    std::string gpu;  // as requested: "RTX 3090 (sm_86)"
    Arch arch;
    RunVerdict verdict = RunVerdict::unknown;
    std::string why;     // one line: which entry, or what is missing
    std::string decide;  // of unknown: what to pass to check it
    std::size_t fatbins_fit = 0,
                fatbins = 0;  // "n of m": NVIDIA's libraries contain many fatbins for one GPU only

    template <class V>
    void fields(V& v) {
        PTXGUARD_ALWAYS(v, gpu);
        PTXGUARD_FIELDS(v, arch);
        PTXGUARD_ALWAYS(v, verdict, why);
        PTXGUARD_FIELDS(v, decide, fatbins_fit, fatbins);
    }
};

struct BinaryFile {
    std::string path;  // as named; "libx.a(member.o)" for a member of an archive
    FileFormat format = FileFormat::unknown;
    Content looks_like = Content::unknown;  // if it is none of our formats
    std::string machine;                    // "x86_64", "aarch64", "x86" ...; empty = none or not known
    std::vector<std::string> needed;        // NVIDIA libraries in its list of needed libraries
    std::vector<std::string>
        sections;             // with device code, by name; one without a name if the file has no sections
    bool by_scan = false;     // section headers are missing: entries were found by a search
    bool deep = false;        // payloads were read
    std::size_t fatbins = 0;  // that are registered; of an archive those of its members
    std::vector<DeviceEntry> entries;  // registered ones first
    std::vector<EntryGroup> summary;   // of registered entries; for an archive over its members
    std::vector<FatbinKind> kinds;     // computed from the entries; empty = not requested
    std::vector<Version> toolkits;     // that built the cubins, ascending, as far as known
    std::vector<std::string> remarks;  // unusual but harmless: "5 cubins in .cask_resource"
    std::string trouble;               // why it could not be read to its end; what was read before is kept
    std::vector<RunsOn> runs_on;       // filled for the report by a function of the judge
    Origin origin;

    template <class V>
    void fields(V& v) {
        PTXGUARD_ALWAYS(v, path, format);
        PTXGUARD_FIELDS(v, looks_like, machine);
        PTXGUARD_ALWAYS(v, needed);
        v.when("sections", sections, sections != std::vector<std::string>{""});
        PTXGUARD_FIELDS(v, by_scan, deep);
        PTXGUARD_ALWAYS(v, fatbins, summary);
        v.entries(*this);
        PTXGUARD_FIELDS(v, toolkits, remarks, trouble, runs_on, origin);
    }
};

std::vector<EntryGroup> summarize(const std::vector<DeviceEntry>& entries);

}  // namespace ptxguard
