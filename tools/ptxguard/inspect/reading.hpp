// One file, or one member of an archive, while it is read. Inner header of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "facts/facts.hpp"
#include "formats/fatbin.hpp"
#include "host/host.hpp"
#include "inspect/inspect.hpp"
#include "model/binary.hpp"

namespace ptxguard {

// Limits for one file that the user named, together with members of archives and of archives within them.
// What it may cost follows from its size on disk, never from what it says about its contents.
struct Budget {
    explicit Budget(std::uint64_t file_size);

    std::size_t entries = k_max_entries;
    std::size_t members = 1u << 17;
    std::uint64_t bytes = 0;   // of members, unpacked or stored: members may overlap
    std::uint64_t memory = 0;  // for unpacked bytes and names

    // Before the bytes are read. False: they must not be.
    bool take_bytes(std::uint64_t count) {
        const bool enough = count <= bytes;
        if (enough) bytes -= count;
        return enough;
    }
};

// A part of the budget's memory, until the end of its life. False: there is not so much.
class Held {
public:
    Held(Budget& budget, std::uint64_t size)
        : m_budget(budget), m_enough(size <= budget.memory), m_size(m_enough ? size : 0) {
        m_budget.memory -= m_size;
    }
    ~Held() { m_budget.memory += m_size; }
    Held(const Held&) = delete;
    Held& operator=(const Held&) = delete;
    explicit operator bool() const { return m_enough; }

private:
    Budget& m_budget;
    bool m_enough;
    std::uint64_t m_size;
};

struct FileReading {
    const Facts& facts;
    bool deep = false;
    Budget& budget;
    BinaryFile file;
    int troubles = 0;                        // number of errors in the file so far
    bool search = false;                     // InspectOptions::search
    bool packaged = false;                   // a member of a package, not of a library of objects
    bool kept = false;                       // even without device code
    std::set<std::string>* links = nullptr;  // for a member of a wheel: gets the libraries that it needs
    // Of an archive that the user named: InspectOptions::counted.
    std::function<void(std::size_t done, std::size_t all, const std::string& name)> counted = {};

    // For a member of this archive.
    FileReading of_member() const {
        FileReading inner{facts, deep, budget, {}};
        inner.search = search;
        return inner;
    }
};

// A part of the file that may contain device code.
struct CodePart {
    enum class Kind { fatbins, relocatable_fatbins, large_data, resources, constants } kind = Kind::fatbins;
    std::string name;
    std::uint64_t offset = 0, size = 0;
};

// The first two errors and a mark if there are more; each is a sentence about the file.
void add_trouble(FileReading& reading, const std::string& text);
void add_walk(FileReading& reading, const Source& source, FatbinWalk walk, const CodePart& part,
              bool registered = true);

// Fatbins without a function or a variable, as nvcc makes for a file that has only host code: nothing in them
// is run. Reads only payloads that are small enough.
void mark_empty(const Source& source, std::vector<DeviceEntry>& entries, std::vector<std::string>& remarks);

// The format of the file, by its content, and what it contains. `source` is only the file or member, and no
// stream: several threads read it. Archives are not read here.
void read_file(FileReading& reading, const Source& source);
void read_elf_program(FileReading& reading, const Source& source);
void read_pe_program(FileReading& reading, const Source& source);

// Fatbins in large data. Deep, or if nothing that runs was found and the reading searches: also those in
// NVIDIA's resources, and fatbins, bare cubins and PTX texts among constants and data. None is registered.
// `early`: what search_early found in these parts.
using EarlyWalks = std::vector<std::optional<FatbinWalk>>;
void read_outside(FileReading& reading, const Source& source, const std::vector<CodePart>& parts,
                  EarlyWalks early = {});
// At most `most` entries in each large data, which depends on nothing else: another thread reads the rest
// meanwhile.
EarlyWalks search_early(const Source& source, const std::vector<CodePart>& parts, std::size_t most);
// Deep: the toolkit of each cubin, and whether headers and contents agree.
void look_into_payloads(FileReading& reading, const Source& source);
// The entry of a bare cubin at `offset`.
DeviceEntry bare_cubin(const Source& cubin, std::uint64_t offset);

// For a file in none of our formats, from its first bytes.
Content looks_like(std::string_view head);

// Calls `visit` with each BinaryFile of a file: itself, and for an archive each member with device code after
// it. The entries' offsets refer to `source`.
using Visit = std::function<void(BinaryFile&&, const Source&)>;
void read_binary(const Host& host, const Facts& facts, const std::string& path, const Source& source,
                 const InspectOptions& options, const Visit& visit);
// `base`: offset of `source` in `whole`, the open file.
struct Place {
    std::string path;    // "libx.a(member.o)"
    std::string folder;  // of the outside members of a thin archive
    const Source& whole;
    std::uint64_t base = 0;
    int depth = 0;  // number of archives around it
    std::string container = {}, member = {};
};
void read_at(const Host& host, FileReading& reading, const Place& place, const Source& source,
             const Visit& visit);
void read_members(const Host& host, FileReading& reading, const Place& place, const Source& source,
                  const Visit& visit);
// A wheel, a conda package or another zip file: its libraries, each unpacked separately in memory.
void read_wheel(const Host& host, FileReading& reading, const Place& place, const Source& source,
                const Visit& visit);
// A tar archive, unpacked in memory if compressed with gzip or zstd. False: not one.
bool read_tar_file(const Host& host, FileReading& reading, const Place& place, const Source& source,
                   const Visit& visit);
// Members of packages that are read: libraries, programs, device code, and archives of them.
bool may_hold_code(const std::string& path);
// One of them, after it was unpacked: `base` is its offset in `whole`.
void read_unpacked(const Host& host, FileReading& reading, const Place& place, const std::string& member,
                   const Source& bytes, const Source& whole, std::uint64_t base, const Visit& visit,
                   std::set<std::string>* links = nullptr);
constexpr int k_most_nested = 3;

// The members of a container in order: a stream shows each only when the one before it has been read.
struct MemberList {
    std::function<bool()> next = [] { return false; };  // to the first, then to the one after; false: none
    std::function<void(const Visit&)> read;             // the member there
    // Whether the container itself has a library of that name.
    std::function<bool(const std::string& name)> brings = [](const std::string&) { return false; };
};
// The container after its members, with the entries of all of them.
void read_each(FileReading& reading, const Place& place, const MemberList& members, const Visit& visit);

}  // namespace ptxguard
