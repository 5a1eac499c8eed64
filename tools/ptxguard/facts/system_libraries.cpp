// SPDX-License-Identifier: Apache-2.0
#include "facts/system_libraries.hpp"

#include "facts/loading_table.hpp"
#include "facts/tables.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"

namespace ptxguard {

std::vector<SystemLibrary> read_system_libraries(FactReader& reader, const Json& root) {
    std::vector<SystemLibrary> rows;
    read_rows(reader, root["rows"], rows, [](FactRow& in, SystemLibrary& row) {
        PTXGUARD_ALWAYS(in, row.name, row.files, row.apt, row.conda);
        row.origin = in.origin("libraries of the system, " + row.name);
    });
    return rows;
}

const std::vector<SystemLibrary>& Facts::system_libraries() const {
    const std::lock_guard<std::mutex> lock(m_tables->mutex);
    return m_tables->system_libraries();
}

const SystemLibrary* system_library(const Facts& facts, const std::string& file) {
    return first_where(facts.system_libraries(), [&](const SystemLibrary& row) {
        return any_of(row.files, [&](const std::string& start) { return starts_with(file, start); });
    });
}

}  // namespace ptxguard
