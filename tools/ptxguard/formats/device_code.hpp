// The content of a fatbin's entries, or of a bare file: cubins (ELF for a GPU) and PTX text; and LZ4 and
// zstd.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "model/binary.hpp"
#include "model/result.hpp"
#include "model/source.hpp"

namespace ptxguard {

struct CubinFacts {
    Arch arch;             // from the cubin itself; it cannot express 'f', and 'a' only in .nv.compat
    std::uint8_t abi = 0;  // 7 or 8
    bool relocatable = false;
    std::optional<Version> toolkit;      // ABI 7: release; ABI 8: full version from its note
    std::optional<std::string> options;  // "-arch sm_100f ..." from its note
};
bool is_cubin(std::string_view head);  // first 20 bytes
Result<CubinFacts> read_cubin(const Source& source);

struct PtxFacts {
    PtxVersion version;
    Arch target;
    int address_size = 0;            // 0 = not given
    bool debug = false;              // `.target sm_80, debug`
    std::optional<Version> toolkit;  // from the comment in stand-alone files
};
// From the header directives, after blank lines and comments. The error names what is missing ("no .version
// line").
Result<PtxFacts> read_ptx(std::string_view text);
bool looks_like_ptx(std::string_view head);

// Nothing but a header, notes and debug information: no function, no variable. False also for what cannot be
// read to its end.
bool is_empty_cubin(const Source& source);
bool is_empty_ptx(std::string_view text);

// For an entry as stored: at most `limit` bytes of the content (all of it if limit is 0). An error if it is
// damaged, larger than in the header, obfuscated, or built without the library.
Result<std::string> read_payload(const Source& file, const DeviceEntry& entry, std::size_t limit = 0);

}  // namespace ptxguard
