// Severity: what certainly fails on the machine that is asked about (its GPU or driver was named, or is
// there) is an error, what may fail a warning, what harms nobody there a note. A table without a sight of the
// part itself is no certainty. Inner header of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "judge/rule.hpp"

namespace ptxguard {

// error, or warning if only a table reports it although the tool exists and was not run (--probe off).
Level level_by(Certainty basis, const Scenario& scenario);

// Whether a GPU was named: then a framework must use it.
bool names_a_gpu(const Scenario& scenario);
// Whether a GPU or a driver was named.
bool names_gpu_or_driver(const Scenario& scenario);
// Whether a GPU is to be used here. TensorFlow's one wheel serves CPUs too.
bool is_meant_for_gpu(const Scenario& scenario);

// How packages that will not use the GPU weigh: an error if a GPU was named, and no other framework or
// package here may use it.
Level level_of_unused_gpu(const std::vector<std::string>& packages, const Scenario& scenario);

// How a fault that keeps a package from the GPU weighs: an error as of a framework, or a warning. One that is
// of no use without a GPU (onnxruntime-gpu, bitsandbytes) counts if a GPU is to be used here, a framework
// that also serves CPUs (CTranslate2) if a GPU or a driver was named, any other whose only file with device
// code the loader refuses if a GPU was named.
Level level_without_gpu(const std::string& package, const Scenario& scenario, const Facts& facts);

// The same for a native library of a program: a machine without a driver may run it on the CPU, an unpacked
// tree never has its driver.
Level level_without_gpu(const NativeModule& module, const Scenario& scenario, const Facts& facts);

// How it weighs that nothing of a package's code runs on a GPU. One that compiles while it runs has another
// way, and so has a machine with another GPU.
Level level_without_code(const NativeModule& module, const Gpu& gpu, const Scenario& scenario,
                         const Facts& facts);
// The same where code for that GPU is there and the driver refuses it: the package means to use that GPU.
Level level_of_refused_ptx(const NativeModule& module, const Gpu& gpu, const Scenario& scenario,
                           const Facts& facts);

// How a module that the loader refuses weighs: a package without another one that loads does nothing on a
// GPU.
Level level_of_refused(const NativeModule& module, const Scenario& scenario, const Facts& facts);

}  // namespace ptxguard
