// SPDX-License-Identifier: Apache-2.0
#include "facts/variants.hpp"

#include "model/named_cuda.hpp"
#include "model/ranges.hpp"
#include "python/specifier.hpp"

namespace ptxguard {
namespace {

bool lists(const FrameworkRelease& release, const std::string& build) {
    const auto& all = release.variants;
    if (contains(all, build)) return true;
    // The default build is also on the index of its CUDA.
    return release.cuda && build == tag_of_cuda(*release.cuda);
}

}  // namespace

Published published_build(const Facts& facts, const std::string& package, const Version& version,
                          const std::string& build) {
    const FrameworkRelease* release = facts.framework_release(package, version);
    if (!release || release->variants.empty()) return Published::open;
    if (lists(*release, build)) return Published::yes;
    bool before = false, after = false;
    for (const Version& other : facts.framework_releases(package)) {
        const FrameworkRelease* row = facts.framework_release(package, other);
        if (!row || !lists(*row, build)) continue;
        before = before || other < version;
        after = after || other > version;
    }
    return before && after ? Published::open : Published::no;
}

std::optional<Version> newest_with_build(const Facts& facts, const std::string& package,
                                         const std::string& range, const std::string& build) {
    std::optional<Version> newest;
    for (const Version& release : facts.framework_releases(package))
        if (!release.is_prerelease() && accepts(range, release) &&
            published_build(facts, package, release, build) == Published::yes)
            newest = release;
    return newest;
}

std::optional<Version> cudnn_of_build(const FrameworkRelease& release, System system, const Version& cuda) {
    const auto listed = release.cudnn_by_cuda.find(cuda.release());
    const bool is_listed = listed != release.cudnn_by_cuda.end();
    if (system == System::linux_ && release.cudnn && release.cuda && same_release(*release.cuda, cuda)) {
        // A wheel may contain only the major.
        const bool finer = is_listed && release.cudnn->numbers.size() < 2 &&
                           release.cudnn->major() == listed->second.major();
        return finer ? listed->second : *release.cudnn;
    }
    return is_listed ? std::optional<Version>(listed->second) : std::nullopt;
}

}  // namespace ptxguard
