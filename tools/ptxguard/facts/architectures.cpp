// facts/architectures.json -> architectures with the toolkits that support them, and products with their
// architecture.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "facts/tables.hpp"
#include "model/ranges.hpp"

namespace ptxguard {
namespace {

// The documented version; otherwise the lowest that a ptxas accepted.
std::optional<PtxVersion> first_ptx(FactReader& reader, const Json& row) {
    if (const auto documented = reader.ptx(row, "lowest_ptx_documented")) return documented;
    std::optional<PtxVersion> lowest;
    for (const auto& accepted : row["lowest_ptx_accepted"].items())
        if (const auto ptx = parse_ptx_version(accepted.as_string()))
            lowest = lowest ? std::min(*lowest, *ptx) : *ptx;
    return lowest;
}

ArchFacts read_arch(FactReader& reader, const Json& row) {
    ArchFacts facts;
    if (const auto arch = reader.arch(row, "arch"))
        facts.arch = *arch;
    else
        reader.complain("arch", "", "is missing");
    facts.generation = reader.word(row, "generation");
    facts.first_toolkit = reader.version(row, "first_toolkit");
    facts.last_toolkit = reader.version(row, "last_toolkit");
    if (const auto branch = reader.version(row, "last_driver")) facts.last_driver = branch->major();
    facts.integrated = row["integrated"].as_bool();
    facts.first_ptx = first_ptx(reader, row);
    facts.origin = reader.origin(facts.arch.sm(), reader.source_words(row));
    return facts;
}

// The architectures for which each ptxas assembled PTX of a family; a later ptxas supports more members.
std::map<Arch, std::vector<int>> read_families(FactReader& reader, const Json& measured) {
    std::map<Arch, std::vector<int>> families;
    for (const auto& [tool, rows] : measured.members())
        for (const auto& [name, members] : rows.members()) {
            const auto code = parse_arch(name);
            if (!code || !members.is_array()) {
                reader.complain("families_measured", name, "is not an architecture with a list");
                continue;
            }
            std::vector<int>& numbers = families[*code];
            for (const Arch member : reader.archs(rows, name.c_str()))
                if (!contains(numbers, member.number)) numbers.push_back(member.number);
            std::sort(numbers.begin(), numbers.end());
        }
    return families;
}

}  // namespace

ArchTable read_architectures(FactReader& reader, const Json& root) {
    ArchTable table;
    for (const auto& row : root["architectures"].items()) table.archs.push_back(read_arch(reader, row));
    table.families = read_families(reader, root["families_measured"]);
    for (const auto& row : root["products"].items()) {
        const auto name = reader.needed_word(row, "name");
        if (const auto arch = reader.arch(row, "arch"))
            table.products.push_back({name, *arch});
        else
            reader.complain("name", name, "has no architecture");
    }
    table.origin = reader.origin("products", "");
    return table;
}

PciTable read_pci_ids(FactReader& reader, const Json& root) {
    PciTable table;
    for (const Json& row : root["chips"].items()) {
        const std::string chip = reader.needed_word(row, "chip");
        const auto arch = reader.arch(row, "arch");
        if (!arch) continue;
        for (const auto& [name, ids] : row["products"].members())
            for (const Json& id : ids.items())
                table[id.as_string()] = {name.empty() ? chip : name, {*arch, reader.origin("chips", chip)}};
    }
    return table;
}

}  // namespace ptxguard
