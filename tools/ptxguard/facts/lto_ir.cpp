// SPDX-License-Identifier: Apache-2.0
#include "facts/lto_ir.hpp"

#include "facts/loading_table.hpp"
#include "facts/tables.hpp"

namespace ptxguard {

IrTable read_lto_ir(FactReader& reader, const Json& root) {
    IrTable table;
    read_rows(reader, root["rows"], table.lto, [](FactRow& in, LtoIrRelease& row) {
        PTXGUARD_ALWAYS(in, row.release, row.container, row.ir);
        if (row.release) row.origin = in.origin(row.release->text);
    });
    const Json& tile = root["tile_ir"];
    if (const auto release = reader.needed_version(tile, "first_driver_of"))
        table.first_tile = {*release, reader.origin("tile_ir", reader.source_words(tile))};
    return table;
}

const IrTable& Facts::device_ir() const {
    const std::lock_guard<std::mutex> lock(m_tables->mutex);
    return m_tables->device_ir();
}

const std::vector<LtoIrRelease>& lto_ir_releases(const Facts& facts) { return facts.device_ir().lto; }

const LtoIrRelease* lto_ir_release(const Facts& facts, PtxVersion ir) {
    for (const LtoIrRelease& row : lto_ir_releases(facts))
        if (row.ir && *row.ir == ir) return &row;
    return nullptr;
}

std::optional<FirstTileIr> first_tile_ir(const Facts& facts) {
    const Known<Version>& release = facts.device_ir().first_tile;
    const CudaRelease* row = release ? facts.cuda(*release) : nullptr;
    if (!row || !row->ptx_max) return std::nullopt;
    return FirstTileIr{*release, *row->ptx_max, release.origin};
}

}  // namespace ptxguard
