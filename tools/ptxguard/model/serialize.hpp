// Scenario, Finding and their members to and from Json. The JSON report, `snapshot` and the cases of the
// rules all use these names, so a case can be cut from a report. Unknown members are ignored when reading,
// missing ones keep the default of the struct; a wrong word for an enum is trouble that names it. Known<T> is
// {"value": ..., "origin": {...}}, or just the plain value where it has no origin; Version, PtxVersion and
// Arch are their text ("13.0.88", "9.0", "sm_90a").
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/finding.hpp"
#include "model/json.hpp"
#include "model/result.hpp"
#include "model/scenario.hpp"

namespace ptxguard {

Json to_json(const Origin& origin);
Json to_json(const Evidence& evidence);
Json to_json(const Fix& fix);
Json to_json(const Finding& finding);
Json to_json(const Part& part);
Json to_json(const Toolkit& toolkit);
Json to_json(const Selector& selector);
Json to_json(const EnvironmentEntry& entry);
Json to_json(const Pick::Loser& loser);
Json to_json(const Pick& pick);
Json to_json(const JitLibrary& library);
Json to_json(const CudnnLibrary& library);
Json to_json(const CudnnCopy& copy);
Json to_json(const Driver& driver);
Json to_json(const Gpu& gpu);
Json to_json(const BundledTool& tool);
Json to_json(const Misfit& misfit);
Json to_json(const Disagreement& disagreement);
Json to_json(const Expectation& expectation);
Json to_json(const ProbeResult& probe);
Json to_json(const HostCompiler& compiler);
Json to_json(const Project& project);
Json to_json(const Unreadable& unreadable);
Json to_json(const EntryGroup& group);
Json to_json(const RunsOn& answer);
Json to_json(const BinaryFile& file);
Json binary_json(const BinaryFile& file,
                 bool with_entries);  // a report has the entries only where they are asked for
Json entry_json(const DeviceEntry& entry, const std::string& section);
Json to_json(const LoadLoser& loser);
Json to_json(const LoadedFile& library);
Json to_json(const LoadTrace& trace);
Json to_json(const Scenario& scenario);

Result<Scenario> scenario_from_json(const Json& json);
Result<ProbeResult> probe_from_json(const Json& json);  // the probe cache keeps these

}  // namespace ptxguard
