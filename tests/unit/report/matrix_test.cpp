// The matrix for people: targets that agree share a table, equal reasons share a line.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "model/serialize.hpp"
#include "report/report.hpp"

using namespace ptxguard;

namespace {

Producer producer(const std::string& id, const char* version, PtxVersion ptx) {
    Producer one;
    one.id = id;
    one.path = "/" + id + "/nvcc";
    one.version = {*parse_version(version), {}};
    one.ptx = ptx;
    return one;
}

Consumer consumer(const std::string& id, const char* version, PtxVersion reads) {
    Consumer one;
    one.id = id;
    one.path = "/" + id + "/ptxas";
    one.version = {*parse_version(version), {}};
    one.reads = reads;
    one.reads_basis = Certainty::measured;
    return one;
}

void add(Matrix& matrix, std::size_t from, std::size_t to, Arch target, Outcome outcome,
         const std::string& evidence = "", Certainty basis = Certainty::measured) {
    Cell cell;
    cell.producer = matrix.producers[from].id;
    cell.consumer = matrix.consumers[to].id;
    cell.target = target;
    cell.ptx = matrix.producers[from].ptx;
    cell.outcome = outcome;
    cell.evidence = evidence;
    cell.basis = basis;
    matrix.cells.push_back(cell);
}

Matrix two_by_two() {
    Matrix matrix;
    matrix.producers = {producer("p1", "13.0.88", {9, 0}), producer("p2", "12.8.93", {8, 7})};
    matrix.consumers = {consumer("c1", "13.0.88", {9, 0}), consumer("c2", "12.8.93", {8, 7})};
    matrix.targets = {{80, 0}, {90, 0}};
    matrix.targets_because = "--arch 80;90";
    for (Producer& one : matrix.producers) one.made.resize(2);
    for (Arch target : matrix.targets) {
        add(matrix, 0, 0, target, Outcome::accepted);
        add(matrix, 0, 1, target, Outcome::refused, "ptxas: too new");
        add(matrix, 1, 0, target, Outcome::accepted);
        add(matrix, 1, 1, target, Outcome::accepted);
    }
    return matrix;
}

}  // namespace

TEST_CASE("targets that agree share a table, and a refusal has one line") {
    CHECK(matrix_text(two_by_two(), {}) ==
          "producers\n"
          "  nvcc 13.0.88   PTX 9.0   /p1/nvcc\n"
          "  nvcc 12.8.93   PTX 8.7   /p2/nvcc\n"
          "\n"
          "consumers\n"
          "  ptxas 13.0.88   up to PTX 9.0   /c1/ptxas\n"
          "  ptxas 12.8.93   up to PTX 8.7   /c2/ptxas\n"
          "\n"
          "targets: sm_80, sm_90 (--arch 80;90)\n"
          "\n"
          "sm_80, sm_90\n"
          "                 PTX   ptxas 13.0.88   ptxas 12.8.93\n"
          "  nvcc 13.0.88   9.0   accepted        refused\n"
          "  nvcc 12.8.93   8.7   accepted        accepted\n"
          "\n"
          "refused\n"
          "  nvcc 13.0.88 -> ptxas 12.8.93: ptxas: too new\n"
          "\n"
          "8 cells: 6 accepted, 2 refused; 8 measured, 0 predicted\n");
}

TEST_CASE("a target that differs has its own table and is named in the reason") {
    Matrix matrix = two_by_two();
    matrix.cells[7].outcome = Outcome::broken;
    matrix.cells[7].evidence = "crashed";
    matrix.cells[7].basis = Certainty::predicted;
    const std::string text = matrix_text(matrix, {});
    CHECK(text.find("\nsm_80\n") != std::string::npos);
    CHECK(text.find("\nsm_90\n") != std::string::npos);
    CHECK(text.find("~broken") != std::string::npos);
    CHECK(text.find("broken\n  nvcc 12.8.93 -> ptxas 12.8.93 (sm_90): predicted: crashed\n") !=
          std::string::npos);
    CHECK(text.find("7 measured, 1 predicted (~)") != std::string::npos);
}

TEST_CASE("equal reasons of several producers and consumers share a line") {
    Matrix matrix = two_by_two();
    for (Cell& cell : matrix.cells) {
        cell.outcome = Outcome::refused;
        cell.evidence = "no";
    }
    CHECK(matrix_text(matrix, {}).find("refused\n  nvcc 13.0.88, nvcc 12.8.93 -> every consumer: no\n") !=
          std::string::npos);
}

TEST_CASE("two of one name are numbered; other names are counted, uses and troubles listed") {
    Matrix matrix = two_by_two();
    matrix.consumers[1].version = matrix.consumers[0].version;
    matrix.consumers[1].names = {"/usr/bin/ptxas"};
    matrix.consumers[1].used_for = "Triton";
    matrix.consumers[1].trouble = "did not end within 10 s";
    const std::string text = matrix_text(matrix, {});
    CHECK(text.find("ptxas 13.0.88 #1") != std::string::npos);
    CHECK(text.find("ptxas 13.0.88 #2") != std::string::npos);
    CHECK(text.find("/c2/ptxas (Triton) (and 1 other name)\n") != std::string::npos);
    CHECK(text.find("  did not end within 10 s\n") != std::string::npos);
}

TEST_CASE("a note describes the effect of a lower version line") {
    Matrix matrix = two_by_two();
    matrix.cells[1].lowered = Lowered{{8, 7}, Outcome::accepted, ""};
    matrix.cells[5].lowered = Lowered{{8, 7}, Outcome::refused, "no"};
    CHECK(matrix_text(matrix, {})
              .find("works if only the .version line is lowered (measured)\n"
                    "  nvcc 13.0.88 -> ptxas 12.8.93 (sm_80): PTX 9.0 is accepted with .version 8.7\n") !=
          std::string::npos);
}

TEST_CASE("many consumers are listed below each other, in lines that fit a screen") {
    Matrix matrix;
    matrix.producers = {producer("p1", "13.0.88", {9, 0})};
    matrix.producers[0].made.resize(1);
    for (int i = 0; i < 200; ++i) {
        matrix.consumers.push_back(consumer("c" + std::to_string(i), "13.0.88", {9, 0}));
        add(matrix, 0, static_cast<std::size_t>(i), {80, 0}, Outcome::accepted);
    }
    const std::string text = matrix_text(matrix, {});
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = text.find('\n', at);
        CHECK(end - at <= 110);
        at = end + 1;
    }
    CHECK(text.find("ptxas 13.0.88 #200") != std::string::npos);
    ReportOptions narrow;
    narrow.width = 60;
    const std::string folded = matrix_text(matrix, narrow);
    for (std::size_t at = 0; at < folded.size(); at = folded.find('\n', at) + 1)
        CHECK(folded.find('\n', at) - at <= 60);
}

TEST_CASE("a path that does not fit beside its tool is below it, and one that fits stays") {
    Matrix matrix = two_by_two();
    matrix.producers[0].path = "/opt/" + std::string(60, 'x') + "/nvcc";
    matrix.producers[0].names = {"/usr/bin/nvcc"};
    ReportOptions options;
    options.width = 80;
    const std::string text = matrix_text(matrix, options);
    CHECK(text.find("  nvcc 13.0.88   PTX 9.0\n    /opt/" + std::string(60, 'x') +
                    "/nvcc (and\n    1 other name)\n"
                    "  nvcc 12.8.93   PTX 8.7   /p2/nvcc\n\nconsumers\n") != std::string::npos);
}

TEST_CASE("cells have marks where the terminal shows them, and stay in their columns") {
    Matrix matrix = two_by_two();
    ReportOptions options;
    options.symbols = true;
    const std::string text = matrix_text(matrix, options);
    CHECK(text.find("  nvcc 13.0.88   9.0   \u2713 accepted      \u2717 refused\n") != std::string::npos);
    CHECK(text.find("                 PTX   ptxas 13.0.88   ptxas 12.8.93\n") != std::string::npos);
}

TEST_CASE("colours change only the colour") {
    const Matrix matrix = two_by_two();
    ReportOptions colors;
    colors.color = true;
    std::string colored = matrix_text(matrix, colors);
    CHECK(colored.find("\x1b[1;31mrefused\x1b[0m") != std::string::npos);
    for (std::size_t at = colored.find('\x1b'); at != std::string::npos; at = colored.find('\x1b'))
        colored.erase(at, colored.find('m', at) - at + 1);
    CHECK(colored == matrix_text(matrix, {}));
}

TEST_CASE("the machine form names each pair by ids and keeps unknown values as null") {
    Matrix matrix = two_by_two();
    matrix.cells[0].ptx.reset();
    matrix.remarks = {"no GPU"};
    const Json json = to_json(matrix);
    CHECK(json["producers"].size() == 2);
    CHECK(json["cells"].size() == 8);
    const Json& cell = json["cells"].items()[1];
    CHECK(cell["producer"].as_string() == "p1");
    CHECK(cell["consumer"].as_string() == "c2");
    CHECK(cell["target"].as_string() == "sm_80");
    CHECK(cell["ptx"].as_string() == "9.0");
    CHECK(cell["outcome"].as_string() == "refused");
    CHECK(cell["basis"].as_string() == "measured");
    CHECK(json["cells"].items()[0]["ptx"].is_null());
    CHECK(json["remarks"].items()[0].as_string() == "no GPU");
}
