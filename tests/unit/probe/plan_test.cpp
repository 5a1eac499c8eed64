// The whole plan on machines made of texts: programs that work, hang, crash, print garbage; drivers.
// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "machine.hpp"

using namespace machine;

TEST_CASE("a good toolkit is measured: list, PTX and assembly of each target, one object") {
    FakeHost host = good_machine();
    Scenario scenario = scenario_for("80;90");
    run_probe(host, scenario);
    CHECK(of_kind(scenario, ProbeKind::list_archs)[0].archs.size() == 3);
    auto ptx = of_kind(scenario, ProbeKind::ptx);
    REQUIRE(ptx.size() == 2);
    CHECK(ptx[0].outcome == Outcome::accepted);
    CHECK(ptx[0].basis == Certainty::measured);
    CHECK(ptx[0].ptx->text() == "9.0");
    CHECK(ptx[1].target->sm() == "sm_90");
    auto assemblies = of_kind(scenario, ProbeKind::assemble);
    REQUIRE(assemblies.size() == 2);
    CHECK(assemblies[0].outcome == Outcome::accepted);
    CHECK(assemblies[0].ptx->text() == "9.0");
    auto objects = of_kind(scenario, ProbeKind::object);
    REQUIRE(objects.size() == 1);
    CHECK(objects[0].outcome == Outcome::accepted);
    CHECK(objects[0].target->sm() == "sm_80");
    // The cicc's own version is in the PTX that it wrote.
    CHECK(scenario.toolkits[0].part(PartKind::cicc)->version->text == "13.0.88");
}

TEST_CASE("the PTX of the object's target has no compile of its own, unless the object fails") {
    const auto compiles = [](const FakeHost& host) {
        Scenario scenario = scenario_for("80;90");
        run_probe(host, scenario);
        std::string list;
        for (const Command& command : host.commands_run)
            for (const char* kind : {"-c", "-ptx"})
                if (has(command, kind)) list += std::string(kind) + arch_of(command) + " ";
        const ProbeResult ptx = of_kind(scenario, ProbeKind::ptx)[0];
        CHECK(ptx.outcome == Outcome::accepted);
        CHECK(ptx.target->sm() == "sm_80");
        return list + (ptx.command.find("-ptx") == std::string::npos ? "object" : "own");
    };
    CHECK(compiles(good_machine()) == "-c80 -ptx90 object");
    const auto failing = [](bool writes_ptx, const std::string& target) {
        FakeHost host = good_machine();
        host.program(k_nvcc, [=](const Command& command) {
            ProcessResult run = good_nvcc(command, "9.0");
            if (!has(command, "-c")) return run;
            own::remove_tree(join_path(command.directory, writes_ptx ? "probe.o" : "probe.ptx"));
            if (!target.empty()) write(command, "probe.ptx", ".version 9.0\n.target " + target + "\n");
            return run;
        });
        return host;
    };
    CHECK(compiles(failing(true, "")) == "-c80 -ptx90 -ptx80 own");
    CHECK(compiles(failing(false, "")) == "-c80 -ptx90 -ptx80 own");
    CHECK(compiles(failing(false, "sm_75")) == "-c80 -ptx90 -ptx80 own");  // of another architecture
}

TEST_CASE("a toolkit whose ptxas did not answer has a shorter time limit") {
    FakeHost host = good_machine();
    Scenario scenario = scenario_for("80");
    const auto longest = [&] {
        host.commands_run.clear();
        run_probe(host, scenario);
        std::chrono::milliseconds limit{0};
        for (const Command& command : host.commands_run) limit = std::max(limit, command.time_limit);
        return limit;
    };
    CHECK(longest() == std::chrono::seconds(60));
    for (Part& part : scenario.toolkits[0].parts)
        if (part.kind == PartKind::ptxas) part.trouble = "does not answer";
    CHECK(longest() == std::chrono::seconds(10));
}

TEST_CASE("no work folder is left behind") {
    FakeHost host = good_machine();
    Scenario scenario = probed(host, "80");
    REQUIRE_FALSE(host.commands_run.empty());
    CHECK_FALSE(read_own_file(join_path(host.commands_run.front().directory, "probe.cu")));
}

TEST_CASE("PTX that the toolkit's own ptxas refuses has the limit") {
    FakeHost host = good_machine("9.5");
    Scenario scenario = probed(host, "80");
    auto assembly = of_kind(scenario, ProbeKind::assemble)[0];
    CHECK(assembly.outcome == Outcome::refused);
    CHECK(assembly.accepts_up_to->text() == "9.0");
    CHECK(assembly.ptx->text() == "9.5");
    CHECK(assembly.culprit == Culprit::ptxas);
}

TEST_CASE("without a request nvcc's default target becomes the project's") {
    FakeHost host = good_machine();
    Scenario scenario = probed(host, "");
    REQUIRE(scenario.project.archs.targets.size() == 1);
    CHECK(scenario.project.archs.targets[0] == Target{{75, 0}, true, true});
    CHECK(of_kind(scenario, ProbeKind::assemble)[0].target->sm() == "sm_75");
    CHECK(of_kind(scenario, ProbeKind::object)[0].target->sm() == "sm_75");
}

TEST_CASE("keywords are resolved with nvcc's own list") {
    FakeHost host = good_machine();
    Scenario scenario = probed(host, "all");
    CHECK(scenario.project.archs.targets.size() == 3);
    CHECK(of_kind(scenario, ProbeKind::ptx).size() == 3);
}

TEST_CASE("native without a GPU stays a keyword, and the default target is tried") {
    FakeHost host = good_machine();
    Scenario scenario = probed(host, "native");
    CHECK(scenario.project.archs.targets.empty());
    CHECK(of_kind(scenario, ProbeKind::ptx)[0].target->sm() == "sm_75");
}

TEST_CASE("a dropped target is refused by nvcc itself, the object is made for one that remains") {
    FakeHost host = good_machine();
    Scenario scenario = scenario_for("60;80");
    run_probe(host, scenario);
    auto ptx = of_kind(scenario, ProbeKind::ptx);
    CHECK(ptx[0].outcome == Outcome::refused);
    CHECK(ptx[0].first_error == "nvcc fatal   : Unsupported gpu architecture 'compute_60'");
    CHECK(ptx[1].outcome == Outcome::accepted);
    CHECK(of_kind(scenario, ProbeKind::object)[0].outcome == Outcome::accepted);
    CHECK(of_kind(scenario, ProbeKind::object)[0].target->sm() == "sm_80");
}

TEST_CASE("an nvcc that hangs, crashes, prints nothing or garbage or cannot run is broken, and run once") {
    auto with = [](std::function<ProcessResult(const Command&)> answer) {
        FakeHost host;
        host.program(k_nvcc, std::move(answer)).program(k_ptxas, good_ptxas);
        Scenario scenario = probed(host, "80");
        CHECK(host.commands_run.size() <= 2);
        REQUIRE_FALSE(scenario.probes.empty());
        CHECK(scenario.probes[0].outcome == Outcome::broken);
        CHECK(of_kind(scenario, ProbeKind::object).empty());
        return scenario.probes[0];
    };
    auto hung = with([](const Command&) {
        ProcessResult result;
        result.state = ProcessResult::State::timed_out;
        result.milliseconds = 10000;
        return result;
    });
    CHECK(hung.timed_out);
    CHECK(hung.first_error == "did not end within 10 s");
    auto crashed = with([](const Command&) {
        ProcessResult result;
        result.state = ProcessResult::State::crashed;
        result.exit_code = 11;
        return result;
    });
    CHECK(crashed.crashed);
    CHECK(with([](const Command&) { return exited(0); }).first_error ==
          "ended with exit code 0 but made nothing");
    CHECK(with([](const Command&) { return exited(0, "", "\x01\x02garbage"); }).outcome == Outcome::broken);
    CHECK(with([](const Command&) { return exited(7); }).first_error ==
          "ended with exit code 7 without output");
    auto alien = with([](const Command&) {
        ProcessResult result;
        result.trouble = "Exec format error";
        return result;
    });
    CHECK(alien.first_error == "could not be started: Exec format error");
    auto loader = with([](const Command&) {
        return exited(127,
                      "/opt/cuda/bin/nvcc: error while loading shared libraries: libfoo.so.1: cannot open "
                      "shared object "
                      "file: No such file or directory\n");
    });
    CHECK(loader.culprit == Culprit::nvcc);
}

TEST_CASE("an nvcc that lists but makes no PTX is broken") {
    FakeHost host = good_machine();
    host.program(k_nvcc, [](const Command& command) {
        return has(command, "--list-gpu-code") ? exited(0, "", "sm_80\n") : exited(0);
    });
    Scenario scenario = probed(host, "80");
    CHECK(of_kind(scenario, ProbeKind::ptx)[0].outcome == Outcome::broken);
    CHECK(of_kind(scenario, ProbeKind::object)[0].outcome == Outcome::broken);
    CHECK(of_kind(scenario, ProbeKind::assemble).empty());
}

TEST_CASE("an nvcc without --list-gpu-code is queried through its help") {
    FakeHost host = good_machine();
    host.program(k_nvcc, [](const Command& command) {
        if (has(command, "--list-gpu-code"))
            return exited(1, "nvcc fatal   : Unknown option '--list-gpu-code'\n");
        if (has(command, "--help"))
            return exited(0, "", "Allowed values for this option:  'compute_75','sm_75','sm_80'.\n");
        return good_nvcc(command, "6.5");
    });
    Scenario scenario = probed(host, "80");
    CHECK(of_kind(scenario, ProbeKind::list_archs)[0].archs.size() == 2);
    CHECK(of_kind(scenario, ProbeKind::ptx)[0].ptx->text() == "6.5");
}

TEST_CASE("an error that stops the PTX compile too is the cicc's, not cudafe++'s") {
    FakeHost host = good_machine();
    host.program(k_nvcc, [](const Command& command) {
        return has(command, "--list-gpu-code")
                   ? exited(0, "", "sm_80\n")
                   : exited(1, "Command-line error: invalid option: --simt-only\n");
    });
    Scenario scenario = probed(host, "80");
    CHECK(of_kind(scenario, ProbeKind::ptx)[0].culprit == Culprit::cicc);
    CHECK(of_kind(scenario, ProbeKind::object)[0].culprit == Culprit::cicc);
}

TEST_CASE("two targets that a driver does not support give one result about the version") {
    FakeHost host = good_machine();
    host.program(own::executable_path(), [](const Command&) {
        return exited(0, "",
                      "{\"event\":\"compile\",\"arch\":\"sm_90\",\"result\":3,\"log\":\"ptxas fatal   : "
                      "Value 'sm_90' is not "
                      "defined for option 'gpu-name'\"}\n"
                      "{\"event\":\"version\",\"arch\":\"sm_52\",\"result\":7,\"log\":\"fatal   : "
                      "Unsupported .version 9.0; "
                      "current version is '7.4'\"}\n");
    });
    Scenario scenario = scenario_for("80;90");
    scenario.drivers = {driver_with_library()};
    run_probe(host, scenario);
    auto results = of_kind(scenario, ProbeKind::driver_jit);
    REQUIRE(results.size() == 3);
    CHECK(results[1].accepts_up_to->text() == "7.4");
    CHECK_FALSE(results[1].target);
    CHECK(results[2].target->sm() == "sm_90");
}

TEST_CASE("mode off and a foreign tree run nothing and predict") {
    FakeHost host = good_machine();
    Scenario scenario = scenario_for("80");
    scenario.drivers = {driver_with_library()};
    run_probe(host, scenario, {}, ProbeMode::off);
    CHECK(host.commands_run.empty());
    CHECK(of_kind(scenario, ProbeKind::ptx)[0].basis == Certainty::predicted);
    CHECK(of_kind(scenario, ProbeKind::driver_jit)[0].outcome == Outcome::refused);
    CHECK(of_kind(scenario, ProbeKind::driver_jit)[0].basis == Certainty::predicted);
    host.foreign(true);
    run_probe(host, scenario);
    CHECK(host.commands_run.empty());
}

TEST_CASE("a driver's library gets the PTX that was made") {
    FakeHost host = good_machine();
    std::string fed;
    host.program(own::executable_path(), [&fed](const Command& command) {
        fed = command.input;
        CHECK(command.argv[1] == "--child");
        CHECK(command.argv[2] == "jit");
        CHECK(command.argv[3] == k_jit);
        return exited(0, "",
                      "{\"event\":\"compile\",\"arch\":\"sm_80\",\"result\":7,\"log\":\"ptxas application "
                      "ptx input, line 2; "
                      "fatal   : Unsupported .version 9.0; current version is '8.2'\"}\n");
    });
    Scenario scenario = scenario_for("80");
    scenario.drivers = {driver_with_library()};
    run_probe(host, scenario);
    CHECK(fed.find(".version 9.0") != std::string::npos);
    auto results = of_kind(scenario, ProbeKind::driver_jit);
    REQUIRE(results.size() == 1);
    CHECK(results[0].outcome == Outcome::refused);
    CHECK(results[0].basis == Certainty::measured);
    CHECK(results[0].toolkit == "toolkit1");
}

TEST_CASE("a driver has a result for each of two toolkits that write the same PTX") {
    FakeHost host = good_machine();
    host.program("/opt/other/bin/nvcc", [](const Command& command) { return good_nvcc(command, "9.0"); });
    host.program(own::executable_path(), [](const Command&) {
        return exited(0, "", "{\"event\":\"compile\",\"arch\":\"sm_80\",\"result\":0,\"made\":true}\n");
    });
    Scenario scenario = scenario_for("80");
    Toolkit other;
    other.id = "toolkit2";
    other.parts = {part(PartKind::nvcc, "/opt/other/bin/nvcc", "13.0.88")};
    scenario.toolkits.push_back(other);
    scenario.drivers = {driver_with_library()};
    run_probe(host, scenario, {}, ProbeMode::full);
    std::set<std::string> toolkits;
    for (const ProbeResult& result : of_kind(scenario, ProbeKind::driver_jit))
        toolkits.insert(result.toolkit);
    CHECK(toolkits == std::set<std::string>{"toolkit1", "toolkit2"});
}

TEST_CASE("a library that crashes is reported, and the table is used as well") {
    FakeHost host = good_machine();
    host.program(own::executable_path(), [](const Command&) {
        ProcessResult result;
        result.state = ProcessResult::State::crashed;
        result.exit_code = 11;
        return result;
    });
    Scenario scenario = scenario_for("80");
    scenario.drivers = {driver_with_library()};
    run_probe(host, scenario);
    auto results = of_kind(scenario, ProbeKind::driver_jit);
    REQUIRE(results.size() == 2);
    CHECK(results[0].outcome == Outcome::broken);
    CHECK(results[1].basis == Certainty::predicted);
    CHECK(results[1].outcome == Outcome::refused);
}

TEST_CASE("without a toolkit the newest PTX that the driver reads is measured") {
    FakeHost host;
    host.file(k_jit, "library");
    host.program(own::executable_path(), [](const Command& command) {
        CHECK(command.input.empty());
        return exited(0, "",
                      "{\"event\":\"limit\",\"arch\":\"sm_52\",\"result\":7,\"log\":\"fatal   : Unsupported "
                      ".version 99.9; "
                      "current version is '8.2'\"}\n");
    });
    Scenario scenario;
    scenario.drivers = {driver_with_library()};
    run_probe(host, scenario);
    auto results = of_kind(scenario, ProbeKind::driver_jit);
    REQUIRE(results.size() == 1);
    CHECK(results[0].accepts_up_to->text() == "8.2");
    CHECK_FALSE(results[0].ptx);
}

TEST_CASE("mode full tries every toolkit, auto only the build's") {
    FakeHost host = good_machine();
    host.program("/opt/other/bin/nvcc", [](const Command& command) { return good_nvcc(command, "8.4"); });
    Scenario scenario = scenario_for("80");
    Toolkit other;
    other.id = "toolkit2";
    other.parts = {part(PartKind::nvcc, "/opt/other/bin/nvcc", "12.4.131")};
    scenario.toolkits.insert(scenario.toolkits.begin(), other);
    run_probe(host, scenario);
    CHECK(of_kind(scenario, ProbeKind::ptx).size() == 1);
    run_probe(host, scenario, {}, ProbeMode::full);
    auto ptx = of_kind(scenario, ProbeKind::ptx);
    REQUIRE(ptx.size() == 2);
    CHECK(ptx[0].toolkit == "toolkit1");
    CHECK(ptx[1].ptx->text() == "8.4");
}

TEST_CASE("a build with flags for many targets in NVCC_APPEND_FLAGS does not stop the PTX probe") {
    FakeHost host = good_machine();
    host.env("NVCC_APPEND_FLAGS", "-gencode arch=compute_90,code=sm_90 -O1");
    host.program(k_nvcc, [](const Command& command) {
        const ProcessResult run = good_nvcc(command, "9.0");
        if (has(command, "-c"))
            own::remove_tree(join_path(command.directory, "probe.ptx"));  // compute_80, _90
        return run;
    });
    Scenario scenario = probed(host, "80");
    bool seen = false;
    for (const Command& command : host.commands_run) {
        if (!has(command, "-ptx")) continue;
        auto flags = command.environment.find("NVCC_APPEND_FLAGS");
        REQUIRE(flags != command.environment.end());
        CHECK(*flags->second == "-O1");
        seen = true;
    }
    CHECK(seen);
}

TEST_CASE("predicted PTX is tried by the driver for its target, and without one for sm_75") {
    const auto tried_for = [](std::optional<Arch> target) {
        FakeHost host;
        host.file(k_jit, "library");
        std::string fed;
        host.program(own::executable_path(), [&fed](const Command& command) {
            fed = command.input;
            return exited(0);
        });
        Scenario scenario;
        scenario.drivers = {driver_with_library()};
        ProbeResult made;
        made.kind = ProbeKind::ptx;
        made.outcome = Outcome::accepted;
        made.basis = Certainty::predicted;
        made.ptx = PtxVersion{9, 0};
        made.target = target;
        scenario.probes = {made};
        probe(Asker(host, ""), Facts::embedded(), {}, scenario);
        return fed.substr(0, fed.find(".address_size"));
    };
    CHECK(tried_for(std::nullopt).find(".target sm_75") != std::string::npos);
    CHECK(tried_for(Arch{90, 0}).find(".target sm_90") != std::string::npos);
}
