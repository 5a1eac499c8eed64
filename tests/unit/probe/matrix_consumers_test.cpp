// The consumers of a matrix: drivers, GPUs, programs that misbehave, and the tables' results for those that
// are not run.
// SPDX-License-Identifier: Apache-2.0
#include "matrix_machine.hpp"

using namespace machine;

TEST_CASE("a program that accepts everything and makes nothing is broken") {
    FakeHost host = good_machine();
    host.program("/fake/ptxas", "hello\n");
    Scenario scenario = scenario_for("80");
    Matrix matrix = matrix_of({nvcc()}, {ptxas_at("/fake/ptxas")});
    fill(host, scenario, matrix);
    CHECK(cell(matrix, 1, 1, "sm_80").outcome == Outcome::broken);
}

TEST_CASE("an nvcc that does not run makes nothing, and no consumer is blamed for it") {
    FakeHost host = good_machine();
    host.program(k_nvcc, "", 7);
    Scenario scenario = scenario_for("80");
    Matrix matrix = matrix_of({nvcc()}, {ptxas_at(k_ptxas)});
    fill(host, scenario, matrix);
    CHECK(cell(matrix, 1, 1, "sm_80").outcome == Outcome::unknown);
    CHECK_FALSE(matrix.producers[0].trouble.empty());
}

TEST_CASE("drivers known only by number are predicted, with the table's row") {
    FakeHost host = good_machine();
    Scenario scenario = scenario_for("80");
    Matrix matrix =
        matrix_of({nvcc()}, {ptxas_at(k_ptxas), driver_of("535"), driver_of("580.65.06"), driver_of("999")});
    fill(host, scenario, matrix);
    CHECK(cell(matrix, 1, 1, "sm_80").basis == Certainty::measured);
    const Cell& old = cell(matrix, 1, 2, "sm_80");
    CHECK(old.outcome == Outcome::refused);
    CHECK(old.basis == Certainty::predicted);
    CHECK(old.evidence.find("driver branch 535 reads PTX up to 8.2; facts/drivers.json") == 0);
    CHECK(cell(matrix, 1, 3, "sm_80").outcome == Outcome::accepted);
    CHECK(cell(matrix, 1, 4, "sm_80").outcome == Outcome::unknown);
    CHECK(matrix.consumers[1].reads_basis == Certainty::predicted);
}

TEST_CASE("a driver's JIT library is run in a child") {
    FakeHost host = good_machine();
    host.program(own::executable_path(), [](const Command& command) {
        std::string lines =
            R"({"event":"loaded","api":"12.2"})"
            "\n"
            R"({"event":"limit","arch":"sm_80","result":7,"log":"fatal : Unsupported .version 99.9; current version is '8.2'","made":false})"
            "\n";
        if (command.argv.size() > 4) {
            const bool fits = command.input.find(".version 8.2") != std::string::npos;
            lines +=
                fits
                    ? R"({"event":"compile","arch":"sm_80","result":0,"log":"","made":true})"
                    : R"({"event":"compile","arch":"sm_80","result":7,"log":"fatal : Unsupported .version 9.0; current version is '8.2'","made":false})";
        }
        return exited(0, "", lines + "\n");
    });
    Consumer consumer;
    consumer.kind = ConsumerKind::driver_jit;
    consumer.path = k_jit;
    consumer.driver = driver_with_library();
    Scenario scenario = scenario_for("80");
    Matrix matrix = matrix_of({nvcc()}, {consumer});
    fill(host, scenario, matrix);
    const Cell& refused = cell(matrix, 1, 1, "sm_80");
    CHECK(refused.outcome == Outcome::refused);
    CHECK(refused.basis == Certainty::measured);
    CHECK(refused.evidence == "fatal : Unsupported .version 9.0; current version is '8.2'");
    REQUIRE(refused.lowered);
    CHECK(refused.lowered->outcome == Outcome::accepted);
    CHECK(matrix.consumers[0].reads->text() == "8.2");
}

TEST_CASE("nothing is run with --probe off or in a foreign tree: the tables are used") {
    for (const bool foreign : {false, true}) {
        FakeHost host = good_machine();
        host.foreign(foreign);
        Scenario scenario = scenario_for("80;50");
        Consumer old = ptxas_at("/old/ptxas");
        old.version = {*parse_version("12.8.93"), {}};
        Matrix matrix = matrix_of({nvcc()}, {old, ptxas_at("/unknown/ptxas")});
        fill(host, scenario, matrix, {}, foreign ? ProbeMode::auto_ : ProbeMode::off);
        CHECK(host.commands_run.empty());
        CHECK(cell(matrix, 1, 1, "sm_80").outcome == Outcome::refused);
        CHECK(cell(matrix, 1, 1, "sm_80").basis == Certainty::predicted);
        CHECK(cell(matrix, 1, 1, "sm_80")
                  .evidence.find("ptxas of CUDA 12.8 reads PTX up to 8.7; facts/cuda/12.8.json") == 0);
        CHECK(cell(matrix, 1, 1, "sm_50").outcome == Outcome::unknown);  // nvcc 13.0 does not make it
        CHECK(cell(matrix, 1, 2, "sm_80").outcome == Outcome::unknown);
        CHECK(cell(matrix, 1, 2, "sm_80").evidence == "the version of ptxas is not known");
    }
}

TEST_CASE("two hundred assemblers are all run, and none without producers") {
    FakeHost host = good_machine();
    std::vector<Consumer> many;
    for (int i = 0; i < 200; ++i) {
        const std::string path = "/p" + std::to_string(i) + "/ptxas";
        host.program(path, ptxas_up_to({8, i % 9}));
        many.push_back(ptxas_at(path));
    }
    Scenario scenario = scenario_for("80");
    Matrix matrix = matrix_of({nvcc()}, many);
    fill(host, scenario, matrix);
    CHECK(matrix.cells.size() == 200);
    Scenario again = scenario_for("80");
    Matrix empty = matrix_of({}, {});
    fill(host, again, empty);
    CHECK(empty.cells.empty());
}

namespace {

Consumer gpu_of(const char* driver, Arch arch) {
    Consumer consumer = driver_of(driver);
    consumer.kind = ConsumerKind::gpu;
    consumer.path = "/usr/lib/libcuda.so.1";
    consumer.gpu.name = "NVIDIA " + arch.sm();
    consumer.gpu.arch = {arch, {}};
    return consumer;
}

}  // namespace

TEST_CASE("on a GPU of this machine the PTX is loaded, and CUDA's own error is the evidence") {
    FakeHost host = good_machine();
    host.program(own::executable_path(), [](const Command& command) {
        CHECK(command.argv == std::vector<std::string>{own::executable_path(), "--child", "cuda",
                                                       "/usr/lib/libcuda.so.1", "sm_90"});
        CHECK(command.environment.at("CUDA_CACHE_DISABLE") == "1");
        const char* answer =
            command.input.find(".target sm_80") != std::string::npos
                ? R"({"event":"compile","arch":"sm_90","call":"cuModuleLoadDataEx","result":0,"log":"","made":true})"
                : R"x({"event":"compile","arch":"sm_90","call":"cuModuleLoadDataEx","result":222,"name":"CUDA_ERROR_UNSUPPORTED_PTX_VERSION","log":"CUDA error 222 (CUDA_ERROR_UNSUPPORTED_PTX_VERSION): the provided PTX was compiled with an unsupported toolchain.","made":false})x";
        return exited(0, "", std::string(R"({"event":"loaded","version":"12.2"})") + "\n" + answer + "\n");
    });
    Scenario scenario = scenario_for("80");
    Matrix matrix = matrix_of({ptx_file("/a.ptx", {80, 0}, {8, 0}), ptx_file("/b.ptx", {75, 0}, {9, 0})},
                              {gpu_of("535.104.05", {90, 0})});
    fill(host, scenario, matrix);
    const Cell& loaded = cell(matrix, 1, 1, "sm_80");
    CHECK(loaded.outcome == Outcome::accepted);
    CHECK(loaded.basis == Certainty::measured);
    CHECK(loaded.evidence == "loaded on NVIDIA sm_90");
    const Cell& refused = cell(matrix, 2, 1, "sm_80");
    CHECK(refused.outcome == Outcome::refused);
    CHECK(refused.evidence.find("CUDA error 222 (CUDA_ERROR_UNSUPPORTED_PTX_VERSION)") == 0);
    CHECK(name_of(matrix.consumers[0]) == "NVIDIA sm_90, driver 535.104.05");
    CHECK(matrix.consumers[0].reads->text() == "8.2");
}

TEST_CASE("a GPU that fails for another reason leaves the PTX undecided") {
    FakeHost host = good_machine();
    host.program(own::executable_path(), [](const Command&) {
        return exited(
            0, "",
            R"({"event":"loaded","version":"12.2"})"
            "\n"
            R"({"event":"compile","arch":"sm_90","call":"cuCtxCreate","result":2,"log":"CUDA error 2 CUDA_ERROR_OUT_OF_MEMORY","made":false})"
            "\n");
    });
    Scenario scenario = scenario_for("80");
    Matrix matrix = matrix_of({ptx_file("/a.ptx", {80, 0}, {8, 0})}, {gpu_of("535.104.05", {90, 0})});
    fill(host, scenario, matrix);
    CHECK(cell(matrix, 1, 1, "sm_80").outcome == Outcome::broken);
}

TEST_CASE("a GPU that is not probed: the driver's table and what its capability compiles") {
    FakeHost host = good_machine();
    Scenario scenario = scenario_for("80");
    Matrix matrix = matrix_of({ptx_file("/a.ptx", {80, 0}, {8, 0})},
                              {gpu_of("535.104.05", {90, 0}), gpu_of("535.104.05", {75, 0})});
    fill(host, scenario, matrix, {}, ProbeMode::off);
    CHECK(cell(matrix, 1, 1, "sm_80").outcome == Outcome::accepted);
    CHECK(cell(matrix, 1, 1, "sm_80").basis == Certainty::predicted);
    CHECK(cell(matrix, 1, 2, "sm_80").outcome == Outcome::refused);
    CHECK(cell(matrix, 1, 2, "sm_80").evidence == "PTX for sm_80 does not compile for sm_75");
}

TEST_CASE("Tile IR: a driver of CUDA 13.0 has no compiler for it; for newer drivers it is unknown") {
    FakeHost host = good_machine();
    Producer bytecode;
    bytecode.kind = ProducerKind::binary;
    bytecode.code = EntryKind::tileir;
    bytecode.path = "/a.tilebc";
    bytecode.texts = {{{100, 0}, {13, 2}, "tile", "", false, EntryKind::tileir}};
    Scenario scenario = scenario_for("100");
    Matrix matrix = matrix_of({bytecode}, {driver_of("580.65.06"), driver_of("590"), driver_of("999")});
    fill(host, scenario, matrix);
    const Cell& old = cell(matrix, 1, 1, "sm_100");
    CHECK(old.outcome == Outcome::refused);
    CHECK(old.basis == Certainty::predicted);
    CHECK(
        old.evidence.find("the first driver that compiles Tile IR is that of CUDA 13.1, which reads PTX 9.1; "
                          "this one reads PTX up to 9.0; facts/lto_ir.json") == 0);
    const Cell& newer = cell(matrix, 1, 2, "sm_100");
    CHECK(newer.outcome == Outcome::unknown);
    CHECK(newer.evidence.find("its compiler of Tile IR has no documented interface") == 0);
    CHECK(cell(matrix, 1, 3, "sm_100").evidence == "whether the driver compiles Tile IR is not known");
}

TEST_CASE("LTO-IR by table: a linker of that release or a newer one accepts it, an older one refuses it") {
    FakeHost host = good_machine();
    Producer code;
    code.kind = ProducerKind::binary;
    code.code = EntryKind::ltoir;
    code.path = "/a.fatbin";
    code.texts = {{{80, 0}, {1, 61}, "ir", "", false, EntryKind::ltoir}};  // CUDA 12.4 or 12.5
    const auto linker = [](const char* version) {
        Consumer consumer;
        consumer.kind = ConsumerKind::nvjitlink;
        consumer.path = std::string("/lib/libnvJitLink.so.") + version;
        if (*version) consumer.version = {*parse_version(version), {}};
        return consumer;
    };
    const auto given_to = [&](const char* version, PtxVersion ir) {
        code.texts[0].version = ir;
        Scenario scenario = scenario_for("80");
        Matrix matrix = matrix_of({code}, {linker(version)});
        fill(host, scenario, matrix, {}, ProbeMode::off);
        return cell(matrix, 1, 1, "sm_80");
    };
    CHECK(given_to("12.5.82", {1, 61}).outcome == Outcome::accepted);
    CHECK(given_to("13.0.88", {1, 61}).outcome == Outcome::accepted);
    CHECK(given_to("12.4.127", {1, 61}).outcome == Outcome::unknown);  // it may be of 12.5
    CHECK(given_to("12.3.101", {1, 61}).outcome == Outcome::refused);
    CHECK(given_to("12.3.101", {1, 61}).evidence.find("LTO-IR of CUDA 12.4 is newer") == 0);
    CHECK(given_to("12.3.101", {1, 61}).basis == Certainty::predicted);
    CHECK(given_to("13.0.88", {9, 99}).evidence.find("no table lists LTO-IR 9.99") == 0);
    CHECK(given_to("", {1, 61}).outcome == Outcome::unknown);
}
