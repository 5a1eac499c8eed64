// Every producer of PTX against every consumer: each distinct compilation once, all cores busy, results from
// the cache where nothing changed, by table where nothing can be run.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "facts/facts.hpp"
#include "host/host.hpp"
#include "model/matrix.hpp"
#include "model/scenario.hpp"
#include "probe/probe.hpp"

namespace ptxguard {

// Fills targets, what each producer makes, and the cells. Producers and consumers are there already;
// `scenario` holds the toolkits of the nvccs among them, and what was asked for.
void fill_matrix(const Host& host, const Facts& facts, const ProbeOptions& options, Scenario& scenario,
                 Matrix& matrix);

}  // namespace ptxguard
