// Where a framework looks for ptxas and libdevice: facts/tool_search/. One row is one search of some
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

// One step leads to no, one or (a search path) several files, in order.
struct SearchStep {
    std::string by;         // for people: "PATH", "the wheel nvidia-cuda-nvcc"
    std::string variable;   // its value is {value}; not set = the step leads nowhere
    std::string flag;       // {value} is what follows it inside the variable: --xla_gpu_cuda_data_dir
    bool list = false;      // the variable is a search path
    std::string otherwise;  // {value} where variable or flag are not set
    // Path with {value}, {package} (its folder), {site} (site-packages), {exe} (".exe" on Windows), {file}
    // (the row's). One that stays relative lies in the folder in which a program is started: it is not looked
    // at.
    std::string at;
    std::string group;       // of the steps of one group only the first that leads somewhere counts
    std::string where;       // the step leads somewhere only where this exists (same placeholders)
    std::string not_looked;  // shown with this reason and not looked at
};

struct ToolSearch {
    std::string id;       // "xla-tensorflow-2.19"
    std::string program;  // "XLA in TensorFlow"
    std::string package;  // "tensorflow"
    // Where the package lies below site-packages, and the records that tell its version; of a package that a
    // reader of expect/ finds (torch, tensorflow) both are empty.
    std::string folder;
    std::vector<std::string> records;
    std::string library;                 // below {package}: its machine is the program's machine
    std::vector<System> systems;         // empty = all
    std::vector<std::string> how;        // of an installation that the row knows: wheel, conda; empty = all
    std::optional<Version> from, below;  // releases; both are always given
    std::string tool;                    // "ptxas", "libdevice"
    std::string file;                    // {file}: "bin/ptxas{exe}"
    std::vector<SearchStep> steps;
    std::vector<std::string> passes_over;  // rows of known_bad.json whose versions this search passes over
    // What ends the search, good or bad: "file", the first that is there; "folder", the first that is there;
    // "start", one that cannot be started; "program", the same with its x bit. Empty = all are passed over.
    std::string stops_at;
    std::optional<Arch> min_arch, max_arch;  // used for these alone
    std::string when_none;                   // error, warning; empty = no harm
    std::string effect, setting, wants, get;
    Origin origin;
};

}  // namespace ptxguard
