// SPDX-License-Identifier: Apache-2.0
#include "facts/conda_forge.hpp"

#include "facts/loading_table.hpp"
#include "facts/tables.hpp"
#include "model/ranges.hpp"

namespace ptxguard {

CondaForge read_conda_forge(FactReader& reader, const Json& root) {
    CondaForge all;
    read_rows(reader, root["builds"], all.builds, [](FactRow& in, ForgeBuilds& row) {
        PTXGUARD_ALWAYS(in, row.package, row.from, row.to, row.cudas);
        row.origin = in.origin(row.package);
    });
    read_rows(reader, root["pairs"], all.pairs, [](FactRow& in, ForgePair& row) {
        PTXGUARD_ALWAYS(in, row.package, row.release, row.torch);
        row.origin = in.origin(row.package);
    });
    return all;
}

const CondaForge& Facts::conda_forge() const {
    const std::lock_guard<std::mutex> lock(m_tables->mutex);
    return m_tables->conda_forge();
}

bool ForgeBuilds::has_build_for(const Version& cuda) const {
    return any_of(cudas, [&](const Version& one) {
        return one.major() == cuda.major() && (cuda.numbers.size() < 2 || one.minor() <= cuda.minor());
    });
}

const ForgeBuilds* forge_builds(const Facts& facts, const std::string& package, const Version& release) {
    return first_where(facts.conda_forge().builds, [&](const ForgeBuilds& row) {
        return row.package == package && *row.from <= release && release <= *row.to;
    });
}

const ForgeBuilds* newest_forge_builds(const Facts& facts, const std::string& package) {
    const ForgeBuilds* newest = nullptr;
    for (const ForgeBuilds& row : facts.conda_forge().builds)
        if (row.package == package && (!newest || *newest->to < *row.to)) newest = &row;
    return newest;
}

bool is_forge_pair(const Facts& facts, const std::string& package, const Version& release,
                   const Version& torch) {
    return any_of(facts.conda_forge().pairs, [&](const ForgePair& row) {
        return row.package == package && same_release(*row.release, release) &&
               same_release(*row.torch, torch);
    });
}

}  // namespace ptxguard
