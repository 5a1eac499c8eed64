// From a path to a toolkit: which nvcc it really runs (through links, wrapper scripts and ccache), which
// folder is its root, and how its files are arranged.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "discover/profile.hpp"
#include "host/host.hpp"
#include "model/toolkit.hpp"

namespace ptxguard {

// A toolkit as reached by one path.
struct Site {
    std::string root;       // as written in the selector: the folder for CUDA_HOME
    std::string bin;        // folder of the real nvcc (of ptxas if there is no nvcc), as nvcc uses it
    std::string nvcc;       // path to call: the wrapper if there is one; empty without nvcc
    std::string real_nvcc;  // after scripts, but not after links: bin/nvcc
    std::vector<std::string> wrappers;
    std::string trouble;                 // of nvcc: does not run, hangs, a link without its nvcc.profile
    PartFault fault = PartFault::other;  // of `trouble`
    std::string identity;                // equal for two paths to one toolkit
    bool found() const { return !root.empty(); }
};

// The nvcc at `path`. `needs_dry_run` if only running it shows which one.
struct NvccFile {
    Site site;
    bool needs_dry_run = false;
};
NvccFile look_at_nvcc(const Host& host, const std::string& path);
Command dry_run_command(const std::string& nvcc);
// Completes a site that needs a dry run with the output of that run.
Site site_from_dry_run(const Host& host, const std::string& path, const ProcessResult& result);

// A folder as a toolkit's root: ROOT/bin/nvcc, otherwise only ptxas, headers or run-time libraries. The site
// may still need a dry run. Not found if it contains nothing of a toolkit.
NvccFile look_at_root(const Host& host, const std::string& root);

// The newest toolkit of an HPC SDK: ROOT/cuda, otherwise ROOT/cuda/12.5. Empty if there is none.
std::string hpc_toolkit(const Host& host, const std::string& root);

NvccProfile profile_of(const Host& host, const Site& site);
Layout layout_of(const Host& host, const Site& site);
// targets/x86_64-linux and the like if the root has one; otherwise empty.
std::string target_folder(const Host& host, const std::string& root);

// bin, bin/x64 ... of an absolute path without links, as one string per folder that is equal for equal
// folders.
std::string folder_identity(const Host& host, const std::string& folder);

}  // namespace ptxguard
