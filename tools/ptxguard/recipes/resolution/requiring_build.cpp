// SPDX-License-Identifier: Apache-2.0
#include "recipes/resolution/requiring_build.hpp"

#include <utility>

#include "facts/variants.hpp"
#include "model/text.hpp"
#include "python/specifier.hpp"
#include "recipes/resolution/candidates.hpp"

namespace ptxguard::recipes {
namespace {

bool is_since(const RecipePin& pin, const char* release) {
    return pin.package == "torch" && *parse_version(release) <= *pin.version;
}

// The list of a release is believed where it agrees with the metadata of PyPI's wheel. Before torch 2.3,
// wheels of the other builds contained the libraries.
bool is_listed(const FrameworkRelease* release, const RecipePin& pin) {
    if (!release || !release->cuda || !release->cudnn || !is_since(pin, "2.3.0")) return false;
    const auto own = release->cudnn_by_cuda.find(release->cuda->release());
    return own != release->cudnn_by_cuda.end() && own->second == *release->cudnn;
}

std::string range_in(const std::map<std::string, Version>& by_cuda, const Version& cuda) {
    const auto found = by_cuda.find(cuda.release());
    return found == by_cuda.end() ? "" : "==" + found->second.text;
}

}  // namespace

RequiringBuild::RequiringBuild(const Facts& facts, const RecipePin& pin, std::string build)
    : m_build(std::move(build)),
      m_cuda(cuda_of_tag(m_build)),
      m_release(facts.framework_release(pin.package, *pin.version)) {
    m_of_torch = is_since(pin, "2.7.0");
    const bool has_cuda = m_cuda && m_release && m_release->cuda;
    m_is_other = m_build == "cpu" || (has_cuda && !same_release(*m_cuda, *m_release->cuda));
    m_other_major = has_cuda && m_cuda->major() != m_release->cuda->major();
    m_is_listed = is_listed(m_release, pin);
}

std::vector<Requirement> RequiringBuild::requirements(const PypiRow& row) const {
    if (!m_other_major) return row.required;
    std::vector<Requirement> all;
    const std::string before = "-cu" + std::to_string(m_release->cuda->major());
    for (Requirement one : row.required) {
        if (starts_with(one.name, "nvidia-")) {
            if (ends_with(one.name, before)) one.name.resize(one.name.size() - before.size());
            one.name += "-cu" + std::to_string(m_cuda->major());
            one.specifier = own_range(one);
            if (one.specifier.empty()) continue;
        }
        all.push_back(std::move(one));
    }
    return all;
}

std::optional<Requirement> RequiringBuild::unmet_by(const Version& here, const Requirement& required) const {
    // Wheels of another index require a build of that index.
    if (required.specifier.find('+') != npos) return std::nullopt;
    Requirement wanted = required;
    if (const std::string own = own_range(required); !own.empty())
        wanted.specifier = own;
    else if (may_require(required, here))
        return std::nullopt;
    return accepts(wanted.specifier, here) ? std::nullopt : std::optional(wanted);
}

// Of a build for CUDA 12.6: nvidia-cuda-runtime-cu12==12.6.*, in place of the release that PyPI's build
// requires. Empty for packages with other numbers than CUDA, where no table has them.
std::string RequiringBuild::own_range(const Requirement& required) const {
    if (!m_is_other || !m_cuda || m_cuda->numbers.size() < 2) return "";
    if (const std::string listed = listed_range(required.name); !listed.empty()) return listed;
    if (is_same_nccl(required)) return required.specifier;
    return has_number_of_cuda(required.name) ? "==" + m_cuda->release() + ".*" : "";
}

// "==9.10.2.21", of nvidia-cudnn-cu12 in a build for CUDA 12.6.
std::string RequiringBuild::listed_range(const std::string& package) const {
    if (is_named(package, "nccl")) return m_release ? range_in(m_release->nccl_by_cuda, *m_cuda) : "";
    if (!m_is_listed || !is_named(package, "cudnn")) return "";
    return range_in(m_release->cudnn_by_cuda, *m_cuda);
}

// Whether this build, other than PyPI's, may require the release that is `here`. Other releases of
// NVIDIA's packages have the same major; cuda-bindings has that of its CUDA.
bool RequiringBuild::may_require(const Requirement& required, const Version& here) const {
    if (!m_is_other || !differs_by_build(required, m_build)) return false;
    if (!m_cuda) return true;
    const auto exact = starts_with(required.name, "cuda-") ? m_cuda : exact_version(required.specifier);
    return exact && exact->major() == here.major();
}

// PyTorch's builds for CUDAs of one major have one NCCL: its CI compares their pins with nccl-cuNN.txt.
bool RequiringBuild::is_same_nccl(const Requirement& required) const {
    return m_of_torch && !m_other_major && is_named(required.name, "nccl");
}

bool RequiringBuild::has_number_of_cuda(const std::string& package) const {
    for (const char* one : {"cuda-runtime", "cuda-nvrtc", "cuda-cupti", "nvtx", "cublas"})
        if (is_named(package, one)) return m_cuda->major() == 12;
    return false;
}

bool RequiringBuild::is_named(const std::string& package, const char* part) const {
    return package == std::string("nvidia-") + part + "-cu" + std::to_string(m_cuda->major());
}

}  // namespace ptxguard::recipes
