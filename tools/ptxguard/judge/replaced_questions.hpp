// A torch that a later command of a recipe replaces, and the packages that were installed for the one before.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "judge/rule.hpp"

namespace ptxguard {

// The release of torch for which the package is built, if it is another one.
std::optional<Version> other_torch(const Facts& facts, const Installed& one, const Version& torch);

// "torch>=2.4,<3": 2.4
std::optional<Version> lower_bound(const std::string& range);

// The commands behind it install again what was there.
bool is_restored(const RecipeFacts& recipe, const Replaced& one);

// Whether a package that no pin decides has brought another torch: the replacement is reported, and what was
// installed for the torch before it is part of that.
bool is_replaced_by_newest(const RecipeFacts& recipe, const Replaced& one);
// Such a replacement of the torch for which the package was installed; null without one.
const Replaced* cause_of(const RecipeFacts& recipe, const Installed& package, const Facts& facts);
// All packages that it leaves behind, as evidence: "torchvision 0.21.0", for torch 2.6.0.
std::vector<Evidence> left_behind(const RecipeFacts& recipe, const Replaced& one, const Facts& facts);

}  // namespace ptxguard
