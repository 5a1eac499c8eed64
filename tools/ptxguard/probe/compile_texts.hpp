// The PTX of one file, given to compilers: bounded in count by the caller, here in time.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <vector>

#include "ask/asker.hpp"
#include "facts/facts.hpp"
#include "model/binary.hpp"
#include "model/matrix.hpp"
#include "model/scenario.hpp"

namespace ptxguard {

class TextCompiler {
public:
    // `consumers`: those of discover_compilers. Measures the newest PTX that each of them accepts, and adds
    // the answers of drivers to scenario.probes.
    TextCompiler(const Asker& ask, const Facts& facts, Scenario& scenario, std::vector<Consumer> consumers,
                 std::chrono::seconds limit);

    // One answer per consumer and architecture. Texts whose turn does not come in time stay undecided.
    std::vector<CompiledPtx> compile(const std::vector<PtxToCompile>& texts);

private:
    const Asker& m_ask;
    const Facts& m_facts;
    Scenario& m_scenario;
    std::vector<Consumer> m_consumers;
    std::chrono::steady_clock::time_point m_end;
};

}  // namespace ptxguard
