// SPDX-License-Identifier: Apache-2.0
#include "recipes/resolution/before_commands.hpp"

#include <utility>

#include "facts/pypi.hpp"
#include "model/text.hpp"
#include "python/specifier.hpp"
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

// The package of an image's tags and the releases that it requires, of builds that are not known.
void add_held(const Facts& facts, const BeforeCommands& before, InstalledPackages& packages) {
    const Requirement held = parse_requirement(before.package);
    const auto version = held.pinned();
    const PypiRow* row = version ? pypi_row(facts, held.name, *version) : nullptr;
    if (!row) return;
    add_of_image(held.name, before.origin, packages).version = {*version, before.origin};
    for (const Requirement& required : row->required) {
        const auto exact = exact_version(required.specifier);
        if (exact && holds(required.marker, usual({})) == Truth::yes)
            add_of_image(required.name, before.origin, packages).version = {*exact, before.origin};
    }
}

}  // namespace

InstalledPackages packages_before(const Facts& facts, const BeforeCommands& before) {
    InstalledPackages packages;
    if (!before.package.empty()) {
        add_held(facts, before, packages);
        return packages;
    }
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

namespace {

bool is_of_torch(const std::string& package) {
    return package == "triton" || package == "xformers" || starts_with_any(package, {"torch", "nvidia-"});
}

}  // namespace

bool leaves_open(const BeforeCommands& before, const RecipePin& pin) {
    return is_of_torch(pin.package) && (before.is_open || !pin.by_pip());
}

bool may_be_there(const BeforeCommands& before, const RecipePin& pin) {
    return is_of_torch(pin.package) && before.open_from > 0 && pin.group_of_command() > before.open_from;
}

void set_build(const Facts& facts, Installed& one, const std::string& build, bool known) {
    one.build = build;
    if (known) one.cuda = cuda_of_build(facts, one.package, one.version, build);
}

}  // namespace ptxguard::recipes
