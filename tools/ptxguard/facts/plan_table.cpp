// SPDX-License-Identifier: Apache-2.0
#include "facts/plan_table.hpp"

#include "facts/reader.hpp"
#include "model/ranges.hpp"

namespace ptxguard {
namespace {

PlanTable read_table(FactReader& reader, const Json& root) {
    PlanTable tables;
    PTXGUARD_ROWS(
        names, PTXGUARD_ALWAYS(in, row.names, row.says),
        PTXGUARD_FIELDS(in, row.plan, row.same_release, row.install, row.same_command, row.compiled));
    PTXGUARD_ROWS(systems, PTXGUARD_ALWAYS(in, row.system, row.says),
                  PTXGUARD_FIELDS(in, row.framework, row.install));
    PTXGUARD_ROWS(boards, PTXGUARD_ALWAYS(in, row.says),
                  PTXGUARD_FIELDS(in, row.archs, row.index, row.packages));
    PTXGUARD_ROWS(free_threaded, PTXGUARD_ALWAYS(in, row.package, row.python, row.from),
                  PTXGUARD_FIELDS(in, row.to));
    PTXGUARD_ROWS(at_run_time, PTXGUARD_ALWAYS(in, row.framework, row.package, row.requirement),
                  PTXGUARD_FIELDS(in, row.says, row.cuda, row.tool, row.supported));
    FactRow in(reader, root);
    PTXGUARD_FIELDS(in, tables.arm, tables.arm_cpu_only, tables.torch_index, tables.device_code);
    return tables;
}

}  // namespace

Result<PlanTable> read_plan_table(const Facts& facts) {
    const std::string path = "plan.json", text = facts.text(path).value_or("");
    const auto json = parse_json(text, "facts/" + path);
    if (!json) return json.trouble();
    FactReader reader(path, text, *json);
    PlanTable table = read_table(reader, *json);
    if (!reader.troubles().empty()) return reader.troubles().front();
    return table;
}

const PlanName* PlanTable::named(const std::string& package) const {
    return first_where(names, [&](const PlanName& row) { return contains(row.names, package); });
}

std::vector<const PlanSystem*> PlanTable::on(const std::string& system, const std::string& framework) const {
    std::vector<const PlanSystem*> rows;
    for (const PlanSystem& row : systems)
        if (row.system == system && (row.framework.empty() || row.framework == framework))
            rows.push_back(&row);
    return rows;
}

const PlanBoard* PlanTable::board(Arch gpu) const {
    for (const PlanBoard& row : boards)
        for (const Arch arch : row.archs)
            if (arch.number == gpu.number) return &row;
    return nullptr;
}

bool PlanTable::has_wheel(const std::string& package, const Version& version,
                          const std::string& python) const {
    return any_of(free_threaded, [&](const FreeThreaded& row) {
        return row.package == package && row.python == python && row.from && *row.from <= version &&
               (!row.to || version <= *row.to || same_release(version, *row.to));
    });
}

}  // namespace ptxguard
