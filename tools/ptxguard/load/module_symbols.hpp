// Which library defines which of the names that modules need; each library is read once. Inner header.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "formats/elf.hpp"
#include "host/host.hpp"

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

}  // namespace ptxguard
