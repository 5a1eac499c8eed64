// SARIF, JUnit, HTML, CMake and one line each: what other programs read in a report.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <set>

#include "report/report.hpp"
#include "report/table.hpp"

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
    CHECK(to_text(results[1]["locations"], -1) ==
          R"([{"physicalLocation":{"artifactLocation":{"uri":"ptxguard.toml"},"region":{"startLine":1}}}])");
    CHECK(results[2]["suppressions"].items()[0]["justification"].as_string() == "known");
}

TEST_CASE("a path of another folder is an absolute URI in SARIF") {
    for (const auto& [path, uri] :
         {std::pair("/a/b.toml", "file:///a/b.toml"), {"C:\\a\\b.toml", "file:///C%3A/a/b.toml"}}) {
        Report report = sample_report();
        report.judgement.findings[0].location = Location{path, 0, 0};
        const std::string text = sarif_report(report, {});
        CHECK_MESSAGE(text.find(std::string("\"") + uri + "\"") != std::string::npos, text);
    }
}

TEST_CASE("every finding has a file and a line in the formats of CI systems") {
    Report report = sample_report();
    report.root = {"CMakeLists.txt", 1, 0};
    report.named = {"libx.so"};
    report.judgement.findings[0].location = Location{"Dockerfile", 0, 0};  // no line is known
    report.judgement.findings.push_back(finding("CC204", Level::error, "no code"));
    report.judgement.findings.back().subject = "libx.so(a.o)";
    const auto places = [&](const std::string& text, const std::string& before) {
        std::string all;
        for (std::size_t at = text.find(before); at != std::string::npos; at = text.find(before, at + 1))
            all += text.substr(at + before.size(),
                               text.find_first_of("\",:\n", at + before.size()) - at - before.size()) +
                   " ";
        return all;
    };
    CHECK(places(sarif_report(report, {}), "\"uri\": \"") ==
          "Dockerfile CMakeLists.txt libx.so CMakeLists.txt ");
    CHECK(places(github_report(report, {}), " file=") == "Dockerfile CMakeLists.txt libx.so ");
    CHECK(places(github_report(report, {}), ",line=") == "1 1 1 ");
    CHECK(places(gitlab_report(report, {}), "\"path\": \"") == "Dockerfile CMakeLists.txt libx.so ");
    CHECK(junit_report(report, {}).find("type=\"CC204\">libx.so:1\n") != std::string::npos);
}

TEST_CASE("a replacement is a fix that an editor applies from SARIF") {
    Report report = sample_report();
    Fix& fix = report.judgement.findings[0].fix[0];
    fix.edit = Edit{{"r.txt", 3, 8}, 17, "2.3.1"};
    const auto sarif = parse_json(sarif_report(report, {}), "sarif");
    const std::vector<Json> results = (*sarif)["runs"].items()[0]["results"].items();
    CHECK(
        to_text(results[0]["fixes"], -1) ==
        R"~([{"description":{"text":"set(X \"80\")"},"artifactChanges":[{"artifactLocation":{"uri":"r.txt"},"replacements":[{"deletedRegion":{"startLine":3,"startColumn":8,"endColumn":17},"insertedContent":{"text":"2.3.1"}}]}]}])~");
    CHECK(!results[1].has("fixes"));
}

TEST_CASE("the address of a rule's page is in JSON and SARIF if there is one, and fingerprints differ") {
    Report report = sample_report();
    report.judgement.findings.push_back(report.judgement.findings[1]);  // the same again
    ReportOptions options;
    options.pages = "https://example.org/rules";
    const auto json = parse_json(json_report(report, options), "json");
    const std::vector<Json> findings = (*json)["findings"].items();
    CHECK(findings[0]["url"].as_string() == "https://example.org/rules/CC202_ptx_newer_than_driver/");
    CHECK(sarif_report(report, options).find("\"helpUri\": \"" + findings[0]["url"].as_string()) !=
          std::string::npos);
    std::set<std::string> marks;
    for (const Json& one : findings) marks.insert(one["fingerprint"].as_string());
    CHECK(marks.size() == 4);
    CHECK(marks.count("") == 0);
    CHECK(parse_json(json_report(report, {}), "json")->operator[]("findings").items()[0]["url"].is_null());
    report.judgement.findings.erase(report.judgement.findings.begin());  // another run, with one fault less
    const auto next = parse_json(json_report(report, {}), "json");
    CHECK((*next)["findings"].items()[0]["fingerprint"].as_string() ==
          findings[1]["fingerprint"].as_string());
}

TEST_CASE("JUnit: an area without a finding and each finding are tests") {
    CHECK(junit_report(sample_report(), {}) ==
          R"(<?xml version="1.0" encoding="UTF-8"?>
<testsuites tests="4" failures="1" errors="0">
  <testsuite name="ptxguard check" tests="4" failures="1" errors="0" skipped="2" time="0">
    <testcase classname="ptxguard.check" name="toolkit" time="0"><system-out>nvcc 13.0.88</system-out></testcase>
    <testcase classname="ptxguard.check" name="GPU" time="0"><skipped message="not checked: no GPU found"/></testcase>
    <testcase classname="ptxguard.check.PTX" name="CC202 ptx_newer_than_driver: driver 550.54.14" time="0"><failure message="PTX 9.0 &lt; is too new" type="CC202">a b/ptxguard.toml:3
because: 80-virtual has PTX only
fix: set(X &quot;80&quot;)
</failure></testcase>
    <testcase classname="ptxguard.check" name="CC210 ptx_newer_than_driver: driver 550.54.14" time="0"><skipped message="no driver">ptxguard.toml:1
because: 80-virtual has PTX only
fix: set(X &quot;80&quot;)
</skipped></testcase>
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

TEST_CASE("lint prints findings as compilers do") {
    Report report;
    report.command = "lint";
    report.files_read = 2;
    const std::vector<std::string> lines = {"\tpip install  \"torch==2.0\" # \xC3\xA9", "FROM x"};
    report.source_line = [&](const Location& at) { return lines[static_cast<std::size_t>(at.line) - 1]; };
    CHECK(lint_text(report, {}) == "no problems in 2 files\n");
    report.judgement.findings = {finding("CC603", Level::error, "torch==2.0 was never released"),
                                 finding("CC608", Level::warning, "no nvcc"),
                                 finding("CC003", Level::warning, "suppressed")};
    std::vector<Finding>& all = report.judgement.findings;
    all[0].location = Location{"a.sh", 1, 16};
    all[0].fix = {{FixKind::edit, "torch==2.1", {}, "", Edit{{"a.sh", 1, 23}, 26, "2.1"}}};
    all[0].found = {{"image", "x", Origin::from_file("a.sh", 2)},
                    {"pin", "torch", Origin::from_file("a.sh", 1)}};
    all[1].location = Location{"a.sh", 2, 6};
    all[1].because = "";
    all[1].fix = {};
    all[1].decide = {"name the image"};
    all[2].location = Location{"b.sh", 1, 1};
    all[2].suppressed = "built here";
    CHECK(lint_text(report, {}) == R"(a.sh:1:16: error: torch==2.0 was never released [CC603] [*]
    1 |  pip install  "torch==2.0" # )"
                                   "\xC3\xA9"
                                   R"(
      |                ^~~~~~~~~~
      = note: 80-virtual has PTX only
      = fix: torch==2.1
a.sh:2: note: image x

a.sh:2:6: warning: no nvcc [CC608]
    2 | FROM x
      |      ^
      = to check: name the image

b.sh:1:1: note: suppressed, ignored: built here [CC003]

1 error, 1 warning, 1 ignored; 1 fixable with --fix
)");
    ReportOptions quiet;
    quiet.quiet = true;
    report.fixed = 3;
    CHECK(lint_text(report, quiet) ==
          "a.sh:1:16: error: torch==2.0 was never released [CC603] [*]\na.sh:2:6: warning: no nvcc "
          "[CC608]\nfixed 3; 1 error, 1 warning, 1 ignored; 1 fixable with --fix\n");
}

TEST_CASE("findings of one cause share their notes") {
    Report report;
    report.command = "lint";
    const Finding one = finding("CC616", Level::warning, "the image was withdrawn");
    report.judgement.findings = {one, one, one, one};
    std::vector<Finding>& all = report.judgement.findings;
    for (Finding& each : all) {
        each.because = "docker ends";
        each.fix.clear();
    }
    all[0].location = Location{"a/Dockerfile", 1, 6};
    all[1].location = Location{"b/Dockerfile", 1, 6};
    all[2].location = Location{"a/Dockerfile", 1, 6};
    all[2].message = "another sentence";
    all[3].because = "another cause";
    all[3].location = Location{"ci.yml", 3, 1};
    all[3].place = {"ci.yml", "job build", "(os=windows-2022)", "", ""};
    all[3].found = {{"torch", "torch 2.4.0", Origin::from_file("r.txt", 2)},
                    {"pip", "torch==2.4.0", Origin::from_file("r.txt", 2)}};
    CHECK(lint_text(report, {}) == R"(a/Dockerfile:1:6: warning: the image was withdrawn [CC616]
b/Dockerfile:1:6: warning: the image was withdrawn [CC616]
a/Dockerfile:1:6: warning: another sentence [CC616]
      = note: docker ends

ci.yml:3:1: warning: the image was withdrawn [CC616]
      = note: another cause
      = in: job build, for example (os=windows-2022)
r.txt:2: note: torch 2.4.0

4 warnings
)");
    all[3].place = {"Dockerfile", "", "", "", ""};
    CHECK(lint_text(report, {}).find("      = in: Dockerfile\n") != std::string::npos);
}

TEST_CASE("what a rule checks is the first sentence of its page") {
    CHECK(first_sentence(
              "## What it checks\nChecks that `nvcc` and\nptxas fit. Not more.\n\n## Why\nIt. breaks") ==
          "Checks that nvcc and ptxas fit");
    CHECK(first_sentence("## What it checks\nChecks 13.0 code for each GPU:\n\n| file | runs |\n") ==
          "Checks 13.0 code for each GPU");
    CHECK(first_sentence("## What it checks\nChecks packages:\n- JAX: all. - others") == "Checks packages");
    CHECK(first_sentence("") == "");
    CHECK(first_paragraph("## What\nOne. `Two`\nthree.\n\nFour.") == "One. `Two` three.");
}

TEST_CASE("a long source line is cut around the place") {
    Report report;
    report.command = "lint";
    report.source_line = [](const Location&) {
        return std::string(300, 'x') + " torch==1 " + std::string(90, 'y');
    };
    report.judgement.findings = {finding("CC603", Level::error, "never released")};
    report.judgement.findings[0].location = Location{"a.sh", 1, 302};
    ReportOptions options;
    options.width = 60;
    const std::string text = lint_text(report, options);
    const std::string line = text.substr(text.find('\n') + 1);
    CHECK(line.substr(0, line.find("      =")) ==
          "    1 | ...xxxxxxxxxxxxxxxxxxx torch==1 yyyyyyyyyyyyyy...\n      |                        "
          "^~~~~~~~\n");
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

TEST_CASE("CMake's message() keeps a finding's lines, since each is indented") {
    const std::string script = cmake_script(sample_report(), {});
    CHECK_MESSAGE(script.find("[\n  error[CC202]: PTX 9.0") != std::string::npos, script);
}
