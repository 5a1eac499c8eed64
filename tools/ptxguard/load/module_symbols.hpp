// Which library defines which of the names that modules need; each library is read once. Inner header.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "formats/elf.hpp"
#include "host/host.hpp"
#include "load/trace_linux_process.hpp"
#include "model/modules.hpp"

namespace ptxguard {

struct WantedName {
    std::string name, version;  // version: as the loader compares it; empty = any satisfies
};

class WantedNames {
public:
    // The index in `defined`.
    std::size_t add(std::string_view name, std::string_view version);
    // Reads the libraries in parallel; call it once, when all names are known.
    void read(const Host& host, const std::vector<std::string>& libraries);
    bool was_read(const std::string& library) const;
    bool defines(const std::string& library, std::size_t name) const;
    const std::string& text(std::size_t name) const { return m_names[name].name; }

private:
    struct Library {
        bool read = false;
        std::vector<bool> defined;  // by index
    };
    Library read_one(const Host& host, const std::string& path, const NameSieve& sieve) const;

    std::vector<WantedName> m_names;
    std::unordered_map<std::string, std::vector<std::size_t>> m_numbers;  // a name -> one index per version
    std::unordered_map<std::string, Library> m_libraries;
};

// What the first bytes and the dynamic section of a native module show.

// What a file contains that matters before it is loaded.
struct ModuleHead {
    bool read = false;  // a shared library, complete as far as its headers show
    std::uint16_t machine = 0;
    std::vector<std::string> needed;  // DT_NEEDED
};
ModuleHead module_head(const Host& host, const std::string& path);
// "x86_64"; empty = no ELF file, or a machine without a name.
std::string machine_of_file(const Host& host, const std::string& path);
// Whether it has the section of nvcc's code.
bool holds_device_code(const Host& host, const std::string& path);
bool defines(const Host& host, const std::string& path, const std::string& symbol);
// The first of `texts`, each of at most 256 bytes, that it contains; empty = none, or more than `limit`
// bytes.
std::string text_held(const Host& host, const std::string& path, const std::vector<std::string>& texts,
                      std::uint64_t limit);

// Functions of NVIDIA's libraries that files call, and whether a library defines them. For libraries
// without symbol versions: nothing binds their functions to a file.

// A function that is called, and the file that should define it.
struct FunctionCalled {
    std::string name;
    LoadedFile library;
};

// The libraries of NVIDIA in one process, and what its files call in them.
struct Callers {
    std::vector<LoadedFile> libraries;
    std::vector<FunctionCalled> functions;
};
Callers callers_of(const Host& host, const Facts& facts, const LinuxProcess& process);

// Adds an entry if `path` lacks some of the functions that are called in the library of that name.
void add_lacking(const Host& host, const std::string& path, const LoadedFile& library, const Callers& callers,
                 const std::string& framework, std::vector<LackingLibrary>& found);

// A library of NVIDIA in the process that calls functions of another one.
struct BoundLibraries {
    std::string caller;
    LoadedFile library;
};

// What libraries lack of the functions that versions bind to them; each pair of files is compared once.
class BoundPairs {
public:
    explicit BoundPairs(const Host& host) : m_host(host) {}
    // `other` of an entry is the caller.
    void add(const std::vector<BoundLibraries>& pairs, std::vector<LackingLibrary>& found);

private:
    const Host& m_host;
    std::map<std::pair<std::string, std::string>, LackingLibrary> m_known;  // by both paths
};

}  // namespace ptxguard
