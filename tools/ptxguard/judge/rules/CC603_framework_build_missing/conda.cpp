// SPDX-License-Identifier: Apache-2.0
#include "facts/pypi.hpp"
#include "facts/recipe_tables.hpp"
#include "judge/framework_questions.hpp"
#include "judge/recipe_questions.hpp"
#include "judge/rules/CC603_framework_build_missing/parts.hpp"
#include "model/ranges.hpp"

namespace ptxguard {
namespace {

constexpr const char* k_no_set = "conda finds no set of packages that fits";

// Releases newer than the `last` one of the channel pytorch are in conda-forge only, where pytorch-cuda binds
// nothing.
void judge_ended_channel(const CondaTorch& here, const Version& last, Findings& findings) {
    const RecipePin& torch = *here.torch;
    const std::size_t digit = torch.specifier.find_first_of("0123456789");
    const bool from = starts_with(torch.specifier, ">") && digit != npos;
    const auto lowest =
        torch.version ? torch.version.value
        : from ? parse_version(torch.specifier.substr(digit, torch.specifier.find_first_of(", ") - digit))
               : std::nullopt;
    if (!here.own || !lowest || *lowest <= last) return;
    const std::string named = text_of(torch);
    const Composed finding =
        add(findings, "CC603", here.forge ? Level::warning : Level::error, torch,
            !here.forge ? SAY("the channel pytorch ended with {}, it has no {}", last.text, named)
            : here.pytorch_cuda
                ? SAY("the channel pytorch ended with {}: {} comes from conda-forge, whose builds "
                      "pytorch-cuda does not select",
                      last.text, named)
                : SAY("the channel pytorch ended with {}: {} comes from conda-forge", last.text, named))
            .expected("channel", "conda-forge", {})
            .because(here.forge ? "pytorch-cuda belongs to the builds of the channel pytorch; conda may take "
                                  "a build without CUDA"
                                : k_no_set)
            .by_hand(
                "only the channel conda-forge, with pytorch-gpu and cuda-version in place of pytorch and "
                "pytorch-cuda");
    if (here.pytorch_cuda) finding.found(evidence_of(*here.pytorch_cuda));
}

std::vector<Version> cudas_of(const FrameworkRelease& release) {
    std::vector<Version> cudas;
    for (const std::string& tag : cuda_tags(release)) cudas.push_back(*cuda_of_tag(tag));
    return cudas;
}

std::vector<std::string> names_of(const std::vector<Version>& cudas) {
    std::vector<std::string> names;
    for (const Version& cuda : cudas) names.push_back(cuda.release());
    return names;
}

bool has_build_for(const FrameworkRelease& release, const Version& wanted) {
    return any_of(cudas_of(release), [&](const Version& cuda) { return same_release(cuda, wanted); });
}

// Something else than the channel decides the release: a pin of it, of a package of its set, or of a Python
// that the last release does not support.
bool is_release_bound(const CondaTorch& here, const Version& last, const RecipeFacts& recipe,
                      const Facts& facts) {
    for (const char* package : {"pytorch", "torchvision", "torchaudio", "torchtext"})
        if (const RecipePin* pin = conda_pin(recipe, package); pin && !pin->specifier.empty()) return true;
    const PypiRow* row = pypi_row(facts, "torch", last);
    return !here.torch->build.empty() || (row && here.python && here.python->version &&
                                          !fits_python(*row, here.python->version->release()));
}

// The newest release up to `last` with a build for that CUDA.
const FrameworkRelease* newest_for(const Version& cuda, const Version& last, const Facts& facts) {
    const FrameworkRelease* fits = nullptr;
    for (const Version& version : facts.framework_releases("torch"))
        if (const FrameworkRelease* one = facts.framework_release("torch", version);
            one && version <= last && has_build_for(*one, cuda))
            fits = one;
    return fits;
}

// pytorch cudatoolkit=11.3: the newest PyTorch does not look at cudatoolkit any more.
void judge_open_toolkit(const CondaTorch& here, const Version& last, const RecipeFacts& recipe,
                        const Facts& facts, Findings& findings) {
    const RecipePin* const chosen = here.cudatoolkit;
    static const Version k_last_of_cudatoolkit = *parse_version("1.12.1");
    if (!here.own || here.forge || here.pytorch_cuda || !chosen || !chosen->version ||
        chosen->version->numbers.size() < 2 || is_release_bound(here, last, recipe, facts) ||
        any_of(recipe.refused, [](const RefusedPin& one) { return !one.required_by.empty(); }))  // CC613
        return;
    const FrameworkRelease* fits = newest_for(*chosen->version, k_last_of_cudatoolkit, facts);
    if (!fits) return;
    add(findings, "CC603", Level::warning, "pytorch",
        SAY("pytorch is not pinned: {} does not select a build of {}, the last in the channel",
            text_of(*chosen), last.text))
        .of_package("torch")
        .found(evidence_of(*here.torch), evidence_of(*chosen))
        .expected("pytorch", SAY("{} for CUDA {}", fits->version.text, chosen->version->release()),
                  fits->origin)
        .because(
            "conda takes the newest release, whose builds with CUDA require pytorch-cuda since 1.13; without "
            "it the one that fits is for CPUs")
        .edit(SAY("pytorch={}", fits->version.text));
}

// pytorch pytorch-cuda=11.7: conda prefers the newest PyTorch, of which the channel has builds for CPUs too.
void judge_open_release(const CondaTorch& here, const Version& last, const RecipeFacts& recipe,
                        const Facts& facts, Findings& findings) {
    const RecipePin* const chosen = here.pytorch_cuda;
    if (!here.own || !chosen || !chosen->version || chosen->version->numbers.size() < 2 ||
        is_release_bound(here, last, recipe, facts))
        return;
    const FrameworkRelease *newest = facts.framework_release("torch", last),
                           *fits = newest_for(*chosen->version, last, facts);
    if (!newest || !fits || has_build_for(*newest, *chosen->version)) return;
    const std::string cuda = chosen->version->release();
    add(findings, "CC603", Level::warning, "pytorch",
        SAY("pytorch is not pinned: of {}, the last in the channel, there is no build for CUDA {}", last.text,
            cuda))
        .of_package("torch")
        .found(evidence_of(*here.torch), evidence_of(*chosen))
        .expected("pytorch", SAY("{} for CUDA {}", fits->version.text, cuda), fits->origin)
        .expected("pytorch-cuda", list(names_of(cudas_of(*newest))), newest->origin)
        .because("conda may take the newest release, whose build that fits is for CPUs")
        .edit(SAY("pytorch={}", fits->version.text));
}

// The channels in which conda searches for the packages of this command.
struct Channels {
    bool asked = false, other = false;  // `other`: a server whose packages are not known
    std::vector<std::string> names;
};
Channels channels_of(const RecipeFacts& recipe, const RecipePin& pin, const std::string& wanted) {
    Channels channels;
    for (const RecipeIndex* channel : indexes_of(recipe, pin)) {
        channels.asked = channels.asked || channel->url.find(wanted) != npos;
        const bool server =
            channel->url.find("://") != npos && channel->url.find("conda.anaconda.org") == npos;
        channels.other = channels.other || server || channel->url.find_first_of("/$") == 0;
        channels.names.push_back(channel->url);
    }
    return channels;
}

void say_channel(const RecipeFacts& recipe, const RecipePin& pin, const CondaReleases& row,
                 const std::string& wanted, const Channels& channels, Findings& findings) {
    const std::string named = text_of(pin);
    const bool own = wanted == row.channel;
    add(findings, "CC603", recipe.kind == "Dockerfile" ? Level::error : Level::warning, pin,
        own ? SAY("{} is only in the channel {}, which is not searched", named, wanted)
            : SAY("{} requires packages of the channel {}, which is not searched", named, wanted))
        .found("channels", list(channels.names), pin.origin)
        .expected("channel", wanted, row.origin)
        .because(own ? "conda finds no such package" : k_no_set)
        .by_hand(row.requires_channel.empty()
                     ? SAY("add the channel: -c {}", row.channel)
                     : SAY("add the channel: -c {} -c {}", row.channel, row.requires_channel));
}

// Channels whose packages have no local versions.
bool is_known_channel(const std::string& channel) {
    for (const char* known : {"pytorch", "nvidia", "conda-forge", "defaults", "anaconda", "main", "rapidsai"})
        if (channel == known || ends_with(channel, SAY("/{}", known))) return true;
    return starts_with(channel, "nvidia/label/");
}

// torchvision==0.12.0+cu113: the local version of a build that pip takes. conda says it in the build string.
void judge_local_versions(const RecipeFacts& recipe, Findings& findings) {
    if (recipe.kind == "lock file") return;  // of packages that were found
    for (const RecipePin& pin : recipe.pins) {
        const std::size_t plus = pin.specifier.find('+');
        if (pin.by != "conda" || plus == npos || pin.origin.overridable) continue;
        std::string local = pin.specifier.substr(plus + 1);
        if (ends_with(local, ".*")) local.resize(local.size() - 2);
        const bool of_build =
            starts_with(local, "cu") || starts_with(local, "cpu") || starts_with(local, "rocm");
        const auto channels = indexes_of(recipe, pin);
        if (!of_build || any_of(channels, [](const RecipeIndex* one) { return !is_known_channel(one->url); }))
            continue;
        const std::size_t digit = pin.specifier.find_first_of("0123456789");
        const std::string release = pin.specifier.substr(digit, plus - digit);
        const std::string named = SAY("{}={}+{}", pin.package, release, local);
        add(findings, "CC603", recipe.kind == "Dockerfile" ? Level::error : Level::warning, pin,
            SAY("{} is a version of pip's wheels, no channel of conda has it", named))
            .of_package(pin.package == "pytorch" ? "torch" : pin.package)
            .expected(pin.package, release, {})
            .because("conda names the CUDA in the build string, not in the version; it finds no such package")
            .edit(SAY("{}={}", pin.package, release));
    }
}

bool is_first_from_forge(const RecipeFacts& recipe, const RecipePin& pin) {
    const auto channels = indexes_of(recipe, pin);
    return pin.by == "conda" && !channels.empty() && channels.front()->url.find("conda-forge") != npos;
}

// pytorch-gpu, and pytorch with a build "*cuda*", first from conda-forge.
bool asks_for_cuda(const RecipeFacts& recipe, const RecipePin& pin, const std::string& package) {
    if (!is_first_from_forge(recipe, pin)) return false;
    return pin.package == SAY("{}-gpu", package) ||
           (pin.package == package && (pin.build.find("cuda") != npos || pin.build.find("gpu") != npos));
}

bool is_of_pixi(const RecipeFacts& recipe) {
    return recipe.kind == "pixi manifest" || recipe.kind == "pyproject.toml";
}

bool names_driver(const RecipeFacts& recipe, int group) {
    return any_of(recipe.pins,
                  [&](const RecipePin& one) { return one.package == "__cuda" && one.group == group; });
}

// Builds of conda-forge that require a driver, where the solver has none: while an image is built, and for
// pixi without system requirements.
void judge_driver(const RecipeFacts& recipe, const FirstRelease& row, Findings& findings) {
    const bool pixi = is_of_pixi(recipe);
    if (!pixi && recipe.kind != "Dockerfile" && recipe.kind != "definition file") return;
    for (const RecipePin& pin : recipe.pins) {
        const bool older = pin.version && *pin.version < *row.from;
        if (older || !asks_for_cuda(recipe, pin, row.package) || names_driver(recipe, pin.group)) continue;
        const std::string wanted = pin.build.empty() ? text_of(pin) : SAY("{}={}", text_of(pin), pin.build);
        add(findings, "CC603", pixi ? Level::error : Level::warning, wanted,
            pixi ? SAY("{} of conda-forge requires a driver (__cuda), and the manifest names none", wanted)
                 : SAY("{} of conda-forge requires a driver (__cuda), and none is there while the image is "
                       "built",
                       wanted))
            .found(evidence_of(pin))
            .expected("__cuda", "the CUDA of the driver", row.origin)
            .because("the solver finds no set of packages that fits")
            .by_hand(pixi ? "add [system-requirements] with cuda = \"12\""
                          : "set CONDA_OVERRIDE_CUDA to the CUDA of the driver");
    }
}

void judge_named_driver(const RecipeFacts& recipe, const RecipePin& pin, const RecipePin& driver,
                        Findings& findings) {
    const std::size_t digit = driver.specifier.find_first_of("0123456789");
    const auto cuda = digit == npos ? std::nullopt : parse_version(driver.specifier.substr(digit));
    const int major = pin.version->major();
    if (!cuda || cuda->major() >= major) return;
    const bool pixi = is_of_pixi(recipe);
    const std::string where = pixi ? "system-requirements" : "CONDA_OVERRIDE_CUDA";
    add(findings, "CC603", Level::error, pin,
        SAY("{} of conda-forge requires a driver for CUDA {} (__cuda), and {} names {}", text_of(pin), major,
            where, cuda->text))
        .found(where, cuda->text, driver.origin)
        .expected("__cuda", SAY(">={}", major), {})
        .because("the solver finds no set of packages that fits")
        .by_hand(pixi ? SAY("set cuda = \"{}\" in system-requirements", major)
                      : SAY("set CONDA_OVERRIDE_CUDA to {}", pin.version->release()));
}

// cuda-version=12.9 beside `[system-requirements] cuda = "11.8"` or CONDA_OVERRIDE_CUDA=11.8: conda-forge's
// accepts a driver of its major or a newer one only.
void judge_older_driver(const RecipeFacts& recipe, Findings& findings) {
    for (const RecipePin& pin : recipe.pins)
        if (pin.package == "cuda-version" && pin.version && is_first_from_forge(recipe, pin))
            for (const RecipePin& driver : recipe.pins)
                if (driver.package == "__cuda" && driver.group == pin.group)
                    judge_named_driver(recipe, pin, driver, findings);
}

// pytorch-cuda without the channel pytorch, or without NVIDIA's. From CUDA 12 on conda-forge has NVIDIA's
// packages too.
void judge_channels(const RecipeFacts& recipe, const Facts& facts, Findings& findings) {
    for (const RecipePin& pin : recipe.pins)
        for (const CondaReleases& row : recipe_tables(facts).conda_packages) {
            if (pin.by != "conda" || pin.package != row.package || row.channel.empty()) continue;
            if (!pin.build.empty()) continue;  // of an environment that was there
            for (const std::string& wanted : {row.channel, row.requires_channel}) {
                const bool on_forge = wanted != row.channel && (!pin.version || pin.version->major() > 11);
                if (wanted.empty() || on_forge) continue;
                const Channels channels = channels_of(recipe, pin, wanted);
                if (channels.asked || channels.other || channels.names.empty()) continue;
                say_channel(recipe, pin, row, wanted, channels, findings);
                break;
            }
        }
}

// cudatoolkit=11.1, which neither Anaconda's channel nor those of PyTorch and DGL have. A note: conda adds
// the channels of its own configuration to those of a file, and conda-forge is among them in miniforge's.
void judge_lacking_channels(const RecipeFacts& recipe, const Facts& facts, Findings& findings) {
    for (const RecipePin& pin : recipe.pins)
        for (const CondaReleases& row : recipe_tables(facts).conda_packages) {
            if (pin.by != "conda" || pin.package != row.package || !pin.version || !pin.build.empty() ||
                !contains(row.lacking, pin.version->release()))
                continue;
            std::vector<std::string> names;
            for (const RecipeIndex* channel : indexes_of(recipe, pin)) names.push_back(channel->url);
            if (names.empty() ||
                !all_of(names, [&](const auto& one) { return contains(row.lacked_by, one); }))
                continue;
            add(findings, "CC603", Level::note, pin,
                SAY("none of the channels has {}: {}", text_of(pin), list(names)))
                .found("channels", list(names), pin.origin)
                .expected("channel", "conda-forge", row.origin)
                .because("conda finds no such package, unless its own configuration adds a channel")
                .by_hand("add the channel: -c conda-forge");
        }
}

// Whether that torch is older than 1.MINOR.
bool is_before(const Version& torch, int minor) { return torch.major() == 1 && torch.minor() < minor; }

// The package that selects the CUDA of a release of the channel pytorch; null if none does.
const RecipePin* chosen_cuda(const CondaTorch& here) {
    const bool old = is_before(*here.torch->version, 13);
    const RecipePin* chosen = old ? here.cudatoolkit : here.pytorch_cuda;
    const bool decides = chosen && chosen->version && chosen->version->numbers.size() > 1;
    return decides && here.own && !(old && here.forge) ? chosen : nullptr;
}

// False: nothing was reported.
bool judge_chosen_cuda(const CondaTorch& here, const Facts& facts, Findings& findings) {
    const RecipePin* torch = here.torch;
    const RecipePin* chosen = chosen_cuda(here);
    if (!chosen) return false;
    const bool oldest = is_before(*torch->version, 9);
    const auto built = torch->cuda_of_build();
    if (built && differs_in_names(*built, *chosen->version)) return false;  // CC612
    const FrameworkRelease* release = facts.framework_release("torch", *torch->version);
    const std::vector<Version> cudas = built     ? std::vector<Version>{*built}
                                       : release ? cudas_of(*release)
                                                 : std::vector<Version>{};
    const bool has = any_of(cudas, [&](const Version& cuda) {
        return same_release(cuda, *chosen->version) || (oldest && !built && *chosen->version < cuda);
    });
    const std::string exists = joined(names_of(cudas), ", ");
    if (has || exists.empty()) return false;
    const std::string named = SAY("{}={}", torch->package, torch->version->text);
    add(findings, "CC603", here.forge ? Level::warning : Level::error, named,
        SAY("the channel pytorch has no build of {} for CUDA {}; it has {}", named,
            chosen->version->release(), exists))
        .found(evidence_of(*torch), evidence_of(*chosen))
        .expected(chosen->package, exists, release ? release->origin : Origin{})
        .because("conda finds no set of packages that fits both, or takes the build without CUDA")
        .by_hand(SAY("{}={}", chosen->package, replace_all(exists, ", ", " or ")));
    return true;
}

// False: no build of the channel pytorch was reported to be missing.
bool judge_torch(const RecipeFacts& recipe, const Facts& facts, Findings& findings) {
    const CondaTorch here = conda_torch(recipe);
    if (!here.torch || recipe.image.name == "nvidia/pytorch") return false;
    const auto last = recipe_tables(facts).last_in_channel("pytorch", "pytorch");
    if (last) {
        judge_ended_channel(here, *last, findings);
        judge_open_release(here, *last, recipe, facts, findings);
        judge_open_toolkit(here, *last, recipe, facts, findings);
    }
    const bool in_channel = here.torch->version && !(last && *last < *here.torch->version);
    return in_channel && judge_chosen_cuda(here, facts, findings);
}

}  // namespace

// The channel pytorch has the same builds of a release as PyTorch's index. Up to 1.12 cudatoolkit selects
// one, since then pytorch-cuda does; before 1.9 the channel had more builds for older CUDA.
void judge_conda(const Scenario& scenario, const Facts& facts, Findings& findings) {
    judge_channels(scenario.recipe, facts, findings);
    judge_local_versions(scenario.recipe, findings);
    for (const FirstRelease& row : recipe_tables(facts).conda_needs_driver)
        judge_driver(scenario.recipe, row, findings);
    judge_older_driver(scenario.recipe, findings);
    judge_forge(scenario.recipe, facts, findings);
    if (!judge_torch(scenario.recipe, facts, findings))
        judge_lacking_channels(scenario.recipe, facts, findings);
}

}  // namespace ptxguard
