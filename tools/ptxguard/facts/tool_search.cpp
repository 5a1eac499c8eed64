// facts/tool_search/*.json. Steps shared by several rows are in `places`; rows refer to them by name.
// SPDX-License-Identifier: Apache-2.0
#include "facts/tool_search.hpp"

#include <algorithm>
#include <iterator>

#include "facts/tables.hpp"

namespace ptxguard {
namespace {

SearchStep read_step(FactReader& reader, const Json& json) {
    SearchStep step;
    FactRow in(reader, json);
    PTXGUARD_ALWAYS(in, step.by, step.at);
    PTXGUARD_FIELDS(in, step.variable, step.flag, step.list, step.otherwise, step.group, step.where,
                    step.not_looked, step.of_one_release);
    if (step.at.find("{value}") != std::string::npos && step.variable.empty())
        reader.complain("at", step.at, "has a {value} but the step names no variable");
    return step;
}

// A step, or the name of several in `places`.
void read_steps(FactReader& reader, const Json& root, const Json& list, std::vector<SearchStep>& steps) {
    for (const Json& json : list.items()) {
        const std::string name = reader.word(json, "places");
        if (name.empty()) {
            steps.push_back(read_step(reader, json));
            continue;
        }
        const Json& shared = root["places"][name.c_str()];
        if (shared.items().empty()) reader.complain("places", name, "is not a list under places");
        for (const Json& one : shared.items()) steps.push_back(read_step(reader, one));
    }
}

void check_words(FactReader& reader, const ToolSearch& search) {
    if (search.tool != "ptxas" && search.tool != "libdevice" && search.tool != "nvcc" &&
        search.tool != k_cuda_headers && search.tool != k_libnvvm && search.tool != k_tileiras &&
        search.tool != k_c_compiler)
        reader.complain("tool", search.tool,
                        "is not ptxas, libdevice, nvcc, CUDA headers, libNVVM, tileiras or C compiler");
    if (search.steps.empty()) reader.complain("id", search.id, "has no steps");
    if (search.from && search.below && *search.from >= *search.below)
        reader.complain("below", search.below->text, "is not above from");
}

}  // namespace

const char* to_string(StopsAt stops_at) {
    constexpr const char* k_words[] = {"file", "folder", "start", "program", "variable", ""};
    return k_words[std::min<std::size_t>(static_cast<std::size_t>(stops_at), 5)];
}

namespace {

void read_clash(FactRow& in, HeaderClash& clash) {
    PTXGUARD_ALWAYS(in, clash.level, clash.effect);
    PTXGUARD_FIELDS(in, clash.nvrtc_from, clash.nvrtc_below, clash.headers_from, clash.headers_below);
}

// The lists of a file are those of its rows' tools with that name.
void read_supports(FactReader& reader, const Json& supports, ToolSearch& search) {
    const Json& lists = supports[search.tool.c_str()];
    for (const auto& [release, gpus] : lists.members())
        if (const auto version = parse_version(release))
            search.supports.push_back({*version, reader.archs(lists, release.c_str())});
        else
            reader.complain("supports", release, "is not a release");
}

void read_row(FactRow& in, const Json& root, ToolSearch& search) {
    FactReader& reader = in.reader();
    const Json& row = in.json();
    PTXGUARD_ALWAYS(in, search.id, search.program, search.package, search.from, search.below, search.tool,
                    search.setting, search.wants);
    PTXGUARD_FIELDS(in, search.unless, search.folder, search.records, search.library, search.systems,
                    search.how, search.file, search.passes_over, search.stops_at, search.min_arch,
                    search.max_arch, search.specific_from, search.when_none, search.when_refused,
                    search.compiles_to, search.effect, search.get, search.compiles_against, search.cccl_from,
                    search.needed_from, search.links);
    read_steps(reader, root, row["steps"], search.steps);
    for (const Json& companion : root["companions"].items())
        if (companion["program"].as_string() == search.program) {
            search.companion_of = reader.needed_word(companion, "of");
            for (const Json& user : companion["users"].items()) search.users.push_back(user.as_string());
            for (const Json& one : companion["optional_for"].items())
                search.optional_for.push_back(one.as_string());
        }
    for (const Json& floor : row["floors"].items()) {
        const auto from = reader.arch(floor, "from");
        const auto release = reader.needed_version(floor, "release");
        if (from && release) search.floors.push_back({*from, *release, reader.needed_word(floor, "effect")});
    }
    read_rows(reader, row["clashes"], search.clashes, read_clash);
    read_supports(reader, root["supports"], search);
    search.origin = in.origin(search.id);
    check_words(reader, search);
}

}  // namespace

std::vector<ToolSearch> read_tool_searches(FactReader& reader, const Json& root) {
    std::vector<ToolSearch> searches;
    read_rows(reader, root["rows"], searches, [&](FactRow& in, ToolSearch& row) { read_row(in, root, row); });
    return searches;
}

const std::vector<ToolSearch>& Facts::Tables::tool_searches() {
    if (tool_searches_read) return *tool_searches_read;
    tool_searches_read.emplace();
    for (const std::string& path : store.paths("tool_search/")) {
        auto rows = load(path, read_tool_searches).value_or(std::vector<ToolSearch>{});
        tool_searches_read->insert(tool_searches_read->end(), std::make_move_iterator(rows.begin()),
                                   std::make_move_iterator(rows.end()));
    }
    return *tool_searches_read;
}

const std::vector<ToolSearch>& Facts::tool_searches() const {
    const std::lock_guard<std::mutex> lock(m_tables->mutex);
    return m_tables->tool_searches();
}

}  // namespace ptxguard
