// SARIF, JUnit, HTML and one line each: what other programs read in a report.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>

#include "report/report.hpp"

using namespace ptxguard;

namespace {

Finding finding(const char* code, Level level, const std::string& message) {
    Finding one;
    one.code = code;
    one.name = "ptx_newer_than_driver";
    one.level = level;
    one.subject = "driver 550.54.14";
    one.message = message;
    one.scenario = "this machine";
    one.because = "80-virtual has PTX only";
    one.fix = {{FixKind::setting, "set(X \"80\")"}};
    return one;
}

// An error with a location, an unknown, and a suppressed warning.
Report sample_report() {
    Report report;
    report.command = "check";
    report.scenarios.emplace_back();
    report.judgement.findings = {finding("CC202", Level::error, "PTX 9.0 < is too new"),
                                 finding("CC210", Level::unknown, "no driver"),
                                 finding("CC103", Level::warning, "two toolkits")};
    report.judgement.findings[0].location = Location{"a b/ptxguard.toml", 3, 6};
    report.judgement.findings[2].suppressed = "known";
    report.judgement.counts = {1, 0, 0, 1};
    report.judgement.verdict = Verdict::fail;
    report.judgement.checklist = {{"PTX", AreaState::error, "PTX 9.0", {"CC202"}},
                                  {"toolkit", AreaState::ok, "nvcc 13.0.88", {}},
                                  {"GPU", AreaState::not_checked, "no GPU found", {}}};
    return report;
}

std::string page_of(const std::string& code) {
    return "## What it checks\nWhether the driver\nreads " + code + ".\n\nMore.\n";
}

// Tags that are opened are closed, in their order; the style sheet is skipped.
std::string wrong_tag(const std::string& html) {
    std::vector<std::string> open;
    for (std::size_t at = html.find('<'); at != std::string::npos; at = html.find('<', at + 1)) {
        const std::string tag = html.substr(at + 1, html.find('>', at) - at - 1);
        std::string name = tag.substr(0, tag.find_first_of(" \n"));
        if (name == "!DOCTYPE" || name == "meta") continue;
        if (name[0] != '/') {
            open.push_back(name);
            if (name == "style") at = html.find("</style", at) - 1;
        } else if (open.empty() || open.back() != name.substr(1)) {
            return tag;
        } else {
            open.pop_back();
        }
    }
    return open.empty() ? "" : open.back();
}

}  // namespace

TEST_CASE("SARIF has a rule for each code, and a location where the user wrote the value") {
    ReportOptions options;
    options.page = page_of;
    const auto sarif = parse_json(sarif_report(sample_report(), options), "sarif");
    REQUIRE(sarif);
    CHECK((*sarif)["version"].as_string() == "2.1.0");
    const Json run = (*sarif)["runs"].items().front();
    CHECK(run["invocations"].items()[0]["executionSuccessful"].as_bool());
    const Json rule = run["tool"]["driver"]["rules"].items().front();
    CHECK(rule["id"].as_string() == "CC202");
    CHECK(rule["fullDescription"]["text"].as_string() == "Whether the driver reads CC202.");
    CHECK(rule["help"]["markdown"].as_string() == page_of("CC202"));
    const std::vector<Json> results = run["results"].items();
    REQUIRE(results.size() == 3);
    CHECK(
        to_text(results[0], -1) ==
        R"~({"ruleId":"CC202","ruleIndex":0,"level":"error","message":{"text":"PTX 9.0 < is too new\nbecause: 80-virtual has PTX only\nfix: set(X \"80\")"},"partialFingerprints":{"primaryLocationLineHash":")~" +
            parse_json(gitlab_report(sample_report(), {}), "gitlab")->items()[0]["fingerprint"].as_string() +
            R"("},"locations":[{"physicalLocation":{"artifactLocation":{"uri":"a%20b/ptxguard.toml"},"region":{"startLine":3,"startColumn":6}}}],"properties":{"subject":"driver 550.54.14","scenario":"this machine"}})");
    CHECK(results[1]["kind"].as_string() == "open");
    CHECK(results[1]["level"].as_string() == "none");
    CHECK(!results[1].has("locations"));
    CHECK(results[2]["suppressions"].items()[0]["justification"].as_string() == "known");
}

TEST_CASE("a path of another folder is an absolute URI in SARIF") {
    for (const auto& [path, uri] :
         {std::pair("/a/b.toml", "file:///a/b.toml"), {"C:\\a\\b.toml", "file:///C%3A/a/b.toml"}}) {
        Report report = sample_report();
        report.judgement.findings[0].location = Location{path, 0, 0};
        const std::string text = sarif_report(report, {});
        CHECK_MESSAGE(text.find(std::string("\"") + uri + "\"") != std::string::npos, text);
        CHECK(text.find("startLine") == std::string::npos);
    }
}

TEST_CASE("JUnit: an area without a finding and each finding are tests") {
    CHECK(junit_report(sample_report(), {}) ==
          R"(<?xml version="1.0" encoding="UTF-8"?>
<testsuites tests="4" failures="1" errors="0">
  <testsuite name="ptxguard check" tests="4" failures="1" errors="0" skipped="2" time="0">
    <testcase classname="ptxguard.check" name="toolkit" time="0"><system-out>nvcc 13.0.88</system-out></testcase>
    <testcase classname="ptxguard.check" name="GPU" time="0"><skipped message="not checked: no GPU found"/></testcase>
    <testcase classname="ptxguard.check.PTX" name="CC202 ptx_newer_than_driver: driver 550.54.14" time="0"><failure message="PTX 9.0 &lt; is too new" type="CC202">because: 80-virtual has PTX only
fix: set(X &quot;80&quot;)
</failure></testcase>
    <testcase classname="ptxguard.check" name="CC210 ptx_newer_than_driver: driver 550.54.14" time="0"><skipped message="no driver"/></testcase>
  </testsuite>
</testsuites>
)");
    Report empty;
    empty.command = "inspect";
    CHECK(junit_report(empty, {}).find("name=\"verdict: ok, no problems found\"") != std::string::npos);
}

TEST_CASE("if steps must be done together, no error offers a fix of its own") {
    Report report = sample_report();
    Finding other = finding("CC607", Level::error, "no code for V100");
    other.fix = {{FixKind::manual, "build torch for sm_70"}};
    report.judgement.findings.push_back(other);
    Plan plan;
    plan.steps = {{FixKind::manual, "build with CUDA 12.6"},
                  {FixKind::command, "pip install torch==2.11.0+cu126"}};
    report.judgement.plans = {plan};
    for (auto* write : {github_report, sarif_report, junit_report, markdown_report, html_report}) {
        const std::string text = write(report, {});
        CHECK(text.find("build torch for sm_70") == std::string::npos);
        CHECK(text.find("build with CUDA 12.6") != std::string::npos);
        CHECK(text.find("pip install torch==2.11.0+cu126") != std::string::npos);
    }
    report.judgement.plans.clear();
    for (auto* write : {github_report, sarif_report, junit_report, markdown_report, html_report})
        CHECK(write(report, {}).find("build torch for sm_70") != std::string::npos);
}

TEST_CASE("one line each, as compilers write them") {
    CHECK(oneline_report(sample_report(), {}) ==
          "a b/ptxguard.toml:3:6: error: PTX 9.0 < is too new [CC202]\n"
          "driver 550.54.14: unknown: no driver [CC210]\n");
}

TEST_CASE("the page is complete, and loads nothing from elsewhere") {
    Report report = sample_report();
    report.matrix = Matrix();
    Producer producer;
    producer.id = "p1";
    Consumer consumer;
    consumer.id = "c1";
    Cell cell;
    cell.producer = "p1";
    cell.consumer = "c1";
    cell.target = {80, 0};
    cell.outcome = Outcome::refused;
    cell.evidence = "\"too\" <new>";
    report.matrix->producers = {producer};
    report.matrix->consumers = {consumer};
    report.matrix->cells = {cell};
    LoadTrace trace;
    trace.path = "/app/main";
    LoadedFile cublas, lt, gone;
    cublas.name = "libcublas.so.12";
    cublas.needed_by = "/app/main";
    cublas.taken = "/cuda/libcublas.so.12";
    lt.name = "libcublasLt.so.12";
    lt.needed_by = "/cuda/libcublas.so.12";
    lt.taken = "/cuda/libcublasLt.so.12";
    gone.name = "libgone.so";
    gone.needed_by = "/not/in/the/tree.so";
    trace.libraries = {cublas, lt, gone};
    report.scenarios[0].traces = {trace};
    const std::string page = html_report(report, {});
    CHECK(wrong_tag(page) == "");
    for (const char* part :
         {"<td class=\"error\" title=\"&quot;too&quot; &lt;new&gt;\">refused</td>", "PTX 9.0 &lt; is too new",
          "<dt>ignored</dt><dd>known</dd>", "<pre>set(X &quot;80&quot;)</pre>", "a b/ptxguard.toml:3",
          "prefers-color-scheme:dark", "@media print"})
        CHECK_MESSAGE(page.find(part) != std::string::npos, part, "\n", page);
    // What a library opened is inside its own entry.
    const auto outer = page.find("libcublas.so.12</code>"), inner = page.find("libcublasLt.so.12</code>");
    CHECK(page.substr(outer, inner - outer).find("</li>") == std::string::npos);
    CHECK(page.find("not found", page.find("libgone.so")) != std::string::npos);
    for (const char* part : {"<script", "http", "url(", "<link", "<img", "@import", "href", "src="})
        CHECK_MESSAGE(page.find(part) == std::string::npos, part);
}
