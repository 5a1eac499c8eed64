// cargo: what the build scripts of crates run, as far as the project's Cargo.toml and Cargo.lock say it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "recipes/base/recipe.hpp"

namespace ptxguard::recipes {

// `cargo build --features cuda`: nvcc, where that feature has candle's kernels compiled and their crate calls
// nvcc by bindgen_cuda, which searches no host compiler.
std::optional<Command> nvcc_of_crates(const Command& command, const ReadFile& files);

}  // namespace ptxguard::recipes
