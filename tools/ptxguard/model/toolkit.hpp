// A CUDA toolkit on a machine: its components, each with its own version, and everything that selects it
// (variables, search path entries, default folders).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/arch.hpp"
#include "model/fields.hpp"
#include "model/finding.hpp"
#include "model/origin.hpp"
#include "model/version.hpp"

namespace ptxguard {

enum class PartKind {
    nvcc,
    cicc,
    ptxas,
    cudafe,
    nvlink,
    fatbinary,  // programs
    crt_headers,
    runtime_headers,
    libdevice,  // files
    cudart,
    nvrtc,
    nvvm,
    cublas,
    cudnn,  // libraries
    cccl,   // Thrust, CUB and libcu++, if their headers compare nvcc with the runtime headers
    cudnn_headers,
    nccl,  // the one that -lnccl links
    nccl_headers,
};
const char* to_string(PartKind kind);  // "nvcc", "cudafe++", "crt headers" ...
bool is_program(PartKind kind);        // the first six

// Why a component cannot be used; `other` has only a text. no_answer: it runs, but prints no version.
enum class PartFault { not_executable, called_through_link, not_started, no_answer, other, none };
const char* to_string(PartFault fault);

struct Part {
    PartKind kind = PartKind::nvcc;
    std::string path;        // path by which the toolkit uses it
    std::string real_path;   // after symlinks; empty = could not be resolved
    Known<Version> version;  // from the component itself, never from a folder name
    std::string trouble;     // why it cannot be used or read; empty = it can
    PartFault fault = PartFault::none;

    void fail(std::string why, PartFault how = PartFault::other) {
        trouble = std::move(why);
        fault = how;
    }

    PTXGUARD_MEMBERS((kind), (path, real_path, version, trouble, fault))
};

enum class Layout { unknown, nvidia, debian, conda, wheel, hpc_sdk };
const char* to_string(Layout layout);

struct Toolkit {
    std::string id;                     // "toolkit1" ...; stable within a scenario
    std::string root;                   // folder for CUDA_HOME
    std::string real_root;              // after symlinks
    Layout layout = Layout::unknown;    // how its files are arranged
    std::vector<std::string> names;     // all paths to it ("/usr/local/cuda", "/usr/local/cuda-13.0")
    std::vector<Part> parts;            // at most one of each kind: the one that this toolkit's nvcc uses
    std::vector<std::string> wrappers;  // scripts or symlinks in front of nvcc ("/opt/bin/nvcc", ccache ...)

    const Part* part(PartKind kind) const;
    // The toolkit's release for users: nvcc's version, otherwise ptxas', otherwise the runtime headers'.
    const Version* version() const;

    PTXGUARD_MEMBERS((id, root), (real_root, layout, names, parts, wrappers))
};

// A selector: something that chooses a toolkit, or fails to.
enum class SelectorKind { option, cmake, variable, search_path, default_folder, package, registry };
// What is wrong with a path or the value of a variable.
enum class PathProblem {
    missing,
    file,
    unreadable,
    loop,
    dangling,
    relative,
    empty,
    no_toolkit,
    undefined_variable,
    blanks,      // at the ends of a search path's entry, which Windows does not remove
    unexpanded,  // %NAME% in the entry of a search path
    none
};
const char* to_string(PathProblem problem);

struct Selector {
    SelectorKind kind = SelectorKind::variable;
    std::string name;     // CUDA_HOME, PATH, --toolkit, CMAKE_CUDA_COMPILER, /usr/local/cuda*, a key
    std::string value;    // as written; for a search path the single entry
    int position = 0;     // 1-based place in a list (PATH); 0 = not in a list
    std::string toolkit;  // id of the selected toolkit; empty = none
    PathProblem problem = PathProblem::none;  // why it selects no toolkit
    std::string nearest;                      // existing toolkit folder that was probably meant; may be empty
    bool decides = false;                     // this build uses the compiler that it selects
    Origin origin;

    PTXGUARD_MEMBERS((kind, name), (value, position, toolkit, problem, nearest, decides, origin))
};
const char* to_string(SelectorKind kind);

// Why a search rejects a candidate; no_answer as above.
enum class Skipped { absent, not_executable, no_answer, not_run, unfit, later, other };
const char* to_string(Skipped skipped);

// The search of an installed package for a tool (facts/tool_search/).
struct PackageSearch {
    std::string package;             // package that searches itself: "tensorflow"
    Known<Version> release;          // release of the package
    std::string setting;             // setting that changes the resolution: "PATH", "TRITON_PTXAS_PATH"
    std::optional<Level> when_none;  // level if nothing is found; empty = harmless
    std::string effect;              // what happens if nothing is found
    std::string wants;               // what would fit: "ptxas 11.8 or newer"
    std::string get;                 // command that installs it: "pip install nvidia-cuda-nvcc-cu12"
    std::string gpu_because;         // why the framework is expected to use a GPU; empty = no evidence
    bool follows_path = false;       // PATH is one of the searched places
    std::optional<Arch> min_arch, max_arch;  // used only for this range of architectures
    std::optional<Arch> specific_from;       // from this one on the package asks for sm_90a, not sm_90
    // Package that brings this one and mostly works without it, if nothing else here compiles with it:
    // "torch" for Triton.
    std::string companion_of;
    std::string compiles_against;   // package whose headers its code includes: "torch"
    bool links = false;             // libNVVM: the package links its PTX to a cubin for the GPU at hand
    bool compares_headers = false;  // its own CCCL refuses runtime headers of another release
    Origin table;                   // table row that describes the search

    bool empty() const { return package.empty(); }

    PTXGUARD_MEMBERS_SET(package, release, setting, when_none, effect, wants, get, gpu_because, follows_path,
                         min_arch, max_arch, specific_from, companion_of, compiles_against, links,
                         compares_headers, table)
};

// A resolution: one consumer of toolchain components, what it uses and why, and the skipped candidates.
struct Pick {
    std::string consumer;  // "this build", "CMake", "torch.utils.cpp_extension", "XLA in TensorFlow 2.18.0"
    std::string tool;      // "nvcc", "ptxas", "libdevice"
    std::string path;      // path of the resolved file; empty = not found
    std::string toolkit;   // id of its toolkit; empty = none here
    Known<Version> version;
    std::string because;  // what selected it: "CUDA_HOME", "first nvcc on PATH (entry 2)"
    struct Loser {
        std::string path;
        std::string reason;  // why it was skipped
        std::string by;      // search step that would have found it; frameworks only
        Skipped skipped = Skipped::other;

        PTXGUARD_MEMBERS((path, reason), (by, skipped))
    };
    std::vector<Loser> losers;  // skipped candidates

    std::optional<PackageSearch> search;  // of a package that searches itself; none = an nvcc of a build

    template <class V>
    void fields(V& v) {
        PTXGUARD_ALWAYS(v, consumer, tool);
        PTXGUARD_FIELDS(v, path, toolkit, version, because, losers);
        v.inlined(search);
    }
};

struct HostCompiler {
    std::string path;
    std::string family;  // gcc, clang or msvc; empty = unknown
    Known<Version> version;
    Origin chosen_by;     // NVCC_CCBIN, -ccbin, CUDAHOSTCXX, CMAKE_CUDA_HOST_COMPILER or PATH
    std::string trouble;  // why it cannot be used: "not found" ...
    // If the build's nvcc does not support this one: supported ones on PATH; on Windows those of Visual
    // Studio, wherever it is installed. Newest first.
    std::vector<std::string> fitting;
    std::vector<std::string> unfit;  // of Visual Studio, which the build's nvcc does not support
    // Functions that this system's C library declares with noexcept and the build's toolkit without.
    std::vector<std::string> contradicted;

    PTXGUARD_MEMBERS_SET(path, family, version, chosen_by, trouble, fitting, unfit, contradicted)
};

}  // namespace ptxguard
