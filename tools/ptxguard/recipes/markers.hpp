// Environment markers of PEP 508 ("python_version < '3.12' and sys_platform == 'linux'"), evaluated for a
// place that is only partly known.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "recipes/recipe.hpp"

namespace ptxguard::recipes {

enum class Truth { no, yes, unknown };

struct MarkerPlace {
    std::string python;               // "3.11"; empty = unknown
    std::string system;               // sys_platform: "linux", "win32", "darwin"; empty = unknown
    std::string machine;              // platform_machine: "x86_64", "aarch64", "AMD64"; empty = unknown
    std::vector<std::string> extras;  // requested extras
};
// From a stage's own data: its platform, its image (Linux), its Python.
MarkerPlace place_of(const Stage& stage);

// An empty marker is true; an unreadable one is unknown.
Truth holds(std::string_view marker, const MarkerPlace& place);

}  // namespace ptxguard::recipes
