// What a library file is, from the file and its surroundings: which NVIDIA library, its version, its CUDA
// release, whether it is a stub. Runs nothing.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "facts/facts.hpp"
#include "facts/libraries.hpp"
#include "formats/elf.hpp"
#include "host/host.hpp"
#include "model/loading.hpp"
#include "packages/owner.hpp"

namespace ptxguard {

// What NVIDIA's library files record about their own version.
struct OwnWords {
    Known<Version> version;  // as exact as in the file: 12.4.5 for cuBLASLt 12.4.5.8, 12.8 for NVRTC 12.8.93
    Known<Version> cuda;     // CUDA release that it was built with, if recorded
    std::string machine;
    bool stub = false;
};
// From an exported constant, the constant that its version function returns, or the version resource. Runs
// nothing.
OwnWords own_words(const Source& source, const LibraryName& name, const std::string& path);

// Each file is read once.
class LibraryFacts {
public:
    LibraryFacts(const Host& host, const Facts& facts) : m_host(host), m_facts(facts), m_owners(host) {}

    // Fills library, cuda_major, version, cuda and stub of a resolved library (from taken / real_path); of a
    // missing one library and cuda_major from its name. Sources in this order: the library's own strings or
    // version resource, file name (libcublas.so.12.8.4.1), the package of its folder (RECORD of a wheel,
    // conda-meta, dpkg).
    void identify(LoadedFile& library);
    Known<Version> version(const std::string& path);
    // The package that installed a library; none if no record lists the file.
    PackageOwner owner(const std::string& path);

private:
    struct Identity {
        LibraryName name;
        OwnWords words;
        Known<Version> version;
        std::string package;  // whose record has the version
    };
    const Identity* identity_of(const std::string& asked_name, const std::string& path);

    const Host& m_host;
    const Facts& m_facts;
    PackageOwners m_owners;
    std::map<std::pair<std::string, std::string>, std::optional<Identity>>
        m_identities;  // real path, requested name
};

// Like ldd -r, without running anything: fills undefined, undefined_names, missing_versions of every library
// of the trace; with `counted` only the former two, and only of these symbols.
using CountedSymbols = std::function<bool(const ElfSymbol&)>;
void count_undefined(const Host& host, LoadTrace& trace, const CountedSymbols& counted = {});

// Whether a version of the C library or of the compiler's libraries (GLIBC_2.38, GLIBCXX_3.4.30) is newer
// than all of its kind that a file defines. These libraries keep their old versions, so that only a newer one
// can be missing. No for other versions, such as NVIDIA's.
bool is_newer_version(const std::string& needed, const std::vector<std::string>& defined);

}  // namespace ptxguard
