// Recipes, for the rules that use their pins, indexes and images.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "judge/rule.hpp"

namespace ptxguard {

bool is_recipe(const Scenario& scenario);
// The CUDA release that a stage determines, no matter what is installed later: its image's, else its
// toolkit's.
Known<Version> fixed_cuda(const Scenario& scenario);
// The CUDA libraries of a framework in a recipe that brings none itself: from the image or packages, else
// from PyTorch's wheels beside it. `of` names them: "the image", "torch 2.5.1+cu121".
struct LibrariesHere {
    Known<Version> cuda, cudnn;
    std::string of;
    bool complete = false;  // there are no others
    bool pinned = false;    // most likely none: its cuDNN is a package of pip that the recipe pins
};
LibrariesHere libraries_for(const Scenario& scenario, const Facts& facts, const Expectation& framework);
// Its process finds the cuDNN of that major beside torch, whose import loads it from its own packages.
bool torch_brings_cudnn(const Scenario& scenario, const Expectation& framework, int major);
bool loads_libraries_here(const Scenario& scenario, const Expectation& framework);

// Whether a framework without CUDA libraries of its own gets those of another CUDA than it loads.
struct OtherLibraries {
    LibrariesHere here;
    std::string wanted;  // "12", "10.1": the CUDA whose libraries it loads
};
std::optional<OtherLibraries> other_libraries(const Scenario& scenario, const Facts& facts,
                                              const Expectation& framework);

// None if it is not known what the image that runs them has.
const std::vector<CopiedPrograms>& copied_programs(const Scenario& scenario);
Composed add_copied_programs(const Scenario& scenario, const CopiedPrograms& programs, const char* code,
                             Findings& findings);

// Whether the names of their libraries differ. From CUDA 11 minor releases share them.
bool differs_in_names(const Version& a, const Version& b);

// A package without a version that replaces the torch of an index by PyPI's, for another CUDA: that index;
// null otherwise.
const RecipeIndex* index_replaced(const RecipeFacts& recipe, const Replaced& one);

// The release that an unpinned package gets; null if a pin decides, or if it is not known.
const Installed* newest_of(const RecipeFacts& recipe, const std::string& package);
// "vllm 0.33.0 (the newest)" for "vllm 0.33.0", where no pin decides its release.
std::string with_newest(const RecipeFacts& recipe, const std::string& package_and_release);

// The last one of that package; null without one.
const RecipePin* conda_pin(const RecipeFacts& recipe, std::string_view package);

// PyTorch of conda: the last pin of it, of what selects its build and of Python, and the channels of its
// command.
struct CondaTorch {
    const RecipePin *torch = nullptr, *cudatoolkit = nullptr, *pytorch_cuda = nullptr, *python = nullptr;
    bool own = false, forge = false, defaults = false;  // the channels pytorch, conda-forge, Anaconda's
    bool own_first = false;                             // the channel pytorch comes before conda-forge
};
CondaTorch conda_torch(const RecipeFacts& recipe);

// Those of its group.
std::vector<const RecipeIndex*> indexes_of(const RecipeFacts& recipe, const RecipePin& pin);
// Whether one of them may have builds for `build` (cu121). Only pages with a known build return false.
bool may_serve(const std::vector<const RecipeIndex*>& indexes, const std::string& build);
std::string index_of_build(const std::string& build);  // PyTorch's page with the builds for cu121
// 2.1.0 for .../whl/torch-2.1.0+cu121.html, .../cu113/torch1.11.0/index.html and py310_cu121_pyt210: pages
// with wheels for one release of PyTorch.
std::optional<Version> torch_of_page(const std::string& url);
// 2.1.0 of "torch210", 1.12.1 of "_pyt1121": three or four digits behind the mark.
std::optional<Version> torch_of_digits(const std::string& text, const std::string& mark);
// "torch==2.5.1+cu121"
std::string text_of(const RecipePin& pin);
Evidence evidence_of(const RecipePin& pin);
// A finding about a pin or an image, which it has found.
Composed add(Findings& findings, const char* code, Level level, const RecipePin& pin, std::string message);
Composed add(Findings& findings, const char* code, Level level, const RecipeImage& image,
             std::string message);
Evidence evidence_of(const RecipeImage& image);
std::string name_of(const RecipeImage& image);  // "nvidia/cuda:12.1.1-devel-ubuntu22.04"

// The CUDA release of the default build of the newest release that the tables list; unknown without a row.
Known<Version> newest_default_cuda(const Facts& facts, const std::string& package);

}  // namespace ptxguard
