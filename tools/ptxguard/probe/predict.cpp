// Results from tables. Every one names its row in `words`; without a row it is unknown and says what is
// missing.
// SPDX-License-Identifier: Apache-2.0
#include "probe/predict.hpp"

#include <algorithm>

namespace ptxguard {

namespace {

bool has_arch(const CudaRelease& release, Arch arch) {
    return std::find(release.ptxas_archs.begin(), release.ptxas_archs.end(), arch) !=
           release.ptxas_archs.end();
}

ProbeResult predicted(ProbeKind kind, const Toolkit& toolkit, const Part* part, std::optional<Arch> target) {
    ProbeResult result;
    result.kind = kind;
    result.basis = Certainty::predicted;
    result.toolkit = toolkit.id;
    result.target = target;
    if (part) {
        result.tool = part->path;
        result.tool_version = part->version.value;
    }
    return result;
}

// The row for a component, or null with the reason in `why`.
const CudaRelease* row_of(const Facts& facts, const Part* part, const char* name, std::string& why) {
    if (!part)
        why = std::string("this toolkit has no ") + name;
    else if (!part->version)
        why = std::string("the version of ") + name + " is not known";
    else if (const CudaRelease* row = facts.cuda(*part->version))
        return row;
    else
        why = std::string(name) + " " + part->version->text + " is in no table";
    return nullptr;
}

std::string knows_not(const char* tool, const CudaRelease& row, Arch arch) {
    return std::string(tool) + " of CUDA " + row.release.text + " does not know " + arch.sm();
}

// cicc decides the PTX version, nvcc which targets are available.
ProbeResult predict_ptx(const Facts& facts, const Toolkit& toolkit, std::optional<Arch> target) {
    const Part* nvcc = toolkit.part(PartKind::nvcc);
    const Part* cicc = toolkit.part(PartKind::cicc);
    ProbeResult result = predicted(ProbeKind::ptx, toolkit, nvcc, target);
    const CudaRelease* driver_row = row_of(facts, nvcc, "nvcc", result.first_error);
    if (!driver_row) return result;
    const CudaRelease* writer = driver_row;
    if (cicc && cicc->version) {
        writer = row_of(facts, cicc, "cicc", result.first_error);
        if (!writer) return result;
    }
    if (!writer->ptx_max) {
        result.first_error = "the table has no PTX version for CUDA " + writer->release.text;
        return result;
    }
    result.words = writer->origin.for_people();
    result.ptx = writer->ptx_max;
    bool known = !target || has_arch(*driver_row, *target);
    result.outcome = known ? Outcome::accepted : Outcome::refused;
    if (!known) {
        result.first_error = knows_not("nvcc", *driver_row, *target);
        result.culprit = "nvcc";
        result.ptx.reset();
    }
    return result;
}

ProbeResult predict_assembly(const Facts& facts, const Toolkit& toolkit, const ProbeResult& made) {
    const Part* ptxas = toolkit.part(PartKind::ptxas);
    ProbeResult result = predicted(ProbeKind::assemble, toolkit, ptxas, made.target);
    result.ptx = made.ptx;
    const CudaRelease* row = row_of(facts, ptxas, "ptxas", result.first_error);
    if (!row) return result;
    result.accepts_up_to = row->ptx_max;
    result.words = row->origin.for_people();
    if (!row->ptx_max) {
        result.first_error = "the table has no PTX version for CUDA " + row->release.text;
        return result;
    }
    result.outcome = Outcome::accepted;
    if (*made.ptx > *row->ptx_max)
        result.first_error =
            "ptxas of CUDA " + row->release.text + " reads PTX up to " + row->ptx_max->text();
    else if (made.target && !has_arch(*row, *made.target))
        result.first_error = knows_not("ptxas", *row, *made.target);
    if (!result.first_error.empty()) {
        result.outcome = Outcome::refused;
        result.culprit = "ptxas";
    }
    return result;
}

ProbeResult predict_list(const Facts& facts, const Toolkit& toolkit) {
    const Part* nvcc = toolkit.part(PartKind::nvcc);
    ProbeResult result = predicted(ProbeKind::list_archs, toolkit, nvcc, std::nullopt);
    if (const CudaRelease* row = row_of(facts, nvcc, "nvcc", result.first_error)) {
        result.outcome = Outcome::accepted;
        result.archs = row->ptxas_archs;
        result.words = row->origin.for_people();
    }
    return result;
}

struct DriverLimit {
    std::optional<PtxVersion> ptx;
    std::string row, reads;  // "driver branch 535"
    std::string missing;
};

DriverLimit limit_of(const Facts& facts, const Driver& driver) {
    if (driver.version) {
        if (const DriverBranch* branch = facts.driver_branch(*driver.version); branch && branch->ptx_max)
            return {branch->ptx_max, branch->origin.for_people(),
                    "driver branch " + std::to_string(branch->branch), ""};
    }
    if (driver.cuda) {
        if (const CudaRelease* release = facts.cuda(*driver.cuda); release && release->ptx_max)
            return {release->ptx_max, release->origin.for_people(),
                    "a driver of CUDA " + release->release.text, ""};
    }
    if (driver.version) return {{}, "", "", "driver " + driver.version->text + " is in no table"};
    if (driver.cuda) return {{}, "", "", "CUDA " + driver.cuda->text + " of the driver is in no table"};
    return {{}, "", "", "the driver's version is not known"};
}

}  // namespace

std::vector<ProbeResult> predict_toolkit(const Facts& facts, const Scenario& scenario,
                                         const Toolkit& toolkit) {
    std::vector<ProbeResult> results = {predict_list(facts, toolkit)};
    std::vector<std::optional<Arch>> archs;
    for (const Target& target : scenario.project.archs.targets) archs.push_back(target.arch);
    if (archs.empty()) archs.push_back(std::nullopt);
    for (const std::optional<Arch>& arch : archs) {
        ProbeResult made = predict_ptx(facts, toolkit, arch);
        results.push_back(made);
        if (made.outcome == Outcome::accepted) results.push_back(predict_assembly(facts, toolkit, made));
    }
    return results;
}

std::vector<ProbeResult> predict_driver(const Facts& facts, const Driver& driver,
                                        const std::vector<ProbeResult>& made) {
    const DriverLimit limit = limit_of(facts, driver);
    ProbeResult blank;
    blank.kind = ProbeKind::driver_jit;
    blank.basis = Certainty::predicted;
    blank.driver = driver.id;
    blank.tool_version = driver.version.value;
    blank.accepts_up_to = limit.ptx;
    blank.words = limit.row;
    blank.first_error = limit.missing;
    std::vector<ProbeResult> results;
    for (const ProbeResult& ptx : made) {
        ProbeResult result = blank;
        result.toolkit = ptx.toolkit;
        result.target = ptx.target;
        result.ptx = ptx.ptx;
        if (limit.ptx && ptx.ptx) {
            bool fits = *ptx.ptx <= *limit.ptx;
            result.outcome = fits ? Outcome::accepted : Outcome::refused;
            if (!fits) result.first_error = limit.reads + " reads PTX up to " + limit.ptx->text();
        }
        results.push_back(result);
    }
    if (results.empty()) {
        if (limit.ptx) blank.outcome = Outcome::accepted;  // nothing compiled: the newest PTX that it accepts
        results.push_back(blank);
    }
    return results;
}

namespace {

const CudaRelease* row_of_version(const Facts& facts, const std::string& name, const Known<Version>& version,
                                  std::string& why) {
    if (!version) {
        why = "the version of " + name + " is not known";
        return nullptr;
    }
    const CudaRelease* row = facts.cuda(*version);
    if (!row)
        why = name + " " + version->text + " is in no table";
    else if (!row->ptx_max)
        why = "the table has no PTX version for CUDA " + row->release.text;
    return row && row->ptx_max ? row : nullptr;
}

}  // namespace

Prediction predict_writing(const Facts& facts, const std::string& name, const Known<Version>& known_by,
                           const Known<Version>& version, Arch target) {
    Prediction answer;
    const CudaRelease* list = row_of_version(facts, name, known_by, answer.reason);
    const CudaRelease* writer = list ? row_of_version(facts, name, version, answer.reason) : nullptr;
    if (!writer) return answer;
    answer.row = writer->origin.for_people();
    if (has_arch(*list, target)) {
        answer.outcome = Outcome::accepted;
        answer.ptx = writer->ptx_max;
    } else {
        answer.outcome = Outcome::refused;
        answer.reason = knows_not(name.c_str(), *list, target);
    }
    return answer;
}

Prediction predict_reading(const Facts& facts, const std::string& name, const Known<Version>& version,
                           Arch target, PtxVersion ptx) {
    Prediction answer;
    const CudaRelease* row = row_of_version(facts, name, version, answer.reason);
    if (!row) return answer;
    answer.row = row->origin.for_people();
    answer.ptx = row->ptx_max;
    if (ptx > *row->ptx_max)
        answer.reason = name + " of CUDA " + row->release.text + " reads PTX up to " + row->ptx_max->text();
    else if (!has_arch(*row, target))
        answer.reason = knows_not(name.c_str(), *row, target);
    answer.outcome = answer.reason.empty() ? Outcome::accepted : Outcome::refused;
    return answer;
}

Prediction predict_driver_reading(const Facts& facts, const Driver& driver, PtxVersion ptx) {
    const DriverLimit limit = limit_of(facts, driver);
    Prediction answer;
    answer.reason = limit.missing;
    answer.row = limit.row;
    answer.ptx = limit.ptx;
    if (!limit.ptx) return answer;
    answer.outcome = ptx <= *limit.ptx ? Outcome::accepted : Outcome::refused;
    if (answer.outcome == Outcome::refused)
        answer.reason = limit.reads + " reads PTX up to " + limit.ptx->text();
    return answer;
}

}  // namespace ptxguard
