// The report as JSON: the envelope that every command shares, and what each command adds to it
// (report-1.schema.json describes both).
// SPDX-License-Identifier: Apache-2.0
#include "model/serialize.hpp"
#include "report/findings.hpp"
#include "report/framework_picks.hpp"
#include "report/report.hpp"

#ifndef PTXGUARD_VERSION
#error "PTXGUARD_VERSION comes from the build"
#endif

extern const char* const ptxguard_report_schema[];  // path, text, path, text ...: the parts of one file

namespace ptxguard {
namespace {

Json envelope(const Report& report, const ReportOptions& options) {
    const Judgement& judgement = report.judgement;
    const auto marks = fingerprints(report);
    std::vector<Finding> findings = judgement.findings;
    for (std::size_t i = 0; i < findings.size(); ++i) {
        findings[i].fingerprint = marks.at(&judgement.findings[i]);
        findings[i].url = url_of(findings[i], options);
    }
    Json json = Json::object();
    json.set("schema", "ptxguard/report-1");
    json.set("tool", Json::object().set("name", "ptxguard").set("version", PTXGUARD_VERSION));
    json.set("command", report.command);
    json.set("verdict", to_string(judgement.verdict));
    json.set("counts", to_json(judgement.counts));
    return json.set("findings", array_json(findings));
}

// What was found in one scenario; expectations and probes are separate members.
Json inventory(const Scenario& scenario) {
    return Json::object()
        .set("scenario", scenario.name)
        .set("system", to_string(scenario.system))
        .set("toolkits", array_json(scenario.toolkits))
        .set("selectors", array_json(scenario.selectors))
        .set("entries", array_json(scenario.entries))
        .set("picks", array_json(scenario.picks))
        .set("framework_picks", framework_picks_json(scenario))
        .set("drivers", array_json(scenario.drivers))
        .set("gpus", array_json(scenario.gpus))
        .set("cudnn", array_json(scenario.cudnns))
        .set("modules", modules_json(scenario.modules))
        .set("project", to_json(scenario.project));
}

void add_checked(const std::vector<CheckedArea>& areas, Json& json) {
    Json checked = Json::array(), open = Json::array();
    for (const CheckedArea& area : areas) {
        if (area.state != AreaState::not_checked)
            checked.push(area.area);
        else
            open.push(Json::object().set("what", area.area).set("decide", area.decide));
    }
    json.set("checked", checked).set("not_checked", open);
}

}  // namespace

std::string report_schema() {
    std::string text;
    for (const char* const* part = ptxguard_report_schema; *part; part += 2) text += part[1];
    return text;
}

std::string json_report(const Report& report, const ReportOptions& options) {
    Json json = envelope(report, options);
    if (report.command == "check" && report.scenarios.size() == 1) {
        const Scenario& scenario = report.scenarios.front();
        json.set("plan", array_json(report.judgement.plans));
        json.set("drivers", array_json(report.judgement.drivers));
        json.set("gpus", array_json(report.judgement.gpus));
        add_checked(report.judgement.checklist, json);
        json.set("checklist", array_json(report.judgement.checklist));
        json.set("build", build_json(scenario, report.judgement));
        json.set("inventory", inventory(scenario));
        json.set("expectations", array_json(scenario.expectations));
        json.set("probes", array_json(scenario.probes));
        json.set("traces", files_json(scenario, report.command, options.entries));
    }
    if (report.command == "plan")
        json.set("plan", array_json(report.judgement.plans)).set("sets", array_json(report.sets));
    if (const auto& explanation = report.explanation) {
        json.set("diagnoses", array_json(explanation->diagnoses));
        json.set("not_toolchain", array_json(explanation->others));
        json.set("echoes", array_json(explanation->echoes));
        if (!explanation->notes.empty()) json.set("notes", array_json(explanation->notes));
    }
    if (report.command == "inspect" || report.command == "deps")
        json.set("files", files_json(report.scenarios.front(), report.command, options.entries));
    const Json matrix = report.matrix ? to_json(*report.matrix) : Json();
    for (const Json::Member& member : matrix.members()) json.set(member.first, member.second);
    return to_text(json) + "\n";
}

}  // namespace ptxguard
