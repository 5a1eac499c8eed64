// Predictions for a producer from the tables: always for Triton, for the others if nothing can be run.
// SPDX-License-Identifier: Apache-2.0

#include "facts/lto_ir.hpp"
#include "model/ranges.hpp"
#include "probe/matrix_steps.hpp"
#include "probe/predict.hpp"
#include "probe/ptx_source.hpp"

namespace ptxguard {
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
