// The questions about PTX, architectures and drivers that several rules share.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "judge/ptx_questions.hpp"
#include "judge/severity.hpp"

using namespace ptxguard;

namespace {

Target real(int number) { return {{number, 0}, true, false}; }
Target ptx_of(int number) { return {{number, 0}, false, true}; }
Target both(int number) { return {{number, 0}, true, true}; }
Version version(const char* text) { return *parse_version(text); }

Part ptx_part(PartKind kind, const char* text) {
    Part made;
    made.kind = kind;
    made.path = std::string("/opt/cuda/bin/") + to_string(kind);
    made.version.value = version(text);
    return made;
}

Toolkit toolkit(const char* nvcc, const char* cicc, const char* ptxas) {
    Toolkit made;
    made.id = "toolkit1";
    made.root = "/opt/cuda";
    if (nvcc) made.parts.push_back(ptx_part(PartKind::nvcc, nvcc));
    if (cicc) made.parts.push_back(ptx_part(PartKind::cicc, cicc));
    if (ptxas) made.parts.push_back(ptx_part(PartKind::ptxas, ptxas));
    return made;
}

Driver driver(const char* text, bool declared = true) {
    Driver made;
    made.id = declared ? "driver1" : "driver2";
    made.declared = declared;
    made.version.value = version(text);
    return made;
}

Gpu gpu(int number, bool declared) {
    Gpu made;
    made.arch.value = Arch{number, 0};
    made.declared = declared;
    return made;
}

ProbeResult probe_of(ProbeKind kind, Outcome outcome, PtxVersion ptx) {
    ProbeResult probe;
    probe.kind = kind;
    probe.outcome = outcome;
    probe.toolkit = "toolkit1";
    probe.driver = "driver1";
    probe.ptx = ptx;
    return probe;
}

const Facts& facts() {
    static const Facts embedded = Facts::embedded();
    return embedded;
}

}  // namespace

TEST_CASE("a target has PTX only if no cubin of the list fits the GPU that it is for") {
    CHECK(targets_with_ptx_only({ptx_of(80)}) == std::vector<Target>{ptx_of(80)});
    CHECK(targets_with_ptx_only({both(80)}).empty());
    CHECK(targets_with_ptx_only({real(80)}).empty());
    CHECK(targets_with_ptx_only({real(80), ptx_of(90)}) == std::vector<Target>{ptx_of(90)});
    CHECK(targets_with_ptx_only({real(80), ptx_of(86)}).empty());  // same major, newer minor
    CHECK(targets_with_ptx_only({real(86), ptx_of(80)}) == std::vector<Target>{ptx_of(80)});  // older minor
    Target exact = real(90);
    exact.arch.suffix = 'a';
    CHECK(targets_with_ptx_only({exact, ptx_of(90)}).empty());
    CHECK(targets_with_ptx_only({exact, ptx_of(100)}) == std::vector<Target>{ptx_of(100)});
    CHECK(targets_with_ptx_only({}).empty());
}

TEST_CASE("a GPU depends on PTX if no cubin fits it and some PTX compiles for it") {
    CHECK_FALSE(depends_on_ptx({both(80)}, Arch{80, 0}));
    CHECK_FALSE(depends_on_ptx({both(80)}, Arch{86, 0}));
    CHECK(depends_on_ptx({both(80)}, Arch{90, 0}));
    CHECK_FALSE(depends_on_ptx({both(80)}, Arch{75, 0}));  // nothing fits
    CHECK_FALSE(depends_on_ptx({real(80)}, Arch{90, 0}));
    Target exact = ptx_of(90);
    exact.arch.suffix = 'a';
    CHECK(depends_on_ptx({exact}, Arch{90, 0}));
    CHECK_FALSE(depends_on_ptx({exact}, Arch{100, 0}));  // a suffixed target is only for its own capability
}

TEST_CASE("the PTX version of a build is measured, else that of its cicc, else that of its nvcc") {
    Scenario scenario;
    scenario.toolkits = {toolkit("13.0.88", "13.5.37", "13.0.88")};
    CHECK(ptx_made(scenario, facts(), scenario.toolkits[0])->text() == "9.5");
    CHECK(ptx_made(scenario, facts(), toolkit("13.0.88", nullptr, nullptr))->text() == "9.0");
    CHECK(ptx_made(scenario, facts(), toolkit("13.0.88", nullptr, nullptr)).origin.certainty ==
          Certainty::predicted);
    CHECK_FALSE(ptx_made(scenario, facts(), toolkit(nullptr, nullptr, "13.0.88")));  // ptxas writes no PTX
    CHECK_FALSE(ptx_made(scenario, facts(), toolkit("99.1.0", nullptr, nullptr)));

    scenario.probes = {probe_of(ProbeKind::ptx, Outcome::refused, {9, 9}),
                       probe_of(ProbeKind::ptx, Outcome::accepted, {9, 1})};
    CHECK(ptx_made(scenario, facts(), scenario.toolkits[0])->text() == "9.1");
    CHECK(ptx_made(scenario, facts(), scenario.toolkits[0]).origin.certainty == Certainty::measured);
    CHECK(ptx_made(scenario, facts(), toolkit("99.1.0", nullptr, nullptr))->text() == "9.1");
    scenario.probes[1].toolkit = "toolkit2";
    CHECK(ptx_made(scenario, facts(), scenario.toolkits[0])->text() == "9.5");
}

TEST_CASE("a listed driver reads PTX up to its branch's version, both ends included") {
    Scenario scenario;
    CHECK(ask_driver(scenario, facts(), driver("535.104.05"), {8, 2}).reads == true);
    CHECK(ask_driver(scenario, facts(), driver("535.104.05"), {8, 3}).reads == false);
    CHECK(ask_driver(scenario, facts(), driver("535"), {8, 3}).newest->text() == "8.2");
    CHECK(ask_driver(scenario, facts(), driver("580.65.06"), {9, 0}).reads == true);
    CHECK(ask_driver(scenario, facts(), driver("537.13"), {8, 2}).reads ==
          true);  // a Windows number of branch 535
}

TEST_CASE("a driver newer than the table reads what the newest listed one reads, more is unknown") {
    Scenario scenario;
    CHECK(ask_driver(scenario, facts(), driver("999.10"), {9, 0}).reads == true);
    DriverAnswer answer = ask_driver(scenario, facts(), driver("999.10"), {99, 0});
    CHECK_FALSE(answer.reads.has_value());
    CHECK_FALSE(answer.why_unknown.empty());
}

TEST_CASE("for a driver with only a CUDA release that release gives the PTX version") {
    Scenario scenario;
    Driver declared;
    declared.cuda.value = version("12.4");
    CHECK(ask_driver(scenario, facts(), declared, {8, 4}).reads == true);
    CHECK(ask_driver(scenario, facts(), declared, {8, 5}).reads == false);
    declared.cuda.value = version("99.0");
    CHECK_FALSE(ask_driver(scenario, facts(), declared, {8, 5}).reads.has_value());
}

TEST_CASE("the answer of a driver's JIT overrides its version") {
    Scenario scenario;
    ProbeResult refused = probe_of(ProbeKind::driver_jit, Outcome::refused, {9, 0});
    refused.words =
        "ptxas application ptx input, line 1; fatal   : Unsupported .version 9.0; current version is '8.9'";
    refused.accepts_up_to = PtxVersion{8, 9};
    scenario.probes = {refused};
    DriverAnswer answer = ask_driver(scenario, facts(), driver("580.65.06"), {9, 0});
    CHECK(answer.reads == false);
    CHECK(answer.newest->text() == "8.9");
    CHECK(answer.newest.origin.certainty == Certainty::measured);
    CHECK(answer.words == refused.words);
    CHECK(ask_driver(scenario, facts(), driver("535.104.05"), {8, 9}).reads == true);

    scenario.probes.push_back(probe_of(ProbeKind::driver_jit, Outcome::accepted, {9, 0}));
    CHECK(ask_driver(scenario, facts(), driver("535.104.05"), {9, 0}).reads == true);

    for (ProbeResult& probe : scenario.probes) probe.basis = Certainty::predicted;
    CHECK(ask_driver(scenario, facts(), driver("580.65.06"), {9, 0}).reads == true);
}

TEST_CASE("if a JIT crashed or refused something else, the table is used") {
    Scenario scenario;
    ProbeResult broken = probe_of(ProbeKind::driver_jit, Outcome::broken, {8, 2});
    ProbeResult other = probe_of(ProbeKind::driver_jit, Outcome::refused, {8, 2});
    other.words = "ptxas fatal   : Value 'sm_121' is not defined for option 'gpu-name'";
    scenario.probes = {broken, other};
    CHECK(ask_driver(scenario, facts(), driver("535.104.05"), {8, 2}).reads == true);
}

TEST_CASE("declared drivers and GPUs replace the found ones") {
    Scenario scenario;
    scenario.drivers = {driver("470.256.02", false)};
    scenario.gpus = {gpu(75, false)};
    REQUIRE(drivers_concerned(scenario).size() == 1);
    CHECK(gpus_concerned(scenario, scenario.drivers[0]).size() == 1);

    scenario.drivers.push_back(driver("580.65.06"));
    REQUIRE(drivers_concerned(scenario).size() == 1);
    CHECK(drivers_concerned(scenario)[0]->declared);
    CHECK(
        gpus_concerned(scenario, scenario.drivers[1]).empty());  // the GPUs here are not those of that driver

    scenario.gpus.push_back(gpu(90, true));
    CHECK(gpus_concerned(scenario, scenario.drivers[1]).size() == 1);
    CHECK(gpus_concerned(scenario, scenario.drivers[0])[0]->declared);
}

TEST_CASE("a stub is not a driver, a JIT library next to it is one") {
    Driver stub;
    stub.stub = true;
    stub.cuda.value = version("13.0");
    CHECK_FALSE(has_level(stub));
    stub.jit.push_back({});
    CHECK(has_level(stub));
    CHECK_FALSE(has_level(Driver{}));
}

TEST_CASE("a table alone gives an error only if nothing could be measured") {
    Scenario scenario;
    CHECK(level_by(Certainty::measured, scenario) == Level::error);
    CHECK(level_by(Certainty::predicted, scenario) == Level::error);
    scenario.probe_mode = ProbeMode::off;
    CHECK(level_by(Certainty::measured, scenario) == Level::error);
    CHECK(level_by(Certainty::predicted, scenario) == Level::warning);
    scenario.foreign = true;
    CHECK(level_by(Certainty::predicted, scenario) == Level::error);
}

TEST_CASE("the toolkit of the build is the named one, or the only one if none is named") {
    Scenario scenario;
    CHECK(toolkit_of_build(scenario) == nullptr);
    scenario.toolkits = {toolkit(nullptr, nullptr, "12.8.93")};
    CHECK(toolkit_of_build(scenario) == &scenario.toolkits[0]);
    scenario.toolkits.push_back(toolkit("13.0.88", nullptr, nullptr));
    CHECK(toolkit_of_build(scenario) == nullptr);
    scenario.toolkits[1].id = "toolkit2";
    scenario.project.toolkit = "toolkit2";
    CHECK(toolkit_of_build(scenario) == &scenario.toolkits[1]);
    CHECK(name_of(scenario.toolkits[0]) == "ptxas 12.8.93");
}
