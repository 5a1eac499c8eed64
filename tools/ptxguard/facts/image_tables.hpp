// What registries of images offer, and what their images contain: part of facts/recipes.json.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "facts/facts.hpp"

namespace ptxguard {

// From that month, NVIDIA's framework images contain them.
struct NgcImages {
    std::optional<Version> month, cuda, cudnn;
};

// The release of torch that NVIDIA's own build of that month becomes: 2.4 for 2.4.0a0+07cecf4168.nv24.5.
struct NgcTorch {
    std::optional<Version> month, torch;
    Origin origin;
};

struct UbuntuImages {
    std::string system;
    std::optional<Version> cuda_from;  // first with an image for it
    std::optional<Version> cuda_to;    // last; nothing = not ended
    bool withdrawn = false;            // none is left
    Origin origin;
};

// The updates of a CUDA release that still have nvidia/cuda tags.
struct CudaImages {
    std::optional<Version> release;
    std::vector<Version> updates;  // empty = none has
    Origin origin;
};

// Drivers for an older CUDA that nvidia/cuda images of that release admit (NVIDIA_REQUIRE_CUDA).
struct ImageDemand {
    std::optional<Version> release;
    std::vector<Version> branches;  // of any product but GeForce
    std::vector<Version> geforce;   // of GeForce and TITAN too
    Origin origin;
};

// The CUDA releases whose nvidia/cuda images have that cuDNN major in their tags, both inclusive.
struct CudnnImages {
    std::string tag;  // "cudnn7", "cudnn"
    std::optional<Version> cuda_from, cuda_to;
    std::vector<Version> lacks;  // updates between them that have no such tags
    Origin origin;
};

// The release of cuDNN in nvidia/cuda's images of that CUDA release and word of the tag.
struct CudnnOfImage {
    std::string tag;  // "cudnn8"
    std::optional<Version> cuda, cudnn;
    Origin origin;
};

// What the tags of a repository have in common: a tag that begins with another release was never published.
struct ImageTags {
    std::string image;
    std::string prefix;               // of the release in them: "v"
    std::string releases_of;          // they begin with a release of that package of PyPI
    std::vector<Version> lacks;       // releases of it without images
    bool months = false;              // they begin with year and month
    std::string needs;                // a word that each has
    std::string word;                 // one that only old ones have
    std::optional<Version> from, to;  // releases for which `needs` or `word` counts, both inclusive
    Origin origin;
};

// The Python of images from that release of the framework in their tags; empty = not known.
struct ImagePython {
    std::string image;
    std::optional<Version> from;
    std::string python;
};

}  // namespace ptxguard
