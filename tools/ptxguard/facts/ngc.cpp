// SPDX-License-Identifier: Apache-2.0
#include "facts/ngc.hpp"

#include "facts/recipe_tables.hpp"

namespace ptxguard {

Known<Version> torch_of_ngc(const Facts& facts, const std::string& tag) {
    const auto month = parse_version(tag.substr(0, tag.find('-')));
    const NgcTorch *before = nullptr, *after = nullptr;
    for (const NgcTorch& row : recipe_tables(facts).ngc_torch) {
        if (!month) continue;
        if (!(*month < *row.month)) before = &row;
        if (!after && !(*row.month < *month)) after = &row;
    }
    // From month to month the release only rises.
    if (!before || !after || !same_release(*before->torch, *after->torch)) return {};
    return {*before->torch, before->origin};
}

}  // namespace ptxguard
