// From a path to a toolkit: which nvcc really answers there (through links, wrapper scripts and ccache),
// which folder is its root, and how its files are laid out.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "discover/profile.hpp"
#include "host/host.hpp"
#include "model/toolkit.hpp"

namespace ptxguard {

// A toolkit as reached by one path.
struct Site {
    std::string root;       // as spelt by the selector: folder that CUDA_HOME would name
    std::string bin;        // folder of the real nvcc (of ptxas where there is no nvcc), as nvcc calls it
    std::string nvcc;       // path to call: the wrapper where one stands in front; empty without nvcc
    std::string real_nvcc;  // after scripts, not after links: bin/nvcc
    std::vector<std::string> wrappers;
    std::string trouble;   // of nvcc: does not run, hangs, a link without its nvcc.profile
    std::string identity;  // equal for two paths to one toolkit
    bool found() const { return !root.empty(); }
};

// What stands at `path` and is called nvcc. `needs_dry_run` where only the program itself can tell.
struct NvccFile {
    Site site;
    bool needs_dry_run = false;
};
NvccFile look_at_nvcc(const Host& host, const std::string& path);
Command dry_run_command(const std::string& nvcc);
// Completes a site that needs a dry run with what that run printed.
Site site_from_dry_run(const Host& host, const std::string& path, const ProcessResult& result);

// A folder as a toolkit's root: ROOT/bin/nvcc, else ptxas, headers or runtime libraries alone. The site may
// still need a dry run. Not found where nothing of a toolkit is there.
NvccFile look_at_root(const Host& host, const std::string& root);

// The newest toolkit of an HPC SDK: ROOT/cuda, else ROOT/cuda/12.5. Empty where there is none.
std::string hpc_toolkit(const Host& host, const std::string& root);

NvccProfile profile_of(const Host& host, const Site& site);
Layout layout_of(const Host& host, const Site& site);
// targets/x86_64-linux and the like, where the root has one; else empty.
std::string target_folder(const Host& host, const std::string& root);

// bin, bin/x64 ... of an absolute path without links, as one text per folder that is equal for equal folders.
std::string folder_identity(const Host& host, const std::string& folder);

}  // namespace ptxguard
