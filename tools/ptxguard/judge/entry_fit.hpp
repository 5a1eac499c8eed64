// Whether one entry of a binary matches a GPU, and the driver accepts it. Used by runs_on.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "facts/facts.hpp"
#include "judge/ptx_questions.hpp"
#include "model/binary.hpp"
#include "model/driver.hpp"
#include "model/scenario.hpp"

namespace ptxguard {

// The GPU, driver and file for which an entry is checked.
struct RunQuestion {
    const BinaryFile& file;
    const Driver* driver;  // null = none was named
    const Scenario& scenario;
    const Facts& facts;
    Arch gpu;                    // no suffix
    const ArchFacts* gpu_facts;  // null = no table lists this GPU
};

// not_there: for other GPUs. refused: PTX that the driver does not accept. old_driver: a cubin of a CUDA
// major that the driver does not support. open: not known.
enum class Fit { yes, open, refused, old_driver, not_there };
struct EntryFit {
    Fit fit = Fit::not_there;
    std::string why;         // of open
    std::string decide;      // of open
    Known<Version> minimum;  // of old_driver: the first driver that supports it
    std::string made_by;     // of old_driver: "CUDA 13"
    DriverAnswer driver;     // of refused
};

// By the numbers only, for any driver: nothing = not known, with the reason in `why`.
struct ArchFit {
    std::optional<bool> fits;
    std::string why;
};
ArchFit cubin_fits(const RunQuestion& question, Arch code);
ArchFit ptx_fits(const RunQuestion& question, Arch target);
// What the architectures do not show of a file that runs on a board (Jetson before Thor); empty = nothing.
std::string words_of_board(const RunQuestion& question);
// Whether all GPUs are of such boards: builds for ARM servers and drivers for other machines are not for
// them.
bool only_boards(const Scenario& scenario, const Facts& facts);

// CUDA majors that may have built the cubins of a fatbin, from its entries and the file.
struct CudaMajors {
    int lowest = 0, highest = 0;
    std::optional<Version> release;  // if an entry contains it
};
CudaMajors made_by(const RunQuestion& question, const std::vector<const DeviceEntry*>& fatbin);

// It has device code that the runtime loads.
bool runs_code(const BinaryFile& file);

EntryFit fit_of_cubin(const RunQuestion& question, const DeviceEntry& entry, const CudaMajors& majors);
EntryFit fit_of_ptx(const RunQuestion& question, const DeviceEntry& entry);

// Whether this driver supports the GPU. Nothing = not known.
std::optional<bool> driver_knows_gpu(const RunQuestion& question);

// Descriptions of a binary's content, and archives assembled from their members.
std::string ptx_words(const DeviceEntry& entry);  // "PTX 8.7 for sm_90"

// inspect reports an archive's entries with its members; here they are combined, and each fatbin gets its own
// number.
BinaryFile with_members(const Scenario& scenario, const BinaryFile& archive);

// The members with device code of a package, if they are builds of one library for several CUDA releases, of
// which one is loaded (libbitsandbytes_cuda118.so beside _cuda130.so); else nothing.
std::vector<const BinaryFile*> alternatives_in(const Scenario& scenario, const BinaryFile& package);

// Whether a GPU would run code listed for a framework's build or in a table. By architecture only; whether a
// driver accepts the PTX is a separate question.
enum class CodeFit { cubin, ptx, none, open };  // open: no rule promises or excludes it
CodeFit code_fit(const std::vector<Target>& code, Arch gpu, const Scenario& scenario, const Facts& facts);

// "cubin sm_80": what of this code the GPU runs; all of it if it runs none.
std::string code_for(const std::vector<Target>& code, Arch gpu, CodeFit fit);

// GPUs with a known architecture that are judged: the named ones; without any, those that were found.
std::vector<const Gpu*> gpus_judged(const Scenario& scenario);

}  // namespace ptxguard
