// The matrix as JSON: producers, consumers and one member of "cells" for each pair and target.
// SPDX-License-Identifier: Apache-2.0
#include "model/serialize.hpp"
#include "report/report.hpp"

namespace ptxguard {
namespace {

Json texts(const std::vector<std::string>& values) {
    Json array = Json::array();
    for (const std::string& value : values) array.push(value);
    return array;
}

Json ptx_json(const std::optional<PtxVersion>& ptx) { return ptx ? Json(ptx->text()) : Json(); }

void set_version(Json& json, const Known<Version>& version) {
    json.set("version", version ? Json(version->text) : Json());
    if (version) json.set("version_origin", to_json(version.origin));
}

template <typename Tool>
Json tool_json(const Tool& tool) {
    Json json = Json::object();
    json.set("id", tool.id).set("kind", to_string(tool.kind)).set("name", name_of(tool));
    set_version(json, tool.version);
    json.set("path", tool.path);
    if (!tool.names.empty()) json.set("names", texts(tool.names));
    if (!tool.trouble.empty()) json.set("trouble", tool.trouble);
    return json;
}

Json made_json(const Made& made) {
    Json json = Json::object();
    json.set("target", made.target.sm()).set("ptx", ptx_json(made.ptx));
    json.set("outcome", to_string(made.outcome)).set("basis", to_string(made.basis));
    return json.set("evidence", made.evidence);
}

Json producer_json(const Producer& producer) {
    Json json = tool_json(producer);
    Json makes = Json::array();
    for (const Made& made : producer.made) makes.push(made_json(made));
    return json.set("ptx", ptx_json(producer.ptx)).set("makes", std::move(makes));
}

Json consumer_json(const Consumer& consumer) {
    Json json = tool_json(consumer);
    json.set("reads", ptx_json(consumer.reads));
    if (consumer.reads) json.set("reads_basis", to_string(consumer.reads_basis));
    if (!consumer.used_for.empty()) json.set("used_for", consumer.used_for);
    return json;
}

Json cell_json(const Cell& cell) {
    Json json = Json::object();
    json.set("producer", cell.producer).set("consumer", cell.consumer).set("target", cell.target.sm());
    json.set("ptx", ptx_json(cell.ptx)).set("outcome", to_string(cell.outcome));
    json.set("basis", to_string(cell.basis)).set("evidence", cell.evidence);
    if (!cell.command.empty()) json.set("command", cell.command);
    if (cell.cached) json.set("cached", true);
    if (!cell.lowered) return json;
    return json.set("lowered", Json::object()
                                   .set("ptx", cell.lowered->version.text())
                                   .set("outcome", to_string(cell.lowered->outcome))
                                   .set("evidence", cell.lowered->evidence));
}

}  // namespace

void add_matrix_json(const Matrix& matrix, Json& json) {
    Json producers = Json::array(), consumers = Json::array(), cells = Json::array(), targets = Json::array();
    for (const Producer& producer : matrix.producers) producers.push(producer_json(producer));
    for (const Consumer& consumer : matrix.consumers) consumers.push(consumer_json(consumer));
    for (const Cell& cell : matrix.cells) cells.push(cell_json(cell));
    for (Arch target : matrix.targets) targets.push(target.sm());
    json.set("producers", std::move(producers)).set("consumers", std::move(consumers));
    json.set("targets", std::move(targets)).set("targets_because", matrix.targets_because);
    json.set("cells", std::move(cells)).set("remarks", texts(matrix.remarks));
    json.set("compilations", matrix.compilations);
}

}  // namespace ptxguard
