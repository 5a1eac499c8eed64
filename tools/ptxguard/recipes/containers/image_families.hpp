// Families of images whose tags name what they hold: runpod/pytorch, mosaicml/pytorch, the images of AWS.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "recipes/containers/images.hpp"

namespace ptxguard::recipes {

// Fills what the name and the tag of `content.image` say. False: of no such family.
bool read_family(ImageContent& content, const Facts& facts);

// "nvidia/cuda" for a mirror of that name: "docker.m.daocloud.io/nvidia/cuda", "mirror.gcr.io/nvidia/cuda".
std::string without_mirror(const std::string& name);

}  // namespace ptxguard::recipes
