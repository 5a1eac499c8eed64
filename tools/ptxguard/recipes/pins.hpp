// What package managers would install: pins, the indexes that serve them, and the builds of frameworks that
// follow from both.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "facts/facts.hpp"
#include "model/scenario.hpp"
#include "recipes/recipe.hpp"

namespace ptxguard::recipes {

// The build that all packages of an index have: "cu121" of https://download.pytorch.org/whl/cu121 and of
// .../whl/cu113/torch_stable.html; empty = several, or not known.
std::string build_of_index(std::string_view url);
// The same of a page of wheels for one torch (PyTorch Geometric): "cu121" of torch-2.1.0+cu121.html.
std::string build_of_links(std::string_view url);

// "==2.5.1+cu121" -> 2.5.1+cu121; nothing for ranges and for "==2.5.*".
std::optional<Version> exact_version(const std::string& specifier);
// The same of conda: "2.5.1", "=2.5.1", "==2.5.1", "2.5.*" (2.5).
std::optional<Version> conda_version(const std::string& version);
// Why pip refuses that specifier; empty = it does not.
std::string trouble_of(const std::string& specifier);

// Pins and indexes of a step, with the number of its group.
void add_pins(const PipInstall& step, int group, RecipeFacts& recipe);
void add_pins(const CondaInstall& step, int group, RecipeFacts& recipe);
void add_pins(const AptInstall& step, int group, RecipeFacts& recipe);

// The frameworks that the pins install, in the order of framework_readers(); those of the image that nothing
// replaces come from `image_framework` ("torch==2.3.1+cu121").
void add_frameworks(const Facts& facts, const std::string& image_framework, const Origin& image_origin,
                    Scenario& scenario);

}  // namespace ptxguard::recipes
