// Where a framework looks for ptxas, libdevice and nvcc: facts/tool_search/. One row is one search of some
// releases; its steps are data, so a new release is a row and no code.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/arch.hpp"
#include "model/finding.hpp"
#include "model/origin.hpp"
#include "model/system.hpp"
#include "model/version.hpp"

namespace ptxguard {

// A step finds no file, one or (for a search path) several, in order.
struct SearchStep {
    std::string by;         // as shown: "PATH", "the wheel nvidia-cuda-nvcc"
    std::string variable;   // its value is {value}; not set = the step finds no file
    std::string flag;       // {value} is what follows it in the variable: --xla_gpu_cuda_data_dir
    bool list = false;      // the variable is a search path
    std::string otherwise;  // {value} if neither variable nor flag is set
    // Path with {value}, {package} (its folder), {site} (site-packages), {exe} (".exe" on Windows), {file}
    // (the row's). A relative path would depend on the folder in which a program is started: it is not tried.
    std::string at;
    std::string group;       // of one group only the first step with a place is used
    std::string where;       // use the step only if this exists (same placeholders)
    std::string not_looked;  // reason not to try the step, as shown
    // Packages that have to be installed, and of one minor release, for the step to be tried.
    std::vector<std::string> of_one_release;
};

// What ends the search, with or without success: the first existing file or folder; one that cannot be
// started (start), or has no x bit (program); the first variable that is set, to any value (variable).
enum class StopsAt { file, folder, start, program, variable };
const char* to_string(StopsAt stops_at);

// The oldest release of a tool with which a package compiles for these architectures.
struct ToolFloor {
    Arch from;  // and newer ones
    Version release;
    std::string effect;  // effect of an older one
};

// The GPUs for which a release of the tool compiles.
struct ToolSupport {
    Version release;
    std::vector<Arch> gpus;
};

// Releases of NVRTC and of the CUDA headers passed to it by a package, which do not compile together.
struct HeaderClash {
    std::optional<Version> nvrtc_from, nvrtc_below, headers_from, headers_below;
    Level level = Level::error;
    std::string effect;
};

struct ToolSearch {
    std::string id;       // "xla-tensorflow-2.19"
    std::string program;  // "XLA in TensorFlow"
    std::string package;  // "tensorflow"
    // The package's folder below site-packages, and the records with its version; both are empty for a
    // package that a reader of expect/ finds (torch, tensorflow).
    std::string folder;
    std::vector<std::string> records;
    std::string library;                 // below {package}: its machine type is that of the program
    std::vector<System> systems;         // empty = all
    std::vector<std::string> how;        // kinds of installation in the row: wheel, conda; empty = all
    std::optional<Version> from, below;  // releases; both are always given
    std::string unless;  // folder or files ("gsplat/csrc*.so") below site-packages: the search is harmless
    std::string tool;    // "ptxas", "libdevice", "nvcc", "CUDA headers", "libNVVM", "tileiras"
    std::string file;    // {file}: "bin/ptxas{exe}"
    std::vector<SearchStep> steps;
    std::vector<std::string> passes_over;    // rows of known_bad.json whose versions this search skips
    std::optional<StopsAt> stops_at;         // empty = skips all that do not fit
    std::optional<Arch> min_arch, max_arch;  // used only for these
    std::optional<Arch> specific_from;       // from this one on it is asked for sm_90a, not sm_90
    std::string companion_of;                // package that requires it and mostly works without it
    std::vector<std::string> users;          // folders below site-packages of packages that do not
    std::vector<std::string> optional_for;   // other packages that require it and work without it
    std::string compiles_against;            // package whose headers its code includes
    std::optional<Version> cccl_from;    // from this release on its own CCCL compares nvcc with its headers
    std::vector<ToolFloor> floors;       // ascending
    std::vector<ToolSupport> supports;   // ascending; of a tool that compiles only for these GPUs
    std::vector<HeaderClash> clashes;    // of "CUDA headers"
    bool links = false;                  // of libNVVM: its PTX is linked to a cubin before the driver gets it
    std::optional<Version> needed_from;  // of "CUDA headers": from this NVRTC on every kernel includes them
    std::optional<Level> when_none;      // empty = harmless
    std::optional<Level> when_refused;   // of ptxas that does not support the GPU; empty = as when_none
    std::optional<Arch> compiles_to;     // the newest that the package's own compiler, before ptxas, supports
    std::string effect, setting, wants, get;
    Origin origin;

    bool is_for(const Version& release) const { return from && below && is_within(release, from, below); }
};

// The tool of rows whose file is the cuda_runtime_api.h that a package passes to NVRTC.
inline constexpr const char* k_cuda_headers = "CUDA headers";
// The tool of rows whose file is the compiler of Tile IR.
inline constexpr const char* k_tileiras = "tileiras";
// The tool of rows whose file is a compiler of C that a package starts while it runs.
inline constexpr const char* k_c_compiler = "C compiler";
// The tool of rows whose file is the libNVVM with which a package makes PTX.
inline constexpr const char* k_libnvvm = "libNVVM";

}  // namespace ptxguard
