// Records of installed packages beside a framework: wheels' METADATA, conda's conda-meta.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "formats/wheel_metadata.hpp"
#include "host/host.hpp"
#include "model/json.hpp"
#include "model/origin.hpp"

namespace ptxguard {

struct InstalledWheel {
    std::string path;       // .../torch-2.0.0.dist-info/METADATA
    std::string installer;  // "pip", "conda", "" = not said
    WheelMetadata metadata;
};
// Of the packages named (canonical names; "cupy-cuda*" = all that begin so) those that have a readable
// METADATA in `site`, in the order of `names`.
std::vector<InstalledWheel> installed_wheels(const Host& host, const std::string& site,
                                             const std::vector<std::string>& names);

// Is the package among names of that kind?
bool names_package(const std::vector<std::string>& names, const std::string& package);

struct CondaPackage {
    std::string path;  // .../conda-meta/pytorch-2.5.1-....json
    std::string name, version, build;
    std::vector<std::string> depends;
};
std::vector<CondaPackage> conda_packages(const Host& host, const std::string& prefix,
                                         const std::vector<std::string>& names);
// The prefix above lib/python3.X/site-packages or Lib/site-packages; "" where `site` does not look like that.
std::string prefix_of_site(const std::string& site);

// The CUDA release that pins stand for: cuda-toolkit==13.0.2, nvidia-cuda-runtime-cu12==12.4.127.
Known<Version> cuda_of_pins(const InstalledWheel& wheel, System system, std::string_view extra = {});
// nvidia-cudnn-cu12==9.1.0.70
Known<Version> cudnn_of_pins(const InstalledWheel& wheel, System system, std::string_view extra = {});
// "cuda12.4_cudnn9.1.0_0" in a build string; "cudnn >=9.3.0.75,<10" and "cuda-version >=12.6,<13" in the
// dependencies.
Known<Version> cuda_of_conda(const CondaPackage& package);
Known<Version> cudnn_of_conda(const CondaPackage& package);

}  // namespace ptxguard
