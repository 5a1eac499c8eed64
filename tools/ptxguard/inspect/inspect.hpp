// Reads the device code of a binary. Runs and loads nothing; accepts any file, complete or damaged.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "facts/facts.hpp"
#include "host/host.hpp"
#include "model/binary.hpp"
#include "model/matrix.hpp"
#include "model/scenario.hpp"

namespace ptxguard {

struct InspectOptions {
    bool deep = false;    // also read payloads and data outside the registered sections
    bool search = false;  // such data too if a file registers nothing that runs
    // Members of an archive that were read, of how many (0 = not known), and the next one.
    std::function<void(std::size_t done, std::size_t all, const std::string& name)> counted = {};
};
// One BinaryFile per file; for an archive one per member with device code (and one for the whole). Files that
// cannot be opened go to scenario.unreadable (the user named them); damage in a file is its `trouble`.
void inspect(const Host& host, const Facts& facts, const std::vector<std::string>& paths,
             const InspectOptions& options, Scenario& scenario);

// PTX texts among the constants of a program or library, which it passes to the driver itself (include_str!
// of Rust).
struct TextsForDriver {
    Known<PtxVersion>
        ptx;  // the newest that the driver has to read: of a kernel with several texts the oldest
    std::vector<Target> targets;
};
TextsForDriver texts_for_driver(const Host& host, const std::string& path);

// Everything that one run of --extract has written.
struct Extracted {
    std::uint64_t most_bytes = std::uint64_t{16} << 30;  // a small compressed file can contain terabytes
    std::uint64_t bytes = 0;
    std::set<std::string> names;         // lower case: not every file system distinguishes them
    std::map<std::string, int> numbers;  // of files with the same name, the last one
};
// --extract SM DIR: writes the payloads for that architecture ("sm_90a", "compute_90", "all"), decompressed,
// as <file>.<n>.sm_90a.cubin and .ptx, a second <file> with the same name as <file>-2. Returns the written
// paths.
Result<std::vector<std::string>> extract(const Host& host, const std::string& path, const std::string& sm,
                                         const std::string& folder, Extracted& so_far);

// The PTX, LTO-IR and Tile IR in a file, decompressed: the smallest for each target and version. An error if
// the file cannot be read or is not one that contains device code.
Result<std::vector<PtxText>> ptx_texts(const Host& host, const Facts& facts, const std::string& path);

// The linked PTX and the Tile IR that these GPUs have to run, because no cubin of its fatbin fits, and the
// LTO-IR that is linked for them; without GPUs all of it, for its own target. Distinct texts, for each file
// or member the smallest first.
struct CodeOfFile {
    std::vector<CodeToCompile> texts;
    std::size_t left_out = 0;        // beyond the limits
    std::size_t unlinked = 0;        // PTX that uses functions to be linked later
    std::size_t without_target = 0;  // without an architecture, and no GPU was named
    std::string trouble;             // of an entry that could not be decompressed
};
CodeOfFile code_to_compile(const Host& host, const Facts& facts, const std::string& path,
                           const std::vector<Arch>& gpus, std::size_t most);

}  // namespace ptxguard
