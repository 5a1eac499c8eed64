// The code that the build makes, and which architectures its compiler supports. Inner header of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "facts/facts.hpp"
#include "model/scenario.hpp"

namespace ptxguard {

// Whether this nvcc, or a ptxas without nvcc, supports an architecture. Its own message overrides the table.
enum class ArchAnswer { known, refused, not_known };
struct ArchKnowledge {
    ArchAnswer answer = ArchAnswer::not_known;
    Origin origin;  // the tool that refused it
};
ArchKnowledge ask_compiler(const Scenario& scenario, const Facts& facts, const Toolkit& toolkit, Arch arch);
// Whether the ptxas of that release supports it.
bool assembles(const CudaRelease& release, Arch arch);
bool knows_all(const Facts& facts, const Toolkit& toolkit, const std::vector<Target>& targets);

// The code of this build: the requested targets, else the default target of its nvcc. Unknown without a
// build, if words such as `native` could not be resolved, and for an nvcc that no table lists.
Known<std::vector<Target>> code_of_build(const Scenario& scenario, const Facts& facts);
bool asks_for_architectures(const Scenario& scenario);
// The list is not known yet: another run of this build checks what depends on it.
void decide_architectures_later(Scenario& scenario);
bool is_decided_later(const Scenario& scenario);
// The list is that of one place of a project, such as a property of a target.
bool is_at_place(const Scenario& scenario);
// "this build", or "this build (CUDA_ARCHITECTURES of target a)".
std::string build_of(const Scenario& scenario);
void locate_at_place(const Scenario& scenario, Finding& finding);

// A test compile that tells whether the toolkit compiles this build.
bool tells_of_build(const Scenario& scenario, const ProbeResult& probe);

// Who would have to run the PTX of this build.
struct PtxNeed {
    bool any = false;              // the binary has PTX that a GPU may need
    bool needed = false;           // some GPU has nothing else
    bool open = false;             // `native` on a machine whose GPUs are not known
    std::vector<std::string> who;  // "RTX 3090 (sm_86)", "compute capability 8.0"
    std::vector<const Gpu*> gpus;  // those of them
    std::vector<Target> cubins;    // targets that would make the PTX unnecessary
};
PtxNeed need_of_ptx(const Scenario& scenario, const Facts& facts, const Driver& driver);

// GPUs that must run the build: the named ones; without any those found here, unless one of them runs it: a
// second one may only drive the screen.
std::vector<const Gpu*> gpus_of_build(const Scenario& scenario, const Facts& facts,
                                      const std::vector<Target>& code);

}  // namespace ptxguard
