// SPDX-License-Identifier: Apache-2.0
#include "facts/lto_ir.hpp"

#include "facts/loading_table.hpp"
#include "facts/tables.hpp"

namespace ptxguard {

std::vector<LtoIrRelease> read_lto_ir(FactReader& reader, const Json& root) {
    std::vector<LtoIrRelease> releases;
    for (const Json& json : root["rows"].items()) {
        LtoIrRelease row;
        FactRow in(reader, json);
        PTXGUARD_ALWAYS(in, row.release, row.container, row.ir);
        if (row.release) row.origin = reader.origin(row.release->text, reader.source_words(json));
        releases.push_back(std::move(row));
    }
    return releases;
}

const std::vector<LtoIrRelease>& lto_ir_releases(const Facts& facts) { return library_table(facts).lto_ir; }

const LtoIrRelease* lto_ir_release(const Facts& facts, PtxVersion ir) {
    for (const LtoIrRelease& row : lto_ir_releases(facts))
        if (row.ir && *row.ir == ir) return &row;
    return nullptr;
}

}  // namespace ptxguard
