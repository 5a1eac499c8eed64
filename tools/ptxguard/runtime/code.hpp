// The device code in the frameworks that `check` found, and in the libraries that they load.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "facts/facts.hpp"
#include "facts/libraries.hpp"
#include "host/host.hpp"
#include "model/scenario.hpp"

namespace ptxguard {

// Installed, and not a build only for CPUs or another vendor's GPUs.
bool uses_cuda(const Expectation& framework);
// The package with its CUDA part: "jax-cuda12-plugin".
const std::string& part_with_cuda(const Expectation& framework);
// The existing files among a framework's: relative to its folder, "{site}/" to site-packages; '*' in a name.
std::vector<std::string> existing_files(const Host& host, const Expectation& framework,
                                        const std::vector<std::string>& patterns);
// The existing ones of its files in facts/loading.json, in the table's order.
std::vector<std::string> files_with(const Facts& facts, const Expectation& framework, FrameworkFile kind,
                                    const Host& host);

// The device code of several files together, from the first one that has some; nothing = none has any, or one
// is truncated.
struct CodeOfFiles {
    Known<std::vector<Target>> targets;
    Known<PtxVersion> ptx;     // the newest
    Known<PtxVersion> oldest;  // the oldest PTX
    Known<Version> cuda;       // that made the code of all of them; nothing = an older one may have
};
CodeOfFiles code_of_all(const Host& host, const Facts& facts, const std::vector<std::string>& paths);

// Expectation::archs from the binary with the framework's own kernels. Values from its other files are kept,
// those from a table are replaced (and kept as a disagreement).
void read_code(const Host& host, const Facts& facts, Expectation& framework);
// The device code of the cuBLAS and cuDNN that each of them loads, if there are GPUs that might not run it.
void inspect_their_libraries(const Host& host, const Facts& facts, Scenario& scenario);

}  // namespace ptxguard
