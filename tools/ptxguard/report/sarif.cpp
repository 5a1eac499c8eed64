// SARIF 2.1.0, for code scanning and its viewers. Unknowns are results of the kind "open", suppressed
// findings have their reason; both have no level that a viewer counts.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "model/text.hpp"
#include "model/visible.hpp"
#include "report/findings.hpp"
#include "report/table.hpp"

#ifndef PTXGUARD_VERSION
#error "PTXGUARD_VERSION comes from the build"
#endif

namespace ptxguard {
namespace {

constexpr std::size_t k_longest = 1000;  // GitHub takes descriptions of 1024 characters

Json text_json(const std::string& text) { return Json::object().set("text", text); }

const char* sarif_level(Level level) {
    switch (level) {
        case Level::error: return "error";
        case Level::warning: return "warning";
        case Level::note: return "note";
        case Level::unknown: break;
    }
    return "none";
}

// GitHub refuses longer ones.
std::string description(const std::string& text) {
    return text.size() > k_longest ? text.substr(0, text.rfind(' ', k_longest)) + " ..." : text;
}

Json rule_json(const Finding& finding, const ReportOptions& options) {
    const std::string page = options.page ? options.page(finding.code) : "";
    const std::string about = first_paragraph(page), sentence = first_sentence(page);
    Json help = text_json("ptxguard explain " + finding.code);
    if (!page.empty()) help.set("markdown", page);
    Json rule =
        Json::object()
            .set("id", finding.code)
            .set("name", finding.name)
            .set("shortDescription", text_json(description(sentence.empty() ? finding.name : sentence)))
            .set("fullDescription", text_json(description(about.empty() ? finding.name : about)))
            .set("help", help);
    if (const auto url = url_of(finding, options)) rule.set("helpUri", *url);
    return rule;
}

// A path as a URI: relative to the project, or absolute.
std::string uri_of(const std::string& path) {
    std::string uri;
    for (const char c : path) {
        const auto byte = static_cast<unsigned char>(c);
        if (is_word_character(c, "-._~/"))
            uri += c;
        else if (c == '\\')
            uri += '/';
        else
            uri += std::string("%") + "0123456789ABCDEF"[byte >> 4] + "0123456789ABCDEF"[byte & 15];
    }
    const bool drive = path.size() > 2 && path[1] == ':';
    return path[0] == '/' ? "file://" + uri : drive ? "file:///" + uri : uri;
}

Json file_json(const std::string& file) { return Json::object().set("uri", uri_of(file)); }

Json region_json(const Location& at) {
    Json region = Json::object().set("startLine", at.line);
    if (at.column) region.set("startColumn", at.column);
    return region;
}

Json location_json(const Location& at) {
    return Json::object().set(
        "physicalLocation",
        Json::object().set("artifactLocation", file_json(at.file)).set("region", region_json(at)));
}

// What an editor can apply.
Json fix_json(const Fix& fix) {
    const Edit& edit = *fix.edit;
    const Json replacement = Json::object()
                                 .set("deletedRegion", region_json(edit.at).set("endColumn", edit.end_column))
                                 .set("insertedContent", text_json(edit.text));
    const Json change = Json::object()
                            .set("artifactLocation", file_json(edit.at.file))
                            .set("replacements", Json::array().push(replacement));
    return Json::object()
        .set("description", text_json(visible(fix.text)))
        .set("artifactChanges", Json::array().push(change));
}

// "[text](url)" in a message is a link (SARIF 2.1.0, 3.11.6), and text from outside must not make one. A
// blank ends it in every viewer; not all of them remove an escape.
std::string without_links(std::string text) {
    for (std::size_t at = text.find("]("); at != npos; at = text.find("](", at + 2)) text.insert(at + 1, " ");
    return text;
}

Json result_json(const Finding& finding, std::size_t rule, const std::string& mark, const Report& report) {
    std::string text = visible(finding.message);
    for (const std::string& line : explanation(finding, report)) text += "\n" + visible(line);
    Json result = Json::object().set("ruleId", finding.code).set("ruleIndex", rule);
    if (finding.level == Level::unknown) result.set("kind", "open");
    result.set("level", sarif_level(finding.level))
        .set("message", text_json(without_links(text + also("\nalso: ", finding, report))))
        .set("partialFingerprints", Json::object().set("primaryLocationLineHash", mark))
        .set("locations", Json::array().push(location_json(place_of(finding, report))));
    Json fixes = Json::array();
    for (const Fix& fix : finding.fix)
        if (fix.edit) fixes.push(fix_json(fix));
    if (!fixes.items().empty()) result.set("fixes", fixes);
    if (finding.suppressed)
        result.set(
            "suppressions",
            Json::array().push(
                Json::object().set("kind", "external").set("justification", visible(*finding.suppressed))));
    return result.set(
        "properties",
        Json::object().set("subject", visible(finding.subject)).set("scenario", visible(finding.scenario)));
}

}  // namespace

std::string sarif_report(const Report& report, const ReportOptions& options) {
    std::vector<const Finding*> findings = shown(report, options);
    for (const Finding& finding : report.judgement.findings)
        if (finding.suppressed) findings.push_back(&finding);
    const auto marks = fingerprints(report);
    std::vector<std::string> codes;
    Json rules = Json::array(), results = Json::array();
    for (const Finding* finding : findings) {
        const auto known = std::find(codes.begin(), codes.end(), finding->code);
        results.push(result_json(*finding, static_cast<std::size_t>(known - codes.begin()), marks.at(finding),
                                 report));
        if (known != codes.end()) continue;
        codes.push_back(finding->code);
        rules.push(rule_json(*finding, options));
    }
    const Json driver =
        Json::object().set("name", "ptxguard").set("version", PTXGUARD_VERSION).set("rules", rules);
    const Json run =
        Json::object()
            .set("columnKind", "unicodeCodePoints")
            .set("tool", Json::object().set("driver", driver))
            .set("automationDetails", Json::object().set("id", "ptxguard/" + report.command + "/"))
            .set("invocations",
                 Json::array().push(Json::object().set("executionSuccessful", !report.judgement.rule_failed)))
            .set("results", results);
    const Json sarif = Json::object()
                           .set("$schema", "https://json.schemastore.org/sarif-2.1.0.json")
                           .set("version", "2.1.0")
                           .set("runs", Json::array().push(run));
    return to_text(sarif) + "\n";
}

}  // namespace ptxguard
