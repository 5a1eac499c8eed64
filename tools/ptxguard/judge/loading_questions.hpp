// Would a GPU run what a binary holds? The driver's rules for choosing among cubins and PTX, judged per fatbin.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "facts/facts.hpp"
#include "model/binary.hpp"
#include "model/driver.hpp"
#include "model/scenario.hpp"

namespace ptxguard {

// `driver` may be null: then what only a driver can decide (PTX, a cubin of a newer CUDA major) is unknown.
RunsOn runs_on(const BinaryFile& file, const Gpu& gpu, const Driver* driver, const Scenario& scenario, const Facts& facts);

}  // namespace ptxguard
