// The packages of JAX among the pins of a recipe: jaxlib, the plugin for one CUDA, and the extras that choose
// them. Inner header of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "facts/facts.hpp"
#include "model/scenario.hpp"

namespace ptxguard::recipes {

void add_jax_packages(const Facts& facts, const RecipeFacts& recipe, Expectation& expectation);
// PyPI's jaxlib is for CPUs. CUDA comes with an extra, a plugin, or a build of JAX's own page.
bool is_jax_for_cpus(const Facts& facts, const RecipeFacts& recipe);
// jax[cuda]==0.4.13 requires jaxlib==0.4.13+cuda11.cudnn86, which a page of JAX's own has.
std::optional<Version> jaxlib_of_extra(const Facts& facts, const RecipeFacts& recipe, const RecipePin& pin);

}  // namespace ptxguard::recipes
