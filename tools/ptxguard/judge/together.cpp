// SPDX-License-Identifier: Apache-2.0
#include "judge/together.hpp"

#include <vector>

#include "facts/libraries.hpp"
#include "facts/pypi.hpp"
#include "facts/variants.hpp"
#include "judge/fitting_builds.hpp"
#include "model/ranges.hpp"
#include "model/say.hpp"
#include "model/text.hpp"
#include "python/marker.hpp"
#include "python/specifier.hpp"

namespace ptxguard {
namespace {

// With the extras that bring CUDA, and what a pinned package requires in turn (cuda-toolkit).
void add_requirements(const std::string& package, const Version& version, const Facts& facts,
                      std::vector<Requirement>& all) {
    const PypiRow* row = pypi_row(facts, package, version);
    if (!row) return;
    MarkerEnvironment place = usual({});
    place.extras = {"and-cuda", "with-cuda", "cuda", "cudnn", "ctk"};
    for (const Requirement& required : row->required) {
        if (holds(required.marker, place) == Truth::no) continue;
        all.push_back(required);
        if (const auto pinned = required.pinned()) add_requirements(required.name, *pinned, facts, all);
    }
}

std::vector<Requirement> requirements_of(const Step& build, const Facts& facts) {
    std::vector<Requirement> all;
    const FrameworkRelease* release = facts.framework_release(build.package, build.version);
    if (is_own_build(build, facts) || !build.cuda) {
        add_requirements(build.package, build.version, facts, all);
        if (all.empty() && release)
            for (const RequiredPackage& required : release->required)
                all.push_back(parse_requirement(required.package + required.range));
        return all;
    }
    if (!release) return all;
    if (const auto cudnn = cudnn_of_build(*release, System::linux_, *build.cuda))
        all.push_back(parse_requirement(SAY("nvidia-cudnn-cu{}=={}", build.cuda->major(), cudnn->text)));
    return all;
}

std::string required_words(const Step& build, const Requirement& required) {
    return SAY("{} {} requires {}{}", build.subject, build.version.text, required.name, required.specifier);
}

// "nvidia-cudnn-cu12" and "nvidia-cudnn-cu13" are unpacked into one folder.
bool overwrite_each_other(const Requirement& one, const Requirement& other) {
    const std::string component = nvidia_component(one.name);
    const auto has_cuda = [](const std::string& name) { return name.find("-cu1") != std::string::npos; };
    return one.name != other.name && !component.empty() && component == nvidia_component(other.name) &&
           has_cuda(one.name) && has_cuda(other.name);
}

bool have_common_release(const Requirement& one, const Requirement& other, const Facts& facts) {
    if (const auto pinned = one.pinned()) return accepts(other.specifier, *pinned);
    if (const auto pinned = other.pinned()) return accepts(one.specifier, *pinned);
    const PypiPackage* table = pypi_package(facts, one.name);
    if (!table || table->releases.empty()) return true;
    return any_of(table->releases, [&](const PypiRelease& release) {
        return accepts(one.specifier, release.version) && accepts(other.specifier, release.version);
    });
}

}  // namespace

std::string conflict_between(const Step& one, const Step& other, const Facts& facts) {
    const std::vector<Requirement> left = requirements_of(one, facts), right = requirements_of(other, facts);
    for (const Requirement& a : left)
        for (const Requirement& b : right) {
            if (overwrite_each_other(a, b))
                return SAY("{} and {}, which overwrite each other's files", required_words(one, a),
                           required_words(other, b));
            if (a.name == b.name && !have_common_release(a, b, facts))
                return SAY("{} and {}", required_words(one, a), required_words(other, b));
        }
    return "";
}

}  // namespace ptxguard
