// The parameters and loop variables of Azure's templates. Inner header of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "formats/tree.hpp"

namespace ptxguard::recipes {

// A template's file with the parameters of its use; the pipeline itself first.
struct AzureLevel {
    const std::string* file = nullptr;
    std::map<std::string, std::string> parameters;
    std::size_t depth = 0;
    bool open = false;                                // it is not known whether it is used
    std::map<std::string, const Tree*> objects = {};  // parameters that are lists or maps
    std::map<std::string, std::string> loop = {};     // "x", "x.cuda" of `${{ each x in ... }}`
};

// The defaults of `parameters:`, a map or a list.
void add_defaults(const Tree& parameters, AzureLevel& into);
// "${{ parameters.list }}": the list.
const Tree* object_in(const std::string& text, const AzureLevel& level);
// "${{ each x in parameters.list }}": a level for each item; nothing for another name, and for a list that is
// not known.
std::optional<std::vector<AzureLevel>> rounds_of(const std::string& name, const AzureLevel& level);

}  // namespace ptxguard::recipes
