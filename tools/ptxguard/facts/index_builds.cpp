// SPDX-License-Identifier: Apache-2.0
#include "facts/index_builds.hpp"

#include "facts/loading_table.hpp"
#include "facts/tables.hpp"
#include "model/ranges.hpp"

namespace ptxguard {

std::vector<IndexBuilds> read_index_builds(FactReader& reader, const Json& root) {
    std::vector<IndexBuilds> all;
    read_rows(reader, root["rows"], all, [](FactRow& in, IndexBuilds& row) {
        PTXGUARD_ALWAYS(in, row.package, row.index, row.releases);
        PTXGUARD_FIELDS(in, row.builds, row.not_windows, row.local, row.else_for_cpus);
        row.origin = in.origin(row.package);
    });
    return all;
}

const std::vector<IndexBuilds>& Facts::index_builds() const {
    const std::lock_guard<std::mutex> lock(m_tables->mutex);
    return m_tables->index_builds();
}

bool IndexBuilds::has_local(const std::string& build) const { return contains(local, build); }

bool IndexBuilds::has(const std::string& build, bool windows) const {
    return contains(builds, build) && !(windows && contains(not_windows, build));
}

const IndexBuilds* index_builds(const Facts& facts, const std::string& package, const Version& version) {
    return first_where(facts.index_builds(), [&](const IndexBuilds& row) {
        return row.package == package && contains(row.releases, version.without_local());
    });
}

std::optional<Version> newest_cuda(const Facts& facts, const IndexBuilds& row) {
    std::optional<Version> newest;
    for (const IndexBuilds& one : facts.index_builds()) {
        if (one.package != row.package) continue;
        for (const std::string& build : one.builds) newest = std::max(newest, cuda_of_tag(build));
    }
    return newest;
}

bool has_folder(const Facts& facts, const IndexBuilds& row, const std::string& build) {
    return any_of(facts.index_builds(), [&](const IndexBuilds& one) {
        return one.package == row.package && contains(one.builds, build);
    });
}

std::string indexed_around(const Facts& facts, const IndexBuilds& row, const std::string& build,
                           bool windows) {
    std::string before, after;
    bool passed = false;
    for (const IndexBuilds& one : facts.index_builds()) {
        if (one.package != row.package || one.index != row.index) continue;
        passed = passed || &one == &row;
        if (!one.has(build, windows)) continue;
        if (!passed) before = one.releases.back();
        if (passed && after.empty()) after = one.releases.front();
    }
    return before.empty() || after.empty() ? before + after : before + ", " + after;
}

}  // namespace ptxguard
