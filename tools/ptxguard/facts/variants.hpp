// The builds of a release for several CUDA releases: which were published, and with which cuDNN.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "facts/facts.hpp"

namespace ptxguard {

enum class Published { yes, no, open };
// "cu101" of torch 1.8.0: yes if the table lists it, no before the first and after the last release with that
// build, unknown between them and if no row covers it.
Published published_build(const Facts& facts, const std::string& package, const Version& version,
                          const std::string& build);

// The newest release in the range ("" = any) that is known to have that build; no pre-releases.
std::optional<Version> newest_with_build(const Facts& facts, const std::string& package,
                                         const std::string& range, const std::string& build);

// The cuDNN of the build for that CUDA: PyPI's Linux wheel was inspected, the others come from a table.
std::optional<Version> cudnn_of_build(const FrameworkRelease& release, System system, const Version& cuda);

}  // namespace ptxguard
