// A toolkit that consists of only a ptxas.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "machine.hpp"

using namespace ptxguard;
using namespace machine;

namespace {

// Reads PTX up to 8.7 and knows sm_80 and sm_90.
ProcessResult old_ptxas(const Command& command) {
    auto ptx = read_own_file(join_path(command.directory, command.argv[2]));
    if (!ptx) return exited(255, "ptxas fatal   : Input file could not be opened\n");
    if (has(command, "-arch=sm_121"))
        return exited(255, "ptxas fatal   : Value 'sm_121' is not defined for option 'gpu-name'\n");
    if (ptx->find(".version 8.7") == std::string::npos)
        return exited(255,
                      "ptxas x.ptx, line 1; fatal   : Unsupported .version 99.9; current version is '8.7'\n");
    write(command, command.argv.back(), "cubin");
    return exited(0);
}

Scenario ptxas_alone(const char* archs) {
    Scenario scenario = scenario_for(archs);
    scenario.toolkits[0].parts = {part(PartKind::ptxas, k_ptxas, "12.8.93")};
    return scenario;
}

}  // namespace

TEST_CASE("a ptxas without an nvcc is run for each architecture, with the newest version that it reads") {
    FakeHost host;
    host.program(k_ptxas, old_ptxas);
    Scenario scenario = ptxas_alone("80;121");
    run_probe(host, scenario);
    auto answers = of_kind(scenario, ProbeKind::assemble);
    REQUIRE(answers.size() == 2);
    CHECK(answers[0].outcome == Outcome::accepted);
    CHECK(answers[0].basis == Certainty::measured);
    CHECK(answers[0].accepts_up_to->text() == "8.7");
    CHECK(answers[1].outcome == Outcome::refused);
    CHECK(answers[1].first_error.find("sm_121") != std::string::npos);
    CHECK(of_kind(scenario, ProbeKind::ptx).empty());
}

TEST_CASE("if a ptxas does not answer, the tables are used") {
    FakeHost host;
    host.program(k_ptxas,
                 [](const Command&) { return exited(127, "error while loading shared libraries\n"); });
    Scenario scenario = ptxas_alone("121");
    run_probe(host, scenario);
    for (const ProbeResult& result : scenario.probes) CHECK(result.basis == Certainty::predicted);
}

TEST_CASE("a ptxas is not run with probes off, or without architectures") {
    FakeHost host;
    host.program(k_ptxas, old_ptxas);
    Scenario off = ptxas_alone("80");
    run_probe(host, off, {}, ProbeMode::off);
    Scenario no_archs = ptxas_alone("");
    run_probe(host, no_archs);
    CHECK(host.commands_run.empty());
}
