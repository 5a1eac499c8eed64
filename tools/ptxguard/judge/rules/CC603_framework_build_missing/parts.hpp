// Parts of rule CC603.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "judge/rule.hpp"

namespace ptxguard {

// Packages and builds that no channel of a conda command has.
void judge_conda(const Scenario& scenario, const Facts& facts, Findings& findings);
// Releases of conda-forge without a build for the CUDA that cuda-version or cudatoolkit selects.
void judge_forge(const RecipeFacts& recipe, const Facts& facts, Findings& findings);
// Pages of wheels for one release of torch that no project ever had.
void judge_missing_pages(const RecipeFacts& recipe, const Facts& facts, Findings& findings);
// PyTorch's indexes that do not exist, or are no longer written.
void judge_indexes(const RecipeFacts& recipe, const Facts& facts, Findings& findings);
// Commands that fail, whatever later ones install.
void judge_failing_commands(const Scenario& scenario, const Facts& facts, Findings& findings);
// Local versions of default builds that have none.
void judge_labels(const RecipeFacts& recipe, const Facts& facts, Findings& findings);

}  // namespace ptxguard
