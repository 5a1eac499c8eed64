// The suspects of messages whose meaning depends on the values in them: which library is missing, which
// version is the older one.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "diagnose/values.hpp"

namespace ptxguard {

// Whether a suspect stands for a question that is answered here.
bool is_refined(std::string_view cause);

// May add values for the sentences. `suspects` of the message that are plain causes are returned as they are.
std::vector<Suspect> refined_suspects(const FoundMessage& message, const FoundMessages& all,
                                      LogValues& values, const Facts& facts);

}  // namespace ptxguard
