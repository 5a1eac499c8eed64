// Packages that compare their releases when they are imported: facts/compared.json.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "facts/facts.hpp"

namespace ptxguard {

struct ComparedRow {
    std::string package, of;             // "flashinfer-cubin", "flashinfer-python"
    std::optional<Version> from, below;  // releases of `of`
    bool prefix = false;                 // it accepts every version that begins with its own
    std::string unless;                  // a package that is compared instead, if it is installed
    std::vector<std::string> off_by;     // variables that switch the comparison off
    std::string effect;
    Origin origin;

    // Does that release of `of` compare them by this row? No two rows of a pair have a release in common.
    bool covers(const Version& of_version) const {
        return (!from || of_version >= *from) && (!below || of_version < *below);
    }
};

const std::vector<ComparedRow>& compared_rows(const Facts& facts);
// Does `of` refuse that version beside its own? Local versions (+cu130) do not count.
bool refuses(const ComparedRow& row, const Version& version, const Version& of_version);

}  // namespace ptxguard
