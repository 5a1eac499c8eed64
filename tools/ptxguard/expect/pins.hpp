// The CUDA and cuDNN that a framework was built with, from package records.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "model/origin.hpp"
#include "packages/conda.hpp"
#include "packages/wheels.hpp"

namespace ptxguard {

// The CUDA release of pins: cuda-toolkit==13.0.2, nvidia-cuda-runtime-cu12==12.4.127.
Known<Version> cuda_of_pins(const InstalledWheel& wheel, System system, std::string_view extra = {});
// nvidia-cudnn-cu12==9.1.0.70
Known<Version> cudnn_of_pins(const InstalledWheel& wheel, System system, std::string_view extra = {});
// "cuda12.4_cudnn9.1.0_0" in a build string; "cudnn >=9.3.0.75,<10" and "cuda-version >=12.6,<13" in the
// dependencies.
Known<Version> cuda_of_conda(const CondaPackage& package);
Known<Version> cudnn_of_conda(const CondaPackage& package);

}  // namespace ptxguard
