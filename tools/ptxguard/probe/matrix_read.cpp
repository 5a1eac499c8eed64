// Compiles all code with every consumer of its kind: one run for each distinct code, consumer and target.
// SPDX-License-Identifier: Apache-2.0
#include <deque>
#include <map>

#include "ask/version.hpp"
#include "formats/version_text.hpp"
#include "probe/compiler_libraries.hpp"
#include "probe/diagnose.hpp"
#include "probe/matrix_steps.hpp"
#include "probe/reading.hpp"
#include "probe/task.hpp"

namespace ptxguard {
namespace {

bool can_be_asked(const MatrixRun& run, const Consumer& consumer, EntryKind code) {
    const bool driver = consumer.kind == ConsumerKind::driver_jit && code == EntryKind::tileir;
    return run.may_run && consumer.kind != ConsumerKind::driver && !driver && consumer.trouble.empty();
}

// ".version 9.0" -> ".version 8.7"; nothing if there is no such line.
std::optional<std::string> with_version(const std::string& ptx, PtxVersion version) {
    for (std::size_t at = ptx.find(".version"); at != std::string::npos; at = ptx.find(".version", at + 1)) {
        const std::size_t before = at == 0 ? std::string::npos : ptx.find_last_not_of(" \t", at - 1);
        if (before != std::string::npos && ptx[before] != '\n') continue;  // in a comment
        const std::size_t number = ptx.find_first_not_of(" \t", at + 8);
        const std::size_t end = ptx.find_first_not_of("0123456789.", number);
        if (number == std::string::npos || end == std::string::npos) return std::nullopt;
        return ptx.substr(0, number) + version.text() + ptx.substr(end);
    }
    return std::nullopt;
}

std::string evidence_of(const MatrixRun& run, const Reading& reading) {
    const ProbeResult& result = reading.result();
    if (result.outcome != Outcome::accepted) {
        if (reading.consumer->kind == ConsumerKind::tileiras && !run.own_folder)
            for (const char* name : k_tileiras_variables)
                if (const auto value = run.ask.host().env(name))
                    return result.first_error + "; it uses the ptxas and libNVVM of " + name + "=" + *value;
        return result.first_error;
    }
    if (reading.consumer->kind == ConsumerKind::gpu) return "loaded on " + reading.consumer->gpu.name;
    return "made code for " + reading.sample->archs.front().sm();
}

// A pair that is measured: the cell, the reading that fills it, and whether its PTX is the producer's own.
struct Pair {
    std::size_t cell = 0;
    const Reading* reading = nullptr;
    const Made* made = nullptr;
};

Cell blank_cell(const Producer& producer, const Consumer& consumer, const Made& made) {
    Cell cell;
    cell.producer = producer.id;
    cell.consumer = consumer.id;
    cell.target = made.target;
    cell.ptx = made.ptx;
    cell.ir = made.ir;
    return cell;
}

void predict_cell(const MatrixRun& run, EntryKind code, const Consumer& consumer, const Made& made,
                  Cell& cell) {
    cell.basis = Certainty::predicted;
    Prediction answer = made.ptx ? predict_consumer(run, consumer, made.target, *made.ptx)
                                 : predict_ir_consumer(run, consumer, code, *made.ir);
    if (consumer.kind == ConsumerKind::gpu && !ptx_compiles_for(made.target, *consumer.gpu.arch)) {
        answer.outcome = Outcome::refused;
        answer.reason = "PTX for " + made.target.sm() + " does not compile for " + consumer.gpu.arch->sm();
        answer.row.clear();
    }
    cell.outcome = answer.outcome;
    cell.evidence = answer.reason;
    if (!answer.row.empty()) cell.evidence += (cell.evidence.empty() ? "" : "; ") + answer.row;
}

// A cell that needs no run.
bool fill_without_run(const MatrixRun& run, const Producer& producer, const Consumer& consumer,
                      const Made& made, Cell& cell) {
    if (made.outcome != Outcome::accepted || (!made.ptx && !made.ir)) {
        cell.basis = made.basis;
        const char* code = producer.code == EntryKind::ltoir ? "LTO-IR" : "PTX";
        cell.evidence = name_of(producer) + " makes no " + code + " for " + made.target.sm() +
                        (made.evidence.empty() ? "" : ": " + made.evidence);
        return true;
    }
    // LTO-IR predicted from a table has no code that could be linked.
    if (can_be_asked(run, consumer, producer.code) && !made.text.empty()) return false;
    if (!consumer.trouble.empty()) {
        cell.outcome = Outcome::broken;
        cell.evidence = consumer.trouble;
        return true;
    }
    predict_cell(run, producer.code, consumer, made, cell);
    return true;
}

void take_pair(MatrixRun& run, const Pair& pair) {
    Cell& cell = run.matrix.cells[pair.cell];
    const ProbeResult& result = pair.reading->result();
    cell.outcome = result.outcome;
    cell.command = result.command;
    cell.cached = result.cached;
    cell.failure = result.failure;
    cell.evidence = evidence_of(run, *pair.reading);
    // The PTX was an empty kernel of the version in a table.
    cell.basis = pair.made->basis;
    if (cell.basis == Certainty::predicted)
        cell.evidence += "; fed an empty kernel of PTX " + cell.ptx->text() + ", " + pair.made->evidence;
}

PtxSample sample_of(const Made& made) {
    PtxSample sample;
    sample.text = made.text;
    sample.target = made.target;
    sample.version = made.ptx ? made.ptx : made.ir;
    sample.archs = {made.target};
    return sample;
}

Readings readings_of(const MatrixRun& run) {
    Readings readings(run.ask, run.options.time_limit);
    readings.own_folder = run.own_folder;
    return readings;
}

// Refused only for its version: would it be accepted with a lower one?
void try_lower_versions(MatrixRun& run, const std::vector<Pair>& pairs) {
    std::map<std::pair<const PtxSample*, std::string>, PtxSample> lowered;  // by version; does not move
    Readings readings = readings_of(run);
    std::vector<std::pair<std::size_t, const Reading*>> asked;
    for (const Pair& pair : pairs) {
        const PtxSample& sample = *pair.reading->sample;
        const ProbeResult& result = pair.reading->result();
        const auto reads = result.accepts_up_to;
        if (result.outcome != Outcome::refused || !reads || *reads >= *sample.version ||
            pair.made->basis != Certainty::measured)
            continue;
        PtxSample& lower = lowered[{&sample, reads->text()}];
        if (lower.text.empty()) {
            const auto changed = with_version(sample.text, *reads);
            if (!changed) continue;
            lower = sample;
            lower.text = *changed;
            lower.version = reads;
        }
        asked.emplace_back(pair.cell, readings.add(*pair.reading->consumer, lower));
    }
    run.matrix.compilations += readings.run();
    for (const auto& [cell, reading] : asked)
        run.matrix.cells[cell].lowered =
            Lowered{*reading->sample->version, reading->result().outcome, evidence_of(run, *reading)};
}

}  // namespace

void read_ptx(MatrixRun& run) {
    Matrix& matrix = run.matrix;
    Readings readings = readings_of(run);
    std::deque<PtxSample> samples;
    std::vector<Pair> pairs;
    for (const Producer& producer : matrix.producers) {
        for (const Made& made : producer.made) {
            samples.push_back(sample_of(made));
            for (const Consumer& consumer : matrix.consumers) {
                if (!takes(consumer.kind, producer.code)) continue;
                Cell cell = blank_cell(producer, consumer, made);
                if (!fill_without_run(run, producer, consumer, made, cell))
                    pairs.push_back({matrix.cells.size(), readings.add(consumer, samples.back()), &made});
                matrix.cells.push_back(std::move(cell));
            }
        }
    }
    matrix.compilations += readings.run();
    for (const Pair& pair : pairs) take_pair(run, pair);
    if (run.lower_versions) try_lower_versions(run, pairs);
}

// The newest PTX that each consumer accepts, measured with PTX of an absurd version: the refusal contains
// it. A consumer that does not answer is not run again. Tools without a known version report that too.

namespace {

// Runs a library with PTX of an absurd version.
void ask_library(const MatrixRun& run, const Consumer& consumer, ProbeResult& result, Questions& questions) {
    const auto limit = run.limit(k_question_limit);
    if (consumer.kind == ConsumerKind::driver_jit) {
        const JitLibrary& library = consumer.driver.jit.front();
        questions.add(jit_question(library, {}, limit), [&](const Answer& answer) {
            result = jit_results(consumer.driver, library, {}, answer).front();
            return worth_keeping(result);
        });
    } else if (consumer.kind == ConsumerKind::nvjitlink) {
        NvJitLinkSample sample;
        sample.limit = true;
        questions.add(file_question(consumer.path, nvjitlink_command(consumer.path, sample, limit), ""),
                      [&, sample](const Answer& answer) {
                          const EngineResult engine = nvjitlink_result(consumer.path, sample, answer);
                          result.outcome = engine.outcome;
                          result.first_error = engine.trouble;
                          result.tool_version = engine.version;
                          result.accepts_up_to = engine.accepts_up_to;
                          result.timed_out = engine.timed_out;
                          return worth_keeping(result);
                      });
    }
}

// Failures after which more runs are useless: a hang, a tool that cannot be started, a library that cannot be
// used.
bool useless(const Consumer& consumer, const ProbeResult& result) {
    if (result.outcome != Outcome::broken) return false;
    if (consumer.kind != ConsumerKind::ptxas || result.timed_out) return true;
    return result.failure == Failure::not_started;
}

void take(const MatrixRun& run, Consumer& consumer, const ProbeResult& result) {
    if (!consumer.version && result.tool_version)
        consumer.version = {*result.tool_version, Origin::from_library(consumer.path)};
    if (result.accepts_up_to) {
        consumer.reads = result.accepts_up_to;
        consumer.reads_basis = Certainty::measured;
    }
    if (!useless(consumer, result)) return;
    consumer.trouble = result.first_error;
    // It cannot be run, but its file contains the version.
    if (!consumer.version)
        consumer.version = scanned_version(run.ask.host().open(consumer.path), consumer.path);
}

void look_up(const MatrixRun& run, Consumer& consumer) {
    if (!takes(consumer.kind, EntryKind::ptx)) return;
    const Prediction answer = predict_consumer(run, consumer, Arch{}, PtxVersion{1, 0});
    if (!answer.ptx) return;
    consumer.reads = answer.ptx;
    consumer.reads_basis = Certainty::predicted;
}

}  // namespace

void ask_consumers(MatrixRun& run) {
    std::vector<Consumer*> asked;
    std::vector<std::string> programs;
    for (Consumer& consumer : run.matrix.consumers) {
        const bool answers = consumer.kind != ConsumerKind::driver && consumer.kind != ConsumerKind::gpu;
        if (!run.may_run || !answers || !consumer.trouble.empty()) continue;
        asked.push_back(&consumer);
        if (consumer.kind == ConsumerKind::ptxas) programs.push_back(consumer.path);
    }
    std::vector<ProbeResult> results(asked.size());
    Questions questions(run.ask);
    for (std::size_t i = 0; i < asked.size(); ++i) {
        results[i].tool = asked[i]->path;
        ask_library(run, *asked[i], results[i], questions);
        const bool program =
            asked[i]->kind == ConsumerKind::ptxas || asked[i]->kind == ConsumerKind::tileiras;
        if (program && !asked[i]->version)
            ask_version(run.ask.host(), asked[i]->path, k_cuda_marker, questions, asked[i]->version);
    }
    questions.run();
    const auto limits = ptxas_limits(run.ask, programs, run.limit(k_question_limit));
    for (std::size_t i = 0, next = 0; i < asked.size(); ++i)
        take(run, *asked[i], asked[i]->kind == ConsumerKind::ptxas ? limits[next++] : results[i]);
    for (Consumer& consumer : run.matrix.consumers)
        if (!consumer.reads) look_up(run, consumer);
}

}  // namespace ptxguard
