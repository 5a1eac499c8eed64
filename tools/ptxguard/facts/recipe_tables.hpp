// What recipes name and no other table lists: facts/recipes.json.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "facts/facts.hpp"

namespace ptxguard {

// A package whose sources contain device code.
struct DeviceSources {
    std::string package;
    bool by_name = false;                // PyPI has no wheel: an installation by name compiles it
    bool by_cmake_args = false;          // the same, with device code only if CMAKE_ARGS requests it
    std::vector<std::string> variables;  // each makes the installation compile device code: DS_BUILD_OPS=1
    bool own_archs = false;      // its setup.py has its own -gencode and does not read TORCH_CUDA_ARCH_LIST
    bool imports_torch = false;  // its setup.py imports torch, which no isolated build has
};

// From that month, NVIDIA's framework images contain them.
struct NgcImages {
    std::optional<Version> month, cuda, cudnn;
};

struct UbuntuImages {
    std::string system;
    std::optional<Version> cuda_from;  // first with an image for it
    std::optional<Version> cuda_to;    // last; nothing = not ended
    Origin origin;
};

// The CUDA releases whose nvidia/cuda images have that cuDNN major in their tags, both inclusive.
struct CudnnImages {
    std::string tag;  // "cudnn7", "cudnn"
    std::optional<Version> cuda_from, cuda_to;
    Origin origin;
};

// A distribution's own packages: the CUDA of nvidia-cuda-toolkit, the Python of python3.
struct DistributionToolkit {
    std::string system;  // "ubuntu22.04"
    std::string codename;
    std::optional<Version> cuda, python;
    Origin origin;
};

// The releases of a conda package with CUDA's version numbers: all, or the last.
struct CondaReleases {
    std::string package;
    std::vector<std::string> releases;
    std::optional<Version> last;
    std::string instead;  // package with newer ones
    Origin origin;
};

// Up to and including `last`; without cudnn it loads no cuDNN.
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
    std::vector<std::string> compiled_at_use;  // packages that start nvcc at first use
    std::vector<std::string> cuda_in_name;     // "dgl-cu": followed by the CUDA whose libraries are needed
    std::vector<NgcImages> ngc_images;         // ascending
    std::vector<UbuntuImages> ubuntu_images;
    std::vector<CudnnImages> cudnn_images;
    std::vector<DistributionToolkit> distribution_toolkits;
    std::vector<CondaReleases> conda_packages;
    std::vector<Ctranslate2Build> ctranslate2;  // ascending
    std::vector<FirstRelease> nvcc_pins;        // updates from which cuda-toolkit[nvcc] pins all components
    std::vector<FirstRelease> aarch64_wheels;   // first release whose PyPI wheels for aarch64 contain CUDA

    const DeviceSources* device_source(const std::string& package) const;
};

const RecipeTables& recipe_tables(const Facts& facts);

}  // namespace ptxguard
