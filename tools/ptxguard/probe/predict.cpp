// Every prediction has its row; without a row it is unknown, with the reason.
// SPDX-License-Identifier: Apache-2.0
#include "probe/predict.hpp"

#include "facts/lto_ir.hpp"
#include "model/ranges.hpp"

namespace ptxguard {

namespace {

// The row of a compiler's version, or null with the reason in `why`.
const CudaRelease* row_of(const Facts& facts, const TableTool& tool, std::string& why) {
    if (tool.absent)
        why = "this toolkit has no " + tool.name;
    else if (!tool.version)
        why = "the version of " + tool.name + " is not known";
    else if (const CudaRelease* row = facts.cuda(*tool.version))
        return row;
    else
        why = tool.name + " " + tool.version->text + " is in no table";
    return nullptr;
}

const CudaRelease* row_with_ptx(const Facts& facts, const TableTool& tool, std::string& why) {
    const CudaRelease* row = row_of(facts, tool, why);
    if (!row || row->ptx_max) return row;
    why = "the table has no PTX version for CUDA " + row->release.text;
    return nullptr;
}

// Empty if the release supports it.
std::string lacks_arch(const TableTool& tool, const CudaRelease& row, std::optional<Arch> arch) {
    const auto& archs = row.ptxas_archs;
    if (!arch || contains(archs, *arch)) return "";
    return tool.name + " of CUDA " + row.release.text + " does not support " + arch->sm();
}

// The newest PTX of a driver's branch, else of the CUDA release that it reports.
Prediction driver_limit(const Facts& facts, const Driver& driver, std::string& reader) {
    Prediction limit;
    const DriverBranch* branch = driver.version ? facts.driver_branch(*driver.version) : nullptr;
    const CudaRelease* release = driver.cuda ? facts.cuda(*driver.cuda) : nullptr;
    if (branch && branch->ptx_max) {
        limit.ptx = branch->ptx_max;
        limit.row = branch->origin.for_people();
        reader = "driver branch " + std::to_string(branch->branch);
    } else if (release && release->ptx_max) {
        limit.ptx = release->ptx_max;
        limit.row = release->origin.for_people();
        reader = "a driver of CUDA " + release->release.text;
    } else if (driver.version) {
        limit.reason = "driver " + driver.version->text + " is in no table";
    } else if (driver.cuda) {
        limit.reason = "CUDA " + driver.cuda->text + " of the driver is in no table";
    } else {
        limit.reason = "the driver's version is not known";
    }
    return limit;
}

// A prediction as the result of a probe that was not run.
ProbeResult predicted(ProbeKind kind, const Toolkit& toolkit, const Part* part, const Prediction& answer) {
    ProbeResult result;
    result.kind = kind;
    result.basis = Certainty::predicted;
    result.toolkit = toolkit.id;
    if (part) {
        result.tool = part->path;
        result.tool_version = part->version.value;
    }
    result.outcome = answer.outcome;
    result.first_error = answer.reason;
    result.words = answer.row;
    if (answer.outcome == Outcome::refused && part)
        result.culprit = from_word<Culprit>(to_string(part->kind)).value_or(Culprit::unknown);
    return result;
}

ProbeResult predict_list(const Facts& facts, const Toolkit& toolkit) {
    Prediction answer;
    const CudaRelease* row = row_of(facts, table_tool(toolkit, PartKind::nvcc), answer.reason);
    if (row) {
        answer.outcome = Outcome::accepted;
        answer.row = row->origin.for_people();
    }
    ProbeResult result = predicted(ProbeKind::list_archs, toolkit, toolkit.part(PartKind::nvcc), answer);
    if (row) result.archs = row->ptxas_archs;
    return result;
}

}  // namespace

TableTool table_tool(const Toolkit& toolkit, PartKind kind) {
    const Part* part = toolkit.part(kind);
    return {to_string(kind), part ? part->version : Known<Version>{}, !part};
}

Prediction predict_writing(const Facts& facts, const TableTool& compiler, const TableTool& writer,
                           std::optional<Arch> target) {
    Prediction answer;
    const CudaRelease* list = row_of(facts, compiler, answer.reason);
    const CudaRelease* row =
        list ? row_with_ptx(facts, writer.version ? writer : compiler, answer.reason) : nullptr;
    if (!row) return answer;
    answer.row = row->origin.for_people();
    answer.reason = lacks_arch(compiler, *list, target);
    answer.outcome = answer.reason.empty() ? Outcome::accepted : Outcome::refused;
    if (answer.outcome == Outcome::accepted) answer.ptx = row->ptx_max;
    return answer;
}

Prediction predict_reading(const Facts& facts, const TableTool& reader, std::optional<Arch> target,
                           PtxVersion ptx) {
    Prediction answer;
    const CudaRelease* row = row_with_ptx(facts, reader, answer.reason);
    if (!row) return answer;
    answer.row = row->origin.for_people();
    answer.ptx = row->ptx_max;
    answer.reason = ptx > *row->ptx_max ? reader.name + " of CUDA " + row->release.text +
                                              " reads PTX up to " + row->ptx_max->text()
                                        : lacks_arch(reader, *row, target);
    answer.outcome = answer.reason.empty() ? Outcome::accepted : Outcome::refused;
    return answer;
}

Prediction predict_driver_reading(const Facts& facts, const Driver& driver, PtxVersion ptx) {
    std::string reader;
    Prediction answer = driver_limit(facts, driver, reader);
    if (!answer.ptx) return answer;
    answer.outcome = ptx <= *answer.ptx ? Outcome::accepted : Outcome::refused;
    if (answer.outcome == Outcome::refused) answer.reason = reader + " reads PTX up to " + answer.ptx->text();
    return answer;
}

Prediction predict_driver_tile_ir(const Facts& facts, std::optional<PtxVersion> reads) {
    Prediction answer;
    const auto first = first_tile_ir(facts);
    answer.reason = "whether the driver compiles Tile IR is not known";
    if (!first || !reads) return answer;
    answer.reason =
        "its compiler of Tile IR has no documented interface, so it is not asked; a run on that GPU decides";
    if (*reads >= first->ptx) return answer;
    answer.outcome = Outcome::refused;
    answer.reason = "the first driver that compiles Tile IR is that of CUDA " + first->release.text +
                    ", which reads PTX " + first->ptx.text() + "; this one reads PTX up to " + reads->text();
    answer.row = first->origin.for_people();
    return answer;
}

std::vector<ProbeResult> predict_toolkit(const Facts& facts, const Scenario& scenario,
                                         const Toolkit& toolkit) {
    std::vector<ProbeResult> results = {predict_list(facts, toolkit)};
    std::vector<std::optional<Arch>> archs;
    for (const Target& target : scenario.project.archs.targets) archs.push_back(target.arch);
    if (archs.empty()) archs.push_back(std::nullopt);
    for (const std::optional<Arch>& arch : archs) {
        const Prediction made = predict_writing(facts, table_tool(toolkit, PartKind::nvcc),
                                                table_tool(toolkit, PartKind::cicc), arch);
        ProbeResult ptx = predicted(ProbeKind::ptx, toolkit, toolkit.part(PartKind::nvcc), made);
        ptx.target = arch;
        ptx.ptx = made.ptx;
        results.push_back(ptx);
        if (made.outcome != Outcome::accepted) continue;
        const Prediction read = predict_reading(facts, table_tool(toolkit, PartKind::ptxas), arch, *made.ptx);
        ProbeResult cubin = predicted(ProbeKind::assemble, toolkit, toolkit.part(PartKind::ptxas), read);
        cubin.target = arch;
        cubin.ptx = made.ptx;
        cubin.accepts_up_to = read.ptx;
        results.push_back(cubin);
    }
    return results;
}

std::vector<ProbeResult> predict_driver(const Facts& facts, const Driver& driver,
                                        const std::vector<ProbeResult>& made) {
    std::vector<ProbeResult> results;
    const auto add = [&](const ProbeResult& ptx, PtxVersion version) {
        const Prediction answer = predict_driver_reading(facts, driver, version);
        ProbeResult result;
        result.kind = ProbeKind::driver_jit;
        result.basis = Certainty::predicted;
        result.driver = driver.id;
        result.tool_version = driver.version.value;
        result.toolkit = ptx.toolkit;
        result.target = ptx.target;
        result.ptx = ptx.ptx;
        result.outcome = answer.outcome;
        result.accepts_up_to = answer.ptx;
        result.first_error = answer.reason;
        result.words = answer.row;
        results.push_back(result);
    };
    for (const ProbeResult& ptx : made)
        if (ptx.ptx) add(ptx, *ptx.ptx);
    if (results.empty()) add({}, {1, 0});  // nothing was compiled: the newest PTX that it accepts
    return results;
}

}  // namespace ptxguard
