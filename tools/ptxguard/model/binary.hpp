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
#include "model/probe.hpp"
#include "model/version.hpp"

namespace ptxguard {

// What a file of format `archive` is.
enum class ArchiveKind { none, library, wheel, conda, other };
const char* to_string(ArchiveKind kind);  // "library" (ar), "wheel", "conda", "other"

enum class FileFormat { unknown, elf, pe, archive, fatbin, cubin, ptx };
const char* to_string(FileFormat format);

// What a file is by its first bytes, if it is none of the formats above.
enum class Content {
    text,
    cubin,
    elf,
    fatbin,
    ltoir,
    tileir,
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

enum class EntryKind { cubin, ptx, ltoir, tileir, other };
const char* to_string(EntryKind kind);  // "cubin", "ptx", "ltoir", "tileir", "other"

// One entry of a fatbin, only from its header; a bare cubin or PTX text is one entry too.
struct DeviceEntry {
    EntryKind kind = EntryKind::other;
    std::uint16_t raw_kind = 0;     // as stored: 1 PTX, 2 cubin, 8 NVVM ...
    Arch arch;                      // number 0 = not in the header
    std::optional<PtxVersion> ptx;  // of PTX: its `.version`
    std::optional<PtxVersion> ir;   // of LTO-IR its container's version, of Tile IR its bytecode's
    std::uint32_t fatbin = 0;       // 0-based, within the file; entries of one fatbin are one module
    std::uint16_t section = 0;      // index into BinaryFile::sections
    bool relocatable = false;       // from __nv_relfatbin: is linked before it is loaded
    bool registered = true;         // false: the library loads it itself (.cask_resource, bare in .rodata)
    bool compressed = false, debug = false, obfuscated = false;
    std::uint64_t offset = 0, size = 0;  // of the payload as stored, bytes from the start of the file
    std::uint32_t header = 0;            // bytes of its own header, before the payload; 0 = it has none
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
        PTXGUARD_FIELDS(v, arch, ptx, ir, fatbin);
        v.fields("section", section_name);
        PTXGUARD_FIELDS(v, raw_kind, relocatable);
        v.fields("registered", self_registered);
        if (V::reads) registered = self_registered.value_or(true);
        PTXGUARD_FIELDS(v, compressed, debug, obfuscated, offset, size, uncompressed, flags, abi, toolkit,
                        looks_like);
    }
};

// Entries with equal kind, arch and version.
struct EntryGroup {
    EntryKind kind = EntryKind::other;
    Arch arch;
    std::optional<PtxVersion> ptx, ir;
    std::size_t count = 0;    // entries
    std::size_t fatbins = 0;  // in how many fatbins

    template <class V>
    void fields(V& v) {
        PTXGUARD_ALWAYS(v, kind);
        PTXGUARD_FIELDS(v, arch, ptx, ir);
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

// What one compiler makes of the code of one kind that a GPU has to run, measured (inspect --compile).
struct CompiledCode {
    std::string compiler;  // "driver 550.163.01", "ptxas 12.8.93", "nvJitLink 13.0"
    std::string driver;    // its id, of a driver's JIT compiler
    EntryKind code = EntryKind::ptx;                    // ptx, ltoir or tileir
    Arch arch;                                          // that was compiled for
    Outcome outcome = Outcome::unknown;                 // refused: at least one text
    std::size_t texts = 0, accepted = 0, refused = 0;  // distinct texts; the others were not decided
    std::string words;  // of the first refusal; of an unknown outcome the reason
    Failure failure = Failure::other;
    std::optional<PtxVersion> ptx, ir;  // of the first text that was refused, as DeviceEntry
    Arch target;                        // number 0: it names none
    std::string command;

    template <class V>
    void fields(V& v) {
        PTXGUARD_ALWAYS(v, compiler);
        v.when("code", code, code != EntryKind::ptx);
        PTXGUARD_ALWAYS(v, arch, outcome, texts, accepted, refused);
        PTXGUARD_FIELDS(v, driver, words, failure, ptx, ir, target, command);
    }
};

struct BinaryFile {
    std::string path;       // as named; "libx.a(member.o)" for a member of an archive
    std::string container;  // path of the archive that it is a member of; empty = it is none
    std::string member;     // its name there
    std::vector<std::string> requires_dist;  // of a wheel: the packages that its metadata requires, in any extra
    std::vector<std::string> bundled;        // of a wheel or conda package: NVIDIA's libraries in it
    FileFormat format = FileFormat::unknown;
    ArchiveKind archive = ArchiveKind::none;
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
    std::vector<CompiledCode> compiled;  // filled by --compile
    std::vector<RunsOn> runs_on;       // filled for the report by a function of the judge
    Origin origin;

    template <class V>
    void fields(V& v) {
        PTXGUARD_ALWAYS(v, path, format);
        PTXGUARD_FIELDS(v, container, member);
        v.when("archive", archive, archive != ArchiveKind::none);
        PTXGUARD_FIELDS(v, requires_dist, bundled);
        PTXGUARD_FIELDS(v, looks_like, machine);
        PTXGUARD_ALWAYS(v, needed);
        v.when("sections", sections, sections != std::vector<std::string>{""});
        PTXGUARD_FIELDS(v, by_scan, deep);
        PTXGUARD_ALWAYS(v, fatbins, summary);
        v.entries(*this);
        PTXGUARD_FIELDS(v, toolkits, remarks, trouble, compiled, runs_on, origin);
    }
};

std::vector<EntryGroup> summarize(const std::vector<DeviceEntry>& entries);

}  // namespace ptxguard
