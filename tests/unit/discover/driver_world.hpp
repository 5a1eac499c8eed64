// Machines with a driver's libraries.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <doctest/doctest.h>

#include "worlds.hpp"

namespace worlds {

inline const std::string k_libs = "/usr/lib/x86_64-linux-gnu";

inline Scenario drivers(const FakeHost& host, const Request& request = {}) {
    Scenario scenario;
    scenario.system = host.system();
    discover_drivers(host, Facts::embedded(), request, scenario);
    return scenario;
}

inline Driver only_driver(const FakeHost& host, const Request& request = {}) {
    const Scenario scenario = drivers(host, request);
    REQUIRE(scenario.drivers.size() == 1);
    return scenario.drivers[0];
}

inline void user_mode(FakeHost& host, const std::string& folder, const std::string& version) {
    for (const char* stem : {"libcuda.so", "libnvidia-ptxjitcompiler.so"}) {
        host.file(folder + "/" + stem + "." + version, "\177ELF\2" + std::string(100, 'x'));
        host.link(folder + "/" + stem + ".1", std::string(stem) + "." + version);
    }
}

}  // namespace worlds
