// The names of CUDA's libraries that C++ sources use, and for which releases conditions of the preprocessor
// include them. Inner header of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "recipes/base/recipe.hpp"

namespace ptxguard::recipes {

// The first word of a step with such names: each is followed by its releases (NameRange::text).
constexpr const char* k_used_names = "names of CUDA";

// The first word of a step with the sources of a setup.py.
constexpr const char* k_compiled_sources = "sources";

// CUDART_VERSION or CUDNN_VERSION, from the first number up to the second, which is not included.
struct NameRange {
    bool of_cudnn = false;
    long from = 0, to = 0;  // 0 = no end

    std::string text() const;
    static NameRange read(const std::string& text);
};

// C++ or CUDA, by the ending.
bool is_source(const std::string& path);
// Of the sources and the files of the project that they include; nothing if they use none. Paths start at the
// folder of `files`.
std::optional<Command> names_in_sources(const std::vector<Written>& sources, const ReadFile& files);

}  // namespace ptxguard::recipes
