// SPDX-License-Identifier: Apache-2.0
#include "judge/recipe_questions.hpp"

#include <algorithm>

#include "facts/libraries.hpp"
#include "facts/recipe_tables.hpp"
#include "judge/framework_questions.hpp"
#include "judge/ptx_questions.hpp"
#include "model/file_names.hpp"
#include "model/ranges.hpp"
#include "python/specifier.hpp"

namespace ptxguard {

bool is_recipe(const Scenario& scenario) { return scenario.source == SourceKind::recipe; }

Known<Version> fixed_cuda(const Scenario& scenario) {
    if (scenario.recipe.image.cuda) return scenario.recipe.image.cuda;
    const Toolkit* toolkit = toolkit_at_hand(scenario);
    return toolkit ? release_of(*toolkit) : Known<Version>{};
}

bool loads_libraries_here(const Scenario& scenario, const Expectation& framework) {
    const auto& users = scenario.recipe.library_users;
    return contains(users, framework.package);
}

namespace {

// NVIDIA's packages that a command of pip requests; what torch brings is known with torch.
void add_packages_of_pip(const RecipeFacts& recipe, LibrariesHere& here) {
    if (here.complete) return;
    for (const RecipePin& pin : recipe.pins) {
        const std::size_t suffix = pin.package.rfind("-cu1");
        const std::string component = nvidia_component(pin.package);
        if (!pin.is_from_pypi() || suffix == npos) continue;
        const auto major = parse_version(pin.package.substr(suffix + 3));
        if (!here.cuda && major && (component == "cudnn" || component == "cublas")) {
            here.cuda = {*major, pin.origin};
            here.of = text_of(pin);
        }
        const auto pinned = pinned_version(pin.specifier);
        if (component != "cudnn" || !pinned) continue;
        here.cudnn = {*pinned, pin.origin};
        here.of = text_of(pin);
        here.pinned = true;
    }
}

// nvidia-cublas-cu12 beside a torch for CUDA 13: those of the framework's own CUDA are there too.
void prefer_own(const RecipeFacts& recipe, const Expectation& framework, LibrariesHere& here) {
    if (!framework.cuda || !here.cuda || framework.cuda->major() == here.cuda->major()) return;
    const std::string own = SAY("nvidia-cublas-cu{}", framework.cuda->major());
    const auto take = [&](const std::string& package, const std::string& text, const Origin& origin) {
        if (package != own) return;
        here.cuda = {*parse_version(std::to_string(framework.cuda->major())), origin};
        here.of = text;
    };
    for (const Installed& one : recipe.installed) take(one.package, one.package, one.asked);
    for (const RecipePin& pin : recipe.pins)
        if (pin.is_from_pypi()) take(pin.package, text_of(pin), pin.origin);
}

void take_those_of_torch(const Scenario& scenario, const Facts& facts, const Expectation& framework,
                         LibrariesHere& here) {
    const RecipeImage& image = scenario.recipe.image;
    for (const Expectation& other : scenario.expectations) {
        if (other.framework != "PyTorch" || &other == &framework || never_released(other)) continue;
        here.cuda = other.cuda;
        here.cudnn = other.cudnn;
        here.of = name_of(other);
        // An image of PyTorch has no others.
        here.complete = image.name == "pytorch/pytorch" && image.cuda && here.cuda;
        // What torch brings is all that a plain system has.
        here.pinned = recipe_tables(facts).is_plain(image.name);
    }
}

// The newest torch, where no pin decides its release. The runners of CI systems have no GPU.
void add_newest_torch(const RecipeFacts& recipe, LibrariesHere& here) {
    const Installed* torch = newest_of(recipe, "torch");
    if (!torch || !torch->cuda || here.cuda || (recipe.kind == "workflow" && !recipe.gpu)) return;
    here.cuda = {*torch->cuda, torch->asked};
    here.of = SAY("torch {} (the newest)", torch->version->text);
}

}  // namespace

bool torch_brings_cudnn(const Scenario& scenario, const Expectation& framework, int major) {
    if (framework.framework != "ONNXRuntime" && framework.framework != "CTranslate2") return false;
    const auto* torch =
        first_where(scenario.expectations, [](const Expectation& one) { return one.framework == "PyTorch"; });
    if (torch) return !torch->is_of(Vendor::cpu) && (!torch->cudnn || torch->cudnn->major() == major);
    return any_of(scenario.recipe.installed, [](const Installed& one) { return one.package == "torch"; });
}

LibrariesHere libraries_for(const Scenario& scenario, const Facts& facts, const Expectation& framework) {
    const RecipeFacts& recipe = scenario.recipe;
    LibrariesHere here;
    here.cuda = recipe.libraries_cuda;
    here.cudnn = recipe.libraries_cudnn;
    here.complete = recipe.libraries_complete;
    here.of = recipe.image.cuda && here.cuda.origin.line == recipe.image.origin.line ? name_of(recipe.image)
                                                                                     : "the recipe";
    // TensorFlow does not search torch's packages, CuPy no packages of pip.
    const bool looks = framework.framework == "ONNXRuntime" || framework.framework == "CTranslate2";
    const bool has_torch =
        any_of(scenario.expectations, [](const Expectation& one) { return one.framework == "PyTorch"; });
    const bool finds = looks || (framework.framework == "TensorFlow" && !has_torch);
    if (here.cuda || here.complete || !finds) return here;
    take_those_of_torch(scenario, facts, framework, here);
    if (looks) add_newest_torch(recipe, here);
    if (looks) prefer_own(recipe, framework, here);
    add_packages_of_pip(recipe, here);
    return here;
}

const std::vector<CopiedPrograms>& copied_programs(const Scenario& scenario) {
    static const std::vector<CopiedPrograms> none;
    const RecipeImage& image = scenario.recipe.image;
    return image.cuda && image.flavour != ImageFlavour::unknown ? scenario.recipe.copied_programs : none;
}

Composed add_copied_programs(const Scenario& scenario, const CopiedPrograms& programs, const char* code,
                             Findings& findings) {
    const RecipeImage& image = scenario.recipe.image;
    const std::string cuda = programs.cuda->release();
    return add(findings, code, Level::warning, SAY("stage {}", programs.stage),
               SAY("stage {} compiles with CUDA {}, and {}, which runs it, has CUDA {}", programs.stage, cuda,
                   name_of(image), image.cuda->release()))
        .found("stage", programs.image, programs.origin)
        .found(evidence_of(image))
        .expected("CUDA", SAY("{} or newer", cuda), programs.origin)
        .by_hand("use images of one CUDA release in both stages");
}

bool differs_in_names(const Version& a, const Version& b) {
    if (a.major() != b.major()) return true;
    return a.major() <= 10 && a.numbers.size() > 1 && b.numbers.size() > 1 && a.minor() != b.minor();
}

namespace {

// Up to CUDA 11.1 NVRTC's library also has the minor release in its name (libnvrtc.so.11.1), and that of
// cuSOLVER has another number in 11.0 (libcusolver.so.10) than in the later ones (libcusolver.so.11).
bool differs_by_minor(const Expectation& framework, const Version& here) {
    const Version& built = *framework.cuda;
    if (built.major() != 11 || here.major() != 11 || built.numbers.size() < 2 || here.numbers.size() < 2)
        return false;
    if (framework.framework == "TensorFlow") return (built.minor() == 0) != (here.minor() == 0);
    return framework.framework == "CuPy" && built.minor() < 2 && built.minor() != here.minor();
}

}  // namespace

std::optional<OtherLibraries> other_libraries(const Scenario& scenario, const Facts& facts,
                                              const Expectation& framework) {
    OtherLibraries other{libraries_for(scenario, facts, framework), ""};
    if (!other.here.cuda || !framework.cuda) return std::nullopt;
    const bool minor = differs_by_minor(framework, *other.here.cuda);
    if (!minor && !differs_in_names(*framework.cuda, *other.here.cuda)) return std::nullopt;
    other.wanted = minor || framework.cuda->major() <= 10 ? framework.cuda->release()
                                                          : std::to_string(framework.cuda->major());
    return other;
}

const RecipeIndex* index_replaced(const RecipeFacts& recipe, const Replaced& one) {
    const Installed &before = one.before, &after = one.after;
    const auto chosen = cuda_of_tag(before.build);
    if (before.package != "torch" || !chosen || before.of_image || !after.newest ||
        after.required_by.empty() || !after.cuda || same_release(*chosen, *after.cuda))
        return nullptr;
    const auto index = std::find_if(recipe.indexes.begin(), recipe.indexes.end(), [&](const RecipeIndex& i) {
        return i.group == before.group && i.build == before.build;
    });
    return index == recipe.indexes.end() ? nullptr : &*index;
}

const Installed* newest_of(const RecipeFacts& recipe, const std::string& package) {
    return first_where(recipe.installed,
                       [&](const Installed& one) { return one.package == package && one.newest; });
}

std::string with_newest(const RecipeFacts& recipe, const std::string& package_and_release) {
    const bool newest = newest_of(recipe, package_and_release.substr(0, package_and_release.find(' ')));
    return newest ? SAY("{} (the newest)", package_and_release) : package_and_release;
}

const RecipePin* conda_pin(const RecipeFacts& recipe, std::string_view package) {
    const auto found = std::find_if(recipe.pins.rbegin(), recipe.pins.rend(), [&](const RecipePin& pin) {
        return pin.by == "conda" && pin.package == package;
    });
    return found == recipe.pins.rend() ? nullptr : &*found;
}

CondaTorch conda_torch(const RecipeFacts& recipe) {
    CondaTorch here{conda_pin(recipe, "pytorch"), conda_pin(recipe, "cudatoolkit"),
                    conda_pin(recipe, "pytorch-cuda"), conda_pin(recipe, "python")};
    if (!here.torch) return here;
    for (const RecipeIndex* channel : indexes_of(recipe, *here.torch)) {
        const std::string name = file_of(channel->url);
        if (name == "pytorch") here.own_first = !here.forge;
        here.own = here.own || name == "pytorch";
        here.forge = here.forge || channel->url.find("conda-forge") != npos;
        here.defaults = here.defaults || name == "defaults" || name == "anaconda" || name == "main";
    }
    return here;
}

std::vector<const RecipeIndex*> indexes_of(const RecipeFacts& recipe, const RecipePin& pin) {
    std::vector<const RecipeIndex*> found;
    for (const RecipeIndex& index : recipe.indexes)
        if (index.group == pin.group) found.push_back(&index);
    return found;
}

bool may_serve(const std::vector<const RecipeIndex*>& indexes, const std::string& build) {
    return any_of(indexes, [&](const RecipeIndex* index) {
        if (!index->build.empty()) return index->build == build;
        return !index->is_pypi();
    });
}

std::optional<Version> torch_of_digits(const std::string& text, const std::string& mark) {
    const std::size_t found = text.find(mark), at = found + mark.size();
    if (found == npos) return std::nullopt;
    const std::string digits = text.substr(at, text.find_first_not_of("0123456789", at) - at);
    if (digits.size() != 3 && digits.size() != 4) return std::nullopt;
    const std::size_t last = digits.size() - 1;
    return parse_version(
        SAY("{}.{}.{}", digits.substr(0, 1), digits.substr(1, last - 1), digits.substr(last)));
}

std::optional<Version> torch_of_page(const std::string& url) {
    if (const auto digits = torch_of_digits(url, "_pyt")) return digits;
    for (std::size_t at = url.find("torch"); at != npos; at = url.find("torch", at + 1)) {
        std::size_t begin = at + 5;
        if (begin < url.size() && url[begin] == '-') ++begin;
        const std::size_t end = std::min(url.find_first_not_of("0123456789.", begin), url.size());
        std::string number = url.substr(begin, end - begin);
        while (!number.empty() && number.back() == '.') number.pop_back();
        const auto version = parse_version(number);
        if (version && version->numbers.size() > 1) return version;
    }
    return std::nullopt;
}

std::string index_of_build(const std::string& build) {
    return SAY("https://download.pytorch.org/whl/{}", build);
}

std::string text_of(const RecipePin& pin) {
    std::string extras;
    for (const std::string& extra : pin.extras) extras += (extras.empty() ? "[" : ",") + extra;
    const bool bare = !pin.specifier.empty() && pin.specifier.find_first_of("=<>!~") != 0;
    const char* sign = !bare ? "" : pin.by == "conda" || pin.by == "apt" ? "=" : " ";
    return pin.package + (extras.empty() ? "" : SAY("{}]", extras)) + sign + pin.specifier;
}

Composed add(Findings& findings, const char* code, Level level, const RecipePin& pin, std::string message) {
    return add(findings, code, level, text_of(pin), std::move(message)).found(evidence_of(pin));
}

Composed add(Findings& findings, const char* code, Level level, const RecipeImage& image,
             std::string message) {
    return add(findings, code, level, name_of(image), std::move(message)).found(evidence_of(image));
}

Evidence evidence_of(const RecipePin& pin) { return {pin.by, text_of(pin), pin.origin}; }

std::string name_of(const RecipeImage& image) {
    return image.name + (image.tag.empty() ? "" : SAY(":{}", image.tag));
}

Evidence evidence_of(const RecipeImage& image) { return {"image", name_of(image), image.origin}; }

Known<Version> newest_default_cuda(const Facts& facts, const std::string& package) {
    Known<Version> newest;
    for (const Version& version : facts.framework_releases(package)) {
        const FrameworkRelease* release = facts.framework_release(package, version);
        if (release && release->cuda && !version.is_prerelease()) newest = {*release->cuda, release->origin};
    }
    return newest;
}

}  // namespace ptxguard
