// The releases that pip or uv may install for a requirement: those of PyPI's table and of PyTorch's indexes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "facts/facts.hpp"
#include "facts/pypi.hpp"
#include "model/recipe.hpp"
#include "python/marker.hpp"

namespace ptxguard::recipes {

// The indexes of one command, for one package.
struct Feeds {
    bool pypi = true;                           // PyPI is searched
    bool other = false;                         // another one, whose contents are not known
    bool foreign = false;                       // of those, one that is not PyTorch's
    bool page = false;                          // a page with wheels of another project
    const RecipeIndex* pytorch = nullptr;       // PyTorch's for one build
    const RecipeIndex* only_pytorch = nullptr;  // it replaces PyPI
};

struct Candidate {
    Version version;
    const PypiRow* row = nullptr;  // null for a release of PyTorch's index that PyPI's table lacks
    std::string build;
    bool other_build = false;  // the index may have one, too
};

// Whether a package with that pin has the requirement. `at_least`: what counts where the marker is open.
bool applies(const Requirement& required, const RecipePin& pin, const MarkerEnvironment& markers,
             Truth at_least = Truth::unknown);

// The table has the requirements of PyPI's build: one for another CUDA (cu130) requires other releases of
// NVIDIA's packages, one for CPUs none of these and no Triton.
bool differs_by_build(const Requirement& required, std::string_view build);

// PyPI or a mirror of it. Other feeds ("pypi.nvidia.com", ".../onnxruntime-cuda-11/pypi/simple/") have other
// releases.
bool has_only_pypi(std::string_view url);
// PyTorch's pages of pre-releases and of 1.8 LTS have other files than its releases.
bool is_of_releases(const RecipeIndex& index);
Feeds feeds_of(const Facts& facts, const RecipeFacts& recipe, const RecipePin& pin);
// torch==2.1.0+cu117 with a page of another project, or a folder, and none of the publisher's own: it may
// have builds that the publisher has not.
bool may_be_of_others(const Facts& facts, const RecipeFacts& recipe, const RecipePin& pin);
// Newest first.
std::vector<Candidate> candidates(const Facts& facts, const RecipeFacts& recipe,
                                  const MarkerEnvironment& markers, const RecipePin& pin,
                                  const std::string& range);
// Whether there is one.
bool has_candidate(const Facts& facts, const RecipeFacts& recipe, const MarkerEnvironment& markers,
                   const RecipePin& pin, const std::string& range);

// Where pip gets a pin: the build of an index, PyPI's default (empty), or not known.
struct Served {
    bool known = false;
    std::string build;
    const RecipeIndex* index = nullptr;
};
Served served(const Facts& facts, const RecipeFacts& recipe, const RecipePin& pin,
              const std::optional<Version>& version);

// The CUDA of that build of a release; of PyPI's for Linux if `build` is empty. torchvision and torchaudio
// are built with the CUDA of the torch of their release.
Known<Version> cuda_of_build(const Facts& facts, const std::string& package, const Known<Version>& version,
                             const std::string& build);

// The Python of an image with that release of a framework. If it is not known, the oldest that the framework
// has wheels for: a newer package that excludes it may not be taken.
std::string likely_python(const Facts& facts, const std::string& image, const std::string& package,
                          const Version& version);

// The releases before and after one that does not exist: "2.7.3, 2.7.4.post1".
std::string releases_around(const PypiPackage& table, const std::string& version);

}  // namespace ptxguard::recipes
