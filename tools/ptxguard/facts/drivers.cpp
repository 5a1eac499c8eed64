// facts/drivers.json -> driver branches and the minimum drivers of the CUDA majors.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "facts/tables.hpp"

namespace ptxguard {
namespace {

DriverBranch read_branch(FactReader& reader, const Json& row) {
    DriverBranch branch;
    branch.branch = reader.number(row, "branch").value_or(0);
    if (!branch.branch) reader.complain("branch", "", "is missing");
    FactRow in(reader, row);
    PTXGUARD_FIELDS(in, branch.cuda, branch.ptx_max, branch.first_linux, branch.first_windows);
    auto detail = reader.source_words(row);
    for (const auto& jit : row["jit_measured"].items()) {
        const auto measured = reader.ptx(jit, "ptx_max");
        if (measured && branch.ptx_max && *measured != *branch.ptx_max)
            reader.complain("ptx_max", branch.ptx_max->text(),
                            "disagrees with what driver " + jit["driver"].as_string() + " accepted");
        detail = "measured with the JIT of driver " + jit["driver"].as_string();
    }
    branch.origin = reader.origin("branch " + std::to_string(branch.branch), detail);
    return branch;
}

DriverTable::Minimum read_minimum(FactReader& reader, const Json& row) {
    DriverTable::Minimum minimum;
    minimum.cuda_major = reader.number(row, "cuda_major").value_or(0);
    minimum.linux_ = reader.version(row, "linux");
    minimum.windows = reader.version(row, "windows");
    minimum.origin = reader.origin("minimum driver of CUDA " + std::to_string(minimum.cuda_major),
                                   reader.source_words(row));
    return minimum;
}

}  // namespace

DriverTable read_drivers(FactReader& reader, const Json& root) {
    DriverTable table;
    for (const auto& row : root["branches"].items()) {
        table.branches.push_back(read_branch(reader, row));
        table.newest_number = std::max(table.newest_number, table.branches.back().branch);
        for (const auto& seen : row["seen"].items())
            if (const auto driver = reader.needed_version(seen, "driver"))
                table.newest_number = std::max(table.newest_number, driver->major());
    }
    if (table.branches.empty()) reader.complain("branches", "", "are missing");
    std::sort(table.branches.begin(), table.branches.end(),
              [](const DriverBranch& a, const DriverBranch& b) { return a.branch < b.branch; });
    for (const auto& row : root["minimum_driver"].items())
        table.minimums.push_back(read_minimum(reader, row));
    return table;
}

const DriverTable& Facts::Tables::drivers() {
    if (!drivers_read) drivers_read = load("drivers.json", read_drivers).value_or(DriverTable{});
    return *drivers_read;
}

}  // namespace ptxguard
