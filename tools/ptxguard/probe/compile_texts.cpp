// Cells of a matrix (probe/matrix.hpp) whose producer is the file, summed up.
// SPDX-License-Identifier: Apache-2.0
#include "probe/compile_texts.hpp"

#include <algorithm>

#include "probe/matrix_steps.hpp"

namespace ptxguard {
namespace {

constexpr std::size_t k_step = 16;  // texts between two looks at the clock

bool is_compiler(const Consumer& consumer) {
    return consumer.kind == ConsumerKind::ptxas || consumer.kind == ConsumerKind::driver_jit;
}

MatrixRun run_of(const Asker& ask, const Facts& facts, const ProbeOptions& options, Scenario& scenario,
                 Matrix& matrix) {
    MatrixRun run{ask, facts, options, scenario, matrix};
    run.may_run = true;
    run.lower_versions = false;
    return run;
}

Made made_of(const PtxToCompile& one) {
    Made made;
    made.target = one.arch;
    made.ptx = one.ptx.version;
    made.outcome = Outcome::accepted;
    made.text = one.ptx.text;
    return made;
}

CompiledPtx& answer_of(std::vector<CompiledPtx>& answers, const Consumer& consumer, Arch arch) {
    const std::string name = name_of(consumer);
    const auto same = [&](const CompiledPtx& one) { return one.compiler == name && one.arch == arch; };
    const auto known = std::find_if(answers.begin(), answers.end(), same);
    if (known != answers.end()) return *known;
    answers.emplace_back();
    answers.back().compiler = name;
    answers.back().driver = consumer.driver.id;
    answers.back().arch = arch;
    return answers.back();
}

void take(const Cell& cell, Arch target, CompiledPtx& answer) {
    if (cell.outcome == Outcome::accepted) {
        ++answer.accepted;
    } else if (cell.outcome == Outcome::refused) {
        if (answer.refused++ != 0) return;
        answer.words = cell.evidence;
        answer.failure = cell.failure;
        answer.ptx = cell.ptx;
        answer.target = target;
        answer.command = cell.command;
    } else if (answer.words.empty()) {
        answer.words = cell.evidence;
    }
}

void sum_up(CompiledPtx& answer) {
    if (answer.refused != 0) answer.outcome = Outcome::refused;
    const bool all = answer.accepted == answer.texts;
    if (answer.refused == 0 && all) answer.outcome = Outcome::accepted;
    if (answer.refused == 0 && !all && answer.words.empty())
        answer.words = "there was no time to compile the others";
}

}  // namespace

TextCompiler::TextCompiler(const Asker& ask, const Facts& facts, Scenario& scenario,
                           std::vector<Consumer> consumers, std::chrono::seconds limit)
    : m_ask(ask),
      m_facts(facts),
      m_scenario(scenario),
      m_consumers(std::move(consumers)),
      m_end(std::chrono::steady_clock::now() + limit) {
    m_consumers.erase(std::remove_if(m_consumers.begin(), m_consumers.end(),
                                     [](const Consumer& one) { return !is_compiler(one); }),
                      m_consumers.end());
    Matrix matrix;
    matrix.consumers = std::move(m_consumers);
    const ProbeOptions options;
    MatrixRun run = run_of(m_ask, m_facts, options, m_scenario, matrix);
    ask_consumers(run);
    m_consumers = std::move(matrix.consumers);
    for (const Consumer& consumer : m_consumers) {
        if (consumer.kind != ConsumerKind::driver_jit || consumer.reads_basis != Certainty::measured)
            continue;
        ProbeResult limits;
        limits.kind = ProbeKind::driver_jit;
        limits.outcome = Outcome::accepted;
        limits.driver = consumer.driver.id;
        limits.tool = consumer.path;
        limits.tool_version = consumer.version.value;
        limits.accepts_up_to = consumer.reads;
        m_scenario.probes.push_back(std::move(limits));
    }
}

std::vector<CompiledPtx> TextCompiler::compile(const std::vector<PtxToCompile>& texts) {
    std::vector<CompiledPtx> answers;
    for (const PtxToCompile& one : texts)
        for (const Consumer& consumer : m_consumers) ++answer_of(answers, consumer, one.arch).texts;
    const ProbeOptions options;
    for (std::size_t at = 0; at < texts.size() && std::chrono::steady_clock::now() < m_end; at += k_step) {
        const std::size_t end = std::min(texts.size(), at + k_step);
        Matrix matrix;
        matrix.consumers = m_consumers;
        matrix.producers.emplace_back();
        for (std::size_t i = at; i < end; ++i) matrix.producers.front().made.push_back(made_of(texts[i]));
        MatrixRun run = run_of(m_ask, m_facts, options, m_scenario, matrix);
        read_ptx(run);
        // The cells have the order of the texts, and for each that of the consumers.
        for (std::size_t i = 0; i < matrix.cells.size(); ++i)
            take(matrix.cells[i], texts[at + i / m_consumers.size()].ptx.target,
                 answer_of(answers, m_consumers[i % m_consumers.size()],
                           texts[at + i / m_consumers.size()].arch));
    }
    for (CompiledPtx& answer : answers) sum_up(answer);
    return answers;
}

}  // namespace ptxguard
