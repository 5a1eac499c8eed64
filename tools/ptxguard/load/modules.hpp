// Native modules of a Python environment in the processes into which they are imported: the libraries that
// they need, and the names that they ask of them. Linux only. Runs and loads nothing.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "facts/facts.hpp"
#include "host/host.hpp"
#include "model/loading.hpp"

namespace ptxguard {

// What a file says before it is loaded.
struct ModuleHead {
    bool read = false;  // a shared library that is complete as far as its headers tell
    std::uint16_t machine = 0;
    std::vector<std::string> needed;  // DT_NEEDED
};
ModuleHead module_head(const Host& host, const std::string& path);
bool defines(const Host& host, const std::string& path, const std::string& symbol);

// The packages whose libraries other packages' modules need without a way to them ("torch": libc10.so), and
// NVIDIA's libraries, by the names that modules need.
class NeededNames {
public:
    explicit NeededNames(const Facts& facts);
    // The package; empty if none of the names is of one.
    std::string lender_of(const std::vector<std::string>& needed) const;
    bool any_of_nvidia(const std::vector<std::string>& needed);  // without the driver's

private:
    const Facts& m_facts;
    std::map<std::string, std::string> m_lenders;  // of a library's name
    std::map<std::string, bool> m_of_nvidia;
};

struct ModuleToLoad {
    std::string path;
    std::string lender;  // package that is imported first; empty = none
    // The files of the same package, by name: what needs one of them is imported after it.
    const std::map<std::string, std::string>* siblings = nullptr;
};
struct LoadedModule {
    bool decided = false;                // false: what it gets is not known
    bool stable_abi = false;             // of its lender it needs only what later releases keep
    std::vector<LoadedFile> missing;     // NVIDIA's libraries and the lender's
    std::vector<std::string> undefined;  // names that it asks of libraries that are there
};
// `program`: of the interpreter, empty = not known. In the order of `modules`.
std::vector<LoadedModule> load_modules(const Host& host, const Facts& facts, const std::string& program,
                                       const std::vector<std::string>& site_packages,
                                       const std::vector<ModuleToLoad>& modules);

}  // namespace ptxguard
