// Producers and consumers of a matrix on machines made of texts.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "machine.hpp"
#include "probe/matrix.hpp"

namespace machine {

inline PtxVersion version_in(const std::string& ptx) {
    const std::size_t at = ptx.find(".version ") + 9;
    return *parse_ptx_version(ptx.substr(at, ptx.find('\n', at) - at));
}

// A ptxas that reads PTX up to `newest` and knows sm_75 to sm_90.
inline std::function<ProcessResult(const Command&)> ptxas_up_to(PtxVersion newest) {
    return [newest](const Command& command) {
        if (has(command, "--version"))
            return exited(0, "", "Cuda compilation tools, release 12.8, V12.8.93\n");
        const std::string arch = command.argv[1].substr(6);
        if (arch != "sm_75" && arch != "sm_80" && arch != "sm_90")
            return exited(255, "ptxas fatal   : Value '" + arch + "' is not defined for option 'gpu-name'\n");
        const auto ptx = read_own_file(join_path(command.directory, command.argv[2]));
        REQUIRE(ptx);
        const PtxVersion asked = version_in(*ptx);
        if (asked > newest)
            return exited(255, "ptxas " + command.argv[2] + ", line 2; fatal   : Unsupported .version " +
                                   asked.text() + "; current version is '" + newest.text() + "'\n");
        write(command, command.argv.back(), "cubin");
        return exited(0);
    };
}

inline Consumer ptxas_at(const std::string& path) {
    Consumer consumer;
    consumer.kind = ConsumerKind::ptxas;
    consumer.path = path;
    return consumer;
}

inline Producer nvcc() {
    Producer producer;
    producer.kind = ProducerKind::nvcc;
    producer.path = k_nvcc;
    producer.toolkit = "toolkit1";
    producer.version = {*parse_version("13.0.88"), {}};
    return producer;
}

inline Producer ptx_file(const std::string& path, Arch target, PtxVersion version) {
    Producer producer;
    producer.kind = ProducerKind::ptx_file;
    producer.path = path;
    producer.texts = {{target, version,
                       ".version " + version.text() + "\n.target " + target.sm() + "\n// " + path + "\n",
                       ""}};
    return producer;
}

inline Driver number(const char* version) {
    Driver driver;
    driver.version = {*parse_version(version), {}};
    return driver;
}

inline Consumer driver_of(const char* version) {
    Consumer consumer;
    consumer.kind = ConsumerKind::driver;
    consumer.driver = number(version);
    consumer.version = consumer.driver.version;
    return consumer;
}

inline Matrix matrix_of(std::vector<Producer> producers, std::vector<Consumer> consumers) {
    Matrix matrix;
    for (Producer& producer : producers) {
        producer.id = "producer" + std::to_string(matrix.producers.size() + 1);
        matrix.producers.push_back(producer);
    }
    for (Consumer& consumer : consumers) {
        consumer.id = "consumer" + std::to_string(matrix.consumers.size() + 1);
        matrix.consumers.push_back(consumer);
    }
    return matrix;
}

inline void fill(const FakeHost& host, Scenario& scenario, Matrix& matrix, const std::string& cache = {},
                 ProbeMode mode = ProbeMode::auto_) {
    ProbeOptions options;
    options.mode = mode;
    fill_matrix(Asker(host, cache), Facts::embedded(), options, scenario, matrix);
}

inline const Cell& cell(const Matrix& matrix, std::size_t producer, std::size_t consumer,
                        const char* target) {
    for (const Cell& one : matrix.cells)
        if (one.producer == "producer" + std::to_string(producer) &&
            one.consumer == "consumer" + std::to_string(consumer) && one.target.sm() == target)
            return one;
    FAIL("no cell " << producer << " " << consumer << " " << target);
    return matrix.cells.front();
}

inline std::size_t runs_of(const FakeHost& host, const std::string& program) {
    return static_cast<std::size_t>(
        std::count_if(host.commands_run.begin(), host.commands_run.end(),
                      [&](const Command& command) { return command.argv.front() == program; }));
}

}  // namespace machine
