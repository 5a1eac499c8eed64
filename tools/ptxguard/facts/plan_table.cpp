// SPDX-License-Identifier: Apache-2.0
#include "facts/plan_table.hpp"

#include "facts/reader.hpp"
#include "model/ranges.hpp"

namespace ptxguard {
namespace {

template <typename T, typename Read>
void read_plan_rows(FactReader& reader, const Json& rows, std::vector<T>& all, Read read) {
    for (const Json& json : rows.items()) {
        FactRow in(reader, json);
        T row;
        read(in, json, row);
        all.push_back(std::move(row));
    }
}

PlanTable read_table(FactReader& reader, const Json& root) {
    PlanTable table;
    read_plan_rows(reader, root["names"], table.names, [](FactRow& in, const Json&, PlanName& row) {
        PTXGUARD_ALWAYS(in, row.names, row.says);
        PTXGUARD_FIELDS(in, row.plan, row.same_release, row.install, row.same_command, row.compiled);
    });
    read_plan_rows(reader, root["systems"], table.systems, [](FactRow& in, const Json&, PlanSystem& row) {
        PTXGUARD_ALWAYS(in, row.system, row.says);
        PTXGUARD_FIELDS(in, row.framework, row.install);
    });
    read_plan_rows(reader, root["boards"], table.boards, [&](FactRow& in, const Json& json, PlanBoard& row) {
        row.archs = reader.archs(json, "archs");
        PTXGUARD_ALWAYS(in, row.says);
        PTXGUARD_FIELDS(in, row.index, row.packages);
    });
    read_plan_rows(reader, root["free_threaded"], table.free_threaded,
                   [](FactRow& in, const Json&, FreeThreaded& row) {
                       PTXGUARD_ALWAYS(in, row.package, row.python, row.from);
                       PTXGUARD_FIELDS(in, row.to);
                   });
    read_plan_rows(reader, root["at_run_time"], table.at_run_time,
                   [](FactRow& in, const Json&, AtRunTime& row) {
                       PTXGUARD_ALWAYS(in, row.framework, row.package, row.requirement);
                       PTXGUARD_FIELDS(in, row.says, row.cuda, row.tool, row.supported);
                   });
    table.arm = reader.words(root, "arm");
    table.arm_cpu_only = reader.words(root, "arm_cpu_only");
    table.torch_index = reader.words(root, "torch_index");
    table.device_code = reader.words(root, "device_code");
    return table;
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
    for (const PlanName& row : names)
        if (contains(row.names, package)) return &row;
    return nullptr;
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
