// The report as JSON: the envelope that every command shares, and what each command adds to it
// (report-1.schema.json describes both).
// SPDX-License-Identifier: Apache-2.0
#include "model/serialize.hpp"
#include "report/framework_picks.hpp"
#include "report/report.hpp"

#ifndef PTXGUARD_VERSION
#error "PTXGUARD_VERSION comes from the build"
#endif

namespace ptxguard {
namespace {

template <typename T>
Json array_of(const std::vector<T>& all) {
    Json array = Json::array();
    for (const T& one : all) array.push(to_json(one));
    return array;
}

Json envelope(const Report& report) {
    const Judgement& judgement = report.judgement;
    Json json = Json::object();
    json.set("schema", "ptxguard/report-1");
    json.set("tool", Json::object().set("name", "ptxguard").set("version", PTXGUARD_VERSION));
    json.set("command", report.command);
    json.set("verdict", to_string(judgement.verdict));
    json.set("counts", Json::object()
                           .set("error", judgement.counts.error)
                           .set("warning", judgement.counts.warning)
                           .set("note", judgement.counts.note)
                           .set("unknown", judgement.counts.unknown));
    return json.set("findings", array_of(judgement.findings));
}

// What was found in one scenario; expectations and probes are separate members.
Json inventory(const Scenario& scenario) {
    return Json::object()
        .set("scenario", scenario.name)
        .set("system", to_string(scenario.system))
        .set("toolkits", array_of(scenario.toolkits))
        .set("selectors", array_of(scenario.selectors))
        .set("entries", array_of(scenario.entries))
        .set("picks", array_of(scenario.picks))
        .set("framework_picks", framework_picks_json(scenario))
        .set("drivers", array_of(scenario.drivers))
        .set("gpus", array_of(scenario.gpus))
        .set("cudnn", array_of(scenario.cudnns))
        .set("project", to_json(scenario.project));
}

}  // namespace

std::string json_report(const Report& report, const ReportOptions& options) {
    Json json = envelope(report);
    if (report.command == "check" && report.scenarios.size() == 1) {
        const Scenario& scenario = report.scenarios.front();
        json.set("build", build_json(scenario, report.judgement));
        json.set("inventory", inventory(scenario));
        json.set("expectations", array_of(scenario.expectations));
        json.set("probes", array_of(scenario.probes));
        json.set("traces", files_json(scenario, report.command, options.entries));
    }
    if (report.command == "inspect" || report.command == "deps")
        json.set("files", files_json(report.scenarios.front(), report.command, options.entries));
    if (report.matrix) add_matrix_json(*report.matrix, json);
    return to_text(json) + "\n";
}

}  // namespace ptxguard
