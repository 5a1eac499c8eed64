// Families of images whose tags name what they hold: runpod/pytorch, mosaicml/pytorch, the images of AWS.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "recipes/images.hpp"

namespace ptxguard::recipes {

// Fills what the name and the tag of `content.image` say. False: of no such family.
bool read_family(ImageContent& content, const Facts& facts);

// "nvidia/cuda" for a mirror of that name: "docker.m.daocloud.io/nvidia/cuda", "mirror.gcr.io/nvidia/cuda".
std::string without_mirror(const std::string& name);

// The variable CUDA_VERSION that images of nvidia/cuda export: "12.4.1".
std::optional<Written> cuda_version_variable(const Written& image);

}  // namespace ptxguard::recipes
