// Packages that compare their releases when they are imported: facts/compared.json.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "facts/facts.hpp"

namespace ptxguard {

// `what` of a disagreement between a package's files and its own record.
inline constexpr const char* k_record = "record";

struct ComparedRow {
    std::string package, of;             // "flashinfer-cubin", "flashinfer-python"
    std::optional<Version> from, below;  // releases of `of`
    bool prefix = false;                 // accepts every version that begins with its own
    std::string unless;                  // package that is compared instead, if installed
    std::vector<std::string> off_by;     // variables that disable the comparison
    std::string effect;
    Origin origin;

    // Whether that release of `of` compares them by this row. The rows of a pair do not overlap.
    bool covers(const Version& of_version) const { return is_within(of_version, from, below); }
};

const std::vector<ComparedRow>& compared_rows(const Facts& facts);
// Whether `of` refuses that version. Local versions (+cu130) are ignored.
bool refuses(const ComparedRow& row, const Version& version, const Version& of_version);

}  // namespace ptxguard
