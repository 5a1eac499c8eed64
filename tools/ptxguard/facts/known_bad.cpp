// facts/known_bad.json -> rows of versions that give wrong results or that a consumer refuses.
// SPDX-License-Identifier: Apache-2.0
#include "facts/tables.hpp"

namespace ptxguard {
namespace {

KnownBad read_row(FactReader& reader, const Json& row) {
    KnownBad bad;
    bad.id = reader.needed_word(row, "id");
    bad.component = reader.needed_word(row, "component");
    bad.from = reader.version(row, "from");
    bad.below = reader.version(row, "below");
    for (const auto& text : reader.words(row, "exactly")) {
        if (const auto version = parse_version(text))
            bad.exactly.push_back(*version);
        else
            reader.complain("exactly", text, "is not a version");
    }
    if (!bad.from && !bad.below && bad.exactly.empty()) reader.complain("id", bad.id, "names no versions");
    if (bad.from && bad.below && *bad.from >= *bad.below)
        reader.complain("below", bad.below->text, "is not above from");
    bad.consumer = reader.word(row, "consumer");
    bad.consumer_cuda_from = reader.version(row, "consumer_cuda_from");
    bad.consumer_from = reader.version(row, "consumer_from");
    bad.consumer_below = reader.version(row, "consumer_below");
    bad.min_arch = reader.arch(row, "min_arch");
    bad.max_arch = reader.arch(row, "max_arch");
    for (const auto& word : reader.words(row, "systems")) {
        if (const auto system = from_word<System>(word))
            bad.systems.push_back(*system);
        else
            reader.complain("systems", word, "is no system");
    }
    bad.gpus_from = reader.number(row, "gpus_from").value_or(0);
    bad.only_refused = row["only_refused"].as_bool();
    bad.not_if_built_with_it = row["not_if_built_with_it"].as_bool();
    bad.with_component = reader.word(row["with"], "component");
    bad.with_from = reader.version(row["with"], "from");
    bad.level = reader.needed_word(row, "level");
    if (bad.level != "error" && bad.level != "warning")
        reader.complain("level", bad.level, "is neither error nor warning");
    bad.effect = reader.needed_word(row, "effect");
    bad.fix = reader.needed_word(row, "fix");
    bad.origin = reader.origin(bad.id, reader.source_words(row));
    return bad;
}

}  // namespace

std::vector<KnownBad> read_known_bad(FactReader& reader, const Json& root) {
    std::vector<KnownBad> rows;
    for (const auto& row : root["rows"].items()) rows.push_back(read_row(reader, row));
    return rows;
}

const std::vector<KnownBad>& Facts::Tables::known_bad() {
    if (!known_bad_read)
        known_bad_read = load("known_bad.json", read_known_bad).value_or(std::vector<KnownBad>{});
    return *known_bad_read;
}

}  // namespace ptxguard
