// SPDX-License-Identifier: Apache-2.0
#include "recipes/interpret.hpp"

namespace ptxguard::recipes {

std::vector<Step> interpret(const Command& command, const ReadFile&) {
    if (command.words.empty()) return {};
    return {command};
}

}  // namespace ptxguard::recipes
