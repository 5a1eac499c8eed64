// What `plan` says where no table of builds has the answer: facts/plan.json.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "facts/facts.hpp"

namespace ptxguard {

// Packages that are no framework of their own.
struct PlanName {
    std::vector<std::string> names;  // canonical
    std::string says;                // "{name}" is replaced
    std::string plan;                // package to plan instead; empty = nothing
    bool same_release = false;       // a release named with it counts for that package too
    std::string install;             // what pip installs for it afterwards: "{name} --no-build-isolation"
    bool same_command = false;       // or together with the other package
    bool compiled = false;           // with the nvcc of the machine
};

// A system without CUDA builds of a framework; of all frameworks if none is named.
struct PlanSystem {
    std::string system, framework, says;
    std::vector<std::string> install;  // "pip: python3 -m pip install torch"
};

// A board whose CUDA is part of its system image.
struct PlanBoard {
    std::vector<Arch> archs;
    std::string says;
    std::string index;                  // of wheels for it
    std::vector<std::string> packages;  // that the index has
};

// Releases with a wheel for a free-threaded Python ("3.14t"); both inclusive, without `to` all newer ones.
struct FreeThreaded {
    std::string package, python;
    std::optional<Version> from, to;
};

// A framework that compiles for the GPU when it runs and has no build for each CUDA.
struct AtRunTime {
    std::string framework, package, requirement, says;
    std::optional<Version> cuda;  // of its compiler; otherwise `tool` is in the wheel
    std::string tool;
    std::optional<Arch> supported;  // the first that its makers support
};

struct PlanTable {
    std::vector<PlanName> names;
    std::vector<PlanSystem> systems;
    std::vector<PlanBoard> boards;
    std::vector<std::string> arm;           // words in the names of products with Arm CPUs
    std::vector<std::string> arm_cpu_only;  // packages whose wheels for Arm have no CUDA
    std::vector<std::string> torch_index;   // packages that PyTorch's index has for each CUDA
    std::vector<std::string> device_code;   // packages with device code whose wheels fit every Python
    std::vector<FreeThreaded> free_threaded;
    std::vector<AtRunTime> at_run_time;

    const PlanName* named(const std::string& package) const;
    // The words for a system and a framework, those for all frameworks first.
    std::vector<const PlanSystem*> on(const std::string& system, const std::string& framework) const;
    const PlanBoard* board(Arch gpu) const;
    bool has_wheel(const std::string& package, const Version& version, const std::string& python) const;
};

// Only `plan` needs it, once.
Result<PlanTable> read_plan_table(const Facts& facts);

}  // namespace ptxguard
