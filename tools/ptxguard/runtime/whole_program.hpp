// Everything of a program that is not Python's: the file itself, the libraries beside it, and those in
// folders of its own elsewhere. Inner header of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "facts/facts.hpp"
#include "host/host.hpp"
#include "model/scenario.hpp"

namespace ptxguard {

// Of the program, or its folder. Besides modules_of_program(): the program's own device code and libraries,
// lib/NAME beside its bin folder with the folders in it (Ollama's backends), and the folders of .NET's
// packages for each backend ("runtimes/cuda/linux-x64", "runtimes/win-x64/native/cuda12"). Of files with one
// name, between which the program chooses, those that lack a library are left out if another lacks none. One
// module without anything if nothing of the program is CUDA's: it was named, and nothing was compared.
std::vector<NativeModule> whole_program(const Host& host, const Facts& facts, const std::string& program,
                                        const Scenario& scenario);

}  // namespace ptxguard
