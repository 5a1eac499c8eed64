// Texts from outside that would forge a line, hide text or give a CI system a command, in every place of a
// report.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <optional>

#include "../model/full_scenario.hpp"
#include "../model/harm.hpp"
#include "model/serialize.hpp"
#include "report/report.hpp"
#include "scenario_from_json.hpp"

using namespace ptxguard;

namespace {

const std::string k_harm =
    "\x1b[8m\nforged\r\n::error::x ##vso[task.x]##[x]##teamcity[x]\r::x\xc2\x9b\xe2\x80\xae\xe2\x80\xa8\xff";

std::string harm_in(const std::string& text, bool annotates = false) {
    return text.find("\nforged") == std::string::npos ? harm::of(text, annotates) : "a forged line";
}

// With the harmful text after text number `which`, or after every text that `chosen` selects.
Json harmed(const Json& json, std::size_t& count, const std::vector<bool>& chosen) {
    if (json.is_string()) {
        const std::size_t which = count++;
        return which < chosen.size() && chosen[which] ? Json(json.as_string() + k_harm) : json;
    }
    if (json.is_array()) {
        Json array = Json::array();
        for (const Json& item : json.items()) array.push(harmed(item, count, chosen));
        return array;
    }
    if (!json.is_object()) return json;
    Json object = Json::object();
    for (const auto& [name, value] : json.members()) object.set(name, harmed(value, count, chosen));
    return object;
}

// Our own words ("kind":"search-path") keep their spelling: otherwise the scenario could not be read.
Scenario harmed_scenario(const char* text, std::size_t& places) {
    const Json json = *parse_json(text, "test");
    std::size_t count = 0;
    harmed(json, count, {});
    std::vector<bool> all(count);
    for (std::size_t i = 0; i < count; ++i) {
        std::vector<bool> one(count);
        one[i] = true;
        std::size_t ignored = 0;
        all[i] = static_cast<bool>(scenario_from_json(harmed(json, ignored, one)));
        places += all[i];
    }
    count = 0;
    return *scenario_from_json(harmed(json, count, all));
}

const char* k_files =
    R"({"binaries":[{"path":"a","format":"elf","machine":"m","needed":["n"],"remarks":["r"],"trouble":"t",
"entries":[{"kind":"cubin","arch":"sm_80","section":".nv_fatbin"}],
"runs_on":[{"gpu":"g","verdict":"unknown","why":"w","decide":"d"}]}],
"traces":[{"path":"a","machine":"m","remarks":["r"],"trouble":"t","framework":"PyTorch","libraries":[
  {"name":"libcublas.so.12","needed_by":"a","taken":"/l/c","rule":"r","library":"cublas","losers":[{"path":"/m","rule":"r","why":"w"}],
   "undefined":1,"undefined_names":["u"],"missing_versions":["v"]},
  {"name":"libcudnn.so.9","needed_by":"b","taken":null,"because":"b","library":"cudnn"}]}]})";

Finding harmed_finding() {
    Finding finding;
    finding.code = "CC202";
    finding.message = finding.because = k_harm;
    finding.location = Location{k_harm, 3, 6};
    Origin origin = Origin::from_file(k_harm);
    origin.text = k_harm;
    finding.found = finding.expected = {{k_harm, k_harm, origin}};
    finding.fix = {{FixKind::command, k_harm}};
    finding.decide = {k_harm};
    finding.suppressed = k_harm;
    return finding;
}

}  // namespace

TEST_CASE("no text from outside forges a line of a report, hides text or is a command to a CI system") {
    std::size_t places = 0;
    ReportOptions options;
    options.verbose = options.entries = true;
    for (const char* command : {"check", "inspect"}) {
        Report report;
        report.command = command;
        report.scenarios = {harmed_scenario(k_full_scenario, places), harmed_scenario(k_files, places)};
        report.judgement.findings = {harmed_finding()};
        const std::string text = text_report(report, options);
        CHECK(harm_in(text) == "");
        const std::string page = html_report(report, options);
        CHECK(harm_in(page) == "");
        for (const auto write : {json_report, sarif_report, gitlab_report}) {
            const std::string json = write(report, options);
            CHECK(harm_in(json) == "");
            CHECK(parse_json(json, "test"));
        }
        CHECK(text.find("\\x1b[8m\\nforged\\r\\n::error::x \\x23#vso[task.x]") != std::string::npos);
    }
    CHECK(places > 2 * 80);
}

TEST_CASE("no text from outside is a second command, a tag or a link in the reports for CI") {
    Report report;
    report.command = "check";
    report.scenarios.emplace_back();
    Finding finding = harmed_finding();
    finding.suppressed = std::nullopt;
    finding.message = k_harm + "<b>|`100%`@me";
    report.judgement.findings = {finding};
    const std::string github = github_report(report, {});
    CHECK(harm_in(github, true) == "");
    CHECK(github.find("<b>|`100%25`@me%0Abecause: ") != std::string::npos);
    CHECK(github.find("file=\\x1b[8m\\nforged\\r\\n%3A%3Aerror%3A%3Ax") != std::string::npos);
    for (const auto write : {oneline_report, junit_report, html_report}) {
        const std::string text = write(report, {});
        CHECK(harm_in(text) == "");
        CHECK(text.find(write == oneline_report ? "<b>|`100%" : "&lt;b&gt;|`100%") != std::string::npos);
    }
    report.judgement.findings[0].message = "[click](http://evil) jax[cuda12] (x)";
    CHECK(sarif_report(report, {}).find("[click] (http://evil) jax[cuda12] (x)") != std::string::npos);
    report.judgement.findings = {finding};
    const std::string markdown = markdown_report(report, {});
    CHECK(harm_in(markdown) == "");
    CHECK(markdown.find("&lt;b&gt;&#124;&#96;100%&#96;&#64;<!-- -->me") != std::string::npos);
    CHECK(markdown.find("<b>") == std::string::npos);
    CHECK(markdown.find('@') == std::string::npos);
}

TEST_CASE("no text from outside does harm in a matrix") {
    Matrix matrix;
    Producer producer;
    producer.id = "producer1";
    producer.kind = ProducerKind::ptx_file;
    producer.path = producer.trouble = k_harm;
    producer.names = {k_harm};
    Consumer consumer;
    consumer.id = "consumer1";
    consumer.path = consumer.trouble = consumer.used_for = k_harm;
    consumer.names = {k_harm};
    matrix.producers = {producer};
    matrix.consumers = {consumer};
    matrix.targets = {{80, 0}};
    matrix.targets_because = k_harm;
    matrix.remarks = {k_harm};
    Cell cell;
    cell.producer = producer.id;
    cell.consumer = consumer.id;
    cell.target = {80, 0};
    cell.outcome = Outcome::refused;
    cell.evidence = k_harm;
    matrix.cells = {cell};
    Report report;
    report.command = "matrix";
    report.scenarios.emplace_back();
    report.matrix = matrix;
    const std::string text = text_report(report, {});
    CHECK(harm_in(text) == "");
}
