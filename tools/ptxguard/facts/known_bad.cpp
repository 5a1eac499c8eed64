// facts/known_bad.json -> versions that give wrong results or that a consumer refuses.
// SPDX-License-Identifier: Apache-2.0
#include "facts/tables.hpp"

namespace ptxguard {
namespace {

KnownBad read_row(FactReader& reader, const Json& row) {
    KnownBad bad;
    FactRow in(reader, row);
    PTXGUARD_ALWAYS(in, bad.id, bad.component, bad.level, bad.effect, bad.fix);
    PTXGUARD_FIELDS(in, bad.from, bad.below, bad.exactly, bad.consumer, bad.consumer_from, bad.consumer_below,
                    bad.min_arch, bad.max_arch, bad.systems, bad.gpus_from, bad.with_component, bad.with_from,
                    bad.only_refused, bad.not_if_built_with_it);
    if (!bad.from && !bad.below && bad.exactly.empty()) reader.complain("id", bad.id, "names no versions");
    if (bad.from && bad.below && *bad.from >= *bad.below)
        reader.complain("below", bad.below->text, "is not above from");
    if (bad.level < Level::warning)
        reader.complain("level", to_string(bad.level), "is neither error nor warning");
    bad.origin = reader.origin(bad.id, reader.source_words(row));
    return bad;
}

}  // namespace

std::vector<KnownBad> read_known_bad(FactReader& reader, const Json& root) {
    std::vector<KnownBad> rows;
    for (const auto& row : root["rows"].items()) rows.push_back(read_row(reader, row));
    return rows;
}

}  // namespace ptxguard
