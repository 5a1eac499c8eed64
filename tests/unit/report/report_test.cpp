// SPDX-License-Identifier: Apache-2.0
#include "report/report.hpp"

#include <doctest/doctest.h>

using namespace ptxguard;

namespace {

Origin from(const std::string& text, Certainty certainty) {
    Origin origin = Origin::from_option("--x");
    origin.text = text;
    origin.certainty = certainty;
    return origin;
}

Finding sample() {
    Finding finding;
    finding.code = "CC202";
    finding.name = "ptx_newer_than_driver";
    finding.level = Level::error;
    finding.subject = "driver 550.54.14";
    finding.message = "PTX 9.0 of this nvcc is too new for driver 550.54.14, which reads up to 8.4";
    finding.found = {{"PTX ISA", "9.0", from("nvcc 13.0.88 at /c/bin/nvcc", Certainty::measured)}};
    finding.expected = {{"PTX ISA", "<= 8.4", from("driver 550.54.14, from --driver", Certainty::predicted)}};
    finding.because = "80-virtual has PTX only";
    finding.fix = {{FixKind::setting, "-DCMAKE_CUDA_ARCHITECTURES=80-real"},
                   {FixKind::manual, "driver 580.65.06 or newer"}};
    return finding;
}

Report report_of(std::vector<Finding> findings, Verdict verdict) {
    Report report;
    report.command = "check";
    report.scenarios.emplace_back();
    report.scenarios[0].name = "this machine";
    report.judgement.findings = std::move(findings);
    report.judgement.verdict = verdict;
    for (const Finding& finding : report.judgement.findings) {
        if (finding.level == Level::note) ++report.judgement.counts.note;
        if (finding.level == Level::error) ++report.judgement.counts.error;
        if (finding.level == Level::unknown) ++report.judgement.counts.unknown;
    }
    return report;
}

}  // namespace

TEST_CASE("a finding is a block with found and expected one below the other") {
    CHECK(finding_block(sample(), {}) ==
          "error[CC202]: PTX 9.0 of this nvcc is too new for driver 550.54.14, which reads up to 8.4\n"
          "  found     PTX ISA 9.0      nvcc 13.0.88 at /c/bin/nvcc\n"
          "  expected  PTX ISA <= 8.4   driver 550.54.14, from --driver, predicted\n"
          "  because   80-virtual has PTX only\n"
          "  fix       -DCMAKE_CUDA_ARCHITECTURES=80-real\n"
          "  or        driver 580.65.06 or newer\n"
          "  more      ptxguard explain CC202\n");
}

TEST_CASE("an unknown names what would decide it, and its location comes first") {
    Finding finding;
    finding.code = "CC210";
    finding.level = Level::unknown;
    finding.message = "no driver here";
    finding.decide = {"--driver 550.54.14"};
    finding.location = Location{"Dockerfile", 3, 6};
    CHECK(finding_block(finding, {}) ==
          "unknown[CC210]: no driver here\n"
          "  at        Dockerfile:3:6\n"
          "  to check  --driver 550.54.14\n"
          "  more      ptxguard explain CC210\n");
}

TEST_CASE("a suppressed finding repeats its reason, and lines are aligned under their label") {
    Finding finding = sample();
    finding.suppressed = "only CI uses it";
    finding.because = "first\nsecond";
    std::string block = finding_block(finding, {});
    CHECK(block.find("  because   first\n            second\n") != std::string::npos);
    CHECK(block.find("  ignored   only CI uses it\n") != std::string::npos);
}

TEST_CASE("colour is only around the level and the headline") {
    ReportOptions colored;
    colored.color = true;
    std::string block = finding_block(sample(), colored);
    CHECK(block.find("\x1b[1;31merror[CC202]\x1b[0m: \x1b[1mPTX 9.0") == 0);
    CHECK(finding_block(sample(), {}).find('\x1b') == std::string::npos);
}

TEST_CASE("the verdict is the last line, with the counts") {
    std::string text = text_report(report_of({sample()}, Verdict::fail), {});
    CHECK(text.substr(text.size() - 25) == "\nverdict: fail (1 error)\n");
    CHECK(text_report(report_of({}, Verdict::pass), {}) == "verdict: ok, no problems found\n");
    CHECK(counts_text({2, 1, 0, 3}) == "2 errors, 1 warning, 3 unknown");
    CHECK(text_report(report_of({}, Verdict::unknown), {}) == "verdict: undecided\n");
    CHECK(text_report(report_of({}, Verdict::not_checked), {}) == "verdict: not checked\n");
}

TEST_CASE("a check shows the headline of each note, and its verdict counts them") {
    Finding note = sample();
    note.level = Level::note;
    Finding other = note;
    other.subject = "other";
    Report report = report_of({note, other}, Verdict::pass);
    const std::string heads = "note[CC202]: " + note.message + "\nnote[CC202]: " + note.message + "\n\n";
    CHECK(text_report(report, {}) == heads + "verdict: ok, 2 notes, see --verbose\n");
    ReportOptions options;
    options.quiet = true;
    CHECK(text_report(report, options) == "verdict: ok, 2 notes\n");
    options.quiet = false;
    options.verbose = true;
    CHECK(text_report(report, options).find("\n  because   ") != std::string::npos);
}

TEST_CASE("the check list begins with what is wrong, and says why the build is checked") {
    Report report = report_of({}, Verdict::pass);
    report.judgement.checklist = {{"toolkit", AreaState::ok, "nvcc 13.0.88", {}},
                                  {"PTX", AreaState::not_checked, "no toolkit found", {}},
                                  {"driver", AreaState::warning, "is old", {"CC202"}},
                                  {"GPU", AreaState::error, "no code", {"CC204"}}};
    Origin origin = Origin::from_file("/src/setup.py", 4);
    report.scenarios[0].project.built_by = {"setup.py builds a CUDA extension", origin};
    CHECK(text_report(report, {}) ==
          "setup.py builds a CUDA extension (line 4), so the build is checked too\n"
          "error    GPU      no code\n"
          "warning  driver   is old\n"
          "ok       toolkit  nvcc 13.0.88\n"
          "-        PTX      not checked: no toolkit found\n"
          "\n"
          "verdict: ok, no problems found\n");
}

TEST_CASE("a plan of one step lists each way once, others their steps") {
    const Fix a{FixKind::command, "a"}, b{FixKind::command, "b"}, c{FixKind::manual, "c"};
    CHECK(plan_text({{{a}, ""}, {{b}, ""}}, {}) == "Any one of these fixes everything:\n  a\n  b\n\n");
    CHECK(plan_text({{{a}, ""}}, {}) == "This fixes everything:\n  a\n\n");
    CHECK(plan_text({{{a, b}, ""}, {{b, c}, ""}}, {}) ==
          "These steps together fix everything:\n  1. a\n  2. b\n  or: b, then c\n\n");
}

TEST_CASE("quiet keeps warnings, errors and the verdict") {
    Finding unknown = sample();
    unknown.level = Level::unknown;
    ReportOptions quiet;
    quiet.quiet = true;
    std::string text = text_report(report_of({sample(), unknown}, Verdict::fail), quiet);
    CHECK(text.find("error[CC202]") != std::string::npos);
    CHECK(text.find("unknown[CC202]") == std::string::npos);
    CHECK(text.find("1 unknown") != std::string::npos);
    unknown.required = true;
    CHECK(text_report(report_of({unknown}, Verdict::unknown), quiet).find("unknown[CC202]") !=
          std::string::npos);
}

TEST_CASE("the inventory shows each part with its own version") {
    Report report = report_of({}, Verdict::pass);
    Scenario& scenario = report.scenarios[0];
    Toolkit toolkit;
    toolkit.id = "toolkit1";
    toolkit.root = "/opt/cuda";
    toolkit.names = {"/opt/cuda", "/usr/local/cuda"};
    Known<Version> old(*parse_version("13.0.88"), {}), young(*parse_version("13.5.37"), {});
    toolkit.parts = {{PartKind::nvcc, "/opt/cuda/bin/nvcc", "", old, ""},
                     {PartKind::cicc, "/opt/cuda/nvvm/bin/cicc", "", young, ""},
                     {PartKind::ptxas, "/opt/cuda/bin/ptxas", "", old, ""}};
    scenario.toolkits = {toolkit};
    Pick pick;
    pick.consumer = "this build";
    pick.tool = "nvcc";
    pick.path = "/opt/cuda/bin/nvcc";
    pick.version = old;
    pick.because = "CUDA_HOME";
    pick.losers = {{"/usr/bin/nvcc", "later on PATH"}};
    scenario.picks = {pick};
    ReportOptions options;
    options.show = {"inventory", "picks"};
    CHECK(text_report(report, {}) == "verdict: ok, no problems found\n");
    CHECK(text_report(report, options) ==
          "tools that each program uses\n"
          "  this build   nvcc 13.0.88   /opt/cuda/bin/nvcc   CUDA_HOME\n"
          "               skipped        /usr/bin/nvcc        later on PATH\n"
          "\n"
          "toolkits\n"
          "  13.0   /opt/cuda (also /usr/local/cuda)\n"
          "         nvcc, ptxas 13.0.88; cicc 13.5.37\n"
          "\n"
          "verdict: ok, no problems found\n");
}

TEST_CASE("a framework's libraries are picks, too, with what would change them") {
    Report report = report_of({}, Verdict::pass);
    const auto library = [](const char* name, const char* kind, const char* rule) {
        LoadedFile file;
        file.name = name;
        file.library = kind;
        if (*rule) file.taken = std::string("/l/") + name;
        file.rule = LoadRule::from_text(rule);
        return file;
    };
    LoadTrace trace;
    trace.traced_for.emplace().framework = "PyTorch";
    trace.libraries = {library("libcudart.so.12", "cudart", "DT_RPATH of t.so"),
                       library("libcublas.so.12", "cublas", "DT_RPATH of t.so"),
                       library("libcublasLt.so.12", "cublasLt", "DT_RPATH of t.so"),
                       library("libcudnn.so.9", "cudnn", "LD_LIBRARY_PATH"),
                       library("libnvrtc.so.12", "nvrtc", "")};
    for (int i : {1, 2}) trace.libraries[i].version = {*parse_version("12.8.4.1"), {}};
    report.scenarios[0].traces = {trace};
    ReportOptions options;
    options.show = {"picks"};
    CHECK(
        text_report(report, options) ==
        "tools that each program uses\n"
        "  PyTorch   cudart ?, cuBLAS 12.8.4.1   /l                 DT_RPATH of t.so; no variable changes "
        "it\n"
        "            cuDNN ?                     /l/libcudnn.so.9   LD_LIBRARY_PATH; that variable decides\n"
        "            NVRTC none                  libnvrtc.so.12     missing\n"
        "\n"
        "verdict: ok, no problems found\n");
    report.scenarios[0].traces[0].libraries[2].rule = "ld.so.cache";
    report.scenarios[0].traces[0].libraries[2].version = {*parse_version("12.4.5.8"), {}};
    CHECK(text_report(report, options)
              .find("cuBLASLt 12.4.5.8           /l/libcublasLt.so.12   ld.so.cache; LD_LIBRARY_PATH comes "
                    "before it") != std::string::npos);
    Expectation framework;
    framework.framework = "PyTorch";
    framework.package = "torch";
    framework.path = "/site/torch";
    framework.version = {*parse_version("2.8.0"), {}};
    report.scenarios[0].expectations = {framework};
    Pick nvcc, ptxas;
    nvcc.consumer = "torch.utils.cpp_extension";
    nvcc.tool = "nvcc";
    nvcc.because = "finds none";
    ptxas.consumer = "torch.compile (Triton) in torch 2.8.0";
    ptxas.tool = "ptxas";
    ptxas.search.emplace().package = "torch";
    ptxas.path = "/site/triton/ptxas";
    ptxas.because = "its own copy";
    ptxas.search->setting = "TRITON_PTXAS_PATH";
    report.scenarios[0].picks = {nvcc, ptxas};
    const Json json = *parse_json(json_report(report, {}), "report");
    std::string listed;
    for (const Json& pick : json["inventory"]["framework_picks"].items())
        listed += pick["framework"].as_string() + " " + pick["part"].as_string() + " " +
                  pick["setting"].as_string() + "; ";
    CHECK(listed ==
          "PyTorch 2.8.0 nvcc CUDA_HOME; PyTorch 2.8.0 ptxas TRITON_PTXAS_PATH; PyTorch 2.8.0 cudart ; "
          "PyTorch 2.8.0 cuBLAS ; PyTorch 2.8.0 cuBLASLt LD_LIBRARY_PATH; PyTorch 2.8.0 cuDNN "
          "LD_LIBRARY_PATH; PyTorch 2.8.0 NVRTC ; ");
}

TEST_CASE("the JSON report has the envelope and the values that a build uses") {
    Report report = report_of({sample()}, Verdict::fail);
    Scenario& scenario = report.scenarios[0];
    scenario.project.toolkit = "toolkit1";
    scenario.project.archs.targets = {{{80, 0}, true, false}, {{90, 0}, false, true}};
    ProbeResult ptx;
    ptx.toolkit = "toolkit1";
    ptx.target = Arch{90, 0};
    ptx.ptx = PtxVersion{9, 0};
    ptx.outcome = Outcome::accepted;
    scenario.probes = {ptx};
    Json json = *parse_json(json_report(report, {}), "report");
    CHECK(json["schema"].as_string() == "ptxguard/report-1");
    CHECK(json["verdict"].as_string() == "fail");
    CHECK(json["findings"].items()[0]["expected"].items()[0]["origin"]["certainty"].as_string() ==
          "predicted");
    CHECK(json["build"]["ptx_version"].as_string() == "9.0");
    CHECK(to_text(json["build"]["architectures_ok"], -1) == "[\"90-virtual\"]");  // 80 was never assembled
    CHECK(json["build"]["first"].as_string() == sample().message);
    CHECK(json["inventory"]["scenario"].as_string() == "this machine");
}

TEST_CASE("reports for CI: annotations, a code quality list, and a table in markdown") {
    Finding at = sample();
    at.location = Location{"a,b.cmake", 3, 6};
    at.because.clear();
    Finding hidden = sample();
    hidden.suppressed = "known";
    Report report = report_of({at, hidden}, Verdict::fail);
    report.judgement.counts.error = 1;
    CHECK(github_report(report, {}) ==
          "::error file=a%2Cb.cmake,line=3,col=6,title=CC202 ptx_newer_than_driver::PTX 9.0 of this nvcc is "
          "too new for "
          "driver 550.54.14, which reads up to 8.4%0Afix: -DCMAKE_CUDA_ARCHITECTURES=80-real%0Afix: driver "
          "580.65.06 or "
          "newer\nverdict: fail (1 error, 1 ignored)\n");
    const auto list = parse_json(gitlab_report(report, {}), "gitlab");
    REQUIRE(list);
    REQUIRE(list->items().size() == 1);
    const std::string one = to_text(list->items().front());
    for (const char* part :
         {"\"critical\"", "\"a,b.cmake\"", "\"CC202: PTX 9.0", "\"fingerprint\"", "\"begin\": 3"})
        CHECK_MESSAGE(one.find(part) != std::string::npos, one);
    const std::string markdown = markdown_report(report, {});
    CHECK(markdown.find("### ptxguard check: fail (1 error, 1 ignored)\n\n| level |") == 0);
    CHECK(markdown.find("| error | CC202 | PTX 9.0") != std::string::npos);
    CHECK(markdown.find("<code>-DCMAKE&#95;CUDA&#95;ARCHITECTURES=80-real</code><br>or <code>") !=
          std::string::npos);
    CHECK(gitlab_report(report_of({}, Verdict::pass), {}) == "[]\n");
}

TEST_CASE("the check list comes first, and lists what was not checked") {
    Report report = report_of({sample()}, Verdict::fail);
    report.judgement.checklist = {{"toolkit", AreaState::ok, "nvcc 13.0.88 at /opt/cuda", {}},
                                  {"PTX", AreaState::error, "PTX 9.0", {"CC202"}},
                                  {"driver", AreaState::not_checked, "no NVIDIA driver found", {}}};
    const std::string text = text_report(report, {});
    CHECK(text.find("error    PTX      PTX 9.0\n"
                    "ok       toolkit  nvcc 13.0.88 at /opt/cuda\n"
                    "-        driver   not checked: no NVIDIA driver found\n"
                    "\n"
                    "error[CC202]: ") == 0);
    ReportOptions options;
    options.color = options.symbols = true;
    CHECK(text_report(report, options).find("\x1b[1;32m\xE2\x9C\x93 \x1b[0mtoolkit  nvcc") !=
          std::string::npos);
    CHECK(text_report(report, options).find("\x1b[1;31m\xE2\x9C\x97 \x1b[0mPTX      PTX 9.0") == 0);
    options.quiet = true;
    CHECK(text_report(report, options).find("toolkit") == std::string::npos);
}

TEST_CASE("a line is as wide as the terminal, and text to be pasted is not broken") {
    Finding finding = sample();
    finding.because =
        "a cubin runs on GPUs of its major with the same or a newer minor; \xC3\xA4 is one column";
    finding.fix[0].text =
        "set(CMAKE_CUDA_ARCHITECTURES \"75-real;80-real;86-real;90-real\") # some more words behind it";
    ReportOptions options;
    options.width = 60;
    CHECK(finding_block(finding, options) ==
          "error[CC202]: PTX 9.0 of this nvcc is too new for driver\n"
          "  550.54.14, which reads up to 8.4\n"
          "  found     PTX ISA 9.0      nvcc 13.0.88 at /c/bin/nvcc\n"
          "  expected  PTX ISA <= 8.4   driver 550.54.14, from\n"
          "            --driver, predicted\n"
          "  because   a cubin runs on GPUs of its major with the same\n"
          "            or a newer minor; \xC3\xA4 is one column\n"
          "  fix       set(CMAKE_CUDA_ARCHITECTURES \"75-real;80-real;86-real;90-real\") # some more words "
          "behind it\n"
          "  or        driver 580.65.06 or newer\n"
          "  more      ptxguard explain CC202\n");
}

TEST_CASE("in brief an error has one value of each kind, with a location that fits, and a warning none") {
    Finding finding = sample();
    for (const char* version : {"8.8", "8.7", "8.6"}) finding.found.push_back({"PTX ISA", version, {}});
    finding.expected.push_back({"a GPU", "with a cubin", {}});
    ReportOptions brief;
    brief.brief = true;
    const std::string whole = finding_block(finding, brief);
    CHECK(whole.find("  found     PTX ISA 9.0          nvcc 13.0.88 at /c/bin/nvcc\n"
                     "  expected  PTX ISA <= 8.4       driver 550.54.14, from --driver, predicted\n"
                     "            ... and 4 more: --verbose\n  because") != std::string::npos);
    brief.width = 60;
    const std::string narrow = finding_block(finding, brief);
    CHECK_MESSAGE(narrow.find("  expected  PTX ISA <= 8.4       predicted\n") != std::string::npos, narrow);
    CHECK(finding_block(finding, {}).find("--verbose") == std::string::npos);
    finding.level = Level::warning;
    CHECK(finding_block(finding, brief).find("found") == std::string::npos);
    CHECK(finding_block(finding, brief).find("  fix       ") != std::string::npos);
    CHECK(finding_block(finding, {}).find("found") != std::string::npos);
}

TEST_CASE("the consequences of a finding are one line of it") {
    Finding cause = sample(), effect = sample();
    effect.code = "CC201";
    effect.name = "ptx_newer_than_assembler";
    effect.caused_by = FindingKey{cause.code, cause.subject};
    const std::string text = text_report(report_of({cause, effect}, Verdict::fail), {});
    CHECK(text.find("  also      CC201 ptx_newer_than_assembler: follows from this\n") != std::string::npos);
    CHECK(text.find("error[CC201]") == std::string::npos);
    Report both = report_of({cause, effect}, Verdict::fail);
    both.judgement.counts = {2, 0, 0, 1};
    const std::string also = "CC201 ptx_newer_than_assembler: follows from this";
    CHECK(text_report(both, {}).find("\nverdict: fail (1 error, 1 that follows from it, 1 unknown)\n") !=
          std::string::npos);
    CHECK(github_report(both, {}).find("%0Aalso: " + also + "\nverdict: fail (1 error, 1 that follows") !=
          std::string::npos);
    CHECK(github_report(both, {}).find("title=CC201") == std::string::npos);
    const auto list = parse_json(gitlab_report(both, {}), "gitlab");
    REQUIRE(list->items().size() == 1);
    CHECK(list->items().front()["description"].as_string() == "CC202: " + cause.message + "; also " + also);
    CHECK(markdown_report(both, {}).find("| error | CC201") == std::string::npos);
    CHECK(markdown_report(both, {}).find("; also CC201 ptx&#95;newer") != std::string::npos);
    ReportOptions colored;
    colored.color = true;
    CHECK(text_report(both, colored).find("verdict: \x1b[1;31mfail\x1b[0m (1 error, 1 that") !=
          std::string::npos);
    CHECK(counts_text({2, 1, 0, 0}, 3) == "2 errors, 3 that follow from them, 1 warning");
    const Json json = *parse_json(json_report(report_of({cause, effect}, Verdict::fail), {}), "report");
    CHECK(json["findings"].items()[0]["caused_by"].is_null());
    CHECK(json["findings"].items()[1]["caused_by"]["code"].as_string() == "CC202");
}
