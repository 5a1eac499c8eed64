// What each producer writes: nvcc, NVRTC, libNVVM and clang by compiling, files by their content, Triton and
// everything that cannot be run by table.
// SPDX-License-Identifier: Apache-2.0
#include <deque>

#include "ask/version.hpp"
#include "formats/fatbin.hpp"
#include "model/ranges.hpp"
#include "probe/compiler_libraries.hpp"
#include "probe/diagnose.hpp"
#include "probe/matrix_steps.hpp"
#include "probe/task.hpp"

namespace ptxguard {
namespace {

Made made_of(Arch target, const ProbeResult& result, const std::string& ptx) {
    Made made;
    made.target = target;
    made.outcome = result.outcome;
    made.basis = result.basis;
    made.ptx = result.ptx;
    made.evidence = result.first_error;
    if (made.outcome != Outcome::accepted) return made;
    made.text = ptx;
    if (const auto ir = read_raw_ir(ptx)) made.ir = ir->version;
    return made;
}

bool blames_host_compiler(const Task& task) {
    const ProbeResult& result = task.result;
    return result.outcome == Outcome::refused && result.failure == Failure::host_compiler;
}

// "unsupported GNU version": for PTX the host compiler only reads headers. Whether a build may use it is
// another question.
void allow_host_compilers(MatrixRun& run) {
    std::deque<std::pair<Task*, std::vector<Task>>> retries;
    std::vector<Task*> open;
    for (MatrixBench& one : run.benches) {
        for (Task& task : one.tasks) {
            if (!blames_host_compiler(task)) continue;
            Bench& bench = *one.bench;
            const std::vector<std::string> flags = bench.compiler.flags;
            bench.compiler.flags.emplace_back("-allow-unsupported-compiler");
            retries.emplace_back(&task, ptx_tasks(bench, one.list.archs, {task.arch}));
            bench.compiler.flags = flags;
            open.push_back(&retries.back().second.front());
        }
    }
    run_tasks(run.ask, open);
    for (auto& [task, retry] : retries)
        if (retry.front().result.outcome == Outcome::accepted) *task = retry.front();
}

void take_tasks(MatrixRun& run, MatrixBench& one) {
    share_headers(one.tasks, nullptr);
    for (const Task& task : one.tasks) {
        keep_task(run.ask, task);
        if (!task.result.cached) ++run.matrix.compilations;
        one.producer->made.push_back(made_of(*task.arch, task.result, task.ptx));
    }
}

void add_nvcc(MatrixRun& run, MatrixBench& one, Questions& questions) {
    if (one.tasks.empty()) {
        std::vector<std::optional<Arch>> archs(run.matrix.targets.begin(), run.matrix.targets.end());
        one.tasks = ptx_tasks(*one.bench, one.list.archs, archs);
    }
    std::vector<Task*> open;
    for (Task& task : one.tasks)
        if (!task.done) open.push_back(&task);
    add_tasks(open, questions);
}

// The output of a compiler for one target: `read` turns it into the result and the PTX. The results stay in
// the order of the targets.
template <typename Read>
void add_compile(MatrixRun& run, Producer& producer, Arch target, Question question, const Read& read,
                 Questions& questions) {
    const std::size_t place = producer.made.size();
    producer.made.emplace_back();
    questions.add(std::move(question), [&run, &producer, place, target, read](const Answer& answer) {
        std::string ptx;
        const ProbeResult result = read(answer, ptx);
        if (!answer.cached && !answer.no_folder) ++run.matrix.compilations;
        producer.made[place] = made_of(target, result, ptx);
        return worth_keeping(result);
    });
}

ProbeResult take_engine(Producer& producer, const EngineResult& engine, std::string& ptx) {
    if (engine.version && !producer.version)
        producer.version = {*engine.version, Origin::from_library(producer.path)};
    const EngineAnswer& answer = engine.answers.front();
    ProbeResult result = probe_result(engine, answer, ProbeKind::ptx);
    if (result.outcome != Outcome::accepted && result.first_error.empty())
        result.first_error = engine.trouble.empty() ? "no answer" : engine.trouble;
    ptx = answer.ptx;
    return result;
}

// NVRTC and libNVVM, each called in a child process.
void add_engine(MatrixRun& run, Producer& producer, Questions& questions) {
    const auto limit = run.options.time_limit;
    const bool nvrtc = producer.kind == ProducerKind::nvrtc;
    const bool lto = producer.code == EntryKind::ltoir;
    const auto beside = nvrtc ? builtins_beside(run.ask.host(), producer.path) : std::vector<std::string>{};
    for (Arch target : run.matrix.targets) {
        NvrtcSample source;
        NvvmSample ir;
        source.archs = ir.archs = {target};
        if (lto) source.options = {k_lto_option};
        Question question = file_question(
            producer.path,
            nvrtc ? nvrtc_command(producer.path, source, limit) : nvvm_command(producer.path, ir, limit), "");
        append(question.decided_by, beside);
        add_compile(
            run, producer, target, std::move(question),
            [&producer, nvrtc, source, ir](const Answer& answer, std::string& ptx) {
                return take_engine(producer,
                                   nvrtc ? nvrtc_result(producer.path, source, answer)
                                         : nvvm_result(producer.path, ir, answer),
                                   ptx);
            },
            questions);
    }
}

void add_clang(MatrixRun& run, Producer& producer, Questions& questions) {
    for (Arch target : run.matrix.targets) {
        const std::string output = target.sm() + ".ptx";
        Question question = file_question(
            producer.path,
            clang_command(producer.path, producer.root, target, output, run.options.time_limit), "");
        question.apart = producer.id;
        question.reads = {{k_clang_source_file, k_clang_source}};
        question.makes = {output};
        add_compile(
            run, producer, target, question,
            [&producer, output, command = question.command](const Answer& answer, std::string& ptx) {
                ptx = answer.text(output);
                const PtxHead head = read_ptx_head(ptx);
                ProbeResult result;
                result.command = command_line(command);
                result.tool = producer.path;
                take_run(result, answer, diagnose(answer, ProbeKind::ptx, "clang", head.version.has_value()));
                result.ptx = head.version;
                return result;
            },
            questions);
    }
}

// For a file: the PTX for the highest target that compiles for the requested one, as a driver would select
// it.
const PtxText* best_text(const Producer& producer, Arch target) {
    const PtxText* best = nullptr;
    for (const PtxText& text : producer.texts)
        if (ptx_compiles_for(text.target, target) && (!best || best->target < text.target)) best = &text;
    return best;
}

Made made_of(const PtxText& text, Arch target) {
    Made made;
    made.target = target;
    made.outcome = Outcome::accepted;
    made.basis = Certainty::measured;
    (text.code == EntryKind::ptx ? made.ptx : made.ir) = text.version;
    made.text = text.text;
    made.evidence = text.where;
    if (!text.relocatable) return made;
    made.outcome = Outcome::unknown;
    made.text.clear();
    made.evidence = "it is still to be linked (-rdc=true): name the linked binary";
    return made;
}

void take_file(const MatrixRun& run, Producer& producer) {
    if (run.scenario.project.archs.targets.empty()) {
        for (const PtxText& text : producer.texts) producer.made.push_back(made_of(text, text.target));
        return;
    }
    for (Arch target : run.matrix.targets) {
        // A file with one PTX text is passed unchanged: the consumer reports why it does not fit.
        const PtxText* text =
            producer.texts.size() == 1 ? &producer.texts.front() : best_text(producer, target);
        if (text) {
            producer.made.push_back(made_of(*text, target));
            continue;
        }
        Made none;
        none.target = target;
        none.outcome = Outcome::refused;
        none.evidence = "holds no PTX that compiles for " + target.sm();
        producer.made.push_back(none);
    }
}

void nothing_made(const MatrixRun& run, Producer& producer) {
    for (Arch target : run.matrix.targets) {
        Made made;
        made.target = target;
        made.outcome = Outcome::broken;
        made.evidence = producer.trouble;
        producer.made.push_back(made);
    }
}

void note_newest(Producer& producer) {
    for (const Made& made : producer.made)
        if (made.ptx && (!producer.ptx || *made.ptx > *producer.ptx)) producer.ptx = made.ptx;
}

// No targets were requested, and there are only files.
void add_targets_of_files(Matrix& matrix) {
    for (const Producer& producer : matrix.producers)
        for (const Made& made : producer.made)
            if (!contains(matrix.targets, made.target)) matrix.targets.push_back(made.target);
    if (!matrix.targets.empty()) matrix.targets_because = "those of the PTX";
}

bool is_library(const Producer& producer) {
    return producer.kind == ProducerKind::nvrtc || producer.kind == ProducerKind::libnvvm;
}

void take_or_predict(MatrixRun& run, Producer& producer) {
    if (!producer.texts.empty())
        take_file(run, producer);
    else if (producer.kind == ProducerKind::triton)
        predict_triton(run, producer);
    else if (!producer.trouble.empty())
        nothing_made(run, producer);
    else if (producer.made.empty())
        predict_producer(run, producer);
    note_newest(producer);
}

}  // namespace

void make_ptx(MatrixRun& run) {
    Questions questions(run.ask);
    for (Producer& producer : run.matrix.producers)  // the longest ones start first
        if (run.may_run && is_library(producer) && producer.trouble.empty())
            add_engine(run, producer, questions);
    for (MatrixBench& one : run.benches) add_nvcc(run, one, questions);
    for (Producer& producer : run.matrix.producers)
        if (run.may_run && producer.kind == ProducerKind::clang && producer.trouble.empty()) {
            ask_version(run.ask.host(), producer.path, "clang version ", questions, producer.version);
            add_clang(run, producer, questions);
        }
    questions.run(own::cores() + k_beyond_cores);

    std::vector<Task*> tasks;
    for (MatrixBench& one : run.benches)
        for (Task& task : one.tasks) tasks.push_back(&task);
    excuse_full_disk(tasks);
    allow_host_compilers(run);
    for (MatrixBench& one : run.benches) take_tasks(run, one);
    for (Producer& producer : run.matrix.producers) take_or_predict(run, producer);
    if (run.matrix.targets.empty()) add_targets_of_files(run.matrix);
}

}  // namespace ptxguard
