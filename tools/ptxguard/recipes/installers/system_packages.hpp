// Commands of the distributions' package managers: apt, dnf, yum, zypper, apk ...
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "recipes/base/recipe.hpp"

namespace ptxguard::recipes {

// Nothing if the command installs nothing.
std::optional<AptInstall> read_system_install(const Command& command);
// What apt removes; nothing if it removes nothing.
AptInstall read_system_removal(const Command& command);

}  // namespace ptxguard::recipes
