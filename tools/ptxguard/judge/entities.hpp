// The ids of the things of a scenario: findings and pairs are joined by them, never by a name. Inner header
// of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "model/arch.hpp"
#include "model/entity.hpp"
#include "model/scenario.hpp"

namespace ptxguard {

inline constexpr Entity k_build{EntityKind::build};
inline constexpr Entity k_cxx_abi{EntityKind::cxx_abi};
inline constexpr Entity k_cxx_standard{EntityKind::cxx_standard};
inline constexpr Entity k_python{EntityKind::python};
// The driver that a framework will meet, where none is known.
inline constexpr Entity k_some_driver{EntityKind::driver, static_cast<std::size_t>(-1)};

// Of members of that scenario's lists; something else, such as a copy, has none.
Entity id_of(const Scenario& scenario, const Toolkit& toolkit);
Entity id_of(const Scenario& scenario, const Part& part);
Entity id_of(const Scenario& scenario, const Driver& driver);
Entity id_of(const Scenario& scenario, const Gpu& gpu);
Entity id_of(const Scenario& scenario, const Expectation& framework);
Entity id_of(const Scenario& scenario, const NativeModule& module);
Entity id_of(const Scenario& scenario, const DriverBoundPackage& package);
Entity id_of(const Scenario& scenario, const Pick& pick);
// Of an archive that was assembled from its members, too.
Entity id_of(const Scenario& scenario, const BinaryFile& file);
// The framework that it was traced for, else the traced file.
Entity id_of(const Scenario& scenario, const LoadTrace& trace);
Entity id_of(const Scenario& scenario, const LoadTrace& trace, const LoadedFile& library);
Entity id_of_conflict(const Scenario& scenario, const Expectation& framework, std::size_t conflict);
Entity id_of(Arch arch);

template <typename T>
std::vector<Entity> ids_of(const Scenario& scenario, const std::vector<const T*>& things) {
    std::vector<Entity> ids;
    for (const T* thing : things) ids.push_back(id_of(scenario, *thing));
    return ids;
}

}  // namespace ptxguard
