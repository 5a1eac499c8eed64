// SPDX-License-Identifier: Apache-2.0
#include "recipes/resolution/before_commands.hpp"

#include <utility>

#include "model/text.hpp"
#include "recipes/resolution/candidates.hpp"

namespace ptxguard::recipes {
namespace {

Installed& add_of_image(const std::string& package, const Origin& origin, InstalledPackages& packages) {
    Installed& one = packages[package];
    one.package = package;
    one.of_image = true;
    one.asked = origin;
    return one;
}

}  // namespace

InstalledPackages packages_before(const Facts& facts, const BeforeCommands& before) {
    InstalledPackages packages;
    if (before.framework.empty()) return packages;
    const std::size_t sign = before.framework.find("==");
    if (sign == npos) {
        // NVIDIA's builds are pre-releases ("2.7.0a0+6c54963f75.nv25.02"): a range accepts them where they
        // are installed, an exact pin does not.
        for (const char* const package : {"torch", "torchvision", "flash-attn", "transformer-engine"})
            add_of_image(package, before.origin, packages);
        return packages;
    }
    const std::string package = canonical_package(before.framework.substr(0, sign));
    // pytorch/pytorch has them in the releases for its torch.
    if (package == "torch")
        for (const char* const companion : {"torchvision", "torchaudio"})
            add_of_image(companion, {}, packages);
    Installed& one = add_of_image(package, before.origin, packages);
    if (const auto version = parse_version(before.framework.substr(sign + 2)))
        one.version = {*version, before.origin};
    set_build(facts, one, one.version ? lower(one.version->local()) : "");
    return packages;
}

void set_build(const Facts& facts, Installed& one, const std::string& build, bool known) {
    one.build = build;
    if (known) one.cuda = cuda_of_build(facts, one.package, one.version, build);
}

}  // namespace ptxguard::recipes
