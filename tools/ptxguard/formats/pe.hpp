// PE files (.dll, .exe, .pyd): sections, imports, exports, version resource, manifest. PE32 is recognised,
// PE32+ is parsed. Every offset is checked. Does not access a file system, so the caller sets the subject of
// each Trouble.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/result.hpp"
#include "model/source.hpp"
#include "model/version.hpp"

namespace ptxguard {

struct PeSection {
    std::string name;                    // at most 8 bytes: ".nv_fatb"
    std::uint64_t offset = 0, size = 0;  // in the file: the smaller of virtual and raw size
    std::uint32_t address = 0, virtual_size = 0, flags = 0;
};
struct PeFile {
    std::uint16_t machine = 0;  // 0x8664 ...
    bool is_64 = false, is_dll = false;
    std::uint64_t image_base = 0;
    std::vector<PeSection> sections;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> directories;  // RVA, size

    std::optional<std::uint64_t> offset_of(std::uint32_t address) const;
};
std::string pe_machine(std::uint16_t machine);  // "x86_64", "x86", "aarch64"; empty = unlisted
bool is_pe(const Source& source);               // "MZ" and a PE header after it
Result<PeFile> read_pe(const Source& source);

struct PeImport {
    std::string dll;  // as written
    bool delayed = false;
    std::vector<std::string> names;  // symbols; "#12" for one imported by number
};
Result<std::vector<PeImport>> read_pe_imports(const Source& source, const PeFile& file);
struct PeExports {
    std::string dll;                      // its own name
    std::vector<std::string> names;       // sorted
    std::vector<std::uint32_t> ordinals;  // all that exist
};
Result<PeExports> read_pe_exports(const Source& source, const PeFile& file);
// From VS_VERSION_INFO: the numbers of the fixed part, and two of the strings.
struct PeVersionInfo {
    std::optional<Version> file_version;
    std::string company, description;
};
std::optional<PeVersionInfo> read_pe_version(const Source& source, const PeFile& file);
// The application manifest (XML), if the file has one.
std::optional<std::string> read_pe_manifest(const Source& source, const PeFile& file);

}  // namespace ptxguard
