// From the messages of a log to its causes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "facts/facts.hpp"
#include "messages/find_messages.hpp"
#include "model/diagnosis.hpp"
#include "model/finding.hpp"

namespace ptxguard {

struct Diagnosed {
    Explanation explanation;
    std::vector<Finding> findings;  // one per diagnosis, in their order
};

// `log` is its name, `judged` what rules find in the log's scenario (scenario_of_log): their findings replace
// the general sentence of a cause.
Diagnosed diagnose(const std::string& log, const FoundMessages& found, const Facts& facts,
                   const std::vector<Finding>& judged);

}  // namespace ptxguard
