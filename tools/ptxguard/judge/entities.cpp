// SPDX-License-Identifier: Apache-2.0
#include "judge/entities.hpp"

namespace ptxguard {
namespace {

template <typename T>
Entity place_in(EntityKind kind, const std::vector<T>& all, const T& one) {
    for (std::size_t i = 0; i < all.size(); ++i)
        if (&all[i] == &one) return {kind, i};
    return {};
}

}  // namespace

Entity id_of(const Scenario& scenario, const Toolkit& toolkit) {
    return place_in(EntityKind::toolkit, scenario.toolkits, toolkit);
}

Entity id_of(const Scenario& scenario, const Part& part) {
    for (std::size_t i = 0; i < scenario.toolkits.size(); ++i)
        if (scenario.toolkits[i].part(part.kind) == &part)
            return {EntityKind::part, i, static_cast<std::size_t>(part.kind)};
    return {};
}

Entity id_of(const Scenario& scenario, const Driver& driver) {
    return place_in(EntityKind::driver, scenario.drivers, driver);
}

Entity id_of(const Scenario& scenario, const Gpu& gpu) {
    return place_in(EntityKind::gpu, scenario.gpus, gpu);
}

Entity id_of(const Scenario& scenario, const Expectation& framework) {
    return place_in(EntityKind::framework, scenario.expectations, framework);
}

Entity id_of(const Scenario& scenario, const NativeModule& module) {
    return place_in(EntityKind::module, scenario.modules, module);
}

Entity id_of(const Scenario& scenario, const DriverBoundPackage& package) {
    return place_in(EntityKind::package, scenario.python.driver_bound, package);
}

Entity id_of(const Scenario& scenario, const Pick& pick) {
    return place_in(EntityKind::tool, scenario.picks, pick);
}

Entity id_of(const Scenario& scenario, const BinaryFile& file) {
    for (std::size_t i = 0; i < scenario.binaries.size(); ++i)
        if (scenario.binaries[i].path == file.path) return {EntityKind::file, i};
    return {};
}

Entity id_of(const Scenario& scenario, const LoadTrace& trace) {
    if (const Expectation* framework = scenario.framework_of(trace)) return id_of(scenario, *framework);
    return place_in(EntityKind::process, scenario.traces, trace);
}

Entity id_of(const Scenario& scenario, const LoadTrace& trace, const LoadedFile& library) {
    const Entity process = place_in(EntityKind::library, scenario.traces, trace);
    for (std::size_t i = 0; i < trace.libraries.size(); ++i)
        if (trace.libraries[i].name == library.name) return {process.kind, process.index, i};
    return {};
}

Entity id_of_conflict(const Scenario& scenario, const Expectation& framework, std::size_t conflict) {
    return {EntityKind::conflict, id_of(scenario, framework).index, conflict};
}

Entity id_of(Arch arch) {
    return {EntityKind::architecture, static_cast<std::size_t>(arch.number),
            static_cast<std::size_t>(arch.suffix)};
}

}  // namespace ptxguard
