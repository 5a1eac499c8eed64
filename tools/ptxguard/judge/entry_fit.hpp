// Does one entry of a binary fit a GPU, and does the driver take it? The inner questions of runs_on.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "facts/facts.hpp"
#include "judge/ptx_questions.hpp"
#include "model/binary.hpp"
#include "model/driver.hpp"
#include "model/scenario.hpp"

namespace ptxguard {

// For whom and in what an entry is judged.
struct RunQuestion {
    const BinaryFile& file;
    const Driver* driver;  // null = none was named
    const Scenario& scenario;
    const Facts& facts;
    Arch gpu;                    // no suffix
    const ArchFacts* gpu_facts;  // null = no table lists this GPU
};

// not_there: made for other GPUs. refused: PTX that the driver does not read. old_driver: a cubin of a CUDA
// major that the driver does not run. open: cannot be told.
enum class Fit { yes, open, refused, old_driver, not_there };
struct EntryFit {
    Fit fit = Fit::not_there;
    std::string why;         // of open
    std::string decide;      // of open
    Known<Version> minimum;  // of old_driver: the first driver for it
    std::string made_by;     // of old_driver: "CUDA 13"
    DriverAnswer driver;     // of refused
};

// By the numbers alone, whatever the driver: nothing = cannot be told, and `why` says so.
struct ArchFit {
    std::optional<bool> fits;
    std::string why;
};
ArchFit cubin_fits(const RunQuestion& question, Arch code);
ArchFit ptx_fits(const RunQuestion& question, Arch target);

// CUDA majors that may have made the cubins of a fatbin, from what its entries and the file tell.
struct CudaMajors {
    int lowest = 0, highest = 0;
    std::optional<Version> release;  // where an entry names it
};
CudaMajors made_by(const RunQuestion& question, const std::vector<const DeviceEntry*>& fatbin);

EntryFit fit_of_cubin(const RunQuestion& question, const DeviceEntry& entry, const CudaMajors& majors);
EntryFit fit_of_ptx(const RunQuestion& question, const DeviceEntry& entry);

// Does this driver know the GPU? Nothing = cannot be told.
std::optional<bool> driver_knows_gpu(const RunQuestion& question);

}  // namespace ptxguard
