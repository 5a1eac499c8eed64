// What recipes name and no other table lists: facts/recipes.json.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "facts/facts.hpp"

namespace ptxguard {

// A package whose sources hold device code.
struct DeviceSources {
    std::string package;
    bool by_name = false;        // PyPI has no wheel: an installation by the name compiles it
    bool by_cmake_args = false;  // nor for this one, which compiles device code where CMAKE_ARGS says so
};

// From that month, NVIDIA's framework images hold them.
struct NgcImages {
    std::optional<Version> month, cuda, cudnn;
};

struct UbuntuImages {
    std::string system;
    std::optional<Version> cuda_from;  // the first with an image for it
    Origin origin;
};

// The CUDA of a distribution's own package nvidia-cuda-toolkit.
struct DistributionToolkit {
    std::string system;  // "ubuntu22.04"
    std::string codename;
    std::optional<Version> cuda;
    Origin origin;
};

// The releases of a package of conda's whose version is that of CUDA: all, or the last.
struct CondaReleases {
    std::string package;
    std::vector<std::string> releases;
    std::optional<Version> last;
    std::string instead;  // what has newer ones
    Origin origin;
};

// Up to and including `last`; without cudnn it loads none.
struct Ctranslate2Build {
    std::optional<Version> last, cuda, cudnn;
};

struct FirstRelease {
    std::string package;
    std::optional<Version> from;
    Origin origin;
};

struct RecipeTables {
    std::vector<DeviceSources> device_sources;
    std::vector<std::string> compiled_at_use;  // packages that start nvcc when they are first used
    std::vector<std::string> cuda_in_name;  // "dgl-cu": what follows is the CUDA whose libraries are needed
    std::vector<NgcImages> ngc_images;      // ascending
    std::vector<UbuntuImages> ubuntu_images;
    std::vector<DistributionToolkit> distribution_toolkits;
    std::vector<CondaReleases> conda_packages;
    std::vector<Ctranslate2Build> ctranslate2;  // ascending
    std::vector<FirstRelease> nvcc_pins;        // updates since which cuda-toolkit[nvcc] pins all parts
    std::vector<FirstRelease> aarch64_wheels;   // the first whose wheels of PyPI hold CUDA there

    const DeviceSources* device_source(const std::string& package) const;
};

const RecipeTables& recipe_tables(const Facts& facts);

}  // namespace ptxguard
