// What each producer writes: nvcc, NVRTC, libNVVM and clang by compiling, files by their content, Triton and
// everything that cannot be run by table.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <deque>
#include <map>

#include "host/paths.hpp"
#include "probe/diagnose.hpp"
#include "probe/matrix_steps.hpp"
#include "probe/nvrtc.hpp"
#include "probe/nvvm.hpp"

namespace ptxguard {
namespace {

Made made_of(Arch target, const ProbeResult& result, const std::string& ptx) {
    Made made;
    made.target = target;
    made.outcome = result.outcome;
    made.basis = result.basis;
    made.ptx = result.ptx;
    made.evidence = result.first_error;
    if (made.outcome == Outcome::accepted) made.text = ptx;
    return made;
}

bool blames_host_compiler(const Task& task) {
    const ProbeResult& result = task.result();
    return result.outcome == Outcome::refused && result.culprit == "host compiler" &&
           result.first_error.find("nsupported") != std::string::npos;
}

// "unsupported GNU version": for PTX the host compiler is only used to read headers. Whether a build may use
// it is another question.
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
    run_tasks(run.host, run.cache, open);
    for (auto& [task, retry] : retries)
        if (retry.front().result().outcome == Outcome::accepted) *task = retry.front();
}

void take_tasks(MatrixRun& run, MatrixBench& one) {
    share_headers(one.tasks, nullptr);
    for (const Task& task : one.tasks) {
        store_task(run.cache, task);
        if (!task.result().cached) ++run.matrix.compilations;
        one.producer->made.push_back(made_of(*task.arch, task.result(), task.entry.ptx));
    }
}

void add_nvcc(MatrixRun& run, MatrixBench& one, Batch& batch) {
    if (one.tasks.empty()) {
        std::vector<std::optional<Arch>> archs(run.matrix.targets.begin(), run.matrix.targets.end());
        one.tasks = ptx_tasks(*one.bench, one.list.archs, archs);
    }
    std::vector<Task*> open;
    for (Task& task : one.tasks)
        if (task.entry.results.empty()) open.push_back(&task);
    add_tasks(run.host, run.cache, open, batch);
}

// A library that a child process calls for all targets at once; each target's answer is cached separately.
struct EngineJob {
    Producer* producer = nullptr;
    std::vector<Arch> archs;  // not in the cache
    std::map<Arch, CacheEntry> entries;
    std::vector<std::string> beside;  // files that it opens
};

CacheKey engine_key(const EngineJob& job, Arch arch) {
    CacheKey key =
        file_key(job.producer->path, "", std::string(to_string(job.producer->kind)) + " " + arch.compute());
    key.files.insert(key.files.end(), job.beside.begin(), job.beside.end());
    return key;
}

void take_engine(MatrixRun& run, EngineJob& job, const EngineResult& engine) {
    Producer& producer = *job.producer;
    if (engine.version && !producer.version)
        producer.version = {*engine.version, Origin::from_library(producer.path)};
    for (std::size_t i = 0; i < job.archs.size(); ++i) {
        CacheEntry entry;
        EngineAnswer answer;
        if (i < engine.answers.size()) answer = engine.answers[i];
        entry.results = {probe_result(engine, answer, ProbeKind::ptx)};
        ProbeResult& result = entry.results.front();
        result.target = job.archs[i];
        if (result.outcome != Outcome::accepted && result.first_error.empty())
            result.first_error = engine.trouble.empty() ? "no answer" : engine.trouble;
        entry.ptx = answer.ptx;
        run.cache.store(engine_key(job, job.archs[i]), entry);
        ++run.matrix.compilations;
        job.entries[job.archs[i]] = std::move(entry);
    }
}

void add_engine(MatrixRun& run, EngineJob& job, Batch& batch) {
    const Producer& producer = *job.producer;
    if (producer.kind == ProducerKind::nvrtc) job.beside = builtins_beside(run.host, producer.path);
    for (Arch arch : run.matrix.targets) {
        if (auto entry = run.cache.find(engine_key(job, arch)))
            job.entries[arch] = *entry;
        else
            job.archs.push_back(arch);
    }
    if (job.archs.empty()) return;
    if (producer.kind == ProducerKind::nvrtc) {
        NvrtcSample sample;
        sample.archs = job.archs;
        batch.add(nvrtc_command(producer.path, sample, run.options.time_limit),
                  [&run, &job, sample](const ProcessResult& result) {
                      take_engine(run, job, nvrtc_result(job.producer->path, sample, result));
                  });
    } else {
        NvvmSample sample;
        sample.archs = job.archs;
        batch.add(nvvm_command(producer.path, sample, run.options.time_limit),
                  [&run, &job, sample](const ProcessResult& result) {
                      take_engine(run, job, nvvm_result(job.producer->path, sample, result));
                  });
    }
}

void finish_engine(MatrixRun& run, EngineJob& job) {
    for (Arch arch : run.matrix.targets) {
        const auto found = job.entries.find(arch);
        if (found == job.entries.end()) continue;
        const ProbeResult& result = found->second.results.front();
        if (!job.producer->version && result.tool_version)
            job.producer->version = {*result.tool_version, Origin::from_library(job.producer->path)};
        job.producer->made.push_back(made_of(arch, result, found->second.ptx));
    }
}

// "Debian clang version 14.0.6"
void ask_clang(MatrixRun& run, Producer& producer, Batch& batch) {
    const CacheKey key = file_key(producer.path, "", "clang --version");
    if (auto entry = run.cache.find(key)) {
        if (const auto& version = entry->results.front().tool_version)
            producer.version = {*version, Origin::from_command(producer.path, producer.path + " --version")};
        return;
    }
    Command command;
    command.argv = {producer.path, "--version"};
    command.time_limit = run.limit(k_question_limit);
    batch.add(command, [&run, &producer, key](const ProcessResult& process) {
        const auto version = find_version(process.out, "clang version ");
        if (!process.ok() || !version) return;
        producer.version = {*version, Origin::from_command(producer.path, producer.path + " --version")};
        CacheEntry entry;
        entry.results.resize(1);
        entry.results.front().outcome = Outcome::accepted;
        entry.results.front().tool_version = version;
        run.cache.store(key, entry);
    });
}

void add_clang(MatrixRun& run, Producer& producer, Arch arch, Batch& batch) {
    const CacheKey key =
        file_key(producer.path, "", "clang " + arch.sm() + "\n" + producer.root + "\n" + k_clang_source);
    const std::size_t place = producer.made.size();
    producer.made.emplace_back();
    producer.made[place].target = arch;
    if (auto entry = run.cache.find(key)) {
        producer.made[place] = made_of(arch, entry->results.front(), entry->ptx);
        return;
    }
    const auto folder = run.work.path();
    if (!folder) {
        producer.made[place].evidence = "no folder to compile in: " + folder.trouble().text();
        return;
    }
    (void)own::write_file(join_path(*folder, k_clang_source_file), k_clang_source);
    const std::string output = producer.id + "." + arch.sm() + ".ptx";
    const Command command =
        clang_command(producer.path, producer.root, *folder, arch, output, run.options.time_limit);
    ++run.matrix.compilations;
    batch.add(command, [&run, &producer, place, arch, key, command,
                        file = join_path(*folder, output)](const ProcessResult& process) {
        const auto ptx = read_own_file(file);
        const PtxHead head = ptx ? read_ptx_head(*ptx) : PtxHead{};
        CacheEntry entry;
        entry.results.resize(1);
        ProbeResult& result = entry.results.front();
        result.command = command_line(command);
        result.tool = producer.path;
        take_run(result, process, diagnose(process, ProbeKind::ptx, "clang", head.version.has_value()));
        result.ptx = head.version;
        if (ptx) entry.ptx = *ptx;
        producer.made[place] = made_of(arch, result, entry.ptx);
        run.cache.store(key, entry);
    });
}

// For a file: the PTX for the highest target that compiles for the requested one, as a driver would choose
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
    made.ptx = text.version;
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
        // A file with one PTX text is passed on as it is: the consumer reports why it does not fit.
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
            if (std::find(matrix.targets.begin(), matrix.targets.end(), made.target) == matrix.targets.end())
                matrix.targets.push_back(made.target);
    if (!matrix.targets.empty()) matrix.targets_because = "those of the PTX";
}

bool is_library(const Producer& producer) {
    return producer.kind == ProducerKind::nvrtc || producer.kind == ProducerKind::libnvvm;
}

}  // namespace

void make_ptx(MatrixRun& run) {
    std::vector<EngineJob> engines;
    if (run.may_run)
        for (Producer& producer : run.matrix.producers)
            if (is_library(producer) && producer.trouble.empty()) engines.push_back({&producer, {}, {}, {}});
    Batch batch;
    for (EngineJob& job : engines) add_engine(run, job, batch);  // the longest ones start first
    for (MatrixBench& one : run.benches) add_nvcc(run, one, batch);
    for (Producer& producer : run.matrix.producers)
        if (run.may_run && producer.kind == ProducerKind::clang && producer.trouble.empty()) {
            ask_clang(run, producer, batch);
            for (Arch target : run.matrix.targets) add_clang(run, producer, target, batch);
        }
    batch.run(run.host, own::cores() + k_beyond_cores);

    std::vector<Task*> tasks;
    for (MatrixBench& one : run.benches)
        for (Task& task : one.tasks) tasks.push_back(&task);
    excuse_full_disk(tasks);
    allow_host_compilers(run);
    for (MatrixBench& one : run.benches) take_tasks(run, one);
    for (EngineJob& job : engines) finish_engine(run, job);
    for (Producer& producer : run.matrix.producers) {
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
    if (run.matrix.targets.empty()) add_targets_of_files(run.matrix);
}

}  // namespace ptxguard
