// SPDX-License-Identifier: Apache-2.0
#include "recipes/resolution/companions.hpp"

#include <algorithm>

#include "facts/conda_forge.hpp"
#include "facts/libraries.hpp"
#include "host/paths.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "recipes/base/recipe.hpp"

namespace ptxguard::recipes {
namespace {

// PyPI provides it: its pin has no build, and no other index has the package. PyTorch's own index has
// torchvision and xformers, not vllm.
bool from_pypi(const RecipeFacts& recipe, const RecipePin& pin) {
    if (!pin.version || !pin.version->local().empty() || !pin.by_pip() || pin.source) return false;
    return all_of(recipe.indexes, [&](const RecipeIndex& index) {
        if (index.group != pin.group || index.is_pypi()) return true;
        return pin.package == "vllm" && index.url.find("download.pytorch.org") != std::string::npos;
    });
}

// PyPI's wheels are compiled against PyPI's build of the framework. Other builds of one release may have the
// other std::string: torch 2.6.0+cu126.
Known<int> abi_on_pypi(const Facts& facts, const Companion& row, const Version& framework,
                       const Origin& origin) {
    const FrameworkRelease* release = facts.framework_release(row.of, framework);
    if (!release || !release->cxx_abi) return {};
    return {*release->cxx_abi, origin};
}

// The CUDA of PyPI's wheel, if it is installed in the end: an image may have that release in another build,
// and a later command another release.
Known<Version> cuda_on_pypi(const RecipeFacts& recipe, const RecipePin& pin) {
    const auto* taken =
        first_where(recipe.installed, [&](const Installed& one) { return one.package == pin.package; });
    // The table has that of the wheels for Linux on x86-64.
    if (!taken || taken->of_image || !taken->cuda || recipe.platform) return {};
    if (!taken->version || taken->version->without_local() != pin.version->without_local()) return {};
    return {*taken->cuda, pin.origin};
}

// The last one that names a release: a later command without one keeps what is there.
const RecipePin* pinned_companion(const RecipeFacts& recipe, const std::string& package) {
    const RecipePin* last = last_pin(recipe, package, true);
    if (!last || last->version || !last->by_pip() || last->upgrade)
        return last && last->version ? last : nullptr;
    const auto found = std::find_if(recipe.pins.rbegin(), recipe.pins.rend(), [&](const RecipePin& pin) {
        return pin.package == package && pin.by_pip() && pin.version;
    });
    return found == recipe.pins.rend() ? nullptr : &*found;
}

// conda's "2.0.*" accepts 2.0.1.
bool is_within(const Version& version, const Version& pinned) {
    for (std::size_t i = 0; i < pinned.numbers.size(); ++i)
        if (version.at(i) != pinned.at(i)) return false;
    return true;
}

// A command without a pinned release installs the one that the companion requires; a later command replaces a
// release that it does not accept. pip replaces conda's, too.
bool counts(const RecipePin* pin, const RecipePin& companion, const Version& required) {
    if (!pin) return true;
    if (pin->by == "conda")
        return pin->version && pin->group < companion.group && !is_within(required, *pin->version);
    if (pin->specifier.empty()) return pin->group <= companion.group;
    return pin->version && *pin->version != required && pin->group < companion.group;
}

// conda has solved both together, or conda-forge has compiled it for that release of the framework.
bool fits_by_conda(const Facts& facts, const RecipeFacts& recipe, const RecipePin& pin,
                   const Known<Version>& framework) {
    if (pin.by != "conda" || !framework) return false;
    if (recipe.kind == to_string(RecipeKind::lock_file)) return true;
    if (!is_forge_pair(facts, pin.package, *pin.version, *framework)) return false;
    return any_of(recipe.indexes, [&](const RecipeIndex& channel) {
        return channel.group == pin.group && channel.url.find("conda-forge") != std::string::npos;
    });
}

// conda has installed the framework, and only pip the companion: it is PyPI's. Where conda has it too, an
// exported list of pip's packages may name conda's. Within one major the libraries have the same names.
bool is_over_conda(const RecipeFacts& recipe, const Expectation& framework, const RecipePin& pin) {
    return framework.how == Installation::conda && none_of(recipe.pins, [&](const RecipePin& other) {
               return other.by == "conda" && other.package == pin.package;
           });
}

// The tables have the project's own wheels; another label is of somebody else's build.
bool is_published(const std::string& local) { return local.empty() || is_build_tag(local); }

// "pytorch" in conda is "torch".
std::string_view conda_name(std::string_view package) {
    if (package == "pytorch" || package == "pytorch-gpu" || package == "libtorch") return "torch";
    if (package == "onnxruntime-gpu" || package == "onnxruntime") return "onnxruntime-gpu";
    return package;
}

}  // namespace

std::string_view pip_name(const RecipePin& pin) {
    return pin.by == "conda" ? conda_name(pin.package) : std::string_view(pin.package);
}

const RecipePin* last_pin(const RecipeFacts& recipe, std::string_view package, bool conda_too) {
    const RecipePin* found = nullptr;
    for (const RecipePin& pin : recipe.pins) {
        if (pip_name(pin) != package || pin.by == "apt") continue;
        if (pin.by == "conda" && !conda_too) continue;
        found = &pin;
    }
    return found;
}

namespace {

InstalledCompanion companion_of_pin(const Facts& facts, const RecipeFacts& recipe, const Companion& row,
                                    const RecipePin& pin, const Expectation& expectation) {
    InstalledCompanion companion;
    companion.package = row.package;
    companion.version = pin.version;
    const std::string local = lower(pin.version->local());
    if (!is_published(local)) return companion;
    if (const auto of = row.framework_of(*pin.version)) {
        companion.built_for = {*of, pin.origin};
        companion.stable_abi = expectation.version && row.works_with.empty() &&
                               !row.needs_other(*pin.version, *expectation.version);
    }
    companion.without_cuda = local == "cpu";
    if (const auto cuda = cuda_of_tag(local)) companion.cuda = {*cuda, pin.origin};
    const CompanionWheel* wheel = row.wheel(*pin.version);
    if (!wheel || !from_pypi(recipe, pin)) return companion;
    companion.cxx_abi = abi_on_pypi(facts, row, wheel->of, pin.origin);
    const auto cuda = cuda_on_pypi(recipe, pin);
    const bool other_major = cuda && expectation.cuda && cuda->major() != expectation.cuda->major();
    if (wheel->cuda || expectation.how == Installation::wheel ||
        (other_major && is_over_conda(recipe, expectation, pin)))
        companion.cuda = cuda;
    return companion;
}

// A later command has brought another release: vllm requires one of torchvision.
bool is_replaced(const RecipeFacts& recipe, const RecipePin& pin) {
    return any_of(recipe.installed, [&](const Installed& one) {
        return one.package == pin.package && one.group > pin.group_of_command() && one.version &&
               one.version->without_local() != pin.version->without_local();
    });
}

}  // namespace

void add_companions(const Facts& facts, const RecipeFacts& recipe, Expectation& expectation) {
    for (const Companion* row : companions_of(facts, expectation.package)) {
        const RecipePin* pin = pinned_companion(recipe, row->package);
        if (pin && !pin->ignored && !is_replaced(recipe, *pin) &&
            !fits_by_conda(facts, recipe, *pin, expectation.version))
            expectation.companions.push_back(companion_of_pin(facts, recipe, *row, *pin, expectation));
    }
}

std::optional<Required> required_by_companion(const Facts& facts, const RecipeFacts& recipe,
                                              const std::string& framework, const RecipePin* pin) {
    if (pin && !pin->by_pip() && pin->by != "conda") return std::nullopt;
    for (const Companion* each : companions_of(facts, framework)) {
        const Companion& row = *each;
        const RecipePin* companion = last_pin(recipe, row.package, false);
        if (!companion || !companion->version || !companion->by_pip() || companion->no_deps) continue;
        const std::string build = lower(companion->version->local());
        if (!is_published(build)) continue;
        const CompanionWheel* wheel = row.wheel(*companion->version);
        if (!wheel || !counts(pin, *companion, wheel->of)) continue;
        RecipePin implied = *companion;
        implied.package = framework;
        implied.extras.clear();
        implied.specifier = "==" + wheel->of.text;
        Version version = wheel->of;
        if (const auto built = parse_version(version.text + "+" + build); !build.empty() && built)
            version = *built;
        implied.version = {version, companion->origin};
        return Required{implied, companion->package + companion->specifier};
    }
    return std::nullopt;
}

}  // namespace ptxguard::recipes
