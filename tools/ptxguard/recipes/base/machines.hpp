// The processor that names of platforms, images and files contain: "linux/arm64", "s390x/ubuntu",
// "Dockerfile.ppc64le".
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "recipes/base/recipe.hpp"

namespace ptxguard::recipes {

// As platform_machine of markers for Linux: "aarch64", "ppc64le"; empty without one, and with several.
std::string machine_in(std::string_view name);
// Of an image and its tag. Those for cross compilation run on the usual machine.
std::string machine_of_image(std::string_view image, std::string_view tag);
// "linux/ppc64le" for a Dockerfile.ppc64le and for a file in a folder ppc64le; empty for the usual machine.
Written platform_of_file(const std::string& file);
// "arm64" of "linux/arm64/v8", as BuildKit's TARGETARCH.
std::string docker_arch(std::string_view platform);

}  // namespace ptxguard::recipes
