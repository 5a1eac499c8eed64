// facts/tool_search/*.json. Steps that several rows share are in `places`, and rows refer to them by name.
// SPDX-License-Identifier: Apache-2.0
#include "facts/tool_search.hpp"

#include <algorithm>

#include "facts/tables.hpp"

namespace ptxguard {
namespace {

SearchStep read_step(FactReader& reader, const Json& json) {
    SearchStep step;
    step.by = reader.needed_word(json, "by");
    step.variable = reader.word(json, "variable");
    step.flag = reader.word(json, "flag");
    step.list = json["list"].as_bool();
    step.otherwise = reader.word(json, "otherwise");
    step.at = reader.needed_word(json, "at");
    step.group = reader.word(json, "group");
    step.where = reader.word(json, "where");
    step.not_looked = reader.word(json, "not_looked");
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
        if (shared.items().empty()) reader.complain("places", name, "is no list under places");
        for (const Json& one : shared.items()) steps.push_back(read_step(reader, one));
    }
}

void check_words(FactReader& reader, const ToolSearch& search) {
    if (search.tool != "ptxas" && search.tool != "libdevice")
        reader.complain("tool", search.tool, "is neither ptxas nor libdevice");
    for (const auto& [key, value, words] :
         {std::tuple{"stops_at", search.stops_at,
                     std::vector<std::string>{"", "file", "folder", "start", "program"}},
          std::tuple{"when_none", search.when_none, std::vector<std::string>{"", "error", "warning"}}})
        if (std::find(words.begin(), words.end(), value) == words.end())
            reader.complain(key, value, "is no word that is known here");
    if (search.steps.empty()) reader.complain("id", search.id, "has no steps");
    if (search.from && search.below && *search.from >= *search.below)
        reader.complain("below", search.below->text, "is not above from");
}

ToolSearch read_row(FactReader& reader, const Json& root, const Json& row) {
    ToolSearch search;
    search.id = reader.needed_word(row, "id");
    search.program = reader.needed_word(row, "program");
    search.package = reader.needed_word(row, "package");
    search.folder = reader.word(row, "folder");
    search.records = reader.words(row, "records");
    search.library = reader.word(row, "library");
    for (const std::string& word : reader.words(row, "systems")) {
        if (const auto system = from_word<System>(word))
            search.systems.push_back(*system);
        else
            reader.complain("systems", word, "is no system");
    }
    search.how = reader.words(row, "how");
    search.from = reader.needed_version(row, "from");
    search.below = reader.needed_version(row, "below");
    search.tool = reader.needed_word(row, "tool");
    search.file = reader.word(row, "file");
    read_steps(reader, root, row["steps"], search.steps);
    search.passes_over = reader.words(row, "passes_over");
    search.stops_at = reader.word(row, "stops_at");
    search.min_arch = reader.arch(row, "min_arch");
    search.max_arch = reader.arch(row, "max_arch");
    search.when_none = reader.word(row, "when_none");
    search.effect = reader.word(row, "effect");
    search.setting = reader.needed_word(row, "setting");
    search.wants = reader.needed_word(row, "wants");
    search.get = reader.word(row, "get");
    search.origin = reader.origin(search.id, reader.source_words(row));
    check_words(reader, search);
    return search;
}

}  // namespace

std::vector<ToolSearch> read_tool_searches(FactReader& reader, const Json& root) {
    std::vector<ToolSearch> searches;
    for (const Json& row : root["rows"].items()) searches.push_back(read_row(reader, root, row));
    return searches;
}

const std::vector<ToolSearch>& Facts::Tables::tool_searches() {
    if (tool_searches_read) return *tool_searches_read;
    tool_searches_read.emplace();
    for (const std::string& path : store.paths("tool_search/")) {
        auto rows = load(path, read_tool_searches).value_or(std::vector<ToolSearch>{});
        tool_searches_read->insert(tool_searches_read->end(), rows.begin(), rows.end());
    }
    return *tool_searches_read;
}

const std::vector<ToolSearch>& Facts::tool_searches() const {
    const std::lock_guard<std::mutex> lock(m_tables->mutex);
    return m_tables->tool_searches();
}

}  // namespace ptxguard
