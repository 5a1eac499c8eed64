// Look-ups inside a scenario and its members.
// SPDX-License-Identifier: Apache-2.0
#include "model/scenario.hpp"

#include <algorithm>

namespace ptxguard {
namespace {

template <typename T>
const T* by_id(const std::vector<T>& all, const std::string& id) {
    for (const T& one : all)
        if (!id.empty() && one.id == id) return &one;
    return nullptr;
}

}  // namespace

const Part* Toolkit::part(PartKind kind) const {
    for (const Part& one : parts)
        if (one.kind == kind) return &one;
    return nullptr;
}

const Version* Toolkit::version() const {
    for (PartKind kind : {PartKind::nvcc, PartKind::ptxas, PartKind::runtime_headers}) {
        const Part* one = part(kind);
        if (one && one->version) return &*one->version;
    }
    return nullptr;
}

Origin ProbeResult::origin() const {
    Origin origin;
    bool by_table = basis == Certainty::predicted;
    origin.kind = by_table                        ? OriginKind::table
                  : kind == ProbeKind::driver_jit ? OriginKind::library
                                                  : OriginKind::command;
    origin.certainty = basis;
    origin.path = tool;
    origin.command = command;
    return origin;
}

const Toolkit* Scenario::toolkit(const std::string& id) const { return by_id(toolkits, id); }
const Driver* Scenario::driver(const std::string& id) const { return by_id(drivers, id); }
const Expectation* Scenario::framework_of(const LoadTrace& trace) const {
    const Expectation* named = nullptr;
    for (const Expectation& expectation : expectations) {
        if (trace.framework.empty() || expectation.framework != trace.framework) continue;
        if (!expectation.path.empty() && expectation.path == trace.framework_folder) return &expectation;
        if (!named) named = &expectation;
    }
    return named;
}

bool Scenario::requires_(const std::string& what) const {
    return std::find(require.begin(), require.end(), what) != require.end();
}

}  // namespace ptxguard
