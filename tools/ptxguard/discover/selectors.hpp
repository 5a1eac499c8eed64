// Everything on a machine that selects a toolkit: options, variables, PATH entries, packages, default
// folders. Each candidate is followed to its nvcc or to the reason why there is none.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "discover/layout.hpp"
#include "host/host.hpp"
#include "model/request.hpp"
#include "model/scenario.hpp"
#include "model/toolkit.hpp"

namespace ptxguard {

struct ToolkitCandidate {
    Selector selector;           // `toolkit` and `decides` are still empty
    NvccFile found;              // site.found() is false if there is no toolkit
    bool names_program = false;  // the selector names nvcc itself, not a folder
};

// All candidates in the order of a build: CMake's order if CMake builds, otherwise that of
// torch.utils.cpp_extension, which most Python builds share: CUDA_HOME, CUDA_PATH, nvcc on PATH,
// /usr/local/cuda. Packages and default folders without a toolkit are not candidates; variables without one
// are, with their problem.
std::vector<ToolkitCandidate> follow_candidates(const Host& host, const Request& request,
                                                const PythonEnvironment& python);

// The toolkit folder that `value` was probably meant to be; empty if none is plausible.
std::string nearest_toolkit(const Host& host, const std::string& value);

// Search path entries for CUDA that do not exist, and variables with a name similar to one that is read.
void read_environment(const Host& host, Scenario& scenario);

// Follows one candidate to its toolkit, or to the reason why there is none.

// `lenient` (for our own options): also accepts nvcc itself, its bin folder and relative paths.
void follow_folder(const Host& host, ToolkitCandidate& candidate, bool lenient);
void follow_program(const Host& host,
                    ToolkitCandidate& candidate);  // CUDACXX, CMAKE_CUDA_COMPILER: a path, or a name on PATH
void follow_hpc_sdk(const Host& host,
                    ToolkitCandidate& candidate);  // NVHPC_ROOT: the toolkit is in cuda/ or cuda/13.0/

// For a path that does not exist: why, and which existing folder was probably meant.

// "missing", "dangling" (symlink), "loop" (of symlinks), "unreadable"; empty if the path exists.
PathProblem why_nowhere(const FileStatus& status);

// An existing folder with a name similar to the missing `path`: each missing component is replaced by the
// most similar sibling. Empty if none is plausible. If that fails, compares `known_folders` as a whole.
std::string nearest_folder(const Host& host, const std::string& path,
                           const std::vector<std::string>& known_folders);

// Which nvcc and ptxas each consumer uses, and why: this build, CMake, torch.utils.cpp_extension, and a bare
// name on PATH.
constexpr std::size_t k_no_candidate = static_cast<std::size_t>(-1);

// The candidate that this build uses; k_no_candidate if none gives a compiler.
std::size_t deciding_candidate(const Host& host, const Request& request,
                               const std::vector<ToolkitCandidate>& candidates);
// "CUDA_HOME", "first nvcc on PATH (entry 2)".
std::string reason_of(const Selector& selector);
// The nvcc that this candidate makes a consumer call.
std::string nvcc_of(const ToolkitCandidate& candidate);

// Rows of scenario.picks; `candidates` have their toolkit's id already. `bare_ptxas` is the first ptxas on
// PATH.
void write_picks(const Host& host, const Request& request, const std::vector<ToolkitCandidate>& candidates,
                 const Part* bare_ptxas, Scenario& scenario);

}  // namespace ptxguard
