// The framework builds that result from pins, indexes, channels and the image.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string_view>
#include <utility>

#include "expect/completing.hpp"
#include "expect/declared.hpp"
#include "facts/framework_traits.hpp"
#include "facts/libraries.hpp"
#include "facts/pypi.hpp"
#include "facts/recipe_tables.hpp"
#include "facts/variants.hpp"
#include "host/paths.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "packages/wheels.hpp"
#include "python/specifier.hpp"
#include "recipes/resolution/candidates.hpp"
#include "recipes/resolution/companions.hpp"
#include "recipes/resolution/conda_builds.hpp"
#include "recipes/resolution/jax_packages.hpp"
#include "recipes/resolution/pins.hpp"
#include "recipes/resolution/releases.hpp"
#include "recipes/resolution/resolution.hpp"

namespace ptxguard::recipes {
namespace {

void set_origin(Origin& origin, const Origin& place) {
    if (origin.kind == OriginKind::option) origin = place;
}

// declared() is for the option --framework; here the origin is a file.
void place(Expectation& expectation, const Origin& pin, const Origin& build) {
    set_origin(expectation.version.origin, pin);
    set_origin(expectation.build_version.origin, pin);
    for (Origin* origin : {&expectation.cuda.origin, &expectation.cudnn.origin, &expectation.vendor.origin,
                           &expectation.cpu_only.origin, &expectation.cudnn_from.origin})
        set_origin(*origin, build);
    for (Origin* origin : {&expectation.cuda.origin, &expectation.cudnn.origin})
        origin->overridable = origin->overridable || pin.overridable;
    expectation.declared = false;
    expectation.how = Installation::wheel;
}

// Of a release: what is of PyPI's build of it.
void forget_build(Expectation& expectation) {
    expectation.published = {};
    expectation.published_variants.clear();
    expectation.cuda = expectation.cudnn = {};
    expectation.archs = {};
    expectation.vendor = {};
    expectation.cpu_only = {};
}

Expectation from_conda(const Facts& facts, System system, const FrameworkReader& reader,
                       const RecipeFacts& recipe, const RecipePin& pin) {
    DeclaredBuild build;
    build.name = reader.package;
    build.version = pin.version.value;
    Expectation expectation = reader.declared(facts, system, build);
    const Known<Version> cuda = cuda_of_conda(recipe, pin);
    place(expectation, pin.origin, pin.origin);
    expectation.how = Installation::conda;
    forget_build(expectation);
    expectation.cuda = cuda;
    if (cuda) expectation.vendor = {Vendor::cuda, cuda.origin};
    const bool for_cpus = pin.build.find("cpu") != std::string::npos || ends_with(pin.package, "-cpu");
    if (for_cpus || last_pin(recipe, "cpuonly", true)) expectation.vendor = {Vendor::cpu, pin.origin};
    if (!expectation.is_of(Vendor::cpu) && is_solved_for_cpus(facts, recipe, pin)) {
        expectation.cuda = {};
        expectation.vendor = {Vendor::cpu, pin.origin};
        expectation.vendor.origin.certainty = Certainty::predicted;
    }
    expectation.cpu_only = {expectation.is_of(Vendor::cpu), pin.origin};
    return expectation;
}

// Microsoft's feeds have the same releases for one CUDA: ".../onnxruntime-cuda-12/pypi/simple/".
void set_cuda_of_feed(const RecipeFacts& recipe, const RecipePin& pin, Expectation& expectation) {
    const Known<Version> of_pypi = std::exchange(expectation.cuda, {});
    expectation.cudnn = {};
    const std::string word = "onnxruntime-cuda-";
    for (const RecipeIndex& index : recipe.indexes) {
        const std::size_t at = index.url.find(word);
        if (index.group != pin.group || at == npos) continue;
        const std::size_t from = at + word.size();
        const auto cuda = parse_version(index.url.substr(from, index.url.find('/', from) - from));
        if (!cuda) continue;
        // Of two files of one release pip takes any.
        if (index.use == IndexUse::only || (of_pypi && of_pypi->major() == cuda->major()))
            expectation.cuda = {*cuda, index.origin};
    }
}

// What pip installs for the pin; `place_of` is where it takes a framework from whose indexes have one CUDA
// each.
DeclaredBuild build_by_pip(const Facts& facts, const FrameworkReader& reader, const RecipeFacts& recipe,
                           const RecipePin& pin, Served& place_of) {
    DeclaredBuild build;
    build.name = pin.package;
    build.extras = joined(pin.extras, ",");
    build.version = pin.version ? pin.version.value : newest_within(facts, pin.package, pin.specifier);
    if (const auto jaxlib = jaxlib_of_extra(facts, recipe, pin)) build.version = jaxlib;
    if (std::string(reader.package) == "torch") {
        place_of = served(facts, recipe, pin, build.version);
        build.build = place_of.build;
    } else if (build.version) {
        build.build = lower(build.version->local());
    }
    for (const char* alias : reader.cpu_aliases)
        if (pin.package == alias) build.build = "cpu";
    if (std::string(reader.package) == "jax" && is_jax_for_cpus(facts, recipe)) build.build = "cpu";
    if (build.version && place_of.index && build.version->local().empty())
        build.version = parse_version(build.version->text + "+" + place_of.build);
    return build;
}

// Whether the release exists where pip looks for it.
void judge_place(const Facts& facts, const RecipeFacts& recipe, const RecipePin& pin, const Served& place_of,
                 Expectation& expectation) {
    if (!place_of.known) {
        expectation.cuda = {};
        expectation.vendor = {};
        expectation.cpu_only = {};
        expectation.published = {};
    }
    // An index that may have it, although the table does not list it.
    if (place_of.index && pin.version &&
        published_build(facts, pin.package, *pin.version, place_of.build) == Published::open)
        expectation.published = {};
    if (may_be_of_others(facts, recipe, pin))
        expectation.published = {};
    else if (pin.version)
        judge_existence(facts, pin.package, expectation);
}

Expectation from_pip(const Facts& facts, System system, const FrameworkReader& reader,
                     const RecipeFacts& recipe, const RecipePin& pin) {
    Served place_of{true, "", nullptr};
    const DeclaredBuild build = build_by_pip(facts, reader, recipe, pin, place_of);
    Expectation expectation = reader.declared(facts, system, build);
    place(expectation, pin.origin, place_of.index ? place_of.index->origin : pin.origin);
    judge_place(facts, recipe, pin, place_of, expectation);
    if (expectation.framework == "ONNXRuntime" && feeds_of(facts, recipe, pin).other)
        set_cuda_of_feed(recipe, pin, expectation);
    // A file by its URL may be of Microsoft's feeds, too.
    if (expectation.framework == "ONNXRuntime" && !pin.wheel.empty())
        expectation.cuda = expectation.cudnn = {};
    add_jax_packages(facts, recipe, expectation);
    return expectation;
}

// Paddle's wheels require NVIDIA's packages from 3.0 on; those for other CUDA releases are not on PyPI, and
// before 3.0 they have that release in theirs: 2.4.1.post112.
bool loads_libraries_as_paddle(const Facts& facts, const RecipeFacts& recipe, const RecipePin& pin,
                               const std::optional<Version>& version) {
    return version && version->major() < 3 &&
           (!version->suffix.empty() || !feeds_of(facts, recipe, pin).other);
}

// Loads CUDA libraries from where the loader searches, not from packages that it requires.
bool loads_libraries(const Facts& facts, const Expectation& expectation, const RecipeFacts& recipe,
                     const RecipePin* pin) {
    if (expectation.how == Installation::conda || !pin) return false;
    const auto has = [&](const char* part) {
        return any_of(pin->extras,
                      [&](const std::string& extra) { return extra.find(part) != std::string::npos; });
    };
    if (expectation.framework == "TensorFlow") return !has("and-cuda");
    if (expectation.framework == "ONNXRuntime") return !has("cuda");
    if (expectation.framework == "CuPy") return pin->package != "cupy" && !has("ctk");
    if (expectation.framework == "PaddlePaddle")
        return loads_libraries_as_paddle(
            facts, recipe, *pin,
            expectation.version ? expectation.version.value : taken(recipe, pin->package));
    if (expectation.framework == "MXNet")
        return starts_with(pin->package, "mxnet-cu") && !feeds_of(facts, recipe, *pin).other;
    if (expectation.framework == "JAX")
        return has("local") || has("cudnn") ||
               (expectation.version && expectation.version->local().find("cuda") == 0);
    return false;
}

// `pip install rembg[gpu]` brings onnxruntime-gpu: what is requested then. Only of frameworks that load
// CUDA's libraries from elsewhere: the wheels of the others bring what they need.
std::optional<RecipePin> brought_by_others(const Facts& facts, const FrameworkReader& reader,
                                           const RecipeFacts& recipe) {
    for (const Installed& one : recipe.installed) {
        if (one.required_by.empty() || one.package != "onnxruntime-gpu" ||
            !names_package(reader.distributions, one.package))
            continue;
        const std::size_t blank = one.required_by.find(' ');
        const auto version = parse_version(one.required_by.substr(std::min(blank, one.required_by.size())));
        RecipePin pin;
        pin.package = one.package;
        pin.by = "pip";
        pin.group = one.group;
        pin.origin = one.asked;
        // Any extra of the package may be the one that requires it.
        const PypiRow* row = version ? pypi_row(facts, one.required_by.substr(0, blank), *version) : nullptr;
        for (const Requirement& required : row ? row->required : std::vector<Requirement>{})
            if (required.name == one.package) pin.extras = required.extras;
        return pin;
    }
    return std::nullopt;
}

// `pip install torch==1.12.1` installs nothing where torch 1.12.1+cu116 is, nor does `torch>=2.0` where the
// resolution has kept what an earlier command has taken from an index of one CUDA.
bool is_satisfied(const RecipeFacts& recipe, const RecipePin& pin, const RecipePin& before) {
    if (!pin.is_from_pypi() || !before.is_from_pypi() || pin.package != before.package ||
        pin.group <= before.group || pin.upgrade)
        return false;
    if (before.version && !before.version->local().empty())
        return !pin.specifier.empty() && accepts(pin.specifier, *before.version);
    return any_of(recipe.installed, [&](const Installed& one) {
        return one.package == pin.package && one.version && one.group == before.group &&
               one.asked.is_at(before.origin);
    });
}

bool names_build(const RecipePin& pin) { return pin.version && !pin.version->local().empty(); }

// Whether `found` remains what is installed after the later `pin`.
bool stays(const RecipeFacts& recipe, const RecipePin& found, const RecipePin& pin) {
    // Of several packages of one framework, the one with a build counts: jaxlib==0.4.25+cuda11.
    if (found.package != pin.package && names_build(found) && !names_build(pin)) return true;
    if (is_satisfied(recipe, pin, found)) return true;
    // Of onnxruntime and onnxruntime-gpu in one command, either may be the one that is installed last.
    return found.group == pin.group && ends_with(found.package, "-gpu") && !ends_with(pin.package, "-gpu");
}

const RecipePin* pin_for(const FrameworkReader& reader, const RecipeFacts& recipe) {
    const RecipePin* found = nullptr;
    for (const RecipePin& pin : recipe.pins) {
        if (!names_package(reader.distributions, pip_name(pin)) || pin.by == "apt") continue;
        if (!found || !stays(recipe, *found, pin)) found = &pin;
    }
    return found;
}

// "2.6.0+cu124": the release installed by the command of `first` before a later one needs the release of
// `implied`. Empty if nothing is replaced.
std::string first_installed(const Facts& facts, const RecipeFacts& recipe, const RecipePin& first,
                            const RecipePin& implied) {
    if (first.group >= implied.group) return "";
    std::optional<Version> version = first.version.value;
    std::string build = served(facts, recipe, first, version).build;
    // Unpinned: the newest of an index with one build. PyPI's newest does not determine the CUDA.
    if (!version && !build.empty()) version = newest_with_build(facts, first.package, "", build);
    if (!version) return "";
    const auto plain = [](const Version& one) { return *parse_version(one.without_local()); };
    if (plain(*version) == plain(*implied.version)) return "";
    return version->without_local() + (build.empty() ? "" : "+" + build);
}

// What decides the release of a framework: the pin that names it, a package that brings it, a companion that
// requires another release, and the image.
struct Decided {
    std::optional<RecipePin> by_others;
    std::optional<Required> implied;
    const RecipePin* first = nullptr;  // before the companion's
    const RecipePin* pin = nullptr;
    bool brought = false;         // by the image
    std::optional<Version> here;  // of the image

    bool is_range() const { return pin && !pin->version && pin->unreadable.empty() && pin->by != "conda"; }
    // An image's own framework is kept if a pin accepts its release.
    bool keeps_image() const {
        if (!brought || !pin) return brought;
        if (pin->specifier.empty() && !(pin->upgrade && pin->by_pip())) return true;
        if (!here) return false;
        // torch==2.6.0 is 2.6.0+cu124, too: pip searches nothing.
        const bool same = pin->version && pin->version->local().empty() && pin->by_pip() && !pin->upgrade &&
                          pin->wheel.empty() && pin->version->text == here->without_local();
        return same || (is_range() && accepts(pin->specifier, *here)) ||
               (implied && *here == *implied->pin.version);
    }
};

void note_disagreements(const Facts& facts, const RecipeFacts& recipe, const Decided& decided,
                        const std::string& component, const Origin& image_origin, Expectation& expectation) {
    const RecipePin& pin = *decided.pin;
    const auto note = [&](std::string by, std::string other, const Origin& origin) {
        expectation.disagreements.push_back({component, std::move(by), std::move(other), pin.origin, origin});
    };
    if (decided.is_range() && decided.here && !accepts(pin.specifier, *decided.here))
        note(pin.package + pin.specifier, decided.here->without_local(), image_origin);
    if (!decided.implied) return;
    if (!decided.first) {
        if (decided.here) note(decided.implied->by, decided.here->text, image_origin);
        return;
    }
    if (decided.first->by == "conda") return;  // CC612 compares the two managers
    const std::string before = first_installed(facts, recipe, *decided.first, pin);
    if (before.empty()) return;
    Origin place_of_first = decided.first->origin;
    if (!decided.first->version) place_of_first.certainty = Certainty::predicted;
    note(decided.implied->by, before, place_of_first);
}

Expectation of_decided(const Facts& facts, System system, const FrameworkReader& reader,
                       const Decided& decided, const Origin& image_origin, RecipeFacts& recipe) {
    const RecipePin& pin = *decided.pin;
    Expectation expectation = pin.by == "conda" ? from_conda(facts, system, reader, recipe, pin)
                                                : from_pip(facts, system, reader, recipe, pin);
    note_disagreements(facts, recipe, decided, reader.component, image_origin, expectation);
    if (expectation.may_use_cuda() && loads_libraries(facts, expectation, recipe, decided.pin))
        add_once(recipe.library_users, expectation.package);
    return expectation;
}

// No pin decides the release of a framework: the one that is taken today. Of Triton that torch brings,
// whether anything uses it is not known.
void add_newest(const Facts& facts, const FrameworkReader& reader, Scenario& scenario) {
    const RecipeFacts& recipe = scenario.recipe;
    for (const Installed& one : recipe.installed) {
        if (!one.version || one.of_image || !names_package(reader.distributions, one.package)) continue;
        if (!one.required_by.empty() && one.package == "triton") continue;
        RecipePin pin;
        for (const RecipePin& asked : recipe.pins)
            if (asked.package == one.package && asked.group == one.group) pin = asked;
        if (pin.by == "conda" || !pin.wheel.empty()) continue;
        pin.package = one.package;
        pin.by = "pip";
        pin.group = one.group;
        pin.origin = one.asked;
        pin.version = {*one.version, one.asked};
        Expectation newest = from_pip(facts, scenario.system, reader, recipe, pin);
        newest.published = {};
        newest.newest = true;
        if (one.cuda) newest.cuda = one.cuda;
        scenario.newest.push_back(std::move(newest));
        return;
    }
}

}  // namespace

void add_frameworks(const Facts& facts, const ImageFramework& image, Scenario& scenario) {
    RecipeFacts& recipe = scenario.recipe;
    const System system = scenario.system;
    const auto of_image =
        image.text.empty() ? Result<WantedFramework>(Trouble{}) : parse_framework(image.text);
    for (const FrameworkReader& reader : framework_readers()) {
        if (reader.follows_resolution) continue;  // see add_ctranslate2
        Decided decided;
        decided.pin = pin_for(reader, recipe);
        if (!decided.pin) decided.by_others = brought_by_others(facts, reader, recipe);
        if (decided.by_others) decided.pin = &*decided.by_others;
        decided.implied = required_by_companion(facts, recipe, reader.package, decided.pin);
        decided.first = decided.pin;
        if (decided.implied) decided.pin = &decided.implied->pin;
        decided.brought = of_image && of_image->reader == &reader;
        if (decided.brought) decided.here = of_image->build.version;
        if (!decided.pin && !decided.brought) {
            add_newest(facts, reader, scenario);
            continue;
        }
        Expectation expectation;
        if (decided.keeps_image()) {
            expectation = reader.declared(facts, system, of_image->build);
            place(expectation, image.origin, image.origin);
            expectation.published = {};
            if (image.is_any_build) forget_build(expectation);
        } else {
            expectation = of_decided(facts, system, reader, decided, image.origin, recipe);
        }
        if (!framework_traits(facts, expectation.framework).cudnn) expectation.cudnn = {};
        add_companions(facts, recipe, expectation);
        if (!expectation.version) add_newest(facts, reader, scenario);
        scenario.expectations.push_back(std::move(expectation));
    }
    add_ctranslate2(facts, recipe, scenario.expectations);
}

}  // namespace ptxguard::recipes
