// One case to judge: a possibly partial set of facts about a machine, an image, a recipe stage or a log.
// All witnesses fill this struct; rules see nothing else (besides the tables of facts/).
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
#include "model/modules.hpp"
#include "model/origin.hpp"
#include "model/probe.hpp"
#include "model/recipe.hpp"
#include "model/request.hpp"
#include "model/toolkit.hpp"
#include "model/version.hpp"

namespace ptxguard {

// A folder from which Python imports.
struct SitePlace {
    std::string folder;                     // site-packages, a source tree, a libtorch root
    bool editable = false;                  // reached through an editable install
    std::vector<std::string> records = {};  // canonical names of the packages that have a record in it
};

// Two installed packages of which one compares their releases when it is imported.
struct ComparedPackages {
    std::string package, of;  // "flashinfer-cubin", "flashinfer-python"
    Known<Version> version, of_version;
    std::string off_by;  // a variable that is set and switches the comparison off

    template <class V>
    void fields(V& v) {
        PTXGUARD_ALWAYS(v, package, version, of, of_version);
        PTXGUARD_FIELDS(v, off_by);
    }
};

// The Python whose packages count. It is found once (packages/python.hpp) and used by all that look into
// packages.
struct PythonEnvironment {
    std::string path;     // interpreter, environment or folder as named, absolute; empty = none found
    std::string because;  // "--python", "VIRTUAL_ENV", "PATH (VIRTUAL_ENV is not a Python: /gone)"
    std::string prefix;   // empty for a mere folder of packages, and in a build that pip isolates
    std::string version;  // "3.11", "3.13t"; empty = nothing says which
    std::vector<SitePlace> places;  // in the order of sys.path
    bool named = false;             // by the user: what is named beside it has to fit it
    std::vector<ComparedPackages> compared;

    template <class V>
    void fields(V& v) {
        PTXGUARD_FIELDS(v, path, because, version, named, compared);
    }
};

// A copy of cuDNN as it lies on a machine: the libraries of one major in one folder, and who says what of
// them. The number in a file name is the major alone, and libcudnn.so.9 answers for whichever part it opens;
// so each part, the header and the package are heard separately.
struct CudnnLibrary {
    std::string name;  // "libcudnn_ops.so.9", "cudnn_ops64_9.dll"
    std::string path;
    Known<Version> version;  // by a symbol, its version resource, its real name or its package

    template <class V>
    void fields(V& v) {
        PTXGUARD_ALWAYS(v, name, path);
        PTXGUARD_FIELDS(v, version);
    }
};

struct CudnnCopy {
    std::string folder;
    std::string source;  // "system", "toolkit", "wheel", "conda", "installer", "search path", "framework"
    int major = 0;       // by the file names
    std::vector<CudnnLibrary> libraries;
    Known<Version> version;  // of the part that cudnnGetVersion speaks of, else of any
    Known<Version> header;   // CUDNN_MAJOR, _MINOR, _PATCHLEVEL beside it
    Known<Version> package;  // of the wheel, conda's or Debian's package that brought the files
    Known<Version> cuda;     // that it was made for: "12.9", or "12" where only the major is told
    std::vector<std::string>
        missing;  // of the complete set of that release; the loader finds them elsewhere or never
    std::vector<std::string> loaded_by;  // frameworks whose process takes a library of it

    template <class V>
    void fields(V& v) {
        PTXGUARD_ALWAYS(v, folder, source, major);
        PTXGUARD_FIELDS(v, libraries, version, header, package, cuda, missing, loaded_by);
    }
};

enum class System { linux_, windows };
const char* to_string(System system);  // "linux", "windows"

// Where the facts come from: a machine, binaries named on the command line, or files that describe what will
// be installed and built.
enum class Witness { machine, binary, recipe };
const char* to_string(Witness witness);

// CUDA sources that a project has and does not compile.
struct DroppedSources {
    std::vector<std::string> files;
    std::string target;  // that lists them, in a directory where CUDA is not enabled; empty = none does
    std::string
        looked_by;  // what found no CUDA compiler: "check_language(CUDA)"; empty = nothing looked for it
    Origin origin;  // of the target

    template <class V>
    void fields(V& v) {
        PTXGUARD_ALWAYS(v, files);
        PTXGUARD_FIELDS(v, target, looked_by, origin);
    }
};

// What the user builds.
struct Project {
    bool wanted = true;             // false: nobody asks for a build, a toolkit here merely lies there
    ArchList archs;                 // what was asked for, words resolved where possible
    Known<std::string> archs_text;  // as written, with its origin; unknown = nothing was asked for
    Known<int> cxx_abi;             // of the project
    Known<int> cxx_standard;
    std::string toolkit;          // id of the toolkit that this build uses; empty = none
    std::string toolkit_because;  // "CMAKE_CUDA_COMPILER", "CUDA_HOME", "first nvcc on PATH"
    HostCompiler host_compiler;
    Known<std::string>
        nvcc_flags;  // NVCC_PREPEND_FLAGS, CMAKE_CUDA_FLAGS, NVCC_APPEND_FLAGS, joined by blanks
    std::vector<DroppedSources> dropped;

    template <class V>
    void fields(V& v) {
        bool unwanted = !wanted;
        PTXGUARD_FIELDS(v, unwanted);
        if (V::reads) wanted = !unwanted;
        PTXGUARD_FIELDS(v, archs, archs_text, cxx_abi, cxx_standard, toolkit, toolkit_because, host_compiler,
                        nvcc_flags, dropped);
    }
};

// A variable or search path entry that is wrong in itself: misspelt name, missing folder.
struct EnvironmentEntry {
    std::string variable;  // PATH, LD_LIBRARY_PATH, LD_LIBARY_PATH
    std::string value;     // the one entry
    int position = 0;      // 1-based in the list; 0 = the whole value
    PathProblem problem = PathProblem::none;
    std::string nearest;  // existing folder / variable name probably meant
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
    std::string why;             // a predicate: "does not exist", "cannot be read: Permission denied"
    bool named_by_user = false;  // error instead of unknown
    Origin origin;

    template <class V>
    void fields(V& v) {
        PTXGUARD_FIELDS(v, subject, why, named_by_user, origin);
    }
};

struct Scenario {
    std::string name;  // "this machine", "Dockerfile stage build"
    Witness witness = Witness::machine;
    System system = System::linux_;
    bool foreign = false;  // --root: nothing of it can be executed
    ProbeMode probe_mode = ProbeMode::auto_;
    bool search_path_known = true;  // false: an unpacked tree of which nobody said what its PATH is

    std::vector<Toolkit> toolkits;
    std::vector<Selector> selectors;        // in the order of precedence of the build
    std::vector<EnvironmentEntry> entries;  // CUDA-looking search path entries and variables that are wrong
    std::vector<Pick> picks;
    std::vector<Driver> drivers;
    std::vector<Gpu> gpus;
    PythonEnvironment python;  // whose packages count
    std::vector<Expectation> expectations;
    Project project;
    std::vector<ProbeResult> probes;
    std::vector<std::string> require;  // driver, gpu, framework, toolkit
    std::vector<Unreadable> unreadable;
    std::vector<BinaryFile> binaries;   // whose device code was read
    std::vector<LoadTrace> traces;      // whose libraries were looked for as the loader does
    std::vector<CudnnCopy> cudnns;      // copies that lie here, whether anybody loads them or not
    std::vector<NativeModule> modules;  // of the Python environment, that lack something or hold device code
    RecipeFacts recipe;                 // of a recipe

    const Toolkit* toolkit(const std::string& id) const;
    const Driver* driver(const std::string& id) const;
    // The framework whose file was traced; null for a file that somebody named.
    const Expectation* framework_of(const LoadTrace& trace) const;
    const Toolkit* build_toolkit() const { return toolkit(project.toolkit); }
    bool requires_(const std::string& what) const;

    template <class V>
    void fields(V& v) {
        PTXGUARD_FIELDS(v, name, witness, system, foreign, probe_mode);
        bool search_path_unknown = !search_path_known;
        PTXGUARD_FIELDS(v, search_path_unknown);
        if (V::reads) search_path_known = !search_path_unknown;
        PTXGUARD_FIELDS(v, toolkits, selectors, entries, picks, drivers, gpus, python, expectations, project,
                        probes, require, unreadable, binaries, traces, cudnns, modules);
        v.when("recipe", recipe, !recipe.empty());
    }
};

}  // namespace ptxguard
