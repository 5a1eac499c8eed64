// Every producer of PTX against every consumer: each distinct compilation once, on all cores; unchanged
// results come from the cache, and from the tables if nothing can be run.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ask/asker.hpp"
#include "facts/facts.hpp"
#include "model/matrix.hpp"
#include "model/scenario.hpp"
#include "probe/probe.hpp"

namespace ptxguard {

// Fills the targets, each producer's PTX, and the cells. Producers and consumers exist already; `scenario`
// has the toolkits of their nvccs, and the requested architectures.
void fill_matrix(const Asker& ask, const Facts& facts, const ProbeOptions& options, Scenario& scenario,
                 Matrix& matrix);

}  // namespace ptxguard
