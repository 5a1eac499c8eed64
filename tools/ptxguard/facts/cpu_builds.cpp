// SPDX-License-Identifier: Apache-2.0
#include "facts/cpu_builds.hpp"

#include "facts/loading_table.hpp"
#include "facts/tables.hpp"

namespace ptxguard {

std::vector<CpuBuildRow> read_cpu_builds(FactReader& reader, const Json& root) {
    std::vector<CpuBuildRow> rows;
    read_rows(reader, root["rows"], rows, [](FactRow& in, CpuBuildRow& row) {
        PTXGUARD_ALWAYS(in, row.effect, row.instead);
        PTXGUARD_FIELDS(in, row.packages, row.links, row.extends, row.texts, row.level);
        const std::string of = row.packages.empty() ? row.extends : row.packages.front();
        if (of.empty() || row.texts.empty())
            in.reader().complain("packages", of, "are not named, or have no texts");
        row.origin = in.origin("builds for CPUs, " + of);
    });
    return rows;
}

const std::vector<CpuBuildRow>& Facts::cpu_builds() const {
    const std::lock_guard<std::mutex> lock(m_tables->mutex);
    return m_tables->cpu_builds();
}

const std::vector<CpuBuildRow>& cpu_build_rows(const Facts& facts) { return facts.cpu_builds(); }

}  // namespace ptxguard
