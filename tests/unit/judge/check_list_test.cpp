// The check list, and which finding follows from which.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "judge/judge.hpp"
#include "judge/rule.hpp"
#include "judged_lines.hpp"

using namespace ptxguard;

namespace {

Part part(PartKind kind, const char* version) {
    return {kind, std::string("/c/bin/") + to_string(kind), "", {*parse_version(version), {}}, ""};
}

// nvcc 13.0.88 with a cicc of that version, its PTX, and ptxas's answer to it.
Scenario machine(const char* cicc, PtxVersion ptx, Outcome assembled) {
    Scenario scenario;
    scenario.name = "this machine";
    Toolkit toolkit;
    toolkit.id = scenario.project.toolkit = "toolkit1";
    toolkit.root = "/c";
    toolkit.layout = Layout::nvidia;
    toolkit.parts = {part(PartKind::nvcc, "13.0.88"), part(PartKind::cicc, cicc),
                     part(PartKind::ptxas, "13.0.88")};
    for (PartKind kind : {PartKind::cudafe, PartKind::nvlink, PartKind::fatbinary, PartKind::crt_headers,
                          PartKind::runtime_headers, PartKind::libdevice, PartKind::cudart})
        toolkit.parts.push_back(part(kind, "13.0.88"));
    scenario.toolkits = {toolkit};
    scenario.project.toolkit_because = "CUDA_HOME";
    ProbeResult made;
    made.toolkit = toolkit.id;
    made.ptx = ptx;
    made.target = Arch{75, 0};
    made.outcome = Outcome::accepted;
    ProbeResult read = made;
    read.kind = ProbeKind::assemble;
    read.outcome = assembled;
    if (assembled == Outcome::refused) {
        read.failure = Failure::ptx_version;
        read.words = read.first_error = "ptxas fatal : Unsupported .version 9.5; current version is '9.0'";
    }
    scenario.probes = {made, read};
    return scenario;
}

std::string line_of(const Judgement& judgement, const std::string& name) {
    for (const CheckedArea& area : judgement.checklist)
        if (area.area == name) {
            std::string line = std::string(to_string(area.state)) + " " + area.text;
            for (const std::string& code : area.codes) line += " " + code;
            return line;
        }
    return "no such area";
}

void error(Findings& findings, const char* code, const char* toolkit, const char* package) {
    Finding& finding = add(findings, code, Level::error, std::string(code) + " of it", "wrong");
    finding.toolkit = toolkit;
    finding.package = package;
}

std::string cause_of(const Judgement& judgement, const char* code) {
    const Finding* finding = find(judgement, code);
    return finding && finding->caused_by ? finding->caused_by->code : "none";
}

}  // namespace

TEST_CASE("the check list shows what is right, and what was not checked") {
    const Facts facts = Facts::embedded();
    const Judgement judgement = judge({machine("13.0.88", {9, 0}, Outcome::accepted)}, facts, {});
    CHECK(line_of(judgement, "toolkit") == "ok nvcc 13.0.88 at /c, CUDA_HOME");
    CHECK(line_of(judgement, "PTX") == "ok PTX 9.0, compiled and assembled by its ptxas");
    CHECK(line_of(judgement, "architectures") == "ok cubins for sm_75 and PTX for sm_75 (default of nvcc)");
    CHECK(line_of(judgement, "driver") == "not_checked no driver found (--driver VERSION) CC210");
    CHECK(line_of(judgement, "GPU") == "not_checked no GPU found (--gpu NAME)");
    CHECK(line_of(judgement, "frameworks") == "not_checked no framework found (--framework NAME)");
}

TEST_CASE("an unused toolkit and a driver without a counterpart are not checked") {
    const Facts facts = Facts::embedded();
    Scenario scenario = machine("13.0.88", {9, 0}, Outcome::accepted);
    scenario.project = {};
    scenario.project.wanted = false;
    Driver driver;
    driver.id = "driver1";
    driver.declared = true;
    driver.version = {*parse_version("580.65.06"), {}};
    scenario.drivers = {driver};
    const Judgement judgement = judge({scenario}, facts, {});
    CHECK(line_of(judgement, "toolkit") == "not_checked nvcc 13.0.88 at /c, no build requested (--build)");
    CHECK(line_of(judgement, "driver") == "not_checked 580.65.06, nothing to compare it with");
}

TEST_CASE("in one line, an area has its names only") {
    const Facts facts = Facts::embedded();
    Scenario scenario = machine("13.0.88", {9, 0}, Outcome::accepted);
    Driver driver;
    driver.id = "driver1";
    driver.declared = true;
    driver.version = {*parse_version("580.65.06"), {}};
    scenario.drivers = {driver};
    for (const char* name : {"A100", "H100"}) {
        Gpu gpu;
        gpu.declared = true;
        gpu.name = name;
        gpu.arch = {Arch{name == std::string("A100") ? 80 : 90, 0}, {}};
        scenario.gpus.push_back(gpu);
    }
    std::string line;
    for (const CheckedArea& area : judge({scenario}, facts, {}).checklist)
        if (area.state == AreaState::ok) line += area.brief + "; ";
    CHECK(line ==
          "nvcc 13.0.88 at /c; PTX 9.0; cubins for sm_75 and PTX for sm_75 (default of nvcc); driver "
          "580.65.06; A100 (sm_80), H100 (sm_90); ");
}

TEST_CASE("a GPU that was refused is checked, and an nvcc that fails gives no PTX") {
    const Facts facts = Facts::embedded();
    Scenario scenario = machine("13.0.88", {9, 0}, Outcome::accepted);
    Gpu gpu;
    gpu.declared = true;
    gpu.name = "H100";
    gpu.arch = {Arch{90, 0}, {}};
    scenario.gpus = {gpu};
    scenario.project.archs = {{{Arch{80, 0}, true, false}}, {}};
    Judgement judgement = judge({scenario}, facts, {});
    CHECK(line_of(judgement, "GPU") ==
          "error nothing of this build runs on H100 (sm_90): it makes cubins for sm_80 CC204");
    scenario.probes.front().outcome = Outcome::refused;
    scenario.probes.front().basis = Certainty::measured;
    judgement = judge({scenario}, facts, {});
    CHECK(line_of(judgement, "PTX").find("nvcc 13.0.88 does not compile the test kernel") !=
          std::string::npos);
}

TEST_CASE("a GPU for which the build has only PTX that its driver refuses is not ok") {
    const Facts facts = Facts::embedded();
    Scenario scenario = machine("13.0.88", {9, 0}, Outcome::accepted);
    scenario.project.archs = {{{Arch{75, 0}, true, true}}, {}};
    Driver driver;
    driver.id = "driver1";
    driver.declared = true;
    driver.version = {*parse_version("550.54.14"), {}};
    scenario.drivers = {driver};
    Gpu gpu;
    gpu.declared = true;
    gpu.name = "RTX 4090";
    gpu.arch = {Arch{89, 0}, {}};
    for (const int number : {89, 90}) {  // a cubin for sm_86 would run there too; one for sm_90 has its own
        CAPTURE(number);
        gpu.arch = {Arch{number, 0}, {}};
        scenario.gpus = {gpu};
        scenario.project.archs = {{{Arch{75, 0}, true, true}, {Arch{90, 0}, true, false}}, {}};
        const std::string line = line_of(judge({scenario}, facts, {}), "GPU");
        CHECK((line.find("error RTX 4090 (sm_89): not with this build") == 0) == (number == 89));
        CHECK((line.find("ok ") == 0) == (number == 90));
    }
}

TEST_CASE("a plan mends what is only predicted, with --probe off too") {
    const Facts facts = Facts::embedded();
    for (const char* probes : {"auto", "off"}) {
        CAPTURE(probes);
        const Scenario scenario = scenario_of_lines({std::string("scenario probe_mode=") + probes,
                                                     "toolkit /usr/local/cuda 13.0.88", "build toolkit1",
                                                     "driver 550.54.14", "gpu \"RTX 4090\" sm_89"});
        const Judgement judgement = judge({scenario}, facts, {});
        for (const Plan& plan : judgement.plans)
            for (const Fix& step : plan.steps) {
                CAPTURE(step.text);
                CHECK(step.text.find("12.9") == std::string::npos);
                CHECK(step.text.find("12.8") == std::string::npos);
            }
    }
}

TEST_CASE("a problem is listed in its area, and a mixed toolkit is one cause") {
    const Facts facts = Facts::embedded();
    const std::vector<Scenario> mixed = {machine("13.5.37", {9, 5}, Outcome::refused)};
    const Judgement judgement = judge(mixed, facts, {});
    CHECK(line_of(judgement, "toolkit") == "error mixed: nvcc 13.0.88 with cicc 13.5.37 at /c CC104");
    CHECK(line_of(judgement, "PTX") ==
          "error nvcc 13.0.88 writes PTX 9.5, which its own ptxas 13.0.88 refuses CC201");
    CHECK(cause_of(judgement, "CC201") == "CC104");
    CHECK(cause_of(judgement, "CC104") == "none");
    JudgeOptions options;
    options.suppressions = {{"CC104", "known", {}}};
    CHECK(cause_of(judge(mixed, facts, options), "CC201") == "none");
}

TEST_CASE(
    "PTX of a mixed toolkit that a driver refuses follows from the mix, if the driver reads that of nvcc's "
    "release") {
    const Facts facts = Facts::embedded();
    Scenario mixed = machine("13.5.37", {9, 5}, Outcome::refused);
    mixed.project.archs = {{{Arch{80, 0}, true, true}}, {}};
    Driver driver;
    driver.id = "driver1";
    driver.declared = true;
    mixed.drivers = {driver};
    for (const auto& row : {std::pair("580.65.06", "CC104"), std::pair("535.104.05", "none")}) {
        CAPTURE(row.first);
        mixed.drivers.front().version = {*parse_version(row.first), {}};
        const Judgement judgement = judge({mixed}, facts, {});
        REQUIRE(find(judgement, "CC202"));
        CHECK(cause_of(judgement, "CC202") == row.second);
    }
}

TEST_CASE("tools and DLLs of one CUDA that is not installed are one cause, for each framework") {
    const std::vector<Rule> rules = {
        {"CC501", "a", "",
         [](const Scenario&, const Facts&, const LibraryFaults&, Findings& all) {
             error(all, "CC501", "", "tensorflow");
         }},
        {"CC109", "b", "",
         [](const Scenario&, const Facts&, const LibraryFaults&, Findings& all) {
             error(all, "CC109", "", "tensorflow");
         }},
        {"CC502", "c", "",
         [](const Scenario&, const Facts&, const LibraryFaults&, Findings& all) {
             error(all, "CC502", "", "tensorflow");
         }},
        {"CC111", "d", "", [](const Scenario&, const Facts&, const LibraryFaults&, Findings& all) {
             error(all, "CC111", "", "jax");
         }}};
    Scenario scenario;
    scenario.name = "a machine";
    Judgement judgement = judge_with(rules, {scenario}, Facts::with({}), {});
    CHECK(cause_of(judgement, "CC109") == "CC501");
    CHECK(cause_of(judgement, "CC502") == "CC501");
    CHECK(cause_of(judgement, "CC111") == "none");
    // The CUDA is installed, only the entry of PATH is wrong.
    EnvironmentEntry entry;
    entry.variable = "PATH";
    entry.problem = PathProblem::missing;
    entry.nearest = "C:/CUDA/bin";
    scenario.entries = {entry};
    judgement = judge_with(rules, {scenario}, Facts::with({}), {});
    CHECK(cause_of(judgement, "CC109") == "none");
}

TEST_CASE("a cause comes first within its level") {
    const std::vector<Rule> rules = {
        {"CC103", "a", "",
         [](const Scenario&, const Facts&, const LibraryFaults&, Findings& all) {
             error(all, "CC103", "/c", "");
         }},
        {"CC104", "b", "",
         [](const Scenario&, const Facts&, const LibraryFaults&, Findings& all) {
             error(all, "CC104", "/c", "");
         }},
        {"CC201", "c", "", [](const Scenario&, const Facts&, const LibraryFaults&, Findings& all) {
             error(all, "CC201", "/c", "");
         }}};
    Scenario scenario;
    scenario.name = "a machine";
    const Judgement judgement = judge_with(rules, {scenario}, Facts::with({}), {});
    REQUIRE(judgement.findings.size() >= 3);
    CHECK(judgement.findings[0].code == "CC104");
    CHECK(judgement.findings[1].code == "CC103");
    CHECK(judgement.findings[2].code == "CC201");
}

TEST_CASE("a line has two causes and the number of the others; what follows from one is not repeated") {
    const auto rule = [](const char* code,
                         void (*check)(const Scenario&, const Facts&, const LibraryFaults&, Findings&)) {
        return Rule{code, "a", "", check, false, "toolkit"};
    };
    const std::vector<Rule> rules = {
        rule("CC102",
             [](const Scenario&, const Facts&, const LibraryFaults&, Findings& all) {
                 add(all, "CC102", Level::warning, "entry", "an entry is missing");
             }),
        rule("CC104",
             [](const Scenario&, const Facts&, const LibraryFaults&, Findings& all) {
                 Finding& finding = add(all, "CC104", Level::error, "/c", "toolkit at /c is mixed");
                 finding.brief = "mixed at /c";
                 finding.toolkit = "/c";
             }),
        rule("CC105", [](const Scenario&, const Facts&, const LibraryFaults&,
                         Findings& all) { add(all, "CC105", Level::error, "/d", "toolkit lacks ptxas"); }),
        rule("CC201", [](const Scenario&, const Facts&, const LibraryFaults&, Findings& all) {
            add(all, "CC201", Level::error, "/c", "follows").of_toolkit("/c");
        })};
    Scenario scenario;
    scenario.name = "a machine";
    const Judgement judgement = judge_with(rules, {scenario}, Facts::with({}), {});
    CHECK(line_of(judgement, "toolkit") ==
          "error mixed at /c; lacks ptxas; and 1 more CC102 CC104 CC105 CC201");
}

TEST_CASE("of several DLLs of another CUDA the list names one of each side") {
    const Judgement judgement = judged(
        {"scenario foreign system=windows",
         "framework TensorFlow tensorflow 2.4.1 11.0 path=C:/p/Lib/site-packages/tensorflow",
         "trace C:/p/Lib/site-packages/tensorflow/python/_pywrap_tensorflow_internal.pyd "
         "framework=TensorFlow searched=\"C:/CUDA/bin (PATH)\" searches_path host=python",
         "  opens cublas64_11.dll because=\"not in C:/p (application folder)\"",
         "    not C:/CUDA/bin/cublas64_12.dll other-name PATH \"has another name: cublas64_12.dll\"",
         "  opens cublasLt64_11.dll because=\"not in C:/p (application folder)\"",
         "    not C:/CUDA/bin/cublasLt64_12.dll other-name PATH \"has another name: cublasLt64_12.dll\""});
    REQUIRE(find(judgement, "CC502"));
    CHECK(find(judgement, "CC502")->brief ==
          "TensorFlow 2.4.1 needs cublas64_11.dll and 1 more, only cublas64_12.dll and 1 more are here");
}

TEST_CASE("the other side of a pair that a rule refuses is named, not its finding again") {
    const Judgement judgement = judged({"framework PyTorch torch 2.11.0+cu130 13.0", "driver 470.256.02"});
    CHECK(line_of(judgement, "driver") ==
          "error 470.256.02: too old for PyTorch 2.11.0+cu130 (needs 580) CC208");
    CHECK(line_of(judgement, "frameworks") ==
          "error PyTorch 2.11.0+cu130 (CUDA 13.0): not with driver 470.256.02 CC208");
}

TEST_CASE("packages that are no framework are in the list with their libraries, or with why not") {
    Scenario scenario;
    scenario.name = "this machine";
    PackageLibraries whole, alone;
    whole.package = "ctransformers";
    whole.version = {*parse_version("0.2.27"), {}};
    whole.found = 2;
    alone.package = "nixl-cu12";
    alone.not_compared = "torch is not installed";
    scenario.package_libraries = {alone};
    CHECK(line_of(judge({scenario}, Facts::embedded(), {}), "libraries") ==
          "not_checked those of nixl-cu12: torch is not installed");
    scenario.package_libraries = {whole, alone};
    CHECK(line_of(judge({scenario}, Facts::embedded(), {}), "libraries") ==
          "ok ctransformers 0.2.27: 2 found");
}
