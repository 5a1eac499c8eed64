// Summaries of matrix cells (probe/matrix.hpp) whose producer is the file.
// SPDX-License-Identifier: Apache-2.0
#include "probe/compile_texts.hpp"

#include <algorithm>
#include <set>

#include "model/ranges.hpp"
#include "probe/matrix_steps.hpp"
#include "probe/ptx_source.hpp"

namespace ptxguard {
namespace {

constexpr std::size_t k_step = 16;  // texts between two time checks

bool compiles(const Consumer& consumer, EntryKind code) {
    switch (code) {
        case EntryKind::ltoir: return consumer.kind == ConsumerKind::nvjitlink;
        case EntryKind::tileir: return consumer.kind == ConsumerKind::tileiras;
        default: return consumer.kind == ConsumerKind::ptxas || consumer.kind == ConsumerKind::driver_jit;
    }
}

std::vector<Consumer> compilers_of(EntryKind code, const std::vector<Consumer>& all) {
    std::vector<Consumer> some;
    std::copy_if(all.begin(), all.end(), std::back_inserter(some),
                 [code](const Consumer& one) { return compiles(one, code); });
    return some;
}

MatrixRun run_of(const Asker& ask, const Facts& facts, const ProbeOptions& options, Scenario& scenario,
                 Matrix& matrix) {
    MatrixRun run{ask, facts, options, scenario, matrix};
    run.may_run = true;
    run.lower_versions = false;
    run.own_folder = true;
    return run;
}

Made made_of(const CodeToCompile& one) {
    Made made;
    made.target = one.arch;
    (one.code.code == EntryKind::ptx ? made.ptx : made.ir) = one.code.version;
    made.outcome = Outcome::accepted;
    made.text = one.code.text;
    return made;
}

CompiledCode& answer_of(std::vector<CompiledCode>& answers, const std::string& compiler, EntryKind code,
                        Arch arch) {
    const auto same = [&](const CompiledCode& one) {
        return one.compiler == compiler && one.code == code && one.arch == arch;
    };
    auto* known = first_where(answers, same);
    if (known) return *known;
    answers.emplace_back();
    answers.back().compiler = compiler;
    answers.back().code = code;
    answers.back().arch = arch;
    return answers.back();
}

void take(const Cell& cell, Arch target, CompiledCode& answer) {
    if (cell.outcome == Outcome::accepted) {
        ++answer.accepted;
    } else if (cell.outcome == Outcome::refused) {
        if (answer.refused++ != 0) return;
        answer.words = cell.evidence;
        answer.failure = cell.failure;
        answer.ptx = cell.ptx;
        answer.ir = cell.ir;
        answer.target = target;
        answer.command = cell.command;
    } else if (answer.words.empty()) {
        answer.words = cell.evidence;
        answer.failure = cell.failure;
    }
}

void sum_up(CompiledCode& answer) {
    if (answer.refused != 0) answer.outcome = Outcome::refused;
    const bool all = answer.accepted == answer.texts;
    if (answer.refused == 0 && all) answer.outcome = Outcome::accepted;
    if (answer.refused == 0 && !all && answer.words.empty())
        answer.words = "there was no time to compile the others";
}

// The canaries of LTO-IR or Tile IR: code that must be refused, and code that must compile if there is any.
std::vector<CodeToCompile> canaries(EntryKind code, Arch arch) {
    std::vector<CodeToCompile> all = {{arch, {{}, {255, 255}, absurd_ir(code), "", false, code}}};
    if (code == EntryKind::tileir) all.push_back({arch, {{}, {13, 1}, oldest_tile_ir(), "", false, code}});
    return all;
}

// Why a compiler's results do not count; empty = they do. `cells`: its results for the canaries.
std::string doubt(const std::vector<const Cell*>& cells) {
    if (cells.front()->outcome == Outcome::accepted) return "it does not refuse code of version 255.255";
    if (cells.front()->outcome != Outcome::refused) return cells.front()->evidence;
    // It is still valid if it does not support the GPU.
    const Cell& last = *cells.back();
    if (last.outcome == Outcome::accepted || cells.size() == 1 || last.failure == Failure::architecture)
        return {};
    return "it does not compile the oldest code of that kind: " + last.evidence;
}

}  // namespace

TextCompiler::TextCompiler(const Asker& ask, const Facts& facts, Scenario& scenario,
                           std::vector<Consumer> consumers, std::chrono::seconds limit)
    : m_ask(ask),
      m_facts(facts),
      m_scenario(scenario),
      m_consumers(std::move(consumers)),
      m_end(std::chrono::steady_clock::now() + limit) {
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

// The cells are in the order of the texts, and for each text in that of the consumers.
std::vector<Cell> TextCompiler::cells_of(const std::vector<Consumer>& consumers, EntryKind code,
                                         const Texts& texts) const {
    const ProbeOptions options;
    Matrix matrix;
    matrix.consumers = consumers;
    matrix.producers.emplace_back();
    matrix.producers.front().code = code;
    for (const CodeToCompile* one : texts) matrix.producers.front().made.push_back(made_of(*one));
    MatrixRun run = run_of(m_ask, m_facts, options, m_scenario, matrix);
    read_ptx(run);
    return std::move(matrix.cells);
}

TextCompiler::Doubts TextCompiler::doubts_of(const std::vector<Consumer>& consumers, EntryKind code,
                                             const Texts& texts) const {
    Doubts doubts;
    if (code == EntryKind::ptx) return doubts;  // ask_consumers gives canaries of PTX
    std::set<Arch> archs;
    for (const CodeToCompile* one : texts) archs.insert(one->arch);
    for (const Arch arch : archs) {
        const std::vector<CodeToCompile> given = canaries(code, arch);
        Texts pointers;
        for (const CodeToCompile& one : given) pointers.push_back(&one);
        const std::vector<Cell> cells = cells_of(consumers, code, pointers);
        for (std::size_t at = 0; at < consumers.size(); ++at) {
            std::vector<const Cell*> own;
            for (std::size_t i = at; i < cells.size(); i += consumers.size()) own.push_back(&cells[i]);
            doubts[{consumers[at].id, arch}] = doubt(own);
        }
    }
    return doubts;
}

void TextCompiler::compile_kind(EntryKind code, const Texts& texts,
                                std::vector<CompiledCode>& answers) const {
    const std::vector<Consumer> consumers = compilers_of(code, m_consumers);
    for (const CodeToCompile* one : texts)
        for (const Consumer& consumer : consumers) {
            CompiledCode& answer = answer_of(answers, name_of(consumer), code, one->arch);
            answer.driver = consumer.driver.id;
            ++answer.texts;
        }
    Doubts doubts = doubts_of(consumers, code, texts);
    for (std::size_t at = 0; at < texts.size() && std::chrono::steady_clock::now() < m_end; at += k_step) {
        const auto first = texts.begin() + static_cast<std::ptrdiff_t>(at);
        const Texts some(first, first + static_cast<std::ptrdiff_t>(std::min(k_step, texts.size() - at)));
        std::vector<Cell> cells = cells_of(consumers, code, some);
        for (std::size_t i = 0; i < cells.size(); ++i) {
            const CodeToCompile& one = *some[i / consumers.size()];
            const Consumer& consumer = consumers[i % consumers.size()];
            if (const std::string& why = doubts[{consumer.id, one.arch}]; !why.empty()) {
                cells[i].outcome = Outcome::unknown;
                cells[i].evidence = why;
            }
            take(cells[i], one.code.target, answer_of(answers, name_of(consumer), code, one.arch));
        }
    }
}

std::vector<CompiledCode> TextCompiler::compile(const std::vector<CodeToCompile>& texts) {
    std::vector<CompiledCode> answers;
    for (const EntryKind code : {EntryKind::ptx, EntryKind::ltoir, EntryKind::tileir}) {
        Texts some;
        for (const CodeToCompile& one : texts)
            if (one.code.code == code) some.push_back(&one);
        if (!some.empty()) compile_kind(code, some, answers);
    }
    for (CompiledCode& answer : answers) sum_up(answer);
    return answers;
}

}  // namespace ptxguard
