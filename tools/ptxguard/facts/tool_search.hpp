// Where a framework looks for ptxas, libdevice and nvcc: facts/tool_search/. One row is one search of some
// releases; its steps are data, so a new release is a row and no code.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/arch.hpp"
#include "model/origin.hpp"
#include "model/scenario.hpp"
#include "model/version.hpp"

namespace ptxguard {

// One step gives no file, one or (for a search path) several, in order.
struct SearchStep {
    std::string by;         // as shown: "PATH", "the wheel nvidia-cuda-nvcc"
    std::string variable;   // its value is {value}; not set = the step gives no file
    std::string flag;       // {value} is what follows it inside the variable: --xla_gpu_cuda_data_dir
    bool list = false;      // the variable is a search path
    std::string otherwise;  // {value} if variable or flag are not set
    // Path with {value}, {package} (its folder), {site} (site-packages), {exe} (".exe" on Windows), {file}
    // (the row's). A path that stays relative would be in the folder where a program is started: it is not
    // tried.
    std::string at;
    std::string group;       // of the steps of one group only the first that gives a place counts
    std::string where;       // the step counts only if this exists (same placeholders)
    std::string not_looked;  // shown with this reason and not tried
};

// What ends the search, successfully or not: the first file or folder that exists; one that cannot be started
// (start), the same with its x bit (program); the first variable that is set, whatever it names (variable).
enum class StopsAt { file, folder, start, program, variable };
const char* to_string(StopsAt stops_at);

// The oldest release of a tool with which a package compiles for these architectures.
struct ToolFloor {
    Arch from;  // and newer ones
    Version release;
    std::string effect;  // of an older one
};

// Releases of NVRTC and of the CUDA headers that a package passes to it, which do not compile together.
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
    std::string library;                 // below {package}: its machine type is the program's
    std::vector<System> systems;         // empty = all
    std::vector<std::string> how;        // kinds of installation in the row: wheel, conda; empty = all
    std::optional<Version> from, below;  // releases; both are always given
    std::string unless;                  // folder below site-packages; where it is the search has no harm
    std::string tool;                    // "ptxas", "libdevice", "nvcc", "CUDA headers", "libNVVM"
    std::string file;                    // {file}: "bin/ptxas{exe}"
    std::vector<SearchStep> steps;
    std::vector<std::string> passes_over;    // rows of known_bad.json whose versions this search skips
    std::optional<StopsAt> stops_at;         // nothing = all that do not fit are skipped
    std::optional<Arch> min_arch, max_arch;  // used only for these
    std::vector<ToolFloor> floors;           // ascending
    std::vector<HeaderClash> clashes;        // of "CUDA headers"
    std::optional<Level> when_none;          // nothing = no harm
    std::string effect, setting, wants, get;
    Origin origin;

    bool is_for(const Version& release) const { return from && below && release >= *from && release < *below; }
};

// The tool of a row whose file is the cuda_runtime_api.h that a package passes to NVRTC.
inline constexpr const char* k_cuda_headers = "CUDA headers";
// The tool of a row whose file is the libNVVM of a package that passes PTX to the driver.
inline constexpr const char* k_libnvvm = "libNVVM";

}  // namespace ptxguard
