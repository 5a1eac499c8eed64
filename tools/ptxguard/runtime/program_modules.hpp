// The native libraries beside a program that is not Python's (.NET, Rust, C++), which it opens by name, and
// files of --module on Windows. Inner header of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "facts/facts.hpp"
#include "host/host.hpp"
#include "model/scenario.hpp"

namespace ptxguard {

// Of the program, or its folder: the libraries in it and in runtimes/*/native of .NET that need or open
// NVIDIA's libraries, each with what it lacks and how many it gets. Not the plugins for TensorRT, which most
// programs have and few use.
std::vector<NativeModule> modules_of_program(const Host& host, const Facts& facts, const std::string& program,
                                             const Scenario& scenario);
// The same for one file that is named.
NativeModule named_library(const Host& host, const Facts& facts, const std::string& path,
                           const std::string& program, const Scenario& scenario);

// A program with a file for each of several CUDA releases opens the one that loads: of files with one name,
// those that lack a library are left out if another lacks none.
void keep_variants_that_load(std::vector<NativeModule>& modules);

}  // namespace ptxguard
