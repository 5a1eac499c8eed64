// The newest PTX that each consumer accepts, measured with PTX of an absurd version: the refusal contains it.
// A consumer that does not answer is not run again. Tools without a known version report that too.
// SPDX-License-Identifier: Apache-2.0
#include "ask/version.hpp"
#include "formats/version_text.hpp"
#include "host/paths.hpp"
#include "probe/compiler_libraries.hpp"
#include "probe/diagnose.hpp"
#include "probe/jit.hpp"
#include "probe/key.hpp"
#include "probe/limit.hpp"
#include "probe/matrix_steps.hpp"

namespace ptxguard {
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
