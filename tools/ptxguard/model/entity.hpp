// Which thing of a scenario a finding or a pair is about. Names are for people: two things may share one, and
// the name of one may end like that of another.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <tuple>

namespace ptxguard {

enum class EntityKind {
    none,  // of nothing in the scenario
    build,
    cxx_abi,       // of the project
    cxx_standard,  // of the project
    python,
    architecture,  // by its number
    toolkit,
    part,  // of a toolkit
    driver,
    gpu,
    framework,
    package,   // that some drivers break
    conflict,  // of the packages of a framework
    module,
    file,
    process,  // of a file that the user named; a framework's is the framework
    library,  // of a process
    tool      // that a framework searches
};

// Comparable within one scenario. judge/entities.hpp makes them.
struct Entity {
    EntityKind kind = EntityKind::none;
    std::size_t index = 0;  // in the scenario's list of that kind
    std::size_t member =
        0;  // of a part, library or conflict: which one of that toolkit, process or framework
};
inline bool operator==(const Entity& a, const Entity& b) {
    return std::tie(a.kind, a.index, a.member) == std::tie(b.kind, b.index, b.member);
}
inline bool operator!=(const Entity& a, const Entity& b) { return !(a == b); }

}  // namespace ptxguard
