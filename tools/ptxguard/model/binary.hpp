// What a binary holds for GPUs: cubins, PTX and LTO-IR, each for one architecture, in containers ("fatbins").
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/arch.hpp"
#include "model/origin.hpp"
#include "model/version.hpp"

namespace ptxguard {

enum class FileFormat { unknown, elf, pe, archive, fatbin, cubin, ptx };
const char* to_string(FileFormat format);
std::optional<FileFormat> file_format_from(const std::string& word);

enum class EntryKind { cubin, ptx, ltoir, other };
const char* to_string(EntryKind kind);  // "cubin", "ptx", "ltoir", "other"
std::optional<EntryKind> entry_kind_from(const std::string& word);

// One entry of a fatbin, from its header alone; a cubin or PTX text that lies bare is one entry as well.
struct DeviceEntry {
    EntryKind kind = EntryKind::other;
    std::uint16_t raw_kind = 0;     // as stored: 1 PTX, 2 cubin, 8 NVVM ...
    Arch arch;                      // number 0 = the header names none
    std::optional<PtxVersion> ptx;  // of PTX: its `.version`
    std::uint32_t fatbin = 0;       // 0-based, within the file; entries of one fatbin are one module
    std::uint16_t section = 0;      // index into BinaryFile::sections
    bool relocatable = false;       // from __nv_relfatbin: is linked before it is loaded
    bool registered = true;         // false: the library loads it by itself (.cask_resource, bare in .rodata)
    bool compressed = false, debug = false, obfuscated = false;
    std::uint64_t offset = 0, size = 0;  // of the payload as stored, bytes from the start of the file
    std::uint64_t uncompressed = 0;      // bytes; 0 = stored as it is
    std::uint64_t flags = 0;             // as stored
    std::uint8_t abi = 0;                // of a cubin: 7 or 8; 0 = not known
    std::optional<Version> toolkit;      // that made it; only with --deep (or where it costs nothing)
    std::string looks_like;              // of one marked PTX that is none (--deep): "a cubin", "UTF-16 text"
};

// Entries alike in kind, arch and PTX version.
struct EntryGroup {
    EntryKind kind = EntryKind::other;
    Arch arch;
    std::optional<PtxVersion> ptx;
    std::size_t count = 0;    // entries
    std::size_t fatbins = 0;  // in how many fatbins
};

// Fatbins that look alike to a driver: NVIDIA's libraries hold thousands, of a few kinds.
struct FatbinKind {
    std::vector<std::size_t> entries;  // of the first such fatbin: places in BinaryFile::entries
    std::size_t count = 0;             // fatbins
    bool relocatable = false;          // is linked before it is loaded
};
// Of registered entries, in the order of the fatbins.
std::vector<FatbinKind> fatbin_kinds(const std::vector<DeviceEntry>& entries);

// Would a GPU run what the file holds?
enum class RunVerdict { cubin, jit, no, unknown };
const char* to_string(RunVerdict verdict);
std::optional<RunVerdict> run_verdict_from(const std::string& word);
struct RunsOn {
    std::string gpu;  // as asked: "RTX 3090 (sm_86)"
    Arch arch;
    RunVerdict verdict = RunVerdict::unknown;
    std::string why;     // one line: which entry, or what is missing
    std::string decide;  // of unknown: what would decide it
    std::size_t fatbins_fit = 0,
                fatbins = 0;  // "n of m": NVIDIA's libraries hold many fatbins for one GPU alone
};

struct BinaryFile {
    std::string path;  // as named; "libx.a(member.o)" for a member of an archive
    FileFormat format = FileFormat::unknown;
    std::string looks_like;  // where it is none of ours: "a Git LFS pointer", "an HTML page", "UTF-16 text"
    std::string machine;     // "x86_64", "aarch64", "x86" ...; empty = none or not known
    std::vector<std::string> needed;  // NVIDIA libraries in its list of needed libraries
    std::vector<std::string>
        sections;             // that hold device code, by name; a nameless one of a file without sections
    bool by_scan = false;     // section headers are missing: entries were found by their marks
    bool deep = false;        // payloads were looked into
    std::size_t fatbins = 0;  // that are registered; of an archive those of its members
    std::vector<DeviceEntry> entries;  // registered ones first
    std::vector<EntryGroup> summary;   // of what is registered; of an archive over its members
    std::vector<FatbinKind> kinds;     // follows from the entries; empty = was not asked for
    std::vector<Version> toolkits;     // that made the cubins, ascending; what is known
    std::vector<std::string> remarks;  // what is odd and harms nobody: "5 cubins in .cask_resource"
    std::string trouble;               // why it could not be read to its end; what was read before stays
    std::vector<RunsOn> runs_on;       // filled for the report by the judge's function
    Origin origin;
};

std::vector<EntryGroup> summarize(const std::vector<DeviceEntry>& entries);

}  // namespace ptxguard
