// One case to judge: possibly incomplete facts about a machine, an image, a recipe stage or a log. All
// sources fill this struct; rules use nothing else except the tables of facts/.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "model/arch.hpp"
#include "model/binary.hpp"
#include "model/driver.hpp"
#include "model/fields.hpp"
#include "model/framework.hpp"
#include "model/loading.hpp"
#include "model/log_message.hpp"
#include "model/modules.hpp"
#include "model/origin.hpp"
#include "model/probe.hpp"
#include "model/recipe.hpp"
#include "model/request.hpp"
#include "model/system.hpp"
#include "model/toolkit.hpp"
#include "model/version.hpp"

namespace ptxguard {

// A folder from which Python imports.
struct SitePlace {
    std::string folder;                     // site-packages, a source tree, a libtorch root
    bool editable = false;                  // reached through an editable install
    std::vector<std::string> records = {};  // canonical names of the packages with a record in it
};

// Two installed packages, one of which compares their releases when it is imported.
struct ComparedPackages {
    std::string package, of;  // "flashinfer-cubin", "flashinfer-python"
    Known<Version> version, of_version;
    std::string off_by;  // variable that is set and disables the comparison; empty = none

    PTXGUARD_MEMBERS((package, version, of, of_version), (off_by))
};

// An installed package whose record requires another release of a package than is installed, or its build for
// another CUDA.
struct UnmetRequirement {
    std::string package;  // "xformers"
    Known<Version> version;
    std::string wanted;  // "torch>=2.10", "cumm-cu120<0.5.0,>=0.4.5"
    std::string other;   // "torch", "cumm-cu124"
    Known<Version> other_version;

    PTXGUARD_MEMBERS_ALWAYS(package, version, wanted, other, other_version)
};

// An installed package some of whose releases do not work with some drivers (facts/known_bad.json), or that a
// row about another one names.
struct DriverBoundPackage {
    std::string package;
    Known<Version> version;
    std::string required_by;  // a package that requires it: its CUDA may never be used; empty = none

    PTXGUARD_MEMBERS((package, version), (required_by))
};

// A package whose libraries say that they are built for CPUs (facts/cpu_builds.json).
struct CpuBuild {
    std::string package;
    Known<Version> version;
    std::string text, path;  // what a module says, and that module
    std::string extends;     // the framework with which it is used; empty = none
    Level level = Level::error;
    std::string effect, instead;

    PTXGUARD_MEMBERS((package, version), (text, path, extends, level, effect, instead))
};

// The Python environment to check. Found once (packages/python.hpp) and used by everything that reads
// packages.
struct PythonEnvironment {
    std::string path;     // interpreter, environment or folder as named, absolute; empty = none found
    std::string because;  // "--python", "VIRTUAL_ENV", "PATH (VIRTUAL_ENV is not a Python: /gone)"
    std::string prefix;   // empty for a plain folder of packages, and for a build that pip isolates
    std::string version;  // "3.11", "3.13t"; empty = not known
    std::vector<SitePlace> places;  // in the order of sys.path
    bool named = false;             // by the user: everything named with it must fit it
    std::vector<ComparedPackages> compared;
    std::vector<UnmetRequirement> unmet;
    std::vector<DriverBoundPackage> driver_bound;
    std::vector<CpuBuild> cpu_builds;
    std::vector<SharedFile> overlaid;  // a package for GPUs, and another that has written its libraries

    std::vector<std::string> sites() const;  // the folders of `places`

    PTXGUARD_MEMBERS_SET(path, because, version, named, compared, unmet, driver_bound, cpu_builds, overlaid)
};

// A copy of cuDNN: the libraries of one major in one folder, and the source of each version. A file name
// contains only the major, and libcudnn.so.9 reports the version of whichever component it opens; so each
// component, the header and the package have their own version.
struct CudnnLibrary {
    std::string name;  // "libcudnn_ops.so.9", "cudnn_ops64_9.dll"
    std::string path;
    Known<Version> version;  // from a symbol, the version resource, the real name or the package

    PTXGUARD_MEMBERS((name, path), (version))
};

struct CudnnCopy {
    std::string folder;
    std::string source;  // "system", "toolkit", "wheel", "conda", "installer", "search path", "framework"
    int major = 0;       // from the file names
    std::vector<CudnnLibrary> libraries;
    Known<Version> version;  // of the component that cudnnGetVersion reports, else of any component
    Known<Version> header;   // in the header beside it (CUDNN_MAJOR, _MINOR, _PATCHLEVEL)
    Known<Version> package;  // of the wheel, conda or Debian package that contains the files
    Known<Version> cuda;     // CUDA that it was built for: "12.9", or "12" if only the major is known
    // Libraries of that release that are not in this folder; the loader finds them elsewhere or not at all.
    std::vector<std::string> missing;
    std::vector<std::string> loaded_by;  // frameworks that load a library from this folder

    PTXGUARD_MEMBERS((folder, source, major), (libraries, version, header, package, cuda, missing, loaded_by))
};

// Source of the facts: a machine, binaries named on the command line, files that describe what will be
// installed and built, or the messages that a build or a program wrote.
enum class SourceKind { machine, binary, recipe, log };
const char* to_string(SourceKind source);

// CUDA sources that a project contains but does not compile.
struct DroppedSources {
    std::vector<std::string> files;
    std::string target;     // target that lists them, in a directory where CUDA is not enabled; empty = none
    std::string looked_by;  // check that found no CUDA compiler: "check_language(CUDA)"; empty = none
    Origin origin;          // where the target is defined

    PTXGUARD_MEMBERS((files), (target, looked_by, origin))
};

// What the user builds.
struct Project {
    bool wanted = true;             // false: no build was requested, a toolkit is only installed
    bool asked = false;             // by --build: without an nvcc it cannot succeed
    bool requested = false;         // by an option or a variable: more than a toolkit that is installed
    bool by_default = false;        // nobody requested it: nothing else here uses CUDA
    ArchList archs;                 // requested architectures, words resolved where possible
    Known<std::string> archs_text;  // as written, with its origin; unknown = none requested
    // What selects further architectures, and only the build decides: "CUDA_ARCHITECTURES in
    // CMakeLists.txt:8".
    Known<std::string> archs_open;
    Known<int> cxx_abi;           // _GLIBCXX_USE_CXX11_ABI of the project: 0 or 1
    Known<int> cxx_standard;      // C++ standard of the project: 14, 17, 20
    std::string toolkit;          // id of the toolkit that this build uses; empty = none
    std::string toolkit_because;  // selected by "CMAKE_CUDA_COMPILER", "CUDA_HOME", "first nvcc on PATH"
    HostCompiler host_compiler;
    // NVCC_PREPEND_FLAGS, CMAKE_CUDA_FLAGS and NVCC_APPEND_FLAGS, joined by blanks.
    Known<std::string> nvcc_flags;
    // The file of the project that compiles device code: "setup.py builds a CUDA extension".
    Known<std::string> built_by;
    bool torch_builds = false;  // PyTorch's extension builder compiles it, with its own list of architectures
    // PyTorch's extension builder has neither a list nor a GPU, without which it fails.
    bool lacks_gpu = false;
    std::vector<DroppedSources> dropped;  // CUDA sources that are not compiled

    template <class V>
    void fields(V& v) {
        bool unwanted = !wanted;
        PTXGUARD_FIELDS(v, unwanted);
        if (V::reads) wanted = !unwanted;
        PTXGUARD_FIELDS(v, asked, requested, by_default, archs, archs_text, archs_open, cxx_abi, cxx_standard,
                        toolkit, toolkit_because, host_compiler, nvcc_flags, built_by, torch_builds,
                        lacks_gpu, dropped);
    }
};

// A variable or search path entry that is itself wrong: misspelt name, missing folder.
struct EnvironmentEntry {
    std::string variable;  // name as set: PATH, LD_LIBRARY_PATH, LD_LIBARY_PATH
    std::string value;     // the wrong entry
    int position = 0;      // 1-based place in the list; 0 = the whole value
    PathProblem problem = PathProblem::none;
    std::string nearest;  // existing folder or variable name that was probably meant; may be empty
    Origin origin;

    template <class V>
    void fields(V& v) {
        PTXGUARD_ALWAYS(v, variable);
        PTXGUARD_FIELDS(v, value, position);
        PTXGUARD_ALWAYS(v, problem);
        PTXGUARD_FIELDS(v, nearest, origin);
    }
};

// An input that could not be read (a file that the user named, a version.py full of garbage).
struct Unreadable {
    std::string subject;
    std::string why;             // predicate: "does not exist", "cannot be read: Permission denied"
    bool named_by_user = false;  // error instead of unknown
    Origin origin;
    std::string limit = {};  // "1000 Docker stages": it was read up to this limit (Limit::text)

    PTXGUARD_MEMBERS_SET(subject, why, named_by_user, origin, limit)
};

// What installs toolkits here: conda, an environment-modules system, apt with NVIDIA's repository.
struct Installer {
    std::string tool;                   // "conda", "micromamba", "module", "apt-get", "dnf"
    bool active = false;                // of conda: an environment is active
    std::vector<std::string> releases;  // of modules: "cuda/12.8.1"

    PTXGUARD_MEMBERS((tool), (active, releases))
};

struct Scenario {
    std::string name;  // "this machine", "Dockerfile stage build"
    SourceKind source = SourceKind::machine;
    System system = System::linux_;
    bool foreign = false;  // --root: nothing in it can be executed
    ProbeMode probe_mode = ProbeMode::auto_;
    bool search_path_known = true;  // false: an unpacked tree whose PATH is not known
    // Windows: folders with CUDA that only programs that are started from now on have on PATH.
    std::vector<std::string> later_path;
    std::string container;         // sign of a container: "/.dockerenv"; empty = none
    bool apptainer = false;        // it is one of Apptainer or Singularity
    bool container_runs = false;   // it was started: it is no image whose driver comes later
    Known<std::string> nvml_only;  // libnvidia-ml.so.1, if libcuda.so.1 is missing
    // Of a container: NVIDIA_DRIVER_CAPABILITIES and NVIDIA_REQUIRE_CUDA, which its runtime reads at the
    // start.
    Known<std::string> capabilities, cuda_demand;

    std::vector<Toolkit> toolkits;
    std::vector<Selector> selectors;        // in the order of precedence of the build
    std::vector<EnvironmentEntry> entries;  // wrong CUDA variables and search path entries
    std::vector<Pick> picks;
    std::vector<Driver> drivers;
    std::vector<Gpu> gpus;
    PythonEnvironment python;  // the environment to check
    std::vector<Installer> installers;
    std::vector<Expectation> expectations;
    // Of a recipe: frameworks whose release no pin decides, as they are installed today. Only the GPUs and
    // drivers that are named meet them.
    std::vector<Expectation> newest;
    Project project;
    std::vector<ProbeResult> probes;
    std::vector<std::string> require;  // driver, gpu, framework, toolkit
    std::vector<Unreadable> unreadable;
    std::vector<BinaryFile> binaries;   // with their device code
    std::vector<LoadTrace> traces;      // libraries resolved as the loader does
    std::vector<CudnnCopy> cudnns;      // all copies, loaded or not
    std::vector<NativeModule> modules;  // Python modules that lack something or have device code
    std::vector<PackageLibraries> package_libraries;
    RecipeFacts recipe;
    std::vector<LogMessage> messages;  // of a log

    const Toolkit* toolkit(const std::string& id) const;
    // The framework for which the file was traced; null for a file that the user named.
    const Expectation* framework_of(const LoadTrace& trace) const;
    const Toolkit* build_toolkit() const { return toolkit(project.toolkit); }
    bool requires_(const std::string& what) const;

    template <class V>
    void fields(V& v) {
        PTXGUARD_FIELDS(v, name, source, system, foreign, probe_mode);
        bool search_path_unknown = !search_path_known;
        PTXGUARD_FIELDS(v, search_path_unknown);
        if (V::reads) search_path_known = !search_path_unknown;
        PTXGUARD_FIELDS(v, later_path, container, apptainer, container_runs, nvml_only, capabilities,
                        cuda_demand, toolkits, selectors, entries, picks, drivers, gpus, python, installers,
                        expectations, newest, project, probes, require, unreadable, binaries, traces, cudnns,
                        modules, package_libraries, messages);
        v.when("recipe", recipe, !recipe.empty());
    }
};

}  // namespace ptxguard
