// The newest PTX that each consumer accepts, measured with PTX of an absurd version: the refusal names it. A
// consumer that does not answer is not run again. Tools without a known version report that too.
// SPDX-License-Identifier: Apache-2.0
#include <deque>

#include "formats/version_text.hpp"
#include "host/paths.hpp"
#include "probe/diagnose.hpp"
#include "probe/jit.hpp"
#include "probe/key.hpp"
#include "probe/matrix_steps.hpp"
#include "probe/nvjitlink.hpp"
#include "probe/predict.hpp"
#include "probe/ptx_source.hpp"

namespace ptxguard {
namespace {

// An unsupported -arch is refused before the version; each ptxas since CUDA 9 supports one of these.
constexpr int k_candidates[] = {75, 52, 100};

struct Question {
    Consumer* consumer = nullptr;
    CacheKey key;
    CacheEntry entry;  // one result: accepts_up_to, tool_version, or how it failed
    bool open = false;
    ProbeResult& result() { return entry.results.front(); }
};

std::string question_file(int number) { return "limit" + std::to_string(number) + ".ptx"; }

void ask_version(MatrixRun& run, Question& question, Batch& batch) {
    Command command;
    command.argv = {question.consumer->path, "--version"};
    command.environment = {{"LC_ALL", "C"}};
    command.time_limit = run.limit(k_question_limit);
    batch.add(command, [&question](const ProcessResult& process) {
        if (process.ok())
            question.result().tool_version = find_version(process.out + "\n" + process.err, ", V");
    });
}

// It ran and refused the version: that is the answer. Any failure except a hang or a failed start may still
// leave it usable.
void take_limit(Question& question, const ProcessResult& process) {
    ProbeResult& result = question.result();
    take_run(result, process, diagnose(process, ProbeKind::assemble, "ptxas", false));
    if (result.accepts_up_to) result.outcome = Outcome::accepted;
}

void ask_ptxas(MatrixRun& run, std::deque<Question>& questions) {
    for (int number : k_candidates) {
        Batch batch;
        for (Question& question : questions) {
            if (question.consumer->kind != ConsumerKind::ptxas || !question.open) continue;
            const bool again = number != k_candidates[0];
            if (again && !is_unknown_gpu_name(question.result().words)) continue;
            const auto folder = run.work.path();
            if (!folder) return;
            const std::string file = question_file(number);
            (void)own::write_file(join_path(*folder, file),
                                  minimal_ptx(k_absurd_ptx_version, Arch{number, 0}));
            if (!again && !question.consumer->version) ask_version(run, question, batch);
            batch.add(ptxas_command(question.consumer->path, *folder, Arch{number, 0}, file,
                                    question.consumer->id + ".none", run.limit(k_question_limit)),
                      [&question](const ProcessResult& process) { take_limit(question, process); });
        }
        batch.run(run.host);
    }
}

void add_library(MatrixRun& run, Question& question, Batch& batch) {
    Consumer& consumer = *question.consumer;
    const auto limit = run.limit(k_question_limit);
    if (consumer.kind == ConsumerKind::driver_jit) {
        const PtxSample sample;
        batch.add(jit_command(consumer.driver.jit.front(), sample, limit),
                  [&question, sample](const ProcessResult& process) {
                      const Driver& driver = question.consumer->driver;
                      question.result() = jit_results(driver, driver.jit.front(), sample, process).front();
                  });
    } else if (consumer.kind == ConsumerKind::nvjitlink) {
        NvJitLinkSample sample;
        sample.limit = true;
        batch.add(nvjitlink_command(consumer.path, sample, limit),
                  [&question, sample](const ProcessResult& process) {
                      const EngineResult engine = nvjitlink_result(question.consumer->path, sample, process);
                      ProbeResult& result = question.result();
                      result.outcome = engine.outcome;
                      result.first_error = engine.trouble;
                      result.tool_version = engine.version;
                      result.accepts_up_to = engine.accepts_up_to;
                      result.timed_out = engine.timed_out;
                  });
    }
}

// Failures that make more runs useless: a hang, a tool that cannot be started, a library that cannot be used.
bool useless(const Consumer& consumer, const ProbeResult& result) {
    if (result.outcome != Outcome::broken) return false;
    if (consumer.kind != ConsumerKind::ptxas || result.timed_out) return true;
    return starts_with(result.first_error, "could not be started");
}

void take(MatrixRun& run, Question& question) {
    Consumer& consumer = *question.consumer;
    const ProbeResult& result = question.result();
    if (question.open) run.cache.store(question.key, question.entry);
    if (!consumer.version && result.tool_version)
        consumer.version = {*result.tool_version, Origin::from_command(consumer.path, consumer.path)};
    if (result.accepts_up_to) {
        consumer.reads = result.accepts_up_to;
        consumer.reads_basis = Certainty::measured;
    }
    if (!useless(consumer, result)) return;
    consumer.trouble = result.first_error;
    // It cannot be run, but its file contains the version.
    if (!consumer.version) consumer.version = scanned_version(run.host.open(consumer.path), consumer.path);
}

void look_up(const MatrixRun& run, Consumer& consumer) {
    Prediction answer;
    if (consumer.kind != ConsumerKind::ptxas && consumer.kind != ConsumerKind::nvjitlink)
        answer = predict_driver_reading(run.facts, consumer.driver, PtxVersion{1, 0});
    else
        answer = predict_reading(run.facts, "ptxas", consumer.version, Arch{}, PtxVersion{1, 0});
    if (!answer.ptx) return;
    consumer.reads = answer.ptx;
    consumer.reads_basis = Certainty::predicted;
}

}  // namespace

void ask_consumers(MatrixRun& run) {
    std::deque<Question> questions;
    for (Consumer& consumer : run.matrix.consumers) {
        const bool answers = consumer.kind != ConsumerKind::driver && consumer.kind != ConsumerKind::gpu;
        if (!run.may_run || !answers || !consumer.trouble.empty()) continue;
        questions.emplace_back();
        Question& question = questions.back();
        question.consumer = &consumer;
        question.key = file_key(consumer.path, "", std::string(to_string(consumer.kind)) + " limit");
        if (auto entry = run.cache.find(question.key)) {
            question.entry = *entry;
            continue;
        }
        question.open = true;
        question.entry.results.resize(1);
        question.result().tool = consumer.path;
    }
    ask_ptxas(run, questions);
    Batch batch;
    for (Question& question : questions)
        if (question.open) add_library(run, question, batch);
    batch.run(run.host);
    for (Question& question : questions) take(run, question);
    for (Consumer& consumer : run.matrix.consumers)
        if (!consumer.reads) look_up(run, consumer);
}

}  // namespace ptxguard
