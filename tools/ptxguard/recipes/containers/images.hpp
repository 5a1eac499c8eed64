// Names of container images -> their content. Only if the names or tables determine it; other images are
// unknown.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "facts/recipe_tables.hpp"
#include "model/scenario.hpp"
#include "recipes/base/recipe.hpp"

namespace ptxguard::recipes {

// A framework in an image: "torch==2.3.1+cu121", as for --framework.
struct ImageContent {
    RecipeImage image;
    std::string framework;
    std::string package;             // "vllm==0.8.5": with what it requires, and thus `framework`
    Known<std::string> python;       // "3.10": the tag names it, or images of that release have it
    Known<std::string> python_from;  // of a tag that moves on: this one or a newer one
    bool own_libraries = false;      // its CUDA libraries are on the loader's path, for other programs too
    bool known = false;              // this file has a rule for the image's name
};

// The CUDA of the package nvidia-cuda-toolkit of an image's or runner's system: "ubuntu:22.04",
// "3.11-slim-bookworm", "ubuntu-22.04"; null if no row matches its name.
const DistributionToolkit* distribution_toolkit(const RecipeImage& image, const std::string& platform,
                                                const Facts& facts);
// "ubuntu22.04", "debian12"; the platform of a job without an image: "windows-2022". Empty = not known.
std::string system_of(const RecipeImage& image, const std::string& platform, const Facts& facts);
// Of an image's system or a runner: "ubuntu-24.04", "windows-latest"; null if no row has its name.
const SystemCompiler* system_compiler(const RecipeImage& image, const std::string& platform,
                                      const Facts& facts);
// "2.31" of an image whose name tells its system; empty = not known.
std::string glibc_of(const RecipeImage& image, const Facts& facts);
ImageContent content_of(const Written& image, const Facts& facts);
// The Python of images with that release of their framework; empty = not known.
std::string python_of_image(const Facts& facts, const std::string& image, const Version& release);
// The newest one that is known of any release.
std::string newest_python_of_image(const Facts& facts, const std::string& image);
// An official image of a system, a language or conda: nothing of CUDA is in it, and no framework.
bool is_plain(const RecipeImage& image, const Facts& facts);
// Whether the image may have a framework that its name does not tell: not a plain system.
bool is_open(const ImageContent& content, const Facts& facts);
// The vendor in the name of a file or image: "requirements-rocm.txt", "Dockerfile.rocm", rocm/pytorch.
Known<std::string> vendor_of(const std::string& file, const RecipeImage& image);

}  // namespace ptxguard::recipes
