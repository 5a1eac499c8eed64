// What the loader resolves for the frameworks that `check` found: their CUDA-facing libraries are traced as
// by `deps`.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "facts/facts.hpp"
#include "host/host.hpp"
#include "model/framework.hpp"
#include "model/loading.hpp"
#include "model/scenario.hpp"
#include "runtime/module_files.hpp"

namespace ptxguard {

// The architectures of each installed framework of scenario.expectations that uses CUDA, and its trace, if
// one of its libraries can be read. `host_folder`: of the program that hosts Python; empty = python.exe
// itself. `files`: module_files() of the environment.
void read_frameworks(const Host& host, const Facts& facts, const std::string& host_folder,
                     const std::vector<PackageFiles>& files, Scenario& scenario);

// The NVIDIA packages that a framework's metadata requires, compared with the installed ones: why a library
// is missing, and which mixed sets are intended.

// Fills absent_packages, all_packages_absent, packages_of_others and half_removed of the trace, and `pinned`
// of its libraries. A package in another folder of the same Python is there too: lib and lib64 of an
// environment.
void compare_with_packages(const Host& host, const Facts& facts, const Expectation& framework,
                           const std::vector<PackageFiles>& files, LoadTrace& trace,
                           const std::vector<std::string>& other_sites = {});

}  // namespace ptxguard
