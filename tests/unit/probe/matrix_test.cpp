// The matrix on machines made of texts: who makes what, shared runs, lowered versions.
// SPDX-License-Identifier: Apache-2.0
#include "matrix_machine.hpp"

using namespace machine;

TEST_CASE("each producer is tried with each consumer for each target, with the assembler's own messages") {
    FakeHost host = good_machine("9.5");
    host.program("/old/ptxas", ptxas_up_to({8, 7})).program("/new/ptxas", ptxas_up_to({9, 5}));
    Scenario scenario = scenario_for("80;90");
    Matrix matrix = matrix_of({nvcc()}, {ptxas_at("/old/ptxas"), ptxas_at("/new/ptxas")});
    fill(host, scenario, matrix);
    REQUIRE(matrix.cells.size() == 4);
    const Cell& refused = cell(matrix, 1, 1, "sm_80");
    CHECK(refused.outcome == Outcome::refused);
    CHECK(refused.basis == Certainty::measured);
    CHECK(refused.evidence ==
          "ptxas probe.ptx, line 2; fatal   : Unsupported .version 9.5; current version is '8.7'");
    CHECK(cell(matrix, 1, 2, "sm_90").outcome == Outcome::accepted);
    CHECK(matrix.producers[0].ptx->text() == "9.5");
    CHECK(matrix.consumers[0].reads->text() == "8.7");
    CHECK(matrix.consumers[0].reads_basis == Certainty::measured);
    CHECK(matrix.consumers[0].version->text == "12.8.93");
}

TEST_CASE("PTX that would be read with a lower version line is tried with it") {
    FakeHost host = good_machine("9.5");
    host.program("/old/ptxas", ptxas_up_to({8, 7}));
    Scenario scenario = scenario_for("80");
    Matrix matrix = matrix_of({nvcc()}, {ptxas_at("/old/ptxas")});
    fill(host, scenario, matrix);
    const Cell& refused = cell(matrix, 1, 1, "sm_80");
    REQUIRE(refused.lowered);
    CHECK(refused.lowered->version.text() == "8.7");
    CHECK(refused.lowered->outcome == Outcome::accepted);
}

TEST_CASE("a refusal of the architecture is not about the version: nothing is lowered") {
    FakeHost host = good_machine("8.0");
    host.program("/old/ptxas", ptxas_up_to({8, 7}));
    Scenario scenario = scenario_for("80");
    Matrix matrix = matrix_of({ptx_file("/x/k.ptx", {120, 0}, {8, 7})}, {ptxas_at("/old/ptxas")});
    scenario.project.archs = {};
    fill(host, scenario, matrix);
    CHECK(cell(matrix, 1, 1, "sm_120").outcome == Outcome::refused);
    CHECK_FALSE(cell(matrix, 1, 1, "sm_120").lowered);
}

TEST_CASE("equal PTX is assembled once for each consumer and target") {
    FakeHost host = good_machine();
    host.program("/a/ptxas", ptxas_up_to({9, 0}));
    Scenario scenario = scenario_for("80");
    scenario.project.archs = {};
    Producer first = ptx_file("/x/k.ptx", {80, 0}, {8, 0}), second = first;
    second.path = "/y/copy.ptx";
    Matrix matrix = matrix_of({first, second}, {ptxas_at("/a/ptxas")});
    fill(host, scenario, matrix);
    CHECK(matrix.cells.size() == 2);
    CHECK(cell(matrix, 2, 1, "sm_80").outcome == Outcome::accepted);
    CHECK(runs_of(host, "/a/ptxas") == 3);  // version, limit, one assembly
    CHECK(matrix.compilations == 1);
}

TEST_CASE("a target that the producer refuses is unknown to every consumer, with the producer's message") {
    FakeHost host = good_machine();
    Scenario scenario = scenario_for("60;80");
    Matrix matrix = matrix_of({nvcc()}, {ptxas_at(k_ptxas), driver_of("580")});
    fill(host, scenario, matrix);
    for (std::size_t consumer : {1u, 2u}) {
        CHECK(cell(matrix, 1, consumer, "sm_60").outcome == Outcome::unknown);
        CHECK(
            cell(matrix, 1, consumer, "sm_60").evidence ==
            "nvcc 13.0.88 makes no PTX for sm_60: nvcc fatal   : Unsupported gpu architecture 'compute_60'");
    }
    CHECK(cell(matrix, 1, 1, "sm_80").outcome == Outcome::accepted);
}

TEST_CASE(
    "consumers that hang, are for another machine, crash or print megabytes are broken; others are judged") {
    FakeHost host = good_machine();
    const auto ends = [](ProcessResult::State state, int code) {
        return [state, code](const Command&) {
            ProcessResult result;
            result.state = state;
            result.exit_code = code;
            result.milliseconds = 10000;
            result.trouble = "Exec format error";
            return result;
        };
    };
    host.program("/hangs/ptxas", ends(ProcessResult::State::timed_out, 0));
    host.program("/arm/ptxas", ends(ProcessResult::State::not_started, 0));
    host.program("/crashes/ptxas", ends(ProcessResult::State::crashed, 11));
    host.program("/talks/ptxas", [](const Command&) {
        ProcessResult result = exited(1, std::string(1 << 20, 'x'));
        result.truncated = true;
        return result;
    });
    Scenario scenario = scenario_for("80;90");
    Matrix matrix =
        matrix_of({nvcc()}, {ptxas_at("/hangs/ptxas"), ptxas_at("/arm/ptxas"), ptxas_at("/crashes/ptxas"),
                             ptxas_at("/talks/ptxas"), ptxas_at(k_ptxas)});
    fill(host, scenario, matrix);
    for (std::size_t consumer : {1u, 2u, 3u, 4u})
        CHECK(cell(matrix, 1, consumer, "sm_80").outcome == Outcome::broken);
    CHECK(cell(matrix, 1, 1, "sm_80").evidence == "did not end within 10 s");
    CHECK(cell(matrix, 1, 2, "sm_80").evidence == "could not be started: Exec format error");
    CHECK(cell(matrix, 1, 3, "sm_80").evidence == "crashed (signal or exception 11)");
    CHECK(starts_with(cell(matrix, 1, 4, "sm_80").evidence, "printed more than 1 MiB"));
    CHECK(cell(matrix, 1, 5, "sm_80").outcome == Outcome::accepted);
    CHECK(runs_of(host, "/hangs/ptxas") == 2);  // its version and the newest PTX it reads, never a kernel
}

TEST_CASE("a second run starts nothing and gives the same table") {
    Folder cache;
    FakeHost host = good_machine("9.5");
    host.file("/old/ptxas", "\177ELF old").program("/old/ptxas", ptxas_up_to({8, 7}));
    host.file(k_ptxas, "\177ELF").program(k_ptxas, ptxas_up_to({9, 0}));
    Scenario scenario = scenario_for("80;90");
    const Matrix start = matrix_of({nvcc()}, {ptxas_at("/old/ptxas"), ptxas_at(k_ptxas)});
    Matrix first = start, second = start;
    fill(host, scenario, first, cache.path);
    host.commands_run.clear();
    fill(host, scenario, second, cache.path);
    CHECK(host.commands_run.empty());
    CHECK(second.compilations == 0);
    REQUIRE(first.cells.size() == second.cells.size());
    for (std::size_t i = 0; i < first.cells.size(); ++i) {
        CHECK(first.cells[i].outcome == second.cells[i].outcome);
        CHECK(first.cells[i].evidence == second.cells[i].evidence);
        CHECK(first.cells[i].lowered.has_value() == second.cells[i].lowered.has_value());
    }
    // Another ptxas in the same place is run again.
    host.file("/old/ptxas", "\177ELF a newer one").program("/old/ptxas", ptxas_up_to({9, 5}));
    Matrix third = start;
    fill(host, scenario, third, cache.path);
    CHECK(cell(third, 1, 1, "sm_80").outcome == Outcome::accepted);
}

TEST_CASE("Triton writes what its ptxas reads, from capability 10.0 on the other one") {
    FakeHost host = good_machine();
    host.program("/triton/ptxas", ptxas_up_to({8, 7}));
    host.program("/triton/ptxas-blackwell", [](const Command& command) {
        if (has(command, "--version"))
            return exited(0, "", "Cuda compilation tools, release 12.9, V12.9.86\n");
        return ptxas_up_to({8, 8})(command);
    });
    Producer triton;
    triton.kind = ProducerKind::triton;
    triton.path = "/triton";
    triton.tools = {{"/triton/ptxas", "ptxas", {}, ""},
                    {"/triton/ptxas-blackwell", "ptxas-blackwell", {}, ""}};
    Scenario scenario = scenario_for("80;100");
    Matrix matrix = matrix_of({triton}, {ptxas_at("/triton/ptxas"), ptxas_at("/triton/ptxas-blackwell")});
    fill(host, scenario, matrix);
    CHECK(cell(matrix, 1, 1, "sm_80").ptx->text() == "8.7");
    CHECK(cell(matrix, 1, 1, "sm_80").outcome == Outcome::accepted);
    CHECK(cell(matrix, 1, 1, "sm_80").basis == Certainty::predicted);
    CHECK(cell(matrix, 1, 1, "sm_80").evidence.find("fed an empty kernel of PTX 8.7") != std::string::npos);
    CHECK(cell(matrix, 1, 2, "sm_100").ptx->text() == "8.8");
}

TEST_CASE("from a file with several PTX texts the highest that fits is used, as a driver would do") {
    FakeHost host = good_machine();
    Producer binary;
    binary.kind = ProducerKind::binary;
    binary.path = "/x/lib.so";
    for (int number : {70, 80})
        binary.texts.push_back(
            {{number, 0}, {8, 0}, ".version 8.0\n.target sm_" + std::to_string(number) + "\n", "x"});
    Scenario scenario = scenario_for("60;75;90");
    Matrix matrix = matrix_of({binary}, {ptxas_at(k_ptxas)});
    fill(host, scenario, matrix);
    CHECK(cell(matrix, 1, 1, "sm_60").outcome == Outcome::unknown);
    CHECK(cell(matrix, 1, 1, "sm_60").evidence ==
          "lib.so makes no PTX for sm_60: holds no PTX that compiles for sm_60");
    CHECK(matrix.producers[0].made[1].text.find("sm_70") != std::string::npos);
    CHECK(matrix.producers[0].made[2].text.find("sm_80") != std::string::npos);
}

TEST_CASE("code that is still to be linked is undecided for a consumer that cannot link it") {
    FakeHost host = good_machine();
    Producer object = ptx_file("/x/k.o", {80, 0}, {8, 0});
    object.texts.front().relocatable = true;
    Scenario scenario = scenario_for("80");
    Matrix matrix = matrix_of({object}, {ptxas_at(k_ptxas)});
    fill(host, scenario, matrix);
    CHECK(cell(matrix, 1, 1, "sm_80").outcome == Outcome::unknown);
    CHECK(cell(matrix, 1, 1, "sm_80").evidence.find("still to be linked") != std::string::npos);
}

TEST_CASE("without a request nvcc's default target is used, and is compiled once") {
    FakeHost host = good_machine();
    Scenario scenario = scenario_for("");
    Matrix matrix = matrix_of({nvcc()}, {ptxas_at(k_ptxas)});
    fill(host, scenario, matrix);
    REQUIRE(matrix.targets.size() == 1);
    CHECK(matrix.targets[0].sm() == "sm_75");
    CHECK(matrix.targets_because == "default of nvcc 13.0.88");
    CHECK(runs_of(host, k_nvcc) == 2);  // the list and the PTX
}

TEST_CASE("a host compiler that an nvcc does not allow does not prevent PTX") {
    FakeHost host = good_machine();
    for (const bool knows_the_flag : {true, false}) {
        host.program(k_nvcc, [knows_the_flag](const Command& command) {
            if (has(command, "-allow-unsupported-compiler") && knows_the_flag)
                return good_nvcc(command, "7.8");
            if (has(command, "--list-gpu-code")) return good_nvcc(command, "7.8");
            if (has(command, "-allow-unsupported-compiler"))
                return exited(1, "nvcc fatal   : Unknown option '-allow-unsupported-compiler'\n");
            return exited(1,
                          "host_config.h:132:2: error: #error -- unsupported GNU version! gcc versions later "
                          "than 11\n");
        });
        Scenario scenario = scenario_for("80;90");
        Matrix matrix = matrix_of({nvcc()}, {ptxas_at(k_ptxas)});
        fill(host, scenario, matrix);
        const Cell& one = cell(matrix, 1, 1, "sm_80");
        CHECK(one.outcome == (knows_the_flag ? Outcome::accepted : Outcome::unknown));
        if (knows_the_flag) CHECK(one.ptx->text() == "7.8");
        if (!knows_the_flag) CHECK(one.evidence.find("unsupported GNU version") != std::string::npos);
    }
}

TEST_CASE("keywords are resolved with the list of the build's nvcc") {
    FakeHost host = good_machine();
    Scenario scenario = scenario_for("all");
    Matrix matrix = matrix_of({nvcc()}, {ptxas_at(k_ptxas)});
    fill(host, scenario, matrix);
    CHECK(matrix.targets.size() == 3);
    Scenario native = scenario_for("native");
    Matrix none = matrix_of({nvcc()}, {ptxas_at(k_ptxas)});
    fill(host, native, none);
    REQUIRE(none.remarks.size() == 1);
    CHECK(none.remarks[0] == "'native' selects no target here: no GPU was found or named with --gpu");
}
