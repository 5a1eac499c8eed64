// Modules that a package has once for each of several releases of a framework, by their names, and of which
// it loads one: "libaddon_torch210.so", "ep_2_9_1.cpython-312-x86_64-linux-gnu.so".
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "facts/facts.hpp"
#include "host/host.hpp"
#include "model/scenario.hpp"

namespace ptxguard {

// The release in a module's name.
struct NamedRelease {
    std::string module;   // the name without it: "ep"
    Version release;      // as far as it is named: 2.10
    bool tagged = false;  // the framework's name is before it; otherwise the numbers may mean something else
};
std::optional<NamedRelease> named_release(const std::string& path, const std::string& framework);

// A module with its package and the framework that it needs.
struct VariantFile {
    std::string path, framework;
    std::size_t package = 0;
};

class ReleaseVariants {
public:
    // Numbers without the framework's name count if two modules differ by them, both of the installed major.
    ReleaseVariants(const std::vector<VariantFile>& files, const std::vector<Expectation>& frameworks);

    // A variant for another release than the installed one.
    bool is_for_other(std::size_t file) const;

    // Modules of which no variant is for the installed release.
    struct Absent {
        std::size_t file = 0;               // the one for the newest release
        std::string module;                 // "ep"
        std::vector<std::string> releases;  // "2.9.1", "2.10.0", oldest first
        std::vector<std::size_t> files;
    };
    std::vector<Absent> absent() const;

private:
    struct Group {
        std::string module;
        bool tagged = false, has_installed = false;
        std::vector<std::pair<Version, std::size_t>> variants;
        bool counts() const;
    };
    using Key = std::pair<std::size_t, std::string>;  // package, name without numbers

    std::map<Key, Group> m_groups;
    std::vector<std::pair<Key, bool>>
        m_of;  // of each file: its group, whether it is for the installed release
};

// Of the files that a table names by their CUDA ("libkit_cuda131.so").

// "131" of the framework's CUDA 13.1; empty = not known.
std::string digits_of_cuda(const Scenario& scenario, const std::string& framework);
// The file that `pattern` ("libkit_cuda{cuda}.so") means.
std::string variant_for(std::string pattern, const std::string& cuda);
// The one that the package opens, if it is among these; else all.
std::vector<std::string> files_for_cuda(const Host& host, const Facts& facts, const std::string& package,
                                        const std::vector<std::string>& files, const Scenario& scenario);

// Its package opens one of several: by their names a Python module has variants too, and _fa2_C and _fa3_C
// are two.
bool may_have_variants(const NativeModule& module);

}  // namespace ptxguard
