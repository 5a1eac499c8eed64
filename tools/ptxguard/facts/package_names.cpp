// SPDX-License-Identifier: Apache-2.0
#include "facts/package_names.hpp"

#include "facts/loading_table.hpp"
#include "facts/tables.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"

namespace ptxguard {

PackageNames read_package_names(FactReader& reader, const Json& root) {
    PackageNames all;
    const auto add = [&](const char* rows, NameFault fault) {
        read_rows(reader, root[rows], all.names, [&](FactRow& in, PackageName& row) {
            PTXGUARD_ALWAYS(in, row.name, row.instead);
            PTXGUARD_FIELDS(in, row.from);
            row.fault = fault;
            row.origin = in.origin(row.name);
        });
    };
    add("absent", NameFault::absent);
    add("placeholders", NameFault::placeholder);
    add("others", NameFault::other);
    read_rows(reader, root["families"], all.families, [](FactRow& in, NameFamily& row) {
        PTXGUARD_ALWAYS(in, row.start, row.ends, row.instead);
        row.origin = in.origin(row.start);
    });
    return all;
}

const PackageNames& Facts::package_names() const {
    const std::lock_guard<std::mutex> lock(m_tables->mutex);
    return m_tables->package_names();
}

std::optional<PackageName> name_fault(const Facts& facts, const std::string& name) {
    const PackageNames& table = facts.package_names();
    for (const PackageName& row : table.names)
        if (row.name == name) return row;
    for (const NameFamily& family : table.families) {
        if (!starts_with(name, family.start)) continue;
        const std::string end = name.substr(family.start.size());
        if (end.empty() || !is_digit(end[0]) || contains(family.ends, end)) continue;
        return PackageName{name, NameFault::absent, std::nullopt, family.instead, family.origin};
    }
    return std::nullopt;
}

}  // namespace ptxguard
