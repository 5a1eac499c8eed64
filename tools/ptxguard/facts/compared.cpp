// SPDX-License-Identifier: Apache-2.0
#include "facts/compared.hpp"

#include "facts/loading_table.hpp"
#include "facts/tables.hpp"
#include "model/text.hpp"

namespace ptxguard {

std::vector<ComparedRow> read_compared(FactReader& reader, const Json& root) {
    std::vector<ComparedRow> rows;
    read_rows(reader, root["rows"], rows, [](FactRow& in, ComparedRow& row) {
        PTXGUARD_ALWAYS(in, row.package, row.of, row.effect);
        PTXGUARD_FIELDS(in, row.from, row.below, row.prefix, row.unless, row.off_by);
        row.origin = in.origin(row.package + " of " + row.of);
    });
    return rows;
}

const std::vector<ComparedRow>& Facts::compared() const {
    const std::lock_guard<std::mutex> lock(m_tables->mutex);
    return m_tables->compared();
}

const std::vector<ComparedRow>& compared_rows(const Facts& facts) { return facts.compared(); }

bool refuses(const ComparedRow& row, const Version& version, const Version& of_version) {
    const std::string own = version.without_local(), wanted = of_version.without_local();
    return row.prefix ? !starts_with(own, wanted) : own != wanted;
}

}  // namespace ptxguard
