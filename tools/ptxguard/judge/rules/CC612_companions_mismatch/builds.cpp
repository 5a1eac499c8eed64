// SPDX-License-Identifier: Apache-2.0
#include "judge/rules/CC612_companions_mismatch/parts.hpp"

#include <algorithm>
#include <iterator>
#include <map>

#include "facts/libraries.hpp"
#include "facts/ngc.hpp"
#include "facts/recipe_tables.hpp"
#include "facts/variants.hpp"
#include "judge/framework_questions.hpp"
#include "judge/recipe_questions.hpp"
#include "model/named_cuda.hpp"
#include "model/ranges.hpp"

namespace ptxguard {

const Expectation* torch_here(const Scenario& scenario) {
    const Expectation* torch = nullptr;
    for (const Expectation& one : scenario.expectations)
        if (one.framework == "PyTorch") torch = &one;
    return torch;
}

Evidence named_evidence(const Expectation& torch) {
    return {torch.package, name_of(torch), named_place(torch.version.origin)};
}

CudaHere cuda_here(const Scenario& scenario) {
    const Expectation* torch = torch_here(scenario);
    if (torch && never_released(*torch)) return {};
    if (torch) return {torch->cuda, name_of(*torch)};
    const RecipeFacts& recipe = scenario.recipe;
    const bool of_image = recipe.image.cuda && recipe.libraries_cuda &&
                          recipe.libraries_cuda.origin.line == recipe.image.origin.line;
    return {recipe.libraries_cuda, of_image ? name_of(recipe.image) : "the recipe"};
}

void report_build(const Evidence& wheels, const std::string& what, const Version& cuda, const CudaHere& here,
                  Findings& findings) {
    const bool by_minor = cuda.major() == here.cuda->major(), same_names = by_minor && cuda.major() > 10;
    const std::string wanted = by_minor ? here.cuda->release() : std::to_string(here.cuda->major());
    add(findings, "CC612", same_names ? Level::note : Level::warning, wheels.value,
        SAY("{} built for CUDA {}, and {} has CUDA {}", what, cuda.text, here.of, here.cuda->text))
        .found(wheels)
        .expected("CUDA", wanted, here.cuda.origin)
        .because(
            same_names
                ? "within one major the libraries have the same names; the project asks for the same release"
                : "the libraries of another CUDA release have other names; the loader finds none of them")
        .by_hand(SAY("use the one for CUDA {}", wanted));
}

namespace {

// Pages for several releases in branches that may not be executed: the script selects the one that fits.
bool is_one_of_pages(const RecipeFacts& recipe, const RecipeIndex& index) {
    if (!index.origin.overridable) return false;
    const auto page = torch_of_page(index.url);
    return any_of(recipe.indexes, [&](const RecipeIndex& other) {
        if (other.use != IndexUse::links || !other.origin.overridable) return false;
        const auto of_other = torch_of_page(other.url);
        return page && of_other && !same_release(*page, *of_other);
    });
}

// pip searches all pages of a command, and takes the newest: that for this torch.
bool has_page_for(const RecipeFacts& recipe, const RecipeIndex& index, const Version& torch,
                  const RecipeTables& tables) {
    return any_of(recipe.indexes, [&](const RecipeIndex& other) {
        const auto of_other = torch_of_page(other.url);
        return other.group == index.group && of_other && tables.loads_extensions(torch, *of_other);
    });
}

void report_page(const RecipeIndex& index, const Version& page, const Expectation& torch,
                 Findings& findings) {
    add(findings, "CC612", Level::error, index.url,
        SAY("the wheels at {} are built for PyTorch {}, and {} is installed", index.url, page.text,
            name_of(torch)))
        .found("page", index.url, index.origin)
        .found(named_evidence(torch))
        .expected("page", SAY("one for torch {}", torch.version->release()), {})
        .because(k_minor_release)
        .by_hand(SAY("use the page for torch {}", torch.version->release()));
}

void report_page_in_image(const RecipeIndex& index, const Version& page, const RecipeImage& image,
                          Findings& findings) {
    add(findings, "CC612", Level::warning, index.url,
        SAY("the wheels at {} are built for PyTorch {}, and {} has NVIDIA's own build", index.url, page.text,
            name_of(image)))
        .found("page", index.url, index.origin)
        .found(evidence_of(image))
        .expected("page", "none", {})
        .because(
            "NVIDIA builds a pre-release of PyTorch with its own settings; extensions for the published "
            "wheels may not load ('undefined symbol')")
        .by_hand("build the packages in the image (--no-binary :all:)");
}

void judge_pages(const Scenario& scenario, const Facts& facts, Findings& findings) {
    const RecipeFacts& recipe = scenario.recipe;
    if (recipe.indexes.empty()) return;  // the tables are long
    const Expectation* torch = torch_here(scenario);
    const RecipeTables& tables = recipe_tables(facts);
    for (const RecipeIndex& index : recipe.indexes) {
        const auto page = torch_of_page(index.url);
        if (!page || is_one_of_pages(recipe, index)) continue;
        if (!torch && recipe.image.name == "nvidia/pytorch")
            report_page_in_image(index, *page, recipe.image, findings);
        else if (torch && torch->version && !tables.loads_extensions(*torch->version, *page) &&
                 !has_page_for(recipe, index, *torch->version, tables))
            report_page(index, *page, *torch, findings);
    }
}

// Indexes and pages of other projects for one CUDA. PyTorch's own determine torch.
void judge_builds(const Scenario& scenario, Findings& findings) {
    const RecipeFacts& recipe = scenario.recipe;
    const Expectation* torch = torch_here(scenario);
    const CudaHere here = cuda_here(scenario);
    if (!is_recipe(scenario) || !here.cuda) return;
    for (const RecipeIndex& index : recipe.indexes) {
        const auto cuda = cuda_of_tag(index.build);
        const bool pytorch = index.url.find("pytorch") != npos && index.url.find("pytorch3d") == npos;
        if (!cuda || pytorch || index.is_pypi()) continue;
        // Pages for one release of torch are for one of its builds.
        const bool of_build = torch && torch_of_page(index.url) && here.cuda->numbers.size() > 1;
        if (!differs_in_names(*cuda, *here.cuda) && !(of_build && !same_release(*cuda, *here.cuda))) continue;
        if (is_one_of_pages(recipe, index)) continue;
        report_build({"page", index.url, index.origin}, SAY("the wheels at {} are", index.url), *cuda, here,
                     findings);
    }
}

// PyPI's torch has CUDA wherever it is installed; the runners of CI systems have no GPU.
bool needs_gpu(const RecipeFacts& recipe, const Expectation& torch) {
    const bool asked = torch.version && !torch.version->local().empty();
    return asked || recipe.kind != "workflow" || recipe.gpu || recipe.platform;
}

// .../whl/torch-2.1.0+cpu.html beside a torch with CUDA.
void judge_cpu_pages(const RecipeFacts& recipe, Findings& findings, const Expectation* torch) {
    if (!torch || !torch->cuda || !torch->may_use_cuda() || never_released(*torch)) return;
    if (!needs_gpu(recipe, *torch)) return;
    for (const RecipeIndex& index : recipe.indexes) {
        const bool of_others =
            index.use == IndexUse::links && torch_of_page(index.url) && index.url.find("pytorch.org") == npos;
        if (index.build != "cpu" || !of_others || is_one_of_pages(recipe, index)) continue;
        add(findings, "CC612", Level::warning, index.url,
            SAY("the wheels at {} are built for CPUs only, and {} has CUDA {}", index.url, name_of(*torch),
                torch->cuda->release()))
            .found("page", index.url, index.origin)
            .expected("CUDA", torch->cuda->release(), torch->cuda.origin)
            .because("their operators refuse tensors on a GPU ('Not compiled with CUDA support')")
            .by_hand(SAY("use the page for CUDA {}", torch->cuda->release()));
    }
}

void report_pair(const RecipePin& torch, const RecipePin& pin, const Companion& companion,
                 const Version& cuda, const Version& other, Findings& findings) {
    // The branch that has one has the other.
    const auto fixed = [](Origin origin) {
        origin.overridable = false;
        return origin;
    };
    add(findings, "CC612", cuda.major() == other.major() ? Level::warning : Level::error, text_of(pin),
        SAY("{} is built for CUDA {}, and {} beside it for CUDA {}", text_of(pin), other.release(),
            text_of(torch), cuda.release()))
        .found(pin.by, text_of(pin), fixed(pin.origin))
        .found(torch.by, text_of(torch), fixed(torch.origin))
        .expected("CUDA", cuda.release(), fixed(torch.origin))
        .because(companion.effect)
        .edit(SAY("{}=={}+{}", pin.package, pin.version->without_local(), torch.version->local()));
}

// torch==1.10.2+cu113 and torchvision==0.11.3+cu111 of one command, which a later one or another branch
// replaces; those that stay are judged as companions.
void judge_commands(const Scenario& scenario, const Facts& facts, Findings& findings) {
    std::map<int, const RecipePin*> torches;  // by command
    for (const RecipePin& pin : scenario.recipe.pins)
        if (pin.package == "torch" && pin.by_pip()) torches[pin.group] = &pin;
    if (torches.size() < 2) return;
    torches.erase(std::prev(torches.end()));
    for (const RecipePin& pin : scenario.recipe.pins) {
        const auto beside = torches.find(pin.group);
        if (beside == torches.end() || !pin.version || !beside->second->version) continue;
        const RecipePin& torch = *beside->second;
        const auto cuda = cuda_of_tag(torch.version->local()), other = cuda_of_tag(pin.version->local());
        const Companion* companion = cuda && other ? companion_of(facts, "torch", pin.package) : nullptr;
        if (companion && !same_release(*cuda, *other))
            report_pair(torch, pin, *companion, *cuda, *other, findings);
    }
}

// The release of torch in a wheel's local version: cu122torch2.2cxx11abiFALSE, torch210cu121, pt112cu113.
std::optional<Version> torch_of_local(const std::string& local) {
    if (local.find("torch") != npos) {
        const auto release = torch_of_page(local);
        return release ? release : torch_of_digits(local, "torch");
    }
    if (!starts_with(local, "pt") || local.size() < 4) return std::nullopt;
    const std::size_t end = std::min(local.find_first_not_of("0123456789", 2), local.size());
    return end > 3 ? parse_version(SAY("{}.{}", local.substr(2, 1), local.substr(3, end - 3))) : std::nullopt;
}

// The std::string in a wheel's name: cxx11abiFALSE, cxx11abiTRUE.
std::optional<int> abi_of_local(const std::string& local) {
    const std::size_t at = local.find("abi");
    const char first = at != npos && at + 3 < local.size() ? local[at + 3] : ' ';
    if (first == 'T' || first == 't' || first == '1') return 1;
    if (first == 'F' || first == 'f' || first == '0') return 0;
    return std::nullopt;
}

bool judge_abi(const RecipePin& pin, const Expectation& torch, Findings& findings) {
    const auto abi = abi_of_local(pin.version->local());
    if (!abi || !torch.cxx_abi || never_released(torch) || *abi == *torch.cxx_abi) return false;
    // From 2.7 on all of torch's builds have the new one, so that the name of a wheel for them says nothing.
    static const Version k_only_new = *parse_version("2.7");
    const auto release = torch_of_local(pin.version->local());
    if (!*abi && release && !(*release < k_only_new)) return false;
    const std::string wanted = *torch.cxx_abi ? "cxx11abiTRUE" : "cxx11abiFALSE";
    add(findings, "CC612", Level::error, pin,
        SAY("{} is built with the {} std::string, and {} with the other", text_of(pin), *abi ? "new" : "old",
            name_of(torch)))
        .found(named_evidence(torch))
        .expected("wheel", wanted, torch.cxx_abi.origin)
        .because(
            "importing it ends with 'undefined symbol': functions of torch that take a std::string have "
            "other names in the two ABIs")
        .by_hand(SAY("use the wheel with {} in its name", wanted));
    return true;
}

bool judge_torch(const RecipePin& pin, const Version& built_for, const Expectation* torch,
                 const Installed* newest, const RecipeTables& tables, Findings& findings) {
    if (torch && torch->version) {
        if (never_released(*torch) || tables.loads_extensions(*torch->version, built_for)) return false;
        add(findings, "CC612", Level::error, pin,
            SAY("{} is built for PyTorch {}, and {} is installed", text_of(pin), built_for.text,
                name_of(*torch)))
            .found(named_evidence(*torch))
            .expected("wheel", SAY("one for torch {}", torch->version->release()), {})
            .because(k_minor_release)
            .by_hand(SAY("use the wheel for torch {}", torch->version->release()));
        return true;
    }
    if (!newest || tables.loads_extensions(*newest->version, built_for)) return false;
    add(findings, "CC612", Level::warning, pin,
        SAY("{} is built for PyTorch {}, and torch {} is the newest", text_of(pin), built_for.text,
            newest->version->text))
        .found("torch", newest->version->text, newest->asked)
        .expected("wheel", SAY("one for torch {}", newest->version->release()), {})
        .because(k_minor_release)
        .by_hand(SAY("pin torch {}", built_for.text));
    return true;
}

// "cu122torch2.2": 12.2
std::optional<Version> cuda_of_local(const std::string& local) {
    const std::size_t cu = local.find("cu");
    if (cu == npos) return std::nullopt;
    const std::size_t end = std::min(local.find_first_not_of("0123456789", cu + 2), local.size());
    return cuda_of_number(std::string_view(local).substr(cu + 2, end - cu - 2));
}

// NVIDIA's images have a pre-release of PyTorch, with the new std::string.
void judge_wheel_in_ngc(const Scenario& scenario, const RecipePin& pin, const Version& release,
                        const Facts& facts, Findings& findings) {
    const RecipeImage& image = scenario.recipe.image;
    if (image.name != "nvidia/pytorch" || scenario.recipe.starts_bare || pin.origin.overridable) return;
    const Known<Version> own = torch_of_ngc(facts, image.tag);
    const bool other = own && !recipe_tables(facts).loads_extensions(*own, release);
    const bool old_string = abi_of_local(pin.version->local()) == std::optional<int>(0);
    if (!other && !old_string) return;
    add(findings, "CC612", Level::warning, pin,
        other ? SAY("{} is built for PyTorch {}, and {} has NVIDIA's {}", text_of(pin), release.text,
                    name_of(image), own->text)
              : SAY("{} is built with the old std::string, and NVIDIA's PyTorch of {} with the other",
                    text_of(pin), name_of(image)))
        .found(evidence_of(image))
        .expected("wheel", other ? SAY("one for torch {}", own->text) : "one with cxx11abiTRUE", {})
        .because(
            "importing it ends with 'undefined symbol': extensions of PyTorch work with the minor release, "
            "and with the std::string, for which they are built")
        .by_hand("build the package in the image, or keep the one that the image has");
}

// auto_gptq-0.7.1+cu118: a wheel of an extension of torch that names its CUDA only.
bool is_extension(const RecipePin& pin, const Facts& facts) {
    const DeviceSources* row = recipe_tables(facts).device_source(pin.package);
    return row && (row->imports_torch || row->links_torch) && !pin.wheel.empty() &&
           !companion_of(facts, "torch", pin.package);
}

// flash_attn-2.5.6+cu122torch2.2cxx11abiFALSE: a wheel whose name contains what it is built for.
void judge_wheel(const Scenario& scenario, const RecipePin& pin, const CudaHere& here, const Facts& facts,
                 Findings& findings) {
    const Expectation* torch = torch_here(scenario);
    const std::string local = pin.version->local();
    const std::optional<Version> release = torch_of_local(local);
    if (release && !torch) judge_wheel_in_ngc(scenario, pin, *release, facts, findings);
    if (!release && !(torch && is_extension(pin, facts))) return;
    const Installed* newest = newest_of(scenario.recipe, "torch");
    if (release && judge_torch(pin, *release, torch, newest, recipe_tables(facts), findings)) return;
    if (torch && judge_abi(pin, *torch, findings)) return;
    const auto cuda = cuda_of_local(local);
    if (cuda && here.cuda && differs_in_names(*cuda, *here.cuda))
        report_build(evidence_of(pin), SAY("{} is", text_of(pin)), *cuda, here, findings);
}

void judge_wheels(const Scenario& scenario, const Facts& facts, Findings& findings) {
    if (!is_recipe(scenario)) return;
    const CudaHere here = cuda_here(scenario);
    for (const RecipePin& pin : scenario.recipe.pins)
        if (pin.by_pip() && pin.version) judge_wheel(scenario, pin, here, facts, findings);
}

}  // namespace

void judge_built_for(const Scenario& scenario, const Facts& facts, Findings& findings) {
    judge_pages(scenario, facts, findings);
    judge_builds(scenario, findings);
    if (is_recipe(scenario)) judge_cpu_pages(scenario.recipe, findings, torch_here(scenario));
    if (is_recipe(scenario)) judge_commands(scenario, facts, findings);
    if (is_recipe(scenario)) judge_branches(scenario, facts, findings);
    judge_cuda_in_names(scenario, facts, findings);
    judge_wheels(scenario, facts, findings);
    judge_promises(scenario, facts, findings);
}

}  // namespace ptxguard
