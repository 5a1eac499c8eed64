// CC614 in several sources.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "judge/rule.hpp"

namespace ptxguard {

inline const std::string k_jax_page = "https://storage.googleapis.com/jax-releases/jax_cuda_releases.html";
void judge_jax(const RecipeFacts& recipe, const Facts& facts, Findings& findings);

// An index behind a requirement in a requirements file; `said`: groups with another finding.
void judge_ignored(const Scenario& scenario, const std::vector<int>& said, Findings& findings);

// A release that the index of a CUDA lacks, so that pip takes what PyPI has: a source archive for CPUs.
void judge_unlisted(const RecipeFacts& recipe, const Facts& facts, Findings& findings);

// A source of uv for a package that only other packages require.
void judge_ignored_source(const Scenario& scenario, Findings& findings);

}  // namespace ptxguard
