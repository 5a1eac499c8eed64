// facts/architectures.json -> architectures with the toolkits that know them, and products with their
// architecture.
// SPDX-License-Identifier: Apache-2.0
#include "facts/tables.hpp"

namespace ptxguard {
namespace {

ArchFacts read_arch(FactReader& reader, const Json& row) {
    ArchFacts facts;
    if (const auto arch = reader.arch(row, "arch"))
        facts.arch = *arch;
    else
        reader.complain("arch", "", "is missing");
    facts.generation = reader.word(row, "generation");
    facts.first_toolkit = reader.version(row, "first_toolkit");
    facts.last_toolkit = reader.version(row, "last_toolkit");
    facts.origin = reader.origin(facts.arch.sm(), reader.source_words(row));
    return facts;
}

}  // namespace

ArchTable read_architectures(FactReader& reader, const Json& root) {
    ArchTable table;
    for (const auto& row : root["architectures"].items())
        table.archs.push_back(read_arch(reader, row));
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

const ArchTable& Facts::Tables::architectures() {
    if (!archs_read)
        archs_read = load("architectures.json", read_architectures).value_or(ArchTable{});
    return *archs_read;
}

}  // namespace ptxguard
