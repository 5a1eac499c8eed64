// The "files" of `inspect` and `deps`, and libraries of modules, as JSON. Versions are plain strings here,
// each with its origin in a separate member; members that other tools rely on are always present.
// SPDX-License-Identifier: Apache-2.0
#include "model/serialize.hpp"
#include "report/report.hpp"

namespace ptxguard {
namespace {

void set_version(Json& json, const char* key, const Known<Version>& version) {
    json.set(key, version ? Json(version->text) : Json());
    if (version) json.set(std::string(key) + "_origin", to_json(version.origin));
}

Json loser_json(const LoadLoser& loser) {
    Json json = to_json(loser);
    json.set("rule", loser.rule.text);
    set_version(json, "version", loser.version);
    return json;
}

Json library_json(const LoadedFile& library) {
    Json json = to_json(library);
    Json losers = Json::array();
    for (const LoadLoser& loser : library.losers) losers.push(loser_json(loser));
    json.set("needed_by", library.needed_by);
    json.set("rule", library.rule.empty() ? Json() : Json(library.rule.text));
    set_version(json, "version", library.version);
    if (library.cuda) set_version(json, "cuda", library.cuda);
    json.set("losers", std::move(losers));
    json.set("undefined", library.undefined ? Json(*library.undefined) : Json());
    return json;
}

Json trace_json(const LoadTrace& trace) {
    Json json = to_json(trace);
    Json libraries = Json::array();
    for (const LoadedFile& library : trace.shown()) libraries.push(library_json(library));
    json.set("libraries", std::move(libraries));
    if (!trace.itself.library.empty()) json.set("itself", library_json(trace.itself));
    return json;
}

// An archive's entries are listed with its members.
Json file_json(const BinaryFile& file, bool with_entries) {
    Json json = binary_json(file, with_entries && file.format != FileFormat::archive);
    json.set("runs_on", array_json(file.runs_on));
    return json;
}

}  // namespace

Json files_json(const Scenario& scenario, const std::string& command, bool with_entries) {
    Json files = Json::array();
    if (command == "inspect")
        for (const BinaryFile& file : scenario.binaries) files.push(file_json(file, with_entries));
    else
        for (const LoadTrace& trace : scenario.traces) files.push(trace_json(trace));
    return files;
}

Json modules_json(const std::vector<NativeModule>& modules) {
    Json all = Json::array();
    for (const NativeModule& module : modules) {
        Json json = to_json(module);
        const auto set = [&](const char* key, const std::vector<LoadedFile>& libraries) {
            Json list = Json::array();
            for (const LoadedFile& library : libraries) list.push(library_json(library));
            if (!libraries.empty()) json.set(key, std::move(list));
        };
        set("missing", module.missing);
        set("compilers", module.compilers);
        all.push(std::move(json));
    }
    return all;
}

}  // namespace ptxguard
