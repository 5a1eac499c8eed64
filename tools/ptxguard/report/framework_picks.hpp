// Which nvcc, ptxas, cudart, cuBLAS, cuDNN and NVRTC each framework uses, from where, and the setting that
// changes it. Inner header of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "model/json.hpp"
#include "model/scenario.hpp"
#include "report/table.hpp"

namespace ptxguard {

struct FrameworkPick {
    std::string framework;  // "PyTorch 2.11.0+cu130"
    std::string part;       // "nvcc", "ptxas", "cudart", "cuBLAS", "cuBLASLt", "cuDNN", "NVRTC"
    std::string version;    // empty = not known
    std::string path;       // as shown; empty = not found
    std::string because;    // "DT_RPATH of libtorch_cuda.so"; "missing" if it is not found
    std::string setting;    // "LD_LIBRARY_PATH"; empty = nothing changes it
    std::string words;      // the same in words, for the table
};

std::vector<FrameworkPick> framework_picks(const Scenario& scenario);

// Libraries found by the same rule share a row. The tools have separate rows, from the consumer's search.
std::vector<Row> framework_pick_rows(const Scenario& scenario);
Json framework_picks_json(const Scenario& scenario);

}  // namespace ptxguard
