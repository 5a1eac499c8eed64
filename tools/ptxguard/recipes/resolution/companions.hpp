// Packages built for one release of a framework (torchvision, xformers, vllm) among the pins of a recipe, and
// the framework release that they install.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "facts/facts.hpp"
#include "model/scenario.hpp"

namespace ptxguard::recipes {

// The package's name on PyPI.
std::string_view pip_name(const RecipePin& pin);
const RecipePin* last_pin(const RecipeFacts& recipe, std::string_view package, bool conda_too);

void add_companions(const Facts& facts, const RecipeFacts& recipe, Expectation& expectation);
// `pip install torchvision==0.18.1` installs torch 2.3.1, if `pin` (may be null) has no release, and also if
// an earlier command installed another one.
struct Required {
    RecipePin pin;
    std::string by;  // "torchvision==0.18.1"
};
std::optional<Required> required_by_companion(const Facts& facts, const RecipeFacts& recipe,
                                              const std::string& framework, const RecipePin* pin);

// CTranslate2, which faster-whisper and WhisperX load: it has no reader, and its wheels contain neither
// cuBLAS nor all of cuDNN.
void add_ctranslate2(const Facts& facts, RecipeFacts& recipe, std::vector<Expectation>& expectations);

}  // namespace ptxguard::recipes
