// Native modules of a Python environment, in any package: what each needs and does not get.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "model/arch.hpp"
#include "model/fields.hpp"
#include "model/loading.hpp"
#include "model/origin.hpp"
#include "model/version.hpp"

namespace ptxguard {

// at_import: importing the package imports it. when_used: nothing imports it unconditionally. opened: a
// library that is not a Python module.
enum class ModuleUse { at_import, when_used, opened };
const char* to_string(ModuleUse use);  // "at-import", "when-used", "opened"

// A symbol that a module needs and nothing in its process defines.
struct MissingSymbol {
    std::string name;      // "_ZN3c104cuda9SetDeviceEi"
    std::string readable;  // "c10::cuda::SetDevice(int)"

    PTXGUARD_MEMBERS_ALWAYS(name, readable)
};

// A file that lacks functions of its library: this module calls them, or a framework does that has another
// file of that library. One process has one file of a soname: that of the first import.
struct LackingLibrary {
    std::string name;  // "libnccl.so.2"
    std::string path;  // that this module loads
    Known<Version> version;
    std::string wheel;                   // canonical name of the package of pip that has `path`; empty = none
    std::vector<std::string> functions;  // that are called and that `path` does not define
    std::vector<std::string> versions;   // names of versions that are needed and missing: "GLIBC_2.38"
    std::string framework;               // "torch", which calls them; empty = this module
    std::string other;  // file that the framework has; without one, the library that needs them
    Known<Version> other_version;
    // Of missing versions: the variable and its entry that give `path`, and the file of that name which has
    // them and is searched later.
    std::string variable, entry, later;

    PTXGUARD_MEMBERS((name, path), (version, wheel, functions, versions, framework, other, other_version,
                                    variable, entry, later))
};

struct NativeModule {
    std::string path;
    std::string package;       // canonical name of the package that contains it; empty = no record lists it
    Known<Version> version;    // of that package
    std::string framework;     // package whose libraries it needs: "torch"; empty = none
    Known<Version> built_for;  // the release of the framework that the package's record pins
    ModuleUse use = ModuleUse::opened;
    bool links_framework = false;  // it links the framework itself; else its package requires it
    bool stable_abi = false;       // it uses only interfaces that later releases of the framework keep
    // Libraries of NVIDIA and of the framework that it needs and nothing provides.
    std::vector<LoadedFile> missing;
    std::size_t undefined = 0;
    std::vector<MissingSymbol> undefined_names;  // at most 20
    std::vector<LackingLibrary> lacking;
    std::vector<LoadedFile> compilers;  // run-time compilers whose PTX it passes to the driver: NVRTC
    // Files that request an executable stack, which this C library grants to none that is opened: this one,
    // or libraries that it needs.
    std::vector<std::string> executable_stacks;
    // Libraries of the driver that it needs or opens by name and that are not here, where other ones of that
    // driver are.
    std::vector<LoadedFile> of_driver;
    std::vector<LoadedFile> stubs;  // that it gets instead of a library that it opens by name
    // Libraries of the system that it needs and that are not here: "libavutil.so.60".
    std::vector<std::string> system_missing;
    bool named = false;       // by --module
    bool none_loads = false;  // of its package's Python modules
    // Files of its package that import it ("lmcache/v1/system_detection.py"), where all of them do so when
    // they are imported themselves: none can be without it. Of a package of which no other module loads, or
    // no other one with device code, if they load it by its path.
    std::vector<std::string> importers;
    // A module that its package has for several releases of the framework, by their names, and not for the
    // installed one: "ep", and the releases.
    std::string variant;
    std::vector<std::string> variants;
    // Without it its package does nothing on a GPU: no other of its modules loads, or all use what it opens.
    // Of one with the code of its package: that has no other module, and this one needs NVIDIA's libraries
    // itself.
    bool essential = false;
    bool of_program = false;  // a native file of the program of --host-exe
    std::size_t found = 0;    // libraries of NVIDIA that it needs or opens and gets; 0 = not counted
    // Device code of all modules of its package; read only if there are GPUs.
    Known<std::vector<Target>> archs;
    Known<PtxVersion> ptx;  // the newest in that code
    // The PTX of texts in it that it passes to the driver itself, whatever its cubins are for.
    Known<PtxVersion> texts;
    // PTX in files that its package gives to numba-cuda, which links them with nvJitLink: the oldest, where
    // nothing but PTX is in them.
    Known<PtxVersion> linked;
    // The CUDA whose runtime its package starts, the oldest of its modules': of the libcudart or another
    // library with a runtime that they need, or of their cubins. Read only if there are drivers.
    Known<Version> cuda;

    // Without device code and without a library of NVIDIA, got or missing, nothing in it is CUDA's.
    bool uses_cuda() const { return found > 0 || !missing.empty() || archs; }

    PTXGUARD_MEMBERS((path), (package, version, framework, built_for, use, links_framework, stable_abi,
                              missing, undefined, undefined_names, lacking, compilers, executable_stacks,
                              of_driver, stubs, system_missing, named, none_loads, importers, variant,
                              variants, essential, of_program, found, archs, ptx, texts, linked, cuda))
};

// Libraries of NVIDIA that the modules of a package need or open and get, where none of them lacks one.
struct PackageLibraries {
    std::string package;  // canonical
    Known<Version> version;
    std::size_t found = 0;
    std::string not_compared;  // why, if they were not: "torch is not installed"

    PTXGUARD_MEMBERS((package), (version, found, not_compared))
};

}  // namespace ptxguard
