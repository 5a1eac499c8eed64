// The order of work, and the targets for all producers and consumers.
// SPDX-License-Identifier: Apache-2.0
#include "probe/matrix.hpp"

#include <algorithm>

#include "facts/lto_ir.hpp"
#include "model/ranges.hpp"
#include "probe/matrix_steps.hpp"
#include "probe/predict.hpp"
#include "probe/ptx_source.hpp"

namespace ptxguard {
namespace {

constexpr Arch k_fallback_target{75, 0};  // supported by every compiler since CUDA 10
constexpr Arch k_fallback_of_tile_ir{100, 0};

void open_benches(MatrixRun& run) {
    for (Producer& producer : run.matrix.producers) {
        if (producer.kind != ProducerKind::nvcc || !producer.trouble.empty() || !run.may_run) continue;
        for (Toolkit& toolkit : run.scenario.toolkits) {
            if (toolkit.id != producer.toolkit) continue;
            MatrixBench bench;
            bench.producer = &producer;
            bench.bench = std::make_unique<Bench>(run.ask, run.options, run.scenario, toolkit);
            run.benches.push_back(std::move(bench));
        }
    }
    // The build's own nvcc determines what `all` and an empty list mean.
    std::stable_partition(run.benches.begin(), run.benches.end(), [&](const MatrixBench& one) {
        return one.producer->toolkit == run.scenario.project.toolkit;
    });
}

void ask_lists(MatrixRun& run) {
    for (MatrixBench& one : run.benches) {
        one.list = list_archs(*one.bench, k_question_limit);
        if (one.list.outcome != Outcome::accepted) one.producer->trouble = one.list.first_error;
    }
    erase_if(run.benches, [](const MatrixBench& one) { return !one.producer->trouble.empty(); });
}

// The meaning of `all`: for the first nvcc, otherwise for the newest release among the compilers, by table.
std::vector<Arch> known_archs(const MatrixRun& run) {
    if (!run.benches.empty()) return run.benches.front().list.archs;
    const CudaRelease* newest = nullptr;
    const auto look_at = [&](const Known<Version>& version) {
        const CudaRelease* row = version ? run.facts.cuda(*version) : nullptr;
        if (row && (!newest || row->release > newest->release)) newest = row;
    };
    for (const Producer& producer : run.matrix.producers)
        if (producer.kind != ProducerKind::triton && producer.kind != ProducerKind::clang)
            look_at(producer.version);
    if (!newest)
        for (const Consumer& consumer : run.matrix.consumers)
            if (consumer.kind == ConsumerKind::ptxas || consumer.kind == ConsumerKind::nvjitlink)
                look_at(consumer.version);
    return newest ? newest->ptxas_archs : std::vector<Arch>{};
}

// nvcc's default target is found by compiling without one; that PTX is used.
void take_default(MatrixRun& run) {
    for (MatrixBench& one : run.benches) {
        std::vector<Task> tasks = ptx_tasks(*one.bench, one.list.archs, {std::nullopt});
        run_tasks(run.ask, {&tasks.front()});
        share_headers(tasks, nullptr);
        keep_task(run.ask, tasks.front());
        const ProbeResult& result = tasks.front().result;
        if (result.outcome != Outcome::accepted || !result.target) continue;
        run.matrix.targets = {*result.target};
        run.matrix.targets_because = "default of " + name_of(*one.producer);
        tasks.front().arch = result.target;
        one.tasks = std::move(tasks);
        return;
    }
}

// Every producer is a file whose code contains its targets.
bool only_files(const Matrix& matrix) {
    return all_of(matrix.producers, [](const Producer& producer) {
        return !producer.texts.empty() && producer.texts.front().target.number != 0;
    });
}

// tileiras does not compile for the older GPUs.
Arch fallback_target(const Matrix& matrix) {
    const bool tile =
        any_of(matrix.producers, [](const Producer& one) { return one.code == EntryKind::tileir; });
    return tile ? k_fallback_of_tile_ir : k_fallback_target;
}

}  // namespace

void settle_targets(MatrixRun& run) {
    open_benches(run);
    ask_lists(run);
    Project& project = run.scenario.project;
    if (!project.archs.words.empty())
        resolve_words(project.archs, known_archs(run), known_archs_of(run.scenario.gpus));
    for (const std::string& word : project.archs.words)
        run.matrix.remarks.push_back("'" + word + "' selects no target here: " +
                                     (word.find("native") == 0 ? "no GPU was found or named with --gpu"
                                                               : "no compiler lists its targets"));
    append(run.matrix.targets, archs_of(project.archs.targets));
    if (!run.matrix.targets.empty()) {
        run.matrix.targets_because = project.archs_text.origin.for_people();
        return;
    }
    if (only_files(run.matrix)) return;  // each has its own target
    take_default(run);
    if (!run.matrix.targets.empty()) return;
    run.matrix.targets = {fallback_target(run.matrix)};
    run.matrix.targets_because = "no target was requested, and no nvcc reported its default";
}

void fill_matrix(const Asker& ask, const Facts& facts, const ProbeOptions& options, Scenario& scenario,
                 Matrix& matrix) {
    MatrixRun run{ask, facts, options, scenario, matrix};
    run.may_run = options.mode != ProbeMode::off && !scenario.foreign && !ask.host().foreign();
    ask_consumers(run);
    settle_targets(run);
    make_ptx(run);
    read_ptx(run);
}

// Predictions for a producer from the tables: always for Triton, for the others if nothing can be run.

namespace {

Made made_of(Arch target, const Prediction& prediction) {
    Made made;
    made.target = target;
    made.basis = Certainty::predicted;
    made.outcome = prediction.outcome;
    made.ptx = prediction.ptx;
    made.evidence = prediction.reason.empty() ? prediction.row : prediction.reason;
    if (!prediction.reason.empty() && !prediction.row.empty()) made.evidence += "; " + prediction.row;
    if (made.outcome == Outcome::accepted) made.text = minimal_ptx(*made.ptx, target);
    return made;
}

// The component that writes the PTX: an nvcc may run another release's cicc.
TableTool writer_of(const MatrixRun& run, const Producer& producer) {
    const Toolkit* toolkit = run.scenario.toolkit(producer.toolkit);
    return toolkit ? table_tool(*toolkit, PartKind::cicc) : TableTool{};
}

constexpr int k_first_blackwell = 100;

// The version that Triton's ptxas reported as a consumer.
Known<Version> version_of_tool(const Matrix& matrix, const BundledTool& tool) {
    for (const Consumer& consumer : matrix.consumers)
        if (consumer.path == tool.path || contains(consumer.names, tool.path)) return consumer.version;
    return tool.version;
}

}  // namespace

void predict_triton(const MatrixRun& run, Producer& producer) {
    for (BundledTool& tool : producer.tools)
        if (!tool.version) tool.version = version_of_tool(run.matrix, tool);
    for (Arch target : run.matrix.targets) {
        const BundledTool* tool = nullptr;
        for (const BundledTool& one : producer.tools)
            if (one.tool == "ptxas" || (one.tool == "ptxas-blackwell" && target.number >= k_first_blackwell))
                tool = one.tool == "ptxas" && tool ? tool : &one;
        Prediction prediction;
        if (tool) {
            const TableTool ptxas{"its " + tool->tool, tool->version};
            prediction = predict_writing(run.facts, ptxas, ptxas, target);
        } else {
            prediction.reason = "no ptxas of this Triton was found";
        }
        Made made = made_of(target, prediction);
        if (made.outcome == Outcome::accepted)
            made.evidence = "the version that its " + tool->tool + " " + tool->version->text + " reads; " +
                            prediction.row;
        producer.made.push_back(made);
    }
}

Prediction predict_consumer(const MatrixRun& run, const Consumer& consumer, Arch target, PtxVersion ptx) {
    const bool library = consumer.kind == ConsumerKind::nvjitlink;
    if (!library && consumer.kind != ConsumerKind::ptxas)
        return predict_driver_reading(run.facts, consumer.driver, ptx);
    return predict_reading(run.facts, {library ? "nvJitLink" : "ptxas", consumer.version}, target, ptx);
}

Prediction predict_ir_consumer(const MatrixRun& run, const Consumer& consumer, EntryKind code,
                               PtxVersion ir) {
    Prediction answer;
    if (consumer.kind != ConsumerKind::nvjitlink && consumer.kind != ConsumerKind::tileiras)
        return predict_driver_tile_ir(run.facts, consumer.reads);
    if (!consumer.version) {
        answer.reason = "its release is not known";
        return answer;
    }
    const bool tile = code == EntryKind::tileir;
    std::vector<Version> written;  // written by one of these releases
    if (tile) written.push_back({{ir.major, ir.minor}, ir.text(), ""});
    for (const LtoIrRelease& row : lto_ir_releases(run.facts))
        if (!tile && row.release && row.container == ir) {
            written.push_back(*row.release);
            answer.row = row.origin.for_people();
        }
    if (written.empty()) {
        answer.reason = "no table lists LTO-IR " + ir.text();
        return answer;
    }
    const auto older_than = [&](const Version& release) {
        return *consumer.version < release && !same_release(*consumer.version, release);
    };
    answer.reason = (tile ? "Tile IR " : "LTO-IR of CUDA ") + written.front().release();
    if (!older_than(written.back())) {
        answer.outcome = Outcome::accepted;
    } else if (older_than(written.front())) {
        answer.outcome = Outcome::refused;
        answer.reason += " is newer";
    } else {
        answer.reason += " or " + written.back().release();
    }
    return answer;
}

namespace {

void predict_lto(const MatrixRun& run, Producer& producer) {
    for (Arch target : run.matrix.targets) {
        Made made;
        made.target = target;
        made.basis = Certainty::predicted;
        made.evidence = "no table lists this release of NVRTC";
        for (const LtoIrRelease& row : lto_ir_releases(run.facts)) {
            if (!row.release || !producer.version || !same_release(*row.release, *producer.version)) continue;
            made.outcome = Outcome::accepted;
            made.ir = row.container;
            made.evidence = row.origin.for_people();
        }
        producer.made.push_back(made);
    }
}

}  // namespace

void predict_producer(const MatrixRun& run, Producer& producer) {
    if (producer.code == EntryKind::ltoir) return predict_lto(run, producer);
    for (Arch target : run.matrix.targets) {
        if (producer.kind == ProducerKind::clang) {
            Prediction unknown;
            unknown.reason = "clang was not run, and no table lists what it writes";
            producer.made.push_back(made_of(target, unknown));
            continue;
        }
        const char* name = producer.kind == ProducerKind::nvrtc     ? "NVRTC"
                           : producer.kind == ProducerKind::libnvvm ? "libNVVM"
                                                                    : "nvcc";
        producer.made.push_back(made_of(
            target, predict_writing(run.facts, {name, producer.version}, writer_of(run, producer), target)));
    }
}

}  // namespace ptxguard
