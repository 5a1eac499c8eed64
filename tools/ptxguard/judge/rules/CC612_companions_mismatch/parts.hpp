// The parts of CC612: what packages are built for, what they require, and what the commands of a recipe
// leave.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "judge/rule.hpp"

namespace ptxguard {

// Wheels, pages and indexes of other projects that name what they are built for, compared with the torch of a
// recipe or, without one, with its CUDA libraries.
void judge_built_for(const Scenario& scenario, const Facts& facts, Findings& findings);

// Packages whose names, build strings or libraries are for one CUDA: dgl-cu102, cuml-cu11, conda's
// dgl-cuda11.3 and py310_torch_1.13.0_cu117, bitsandbytes.
void judge_cuda_in_names(const Scenario& scenario, const Facts& facts, Findings& findings);

// Files, folders, extras and environments whose names are for another CUDA than what they install.
void judge_promises(const Scenario& scenario, const Facts& facts, Findings& findings);

const Expectation* torch_here(const Scenario& scenario);
// What wheels find: the CUDA of torch, which they are built for, else that of the image's libraries.
struct CudaHere {
    Known<Version> cuda;
    std::string of;
};
CudaHere cuda_here(const Scenario& scenario);
void report_build(const Evidence& wheels, const std::string& what, const Version& cuda, const CudaHere& here,
                  Findings& findings);

// Packages pinned to other releases than a framework's wheel requires, and two frameworks that require
// different ones. Only for PyPI's default builds, whose metadata the tables contain.
void judge_requirements(const Scenario& scenario, const Facts& facts, Findings& findings);

// Pins that pip refuses together, and newest releases that do not fit what is pinned or what the image has.
// After the rule's other findings: what they are about is not said twice.
void judge_resolution(const Scenario& scenario, const Facts& facts, Findings& findings);

// Packages that overwrite each other's files. "nvidia-nccl-cu12" and "nvidia-nccl-cu13" do; cuDNN 8 and 9
// have other names of files.
void judge_same_files(const Scenario& scenario, const Facts& facts, Findings& findings);
// Whether a build of the framework's own index holds NVIDIA's libraries, so that it requires no packages of
// them.
bool holds_libraries(const Facts& facts, const Expectation& build);
bool writes_the_same_files(const RecipePin& pin, const std::string& other, const std::string& range);

// Where all branches of a script install `beside`, each that chooses a torch for CUDA has it: that torch is
// no default there, but what was chosen.
Installed torch_of_branch(Installed torch, const Installed& beside);
// Of such branches in one run, those that do not come last.
void judge_branches(const Scenario& scenario, const Facts& facts, Findings& findings);

// Whether a finding is about that place already.
bool is_said(const Findings& findings, const Origin& place);

// Two pins of one command, one of which requires another release of the other, or which require different
// releases: pip installs neither. A requirements file may be one of several that are never installed
// together.
Composed add_no_set(const RecipeFacts& recipe, const std::string& subject, std::string message,
                    Findings& findings);

// NumPy 2 beside a package whose modules are built with NumPy 1.
void judge_numpy(const RecipeFacts& recipe, const Facts& facts, Findings& findings);

// Of two builds in one folder, the fix that keeps the one that this machine can use, and why.
void keep_one(const Scenario& scenario, const Facts& facts, const SharedFile& shared,
              const Composed& finding);
// Two such builds of a package that is no framework.
void judge_overlaid(const Scenario& scenario, const Facts& facts, Findings& findings);

// With the file as its text, where it has none.
Origin named_place(const Origin& origin);
// "torch 2.5.1+cu121", from that place.
Evidence named_evidence(const Expectation& torch);

inline constexpr const char* k_one_folder =
    "both packages put their libraries into one folder of site-packages: the one that is installed last "
    "overwrites the other, and pip does not report it";
inline constexpr const char* k_minor_release =
    "extensions of PyTorch work with the minor release for which they are built";

}  // namespace ptxguard
