// The native modules among the files of a Python environment, by its packages' records.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "facts/facts.hpp"
#include "host/host.hpp"
#include "load/module_symbols.hpp"
#include "model/scenario.hpp"

namespace ptxguard {

struct PackageFiles {
    std::string record;   // "/site/torch-2.11.0.dist-info"; empty = files that no record lists
    std::string package;  // canonical
    std::string site;
    std::vector<std::string> modules;    // paths of shared libraries
    std::vector<std::uint64_t> sizes;    // of each module, by the record; 0 = not recorded
    std::vector<std::string> ptx;        // PTX files, which the package gives to the driver
    std::vector<std::string> fatbins;    // beside Python code, which a package gives to a linker
    std::vector<std::string> top_level;  // folders in `site` with an __init__.py
    bool of_prefix = false;              // of a conda package, outside of its Python's site-packages
};
// For each package with modules or PTX. Each record is read once, in parallel; folders that
// no record lists are searched. Of a conda environment also the libraries of packages that depend on
// NVIDIA's.
std::vector<PackageFiles> module_files(const Host& host, const PythonEnvironment& python);

// A file listed by several records belongs to the one whose record has its size; that of the others was
// overwritten.
class OverwrittenFiles {
public:
    OverwrittenFiles() = default;
    // The first `listed` packages have records.
    OverwrittenFiles(const Host& host, const std::vector<PackageFiles>& packages, std::size_t listed);
    bool has(const std::string& path, std::size_t package) const;

private:
    std::map<std::string, std::size_t> m_lost;  // file -> the package whose file was overwritten
};

// "_C.abi3.so", "_C.cpython-311-x86_64-linux-gnu.so".
bool is_python_module(const std::string& path);
// A module for another release of Python, which this one does not import: wheels may contain several.
bool is_for_other_python(const std::string& path, const std::string& version);

// The program that imports them; empty = not known.
std::string interpreter_of(const Host& host, const PythonEnvironment& python);
// The folder that it really is in, of a conda environment also without its program; empty = not known.
std::string folder_of_interpreter(const Host& host, const PythonEnvironment& python);

// The packages that contain native modules.

// NVIDIA's own packages, of which the bindings open what a program asks for, and the frameworks, whose
// libraries are traced separately.
bool is_left_out(const PackageFiles& package, const Scenario& scenario);
// Whether its device code is its own matter. NVIDIA's packages with Python modules (DALI) are programs like
// any other; those without are libraries, whose kernels are chosen at run time.
bool has_own_code(const PackageFiles& package, const Scenario& scenario);
// "tensorflow-intel": a framework's own package under any of its names.
bool is_of_any_framework(const std::string& package);
// A framework of which facts/loading.json lists only the files with its kernels: what it opens is found in
// its files, as of any other package.
bool opens_by_its_files(const Facts& facts, const std::string& package, System system);

// Whether a Python file in the package's own folder opens libraries.
bool opens_by_path(const Host& host, const PackageFiles& package);

// The release of the module's package, and the framework's release that its record pins.
void describe_package(const Host& host, const PackageFiles& package, NativeModule& module);
// The package, nothing counted.
PackageLibraries libraries_of(const Host& host, const PackageFiles& package);
// Files of one package open the same libraries: those of the file with most are counted.
void add_found(const Host& host, const PackageFiles& package, std::size_t found,
               std::vector<PackageLibraries>& libraries);
// A module of the package at `path`, of no framework.
NativeModule module_of(const Host& host, const PackageFiles& package, const std::string& path, ModuleUse use);

// The file itself, as a library that is only there for another machine.
LoadedFile other_machine(const Host& host, const std::string& path);
// Whether such a file of that package is among the modules.
bool has_other_machine(const std::vector<NativeModule>& modules, const std::string& package);

struct HeadOfPackage {
    std::size_t package = 0;
    ModuleHead head;
};
// The machine of the process that imports the modules: the interpreter's, or that of most packages. 0 = not
// known.
std::uint16_t machine_of_environment(const Host& host, const PythonEnvironment& python,
                                     const std::vector<HeadOfPackage>& heads);

}  // namespace ptxguard
