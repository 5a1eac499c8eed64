// Packages beside a framework: those built against one release of it (torchvision, flash-attn), and those
// that overwrite files of others.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "expect/expect.hpp"
#include "packages/wheels.hpp"

namespace ptxguard {

// Installed companions from facts/loading.json: the release, CUDA and std::string that they were built for.
void find_companions(const Host& host, const Facts& facts, Expectation& expectation);
// Files of NVIDIA's packages for the framework's CUDA that the package for another CUDA has overwritten
// (nvidia-nccl-cu11 and -cu12).
void find_shared_files(const Host& host, Expectation& expectation);
// What a package is whose name says nothing of GPUs: `paddlepaddle` has no CUDA, `cupy` is compiled where it
// is installed.
enum class PlainName { of_cpu_build, of_any_build };
// Several builds of one framework in one folder: adds the shared files. Where all libraries there are those
// of one of them, `wheels` becomes that one; otherwise nothing there is trusted, and the answer is true.
bool add_mixed_builds(const Host& host, const std::string& framework, const std::string& site,
                      PlainName plain, std::vector<InstalledWheel>& wheels, Expectation& expectation);
SharedFile shared_file(const std::string& file, const InstalledWheel& own, const InstalledWheel& other,
                       const std::string& owner);

}  // namespace ptxguard
