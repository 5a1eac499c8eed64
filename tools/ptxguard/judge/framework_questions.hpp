// Questions about frameworks that the rules CC601 ... CC606 share.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "facts/facts.hpp"
#include "judge/rule.hpp"
#include "model/scenario.hpp"

namespace ptxguard {

// "PyTorch 2.5.1+cu121", "PyTorch" without a version, "PyTorch 2.15.0 (the newest)".
std::string name_of(const Expectation& expectation);
// Of a finding against it: an error, or a warning for a newest release, which changes from day to day.
Level level_of(const Expectation& expectation);
// Whether it exists (found, or declared with a version).
bool is_there(const Expectation& expectation);
// The tables list builds for x86-64, and this GPU is part of another machine (Jetson).
bool is_of_other_machines(const Expectation& expectation, Arch gpu, const Facts& facts);
// Known to have never been released: CC603 reports it, the other rules skip it.
bool never_released(const Expectation& expectation);
// It exists, was released, and is not known to be built without CUDA.
bool runs_with_cuda(const Expectation& expectation);

// Whether a named build has a wheel for the Python that the user named. Nothing: none is named, or the
// Pythons for which it has wheels are not known.
struct PythonFit {
    Version python;
    const FrameworkRelease* release = nullptr;
    bool has_wheel = false;
};
std::optional<PythonFit> fit_for_python(const Expectation& expectation, const Scenario& scenario,
                                        const Facts& facts);

// Whether one of its wheels is for that Python, where both are known.
bool has_wheel_for(const FrameworkRelease& release, const std::optional<Version>& python);

// Whether a C++ standard includes another one: 98 and 03 are older than 11.
bool is_standard_enough(int standard, int needed);

// Projects compile against its headers (extensions of PyTorch), so its ABI, C++ standard and CUDA matter even
// if it was not named. The others are used from Python.
bool has_cxx_interface(const Expectation& expectation, const Facts& facts);
// Whether this build compiles against it: a project that does not link PyTorch shares nothing with it.
bool is_compiled_against(const Expectation& expectation, const Scenario& scenario, const Facts& facts);
// Triton needs only the driver: its CUDA is that of its own ptxas.
bool needs_cuda_runtime(const Expectation& expectation, const Facts& facts);

// Whether the compilers that a framework uses, as far as they are found, support a GPU. Nothing: not
// known, or they need not: what it runs is not compiled when it runs.
struct CompilerFit {
    std::optional<bool> supports;
    std::string words;  // "ptxas 12.8.93", or why it is not known
};
inline constexpr const char* k_nvjitlink = "nvJitLink";
CompilerFit ask_its_compilers(const Expectation& expectation, Arch gpu, const Scenario& scenario,
                              const Facts& facts);

// What a framework that asks NVRTC for cubins gets for a GPU. Nothing: it does not, or its NVRTC is not
// known.
struct NvrtcFit {
    const LoadedFile* library = nullptr;
    std::optional<Arch> made;  // the cubin; nothing = NVRTC refuses the GPU
    bool runs = false;
};
std::optional<NvrtcFit> ask_its_nvrtc(const Expectation& expectation, Arch gpu, const Scenario& scenario,
                                      const Facts& facts);

// The first architecture that it compiles for, whatever its compilers know, if the GPU is older.
std::optional<Arch> compiles_only_from(const Expectation& expectation, Arch gpu, const Facts& facts);

// Its files were written over those of its build for GPUs, which CC612 reports.
bool is_over_one_for_gpus(const Expectation& expectation);

// Unknown: its files do not record what the project must match ("its C++ ABI").
Composed add_unrecorded(const Expectation& expectation, const char* code, const std::string& what,
                        const std::string& unchecked, Findings& findings);

// The existing builds of its release, from the expectation or the tables; empty = not known.
std::vector<std::string> variants_of(const Expectation& expectation, const Facts& facts);
// Those for that CUDA major, oldest first.
std::vector<std::string> variants_for(const Expectation& expectation, const Facts& facts, int cuda_major);
// "cu118", "cu126": its builds for CUDA, as listed.
std::vector<std::string> cuda_tags(const FrameworkRelease& release);
// The newest release in that range whose builds are listed; null = none.
const FrameworkRelease* newest_with_builds(const Facts& facts, const std::string& package,
                                           const std::string& range);
// "torch 2.9.1": package and version without the local part.
std::string release_name(const Expectation& expectation);
// A published build of a release, to judge it in place of the installed one.
Step build_step(const Expectation& expectation, const FrameworkRelease& release, const Version& cuda,
                const std::string& variant);
// The arguments of `pip install`: "'torch==2.7.1+cu118' --index-url https://...".
std::string pip_words(const Step& build, const Facts& facts);
// Installs that build of a release: pip's command for a wheel or a framework that is only named, otherwise
// prose. Without a variant: the only build.
Fix build_fix(const Expectation& expectation, const FrameworkRelease& release, const std::string& variant,
              const Facts& facts);
// The newest build of its release for that CUDA major; nothing if none is known.
std::vector<Fix> other_build_fix(const Expectation& expectation, const Facts& facts, int cuda_major);

}  // namespace ptxguard
