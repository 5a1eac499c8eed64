// Native modules of the Python environment that do not get what they need, one result per package. Inner
// header of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "judge/rule.hpp"

namespace ptxguard {

// other_cuda: libraries of another CUDA than the framework's. other_release: symbols that the framework's
// libraries do not define. library_missing: no framework is involved. other_machine, damaged: the file
// itself.
enum class ModuleFault { other_cuda, other_release, library_missing, other_machine, damaged };

// A program with a folder of libraries for each CUDA opens the one whose code runs on the GPU.
bool has_variant_that_runs(const Scenario& scenario, const Facts& facts, const NativeModule& module,
                           const Gpu& gpu);
// "sgl-kernel 0.3.21"; without a package the file's name.
std::string name_of_package(const NativeModule& module);
// "torch 2.11.0+cu130", that of the environment.
std::string framework_name_of(const Scenario& scenario, const NativeModule& module);
// One for each package whose CUDA runtime is known and is not its framework's.
std::vector<const NativeModule*> modules_with_runtime(const Scenario& scenario);

// CC612 reports its package beside that framework.
bool is_in_conflict(const Scenario& scenario, const NativeModule& module, const Facts& facts);

// All modules of its package are for another release of Python than the environment's.
bool is_for_other_python(const NativeModule& module);

// The libraries that native files of a program get, those that a framework without a traced file opens by
// name, and those of other packages. What lacks one is left out: a finding reports it.
struct CountedLibraries {
    std::string name;  // "CTranslate2", "libonnxruntime_providers_cuda.so", "nixl-cu12 1.5.1"
    std::size_t count = 0;
    std::string not_compared;  // why; also without a reason if the count is 0
};
std::vector<CountedLibraries> counted_libraries(const Scenario& scenario, const Facts& facts);

struct BrokenPackage {
    ModuleFault fault = ModuleFault::other_release;
    std::vector<const NativeModule*> modules;  // with this fault, those of the first one's use
    const Expectation* framework = nullptr;    // null = it is not among the scenario's
    Level without_gpu = Level::warning;        // level_without_gpu() of the package
    // Has another major of the cuDNN that this package lacks, in the same package of pip.
    const Expectation* keeps_cudnn = nullptr;
    const Expectation* beside = nullptr;  // the first framework with a known CUDA; null = none
    bool of_framework = false;            // its package is one of the scenario's frameworks

    Entity id = {};  // of the first one

    const NativeModule& first() const { return *modules.front(); }
    // Where what it lacks may be is not known: in a folder of a PATH that was not given.
    bool is_open() const;
    // What its modules lack: all of them need it, or all open it by name.
    std::vector<LoadedFile> missing() const;
    std::string name() const;            // "sgl-kernel 0.3.21"; without a package the file's name
    std::string framework_name() const;  // "torch 2.11.0+cu130"
};
// The folder that has all DLLs which it lacks, and which nothing adds to the search, that for its CUDA first;
// empty = none.
std::string folder_not_searched(const BrokenPackage& broken);
// NVRTC and nvJitLink, which a program needs only if it compiles while it runs: whether it lacks them is
// open.
bool opens_only_compilers(const BrokenPackage& broken);

// Without the packages that package_conflicts() already reports.
std::vector<BrokenPackage> broken_packages(const Scenario& scenario, const Facts& facts);

// Adds a finding with its level and subject; with the evidence and the effect, too.
Composed add_bare(const BrokenPackage& broken, const char* code, const std::string& message,
                  const Facts& facts, Findings& findings);
Composed add_broken(const BrokenPackage& broken, const char* code, const std::string& message,
                    const Facts& facts, Findings& findings);
std::vector<Fix> fixes_of(const Scenario& scenario, const BrokenPackage& broken, const Facts& facts);

}  // namespace ptxguard
