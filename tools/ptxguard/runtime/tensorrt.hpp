// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "host/host.hpp"
#include "model/scenario.hpp"
#include "runtime/module_files.hpp"

namespace ptxguard {

// A framework's plugin for TensorRT is loaded only if a program asks for it, and most environments have no
// TensorRT. Where there is one of another major, the plugin is meant to be used, and cannot be. Linux only.
std::vector<NativeModule> plugins_for_other_tensorrt(const Host& host, const std::vector<PackageFiles>& files,
                                                     const Scenario& scenario);

}  // namespace ptxguard
