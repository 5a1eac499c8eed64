// The plan on Windows, where nvcc needs cl.exe.
// SPDX-License-Identifier: Apache-2.0
#include "machine.hpp"

using namespace machine;

namespace {

// An ordinary prompt of Windows: nvcc.exe compiles nothing, because it finds no cl.exe.
FakeHost machine_without_cl() {
    FakeHost host(System::windows);
    host.program("C:/CUDA/bin/nvcc.exe", [](const Command& command) {
        if (has(command, "--list-gpu-code")) return exited(0, "", "sm_75\nsm_80\nsm_90\n");
        return exited(1, "nvcc fatal   : Cannot find compiler 'cl.exe' in PATH\n");
    });
    host.program("C:/CUDA/bin/ptxas.exe", good_ptxas);
    host.program("C:/CUDA/nvvm/bin/cicc.exe", [](const Command& command) {
        const auto arch = *(std::find(command.argv.begin(), command.argv.end(), "-arch") + 1);
        if (arch == "compute_50")
            return exited(1, "Command-line error: invalid or no value specified with --nv_arch flag\n");
        REQUIRE(read_own_file(join_path(command.directory, "probe.ii")));
        write(command, command.argv.back(),
              "// Cuda compilation tools, release 13.0, V13.0.88\n.version 9.0\n.target sm_" +
                  arch.substr(8) + "\n");
        return exited(0);
    });
    return host;
}

Scenario windows_scenario(const char* archs) {
    Scenario scenario = scenario_for(archs);
    scenario.system = System::windows;
    scenario.toolkits[0].parts = {
        part(PartKind::nvcc, "C:/CUDA/bin/nvcc.exe", "13.0.88"),
        part(PartKind::ptxas, "C:/CUDA/bin/ptxas.exe", "13.0.88"),
        part(PartKind::cicc, "C:/CUDA/nvvm/bin/cicc.exe", nullptr),
        part(PartKind::libdevice, "C:/CUDA/nvvm/libdevice/libdevice.10.bc", nullptr)};
    return scenario;
}

}  // namespace

TEST_CASE("on Windows without cl.exe, cicc and ptxas are measured without nvcc") {
    const FakeHost host = machine_without_cl();
    Scenario scenario = windows_scenario("80;90");
    run_probe(host, scenario);
    const auto ptx = of_kind(scenario, ProbeKind::ptx);
    REQUIRE(ptx.size() == 2);
    for (const ProbeResult& one : ptx) {
        CHECK(one.outcome == Outcome::accepted);
        CHECK(one.basis == Certainty::measured);
        CHECK(one.ptx->text() == "9.0");
        CHECK(one.tool == "C:/CUDA/nvvm/bin/cicc.exe");
    }
    CHECK(of_kind(scenario, ProbeKind::assemble).size() == 2);
    CHECK(of_kind(scenario, ProbeKind::assemble)[1].outcome == Outcome::accepted);
    const ProbeResult object = of_kind(scenario, ProbeKind::object).at(0);
    CHECK(object.outcome == Outcome::broken);
    CHECK(object.culprit == Culprit::host_compiler);
    CHECK(scenario.toolkits[0].part(PartKind::cicc)->version->text == "13.0.88");
}

TEST_CASE(
    "without a target cicc compiles for the GPUs here, else for the oldest architecture, and requests none") {
    const auto target = [](const std::vector<Gpu>& gpus, const char* archs) {
        const FakeHost host = machine_without_cl();
        Scenario scenario = windows_scenario(archs);
        scenario.gpus = gpus;
        run_probe(host, scenario);
        if (!*archs) CHECK(scenario.project.archs.targets.empty());
        return of_kind(scenario, ProbeKind::ptx).at(0).target->sm();
    };
    Gpu ada;
    ada.arch = Known<Arch>(Arch{90, 0}, {});
    CHECK(target({}, "") == "sm_75");
    CHECK(target({ada}, "") == "sm_90");
    CHECK(target({}, "50") == "sm_75");
}
