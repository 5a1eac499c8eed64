// Native modules of a Python environment in the processes that import them: the libraries that they need, and
// the symbols that they need from them. Linux only. Runs and loads nothing.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "facts/facts.hpp"
#include "host/host.hpp"
#include "load/module_symbols.hpp"
#include "model/loading.hpp"
#include "model/modules.hpp"

namespace ptxguard {

// Packages whose libraries other packages' modules need but cannot find ("torch": libc10.so), and NVIDIA's
// libraries, by the names that modules need.
class NeededNames {
public:
    explicit NeededNames(const Facts& facts);
    // The package; empty if no package provides one of the names.
    std::string provider_of(const std::vector<std::string>& needed) const;
    bool any_of_nvidia(const std::vector<std::string>& needed);  // without the driver's

private:
    const Facts& m_facts;
    std::map<std::string, std::string> m_providers;  // of a library's name
    std::map<std::string, bool> m_of_nvidia;
};

struct ModuleToLoad {
    std::string path;
    std::string provider;  // package that is imported first; empty = none
    // The files of the same package, by name: a module that needs one of them is imported after it.
    const std::map<std::string, std::string>* siblings = nullptr;
};
struct LoadedModule {
    bool decided = false;             // false: its libraries are not known
    bool stable_abi = false;          // needs only symbols of its provider that later releases keep
    std::vector<LoadedFile> missing;  // NVIDIA's libraries and the provider's
    // Libraries of others that it needs and the loader does not find, where it finds the system's.
    std::vector<std::string> others_missing;
    std::vector<std::string> undefined;          // symbols that libraries in the process do not define
    std::vector<LackingLibrary> lacking;         // without versions
    std::vector<std::string> executable_stacks;  // as in NativeModule
    std::vector<LoadedFile> compilers;           // run-time compilers whose PTX it passes to the driver
};
// `program`: the interpreter, empty = not known. In the order of `modules`.
std::vector<LoadedModule> load_modules(const Host& host, const Facts& facts, const std::string& program,
                                       const std::vector<std::string>& site_packages,
                                       const std::vector<ModuleToLoad>& modules);

}  // namespace ptxguard
