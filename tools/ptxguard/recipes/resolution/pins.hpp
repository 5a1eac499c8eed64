// What package managers would install: pins, the indexes for them, and the resulting builds of frameworks.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "facts/facts.hpp"
#include "model/scenario.hpp"
#include "python/marker.hpp"
#include "recipes/base/recipe.hpp"

namespace ptxguard::recipes {

// The build that all packages of an index have: "cu121" for https://download.pytorch.org/whl/cu121 and
// .../whl/cu113/torch_stable.html; empty = several, or not known.
std::string build_of_index(std::string_view url);
// The same for a page of wheels for one torch (PyTorch Geometric, PyTorch3D): "cu121" for
// torch-2.1.0+cu121.html and py310_cu121_pyt210.
std::string build_of_links(std::string_view url);

// The version that conda pins: "2.5.1", "=2.5.1", "==2.5.1", "2.5.*" (2.5).
std::optional<Version> conda_version(const std::string& version);
// Pins and indexes of a step, with the number of its group. Those that a marker excludes are left out;
// `python` as in choose_by_markers.
void add_pins(const PipInstall& step, int group, const MarkerEnvironment& environment,
              const std::string& python, RecipeFacts& recipe);
// uv's sources with markers: none of them may be for this system.
Written index_here(const WrittenRequirement& requirement, const MarkerEnvironment& environment);
void add_pins(const CondaInstall& step, int group, RecipeFacts& recipe);
void add_pins(const AptInstall& step, int group, RecipeFacts& recipe);

struct ImageFramework {
    std::string text;  // "torch==2.3.1+cu121"; empty = none
    Origin origin;
    bool is_any_build = false;  // the release is known, the build is not
};
// The frameworks that the pins install, in the order of framework_readers(), and that of the image if they do
// not replace it.
void add_frameworks(const Facts& facts, const ImageFramework& image, Scenario& scenario);

}  // namespace ptxguard::recipes
