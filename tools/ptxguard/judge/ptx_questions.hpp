// PTX, architectures and drivers for several rules: which PTX this build writes, which consumers accept it,
// which GPUs have nothing else to run. Every answer has its origin; a measurement always overrides a table.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "facts/facts.hpp"
#include "judge/rule.hpp"
#include "model/scenario.hpp"

namespace ptxguard {

// The toolkit that a build would use; if the scenario selects none but contains only one toolkit (such as a
// folder with only ptxas), that one.
const Toolkit* toolkit_at_hand(const Scenario& scenario);
// The same if a build is requested, else none.
const Toolkit* toolkit_of_build(const Scenario& scenario);
// The same, but not a wheel's ptxas without nvcc that was not named: it is there for XLA, and no build uses
// it.
const Toolkit* toolkit_that_compiles(const Scenario& scenario);

// "nvcc 13.0.88", "ptxas 12.8.93": the component that identifies a toolkit.
std::string name_of(const Toolkit& toolkit);
// Its release with the origin of that number; unknown if no component could be read.
Known<Version> release_of(const Toolkit& toolkit);

// PTX version that this toolkit's nvcc writes: measured by the probe, otherwise from the table row of its
// cicc, otherwise of its nvcc.
Known<PtxVersion> ptx_made(const Scenario& scenario, const Facts& facts, const Toolkit& toolkit);
// The oldest `.version` that `.target sm_XX` needs, ignoring a suffix; unknown without a row.
Known<PtxVersion> ptx_needed_by(const Facts& facts, Arch target);
// Newest PTX version that its ptxas accepts, by the table.
Known<PtxVersion> ptx_read_by_ptxas(const Facts& facts, const Toolkit& toolkit);

// Drivers that are judged: the declared ones, otherwise the found ones; only those whose level is known.
std::vector<const Driver*> drivers_concerned(const Scenario& scenario);
// Whether anything determines its level: a version, a CUDA release, a JIT library.
bool has_level(const Driver& driver);
// Its version, otherwise that of its JIT library.
Known<Version> version_of(const Driver& driver);
std::string name_of(const Driver& driver);  // "driver 535.104.05", "driver for CUDA 12.2"
// The newest listed branch that reports that CUDA release; null = none.
const DriverBranch* branch_of_cuda(const Facts& facts, const Version& cuda);
// GPUs of that driver: the declared ones; without any, the found ones if the driver was found too.
std::vector<const Gpu*> gpus_concerned(const Scenario& scenario, const Driver& driver);
std::string name_of(const Gpu& gpu);  // "RTX 3090 (sm_86)"
Evidence evidence_of(const Gpu& gpu);
Evidence needed_code(Arch gpu, const Origin& named);  // device code that runs there

// Whether this driver's JIT compiler accepts PTX of version `ptx`.
struct DriverAnswer {
    std::optional<bool> reads;  // nothing: not known
    Known<PtxVersion> newest;   // newest version that it accepts, if known
    std::string words;          // the JIT compiler's message of a refusal
    std::string why_unknown;    // why it is not known
};
DriverAnswer ask_driver(const Scenario& scenario, const Facts& facts, const Driver& driver, PtxVersion ptx);

// Whether libcuda is here without the library that it compiles PTX with: then no PTX runs (CUDA error 221).
bool lacks_ptx_compiler(const Driver& driver);
// The last of the drivers that are judged that does; null = none.
const Driver* driver_without_ptx_compiler(const Scenario& scenario);
// The last of those that refuse it; null = none is known to.
const Driver* driver_that_refuses(const Scenario& scenario, const Facts& facts, PtxVersion ptx);
// PTX of the nvcc that made the framework's code.
std::optional<PtxVersion> ptx_of(const Expectation& framework, const Facts& facts);

// A package that compiles to PTX while it runs: Numba with its libNVVM, a module that calls NVRTC.
struct RunTimePtx {
    std::string consumer, package;  // "Numba 0.61.2"
    std::string tool, path;         // "libNVVM"
    std::string because;            // what found it
    std::string setting;            // variable that selects another one; empty = none
    Known<Version> version;
    PtxVersion ptx;
    bool linked = false;  // the driver gets a cubin that the package makes from it
    Entity id = {};       // of the tool, or of the module
};
std::vector<RunTimePtx> run_time_ptx(const Scenario& scenario, const Facts& facts);

// PTX of `targets` that some GPU has to run because no cubin in `targets` matches the lowest GPU for it.
std::vector<Target> targets_with_ptx_only(const std::vector<Target>& targets);
// Whether this GPU has to run PTX: no cubin matches, but PTX of some target compiles for it.
bool depends_on_ptx(const std::vector<Target>& targets, Arch gpu);
bool any_ptx(const std::vector<Target>& targets);

}  // namespace ptxguard
