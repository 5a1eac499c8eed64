// Ranges of versions as pip (PEP 440), poetry and conda write them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/version.hpp"
#include "python/release.hpp"

namespace ptxguard {

// The operators and versions of ">= 2, !=2.5.1", in its order; an operator may be empty.
struct Clause {
    std::string_view op, version;
};
std::vector<Clause> clauses_of(std::string_view range);

// ">=2.7,<2.8", "~=2.8.0", "==2.5.*", "===2.5", "^1.1"; an empty range accepts all. Local versions count
// only where the range names one.
bool accepts(const std::string& range, const Version& version);
bool accepts(const std::string& range, std::string_view version);
bool accepts(const std::string& range, const PythonRelease& release);

// Why pip rejects that specifier; empty = it does not.
std::string trouble_of(const std::string& specifier);

// "==2.5.1+cu121", "===2.5.1" -> the version; nothing for ranges and for "==2.5.*".
std::optional<Version> exact_version(const std::string& specifier);
// The same, and 2.5 for "==2.5.*".
std::optional<Version> pinned_version(const std::string& specifier);

}  // namespace ptxguard
