// Compiles all code with every consumer of its kind: one run for each distinct code, consumer and target.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <deque>
#include <map>
#include <tuple>

#include "ask/questions.hpp"
#include "host/paths.hpp"
#include "probe/compiler_libraries.hpp"
#include "probe/diagnose.hpp"
#include "probe/jit.hpp"
#include "probe/key.hpp"
#include "probe/matrix_steps.hpp"
#include "probe/ptx_source.hpp"

namespace ptxguard {
namespace {

constexpr const char* k_probe_input = "probe.ptx";

// One compilation by one consumer.
struct Reading {
    Consumer* consumer = nullptr;
    const std::string* text = nullptr;
    std::string digest;
    Arch target;
    PtxVersion version;
    ProbeResult result;
};

// Readings of one step; equal ones share a run.
struct Readings {
    std::deque<Reading> all;  // pointers into it stay valid
    std::map<std::tuple<const Consumer*, std::string, Arch>, Reading*> known;

    Reading* add(Consumer& consumer, const std::string& text, const std::string& digest, Arch target,
                 PtxVersion version) {
        Reading*& place = known[{&consumer, digest, target}];
        if (!place) {
            all.push_back({&consumer, &text, digest, target, version, {}});
            place = &all.back();
        }
        return place;
    }
};

bool can_be_asked(const MatrixRun& run, const Consumer& consumer, EntryKind code) {
    const bool driver = consumer.kind == ConsumerKind::driver_jit && code == EntryKind::tileir;
    return run.may_run && consumer.kind != ConsumerKind::driver && !driver && consumer.trouble.empty();
}

ProbeResult blank_result(const Consumer& consumer, Arch target, PtxVersion version) {
    ProbeResult result;
    const bool driver = consumer.kind == ConsumerKind::driver_jit || consumer.kind == ConsumerKind::gpu;
    result.kind = driver ? ProbeKind::driver_jit : ProbeKind::assemble;
    result.tool = consumer.path;
    result.tool_version = consumer.version.value;
    result.target = target;
    result.ptx = version;
    return result;
}

void take_assembly(Reading& reading, const Answer& answer) {
    ProbeResult& result = reading.result;
    const std::optional<PtxVersion> fed = result.ptx;
    take_run(result, answer, diagnose(answer, ProbeKind::assemble, "ptxas", !answer.made.empty()));
    result.ptx = fed;
    if (answer.truncated && result.outcome != Outcome::accepted) {
        result.outcome = Outcome::broken;
        result.first_error = "printed more than 1 MiB, beginning with: " + result.first_error;
    }
}

PtxSample sample_of(const Reading& reading) {
    PtxSample sample;
    sample.text = *reading.text;
    sample.target = reading.target;
    sample.version = reading.version;
    sample.archs = {reading.target};
    return sample;
}

// tileiras uses ptxas and libNVVM from the first of these that is set, silently.
constexpr const char* k_tileiras_variables[] = {"CUDA_HOME", "CUDA_ROOT", "CUDA_PATH"};

Question tile_question(const MatrixRun& run, const Reading& reading, const std::string& output,
                       const std::string& asked) {
    std::string variables;
    for (const char* name : k_tileiras_variables) variables += "\n" + run.ask.host().env(name).value_or("");
    Command command =
        ptxas_command(reading.consumer->path, reading.target, k_probe_input, output, run.options.time_limit);
    command.argv[1] = "--gpu-name=" + reading.target.sm();
    if (run.own_folder) {
        const std::string root = parent_path(parent_path(reading.consumer->path));
        command.environment[k_tileiras_variables[0]] = root;
        variables = "\n" + root;
    }
    Question question = file_question(reading.consumer->path, std::move(command), asked + variables);
    question.decided_by.push_back(join_path(parent_path(reading.consumer->path), "ptxas"));
    return question;
}

NvJitLinkSample link_sample(const Reading& reading) {
    NvJitLinkSample sample;
    sample.ptx = *reading.text;
    sample.archs = {reading.target};
    return sample;
}

// For nvJitLink and a GPU's driver.
void take_engine(Reading& reading, const EngineResult& engine) {
    const std::optional<PtxVersion> fed = reading.result.ptx;
    EngineAnswer answer;
    if (!engine.answers.empty()) answer = engine.answers.front();
    reading.result = probe_result(engine, answer, reading.result.kind);
    reading.result.target = reading.target;
    reading.result.ptx = fed;
    if (reading.result.outcome != Outcome::accepted && reading.result.first_error.empty())
        reading.result.first_error = engine.trouble;
}

Question question_of(const MatrixRun& run, Reading& reading) {
    const Consumer& consumer = *reading.consumer;
    const auto limit = run.options.time_limit;
    const std::string asked = std::string(to_string(consumer.kind)) + " " + consumer.gpu.name + " " +
                              reading.target.sm() + " " + reading.digest;
    switch (consumer.kind) {
        case ConsumerKind::driver_jit:
            return file_question(consumer.path,
                                 jit_question(consumer.driver.jit.front(), sample_of(reading), limit).command,
                                 asked);
        case ConsumerKind::gpu:
            return file_question(
                consumer.path, cuda_command(consumer.path, *consumer.gpu.arch, *reading.text, limit), asked);
        case ConsumerKind::nvjitlink:
            return file_question(consumer.path, nvjitlink_command(consumer.path, link_sample(reading), limit),
                                 asked);
        default:
            break;
    }
    const std::string output = consumer.id + "." + reading.target.sm() + ".cubin";
    Question question =
        consumer.kind == ConsumerKind::tileiras
            ? tile_question(run, reading, output, asked)
            : file_question(consumer.path,
                            ptxas_command(consumer.path, reading.target, k_probe_input, output, limit),
                            asked);
    // The input has the same name in all runs, so that equal output is equal text.
    question.reads = {{k_probe_input, *reading.text}};
    question.makes = {output};
    reading.result.command = command_line(question.command);
    return question;
}

void take_answer(Reading& reading, const Answer& answer) {
    const Consumer& consumer = *reading.consumer;
    switch (consumer.kind) {
        case ConsumerKind::driver_jit: {
            auto results =
                jit_results(consumer.driver, consumer.driver.jit.front(), sample_of(reading), answer);
            if (!results.empty()) reading.result = std::move(results.front());
            reading.result.target = reading.target;
            reading.result.ptx = reading.version;
            return;
        }
        case ConsumerKind::gpu:
            return take_engine(reading, cuda_result(consumer.path, *consumer.gpu.arch, answer));
        case ConsumerKind::nvjitlink:
            return take_engine(reading, nvjitlink_result(consumer.path, link_sample(reading), answer));
        default:
            return take_assembly(reading, answer);
    }
}

void run_readings(MatrixRun& run, Readings& readings) {
    Questions questions(run.ask);
    for (Reading& reading : readings.all) {
        reading.result = blank_result(*reading.consumer, reading.target, reading.version);
        questions.add(question_of(run, reading), [&run, &reading](const Answer& answer) {
            if (!answer.cached) ++run.matrix.compilations;
            take_answer(reading, answer);
            return worth_keeping(reading.result);
        });
    }
    questions.run();
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
    const ProbeResult& result = reading.result;
    if (result.outcome != Outcome::accepted) {
        if (reading.consumer->kind == ConsumerKind::tileiras && !run.own_folder)
            for (const char* name : k_tileiras_variables)
                if (const auto value = run.ask.host().env(name))
                    return result.first_error + "; it uses the ptxas and libNVVM of " + name + "=" + *value;
        return result.first_error;
    }
    if (reading.consumer->kind == ConsumerKind::gpu) return "loaded on " + reading.consumer->gpu.name;
    return "made code for " + reading.target.sm();
}

// A pair that is measured: the cell, the reading that fills it, and whether its PTX is the producer's own.
struct Pair {
    std::size_t cell = 0;
    Reading* reading = nullptr;
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
    const ProbeResult& result = pair.reading->result;
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

// Refused only for its version: would it be accepted with a lower one?
void try_lower_versions(MatrixRun& run, const std::vector<Pair>& pairs) {
    std::deque<std::string> texts;
    std::map<std::pair<std::string, std::string>, const std::string*> lowered;  // digest, version
    Readings readings;
    std::vector<std::pair<std::size_t, Reading*>> asked;
    for (const Pair& pair : pairs) {
        const Reading& reading = *pair.reading;
        const auto reads = reading.result.accepts_up_to;
        if (reading.result.outcome != Outcome::refused || !reads || *reads >= reading.version ||
            pair.made->basis != Certainty::measured)
            continue;
        const std::string*& text = lowered[{reading.digest, reads->text()}];
        if (!text) {
            auto changed = with_version(*reading.text, *reads);
            if (!changed) continue;
            texts.push_back(std::move(*changed));
            text = &texts.back();
        }
        asked.emplace_back(pair.cell,
                           readings.add(*reading.consumer, *text, digest(*text), reading.target, *reads));
    }
    run_readings(run, readings);
    for (const auto& [cell, reading] : asked)
        run.matrix.cells[cell].lowered =
            Lowered{reading->version, reading->result.outcome, evidence_of(run, *reading)};
}

}  // namespace

void read_ptx(MatrixRun& run) {
    Matrix& matrix = run.matrix;
    Readings readings;
    std::vector<Pair> pairs;
    for (const Producer& producer : matrix.producers) {
        for (const Made& made : producer.made) {
            const std::string name = made.text.empty() ? "" : digest(made.text);
            for (Consumer& consumer : matrix.consumers) {
                if (!takes(consumer.kind, producer.code)) continue;
                Cell cell = blank_cell(producer, consumer, made);
                if (!fill_without_run(run, producer, consumer, made, cell))
                    pairs.push_back({matrix.cells.size(),
                                     readings.add(consumer, made.text, name, made.target,
                                                  made.ptx ? *made.ptx : *made.ir),
                                     &made});
                matrix.cells.push_back(std::move(cell));
            }
        }
    }
    run_readings(run, readings);
    for (const Pair& pair : pairs) take_pair(run, pair);
    if (run.lower_versions) try_lower_versions(run, pairs);
}

}  // namespace ptxguard
