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

// One entry of a fatbin, from its header only; a bare cubin or PTX text is one entry too.
struct DeviceEntry {
    EntryKind kind = EntryKind::other;
    std::uint16_t raw_kind = 0;     // kind as stored: 1 PTX, 2 cubin, 8 NVVM ...
    Arch arch;                      // architecture; number 0 = not in the header
    std::optional<PtxVersion> ptx;  // of PTX: its `.version`
    std::optional<PtxVersion> ir;   // of LTO-IR the container's version, of Tile IR the bytecode's
    std::uint32_t fatbin = 0;       // 0-based index in the file; the entries of one fatbin are one module
    std::uint16_t section = 0;      // index into BinaryFile::sections; in JSON the section's name
    bool relocatable = false;       // from __nv_relfatbin: linked before it is loaded
    bool registered = true;         // false: the library loads it itself (.cask_resource, bare in .rodata)
    bool empty = false;             // its fatbin has no function and no variable: a .cu file of host code
    bool compressed = false, debug = false, obfuscated = false;
    std::uint64_t offset = 0, size = 0;  // payload as stored: bytes from the start of the file, size in bytes
    std::uint32_t header = 0;            // bytes of its own header, before the payload; 0 = no header
    std::uint64_t uncompressed = 0;      // size of the payload in bytes; 0 = not compressed
    std::uint64_t flags = 0;             // flag bits as stored
    std::uint8_t abi = 0;                // ABI of a cubin: 7 or 8; 0 = not known
    std::optional<Version> toolkit;      // toolkit that built it; only with --deep (or if it costs nothing)
    Content looks_like = Content::unknown;  // content of an entry marked PTX that is not PTX (--deep)

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
        PTXGUARD_FIELDS(v, empty, compressed, debug, obfuscated, offset, size, uncompressed, flags, abi,
                        toolkit, looks_like);
    }

    // The runtime loads it, and it has something to run.
    bool is_run() const { return registered && !empty; }
};

// Entries with equal kind, arch and version.
struct EntryGroup {
    EntryKind kind = EntryKind::other;
    Arch arch;
    std::optional<PtxVersion> ptx, ir;
    std::size_t count = 0;    // number of entries
    std::size_t fatbins = 0;  // number of fatbins that contain them

    template <class V>
    void fields(V& v) {
        PTXGUARD_ALWAYS(v, kind);
        PTXGUARD_FIELDS(v, arch, ptx, ir);
        PTXGUARD_ALWAYS(v, count, fatbins);
    }
};

// Fatbins that a driver treats alike: NVIDIA's libraries contain thousands, of a few kinds.
struct FatbinKind {
    std::vector<std::size_t> entries;  // of the first such fatbin: indices into BinaryFile::entries
    std::size_t count = 0;             // number of fatbins
    bool relocatable = false;          // linked before it is loaded
};
// Of entries that are run, in the order of the fatbins.
std::vector<FatbinKind> fatbin_kinds(const std::vector<DeviceEntry>& entries);

// Whether a GPU can run the file.
enum class RunVerdict { cubin, jit, no, unknown };
const char* to_string(RunVerdict verdict);
struct RunsOn {
    std::string gpu;  // as requested: "RTX 3090 (sm_86)"
    Arch arch;
    RunVerdict verdict = RunVerdict::unknown;
    std::string why;              // one line: the entry that runs, or what is missing
    std::string decide;           // if the verdict is unknown: what to pass to check it
    std::size_t fatbins_fit = 0,  // fatbins that the GPU can run
        fatbins = 0;              // all fatbins: NVIDIA's libraries contain many for one GPU only

    template <class V>
    void fields(V& v) {
        PTXGUARD_ALWAYS(v, gpu);
        PTXGUARD_FIELDS(v, arch);
        PTXGUARD_ALWAYS(v, verdict, why);
        PTXGUARD_FIELDS(v, decide, fatbins_fit, fatbins);
    }
};

// The result of one compiler for code of one kind that a GPU has to run, measured (inspect --compile).
struct CompiledCode {
    std::string compiler;                // "driver 550.163.01", "ptxas 12.8.93", "nvJitLink 13.0"
    std::string driver;                  // id of the driver, for a driver's JIT compiler
    EntryKind code = EntryKind::ptx;     // kind of code: ptx, ltoir or tileir
    Arch arch;                           // architecture that it was compiled for
    Outcome outcome = Outcome::unknown;  // refused: at least one text was refused
    std::size_t texts = 0, accepted = 0, refused = 0;  // number of distinct texts; the others are undecided
    std::string words;  // compiler output of the first refusal; for an unknown outcome, the reason
    Failure failure = Failure::other;
    std::optional<PtxVersion> ptx, ir;  // version of the first refused text, as in DeviceEntry
    Arch target;                        // target of that text; number 0 = it names none
    std::string command;                // command that was run

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
    std::string container;  // path of the archive that contains it; empty = not in an archive
    std::string member;     // its name in the archive
    std::vector<std::string> requires_dist;  // packages that a wheel's metadata requires, with all extras
    std::vector<std::string> bundled;        // of a wheel or conda package: NVIDIA libraries in it
    FileFormat format = FileFormat::unknown;
    ArchiveKind archive = ArchiveKind::none;
    Content looks_like = Content::unknown;  // content, if the format is unknown
    std::string machine;  // host architecture: "x86_64", "aarch64", "x86" ...; empty = none or not known
    std::vector<std::string> needed;     // NVIDIA libraries that it, or a member of it, lists as needed
    std::vector<std::string> sections;   // sections with device code; one empty name = no sections
    bool by_scan = false;                // no section headers: entries were found by a search
    bool deep = false;                   // payloads were read (--deep)
    std::size_t fatbins = 0;             // number of registered fatbins; of an archive: in its members
    std::vector<DeviceEntry> entries;    // device code; registered entries first
    std::vector<EntryGroup> summary;     // entries that are run, in groups; of an archive: of its members
    std::vector<FatbinKind> kinds;       // computed from the entries; empty = not requested
    std::vector<Version> toolkits;       // toolkits that built the cubins, ascending, as far as known
    std::vector<std::string> remarks;    // unusual but harmless: "5 cubins in .cask_resource"
    std::string trouble;                 // why it could not be read to the end; what was read before is kept
    std::vector<CompiledCode> compiled;  // results of --compile
    std::vector<RunsOn> runs_on;         // result for each GPU; the judge fills it for the report
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

// Without the empty ones.
std::vector<EntryGroup> summarize(const std::vector<DeviceEntry>& entries);

}  // namespace ptxguard
