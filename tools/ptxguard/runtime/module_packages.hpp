// The packages that contain native modules.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "host/host.hpp"
#include "load/module_head.hpp"
#include "model/scenario.hpp"
#include "runtime/module_files.hpp"

namespace ptxguard {

// NVIDIA's own packages, of which the bindings open what a program asks for, and the frameworks, whose
// libraries are traced separately.
bool is_left_out(const PackageFiles& package, const Scenario& scenario);

// Whether a Python file in the package's own folder opens libraries.
bool opens_by_path(const Host& host, const PackageFiles& package);

// The release of the module's package, and the framework's release that its record pins.
void describe_package(const Host& host, const PackageFiles& package, NativeModule& module);

// The file itself, as a library that is only there for another machine.
LoadedFile other_machine(const Host& host, const std::string& path);
// Whether such a file of that package is among the modules.
bool has_other_machine(const std::vector<NativeModule>& modules, const std::string& package);

struct HeadOfPackage {
    std::size_t package = 0;
    ModuleHead head;
};
// The machine of the process that imports the modules: the interpreter's, or that of most packages. 0 = not
// known.
std::uint16_t machine_of_environment(const Host& host, const PythonEnvironment& python,
                                     const std::vector<HeadOfPackage>& heads);

}  // namespace ptxguard
