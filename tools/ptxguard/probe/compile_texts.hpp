// Compiles the device code of one file; the caller limits the count, this code the time.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "ask/asker.hpp"
#include "facts/facts.hpp"
#include "model/binary.hpp"
#include "model/matrix.hpp"
#include "model/scenario.hpp"

namespace ptxguard {

// PTX for each ptxas and each driver's JIT compiler, LTO-IR for each nvJitLink, Tile IR for each tileiras.
class TextCompiler {
public:
    // `consumers`: those of discover_compilers. Measures the newest PTX that each of them accepts, and adds
    // the answers of drivers to scenario.probes.
    TextCompiler(const Asker& ask, const Facts& facts, Scenario& scenario, std::vector<Consumer> consumers,
                 std::chrono::seconds limit);

    // One answer per consumer, kind of code and architecture. Texts that do not fit into the time stay
    // undecided, and so do all of a compiler that accepts an absurd version or refuses the oldest.
    std::vector<CompiledCode> compile(const std::vector<CodeToCompile>& texts);

private:
    using Doubts = std::map<std::pair<std::string, Arch>, std::string>;  // by consumer's id

    using Texts = std::vector<const CodeToCompile*>;

    std::vector<Cell> cells_of(const std::vector<Consumer>& consumers, EntryKind code,
                               const Texts& texts) const;
    Doubts doubts_of(const std::vector<Consumer>& consumers, EntryKind code, const Texts& texts) const;
    void compile_kind(EntryKind code, const Texts& texts, std::vector<CompiledCode>& answers) const;

    const Asker& m_ask;
    const Facts& m_facts;
    Scenario& m_scenario;
    std::vector<Consumer> m_consumers;
    std::chrono::steady_clock::time_point m_end;
};

}  // namespace ptxguard
