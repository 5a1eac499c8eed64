// Whether a GPU would run a binary. The driver's rules for selecting among cubins and PTX, applied per
// fatbin.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "facts/facts.hpp"
#include "judge/ptx_questions.hpp"
#include "model/binary.hpp"
#include "model/driver.hpp"
#include "model/finding.hpp"
#include "model/scenario.hpp"

namespace ptxguard {

// A cubin runs on GPUs of the same major and an equal or newer minor, `a` on exactly its GPU, `f` on its
// family. PTX counts for fatbins without such a cubin: its target must not be newer than the GPU, its version
// not newer than the driver's. A driver runs cubins of the CUDA majors up to its own. If no fatbin runs, or
// fewer than the driver refuses, the answer is no; otherwise their number is reported and the kind of most of
// them decides. `driver` may be null. Then branch 535 or newer is assumed, and a driver that supports the
// GPU: cubins of CUDA 12 and PTX 8.2 run, a cubin of CUDA 13 for a GPU that CUDA 12 drivers support too is
// unknown, and so is newer PTX.
RunsOn runs_on(const BinaryFile& file, const Gpu& gpu, const Driver* driver, const Scenario& scenario,
               const Facts& facts);

// The same, with the data for naming the cause.
enum class RunCause {
    runs,           // by cubin or JIT
    not_there,      // neither cubin nor PTX for this GPU
    ptx_refused,    // only PTX, newer than the driver accepts (CC202)
    ptx_invalid,    // only PTX, which the driver's compiler was given and refused (CC213)
    cubin_too_new,  // a cubin, of a CUDA major that the driver does not support
    gpu_too_new,    // the driver is older than the GPU
    gpu_too_old,    // the driver's branch no longer supports the GPU
    open,           // not known
    no_code         // the file contains no device code
};
struct RunAnswer {
    RunsOn said;
    RunCause cause = RunCause::open;
    std::size_t cubins = 0;         // fatbins with a cubin for the GPU, of runs
    std::optional<Arch> code;       // the entry that runs or is refused
    std::optional<PtxVersion> ptx;  // its version, of PTX
    DriverAnswer driver;            // of ptx_refused
    std::string made_by;            // of cubin_too_new: "CUDA 13"
    Known<Version> minimum;         // of cubin_too_new and gpu_too_new: the first driver, if known
};
RunAnswer ask_run(const BinaryFile& file, const Gpu& gpu, const Driver* driver, const Scenario& scenario,
                  const Facts& facts);

// "cubins sm_70, sm_80 and PTX 8.7 for sm_90": code that a driver loads, else what the library loads by
// itself; at most `limit` names of each.
std::string code_words(const BinaryFile& file, std::size_t limit = 12);

// Named .ptx, but known to be something else, which CC205 reports.
bool is_mistaken_for_ptx(const BinaryFile& file);

// The file's content, as evidence.
Evidence evidence_of(const BinaryFile& file);

// Binaries that the user named, archives as a whole. Libraries that were only found on a machine are
// excluded: they may have code for few GPUs while others have code for all.
using BinaryFiles = std::vector<std::shared_ptr<const BinaryFile>>;
BinaryFiles binaries_concerned(const Scenario& scenario);
// Pairs to check: each relevant driver with its GPUs; without a driver, null with the named GPUs.
struct RunPair {
    const Gpu* gpu = nullptr;
    const Driver* driver = nullptr;
};
std::vector<RunPair> pairs_concerned(const Scenario& scenario);

}  // namespace ptxguard
