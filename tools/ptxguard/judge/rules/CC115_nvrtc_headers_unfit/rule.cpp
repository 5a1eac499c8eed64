// CC115 nvrtc_headers_unfit: a package passes CUDA headers to NVRTC that this release of NVRTC does not
// compile.
// SPDX-License-Identifier: Apache-2.0

#include "judge/rule.hpp"
#include "facts/tool_search.hpp"
#include "judge/recipe_questions.hpp"
#include "judge/search_questions.hpp"
#include "judge/severity.hpp"
#include "judge/toolkit_questions.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"

namespace ptxguard {
namespace {

// The NVRTC in the process of the package: from its own trace, otherwise from that of the framework that it
// extends.
const LoadedFile* nvrtc_of(const Scenario& scenario, const Pick& pick) {
    const LoadedFile* found = nullptr;
    for (const LoadTrace& trace : scenario.traces) {
        const Expectation* framework = scenario.framework_of(trace);
        if (!framework) continue;
        const bool own = framework->package == pick.search->package;
        for (const LoadedFile& library : trace.libraries) {
            if (library.library != "nvrtc" || !library.taken || !library.version) continue;
            if (framework->cuda && library.cuda_major != framework->cuda->major()) continue;
            if (own) return &library;
            // Two frameworks with different ones: which one the package gets is not decided here.
            if (found && !(*found->version == *library.version)) return nullptr;
            found = &library;
        }
        if (own) return nullptr;
    }
    return found;
}

const ToolSearch* row_of(const Facts& facts, const Pick& pick) {
    return first_where(facts.tool_searches(), [&](const ToolSearch& search) {
        return search.package == pick.search->package && search.tool == pick.tool &&
               search.is_for(*pick.search->release);
    });
}

const HeaderClash* clash_of(const ToolSearch& row, const Pick& pick, const Version& nvrtc) {
    return first_where(row.clashes, [&](const HeaderClash& clash) {
        return is_within(nvrtc, clash.nvrtc_from, clash.nvrtc_below) &&
               is_within(*pick.version, clash.headers_from, clash.headers_below);
    });
}

std::string pinned(const char* name, const Version& release) {
    const std::string suffix = release.major() < 13 ? "-cu" + std::to_string(release.major()) : "";
    return SAY("nvidia-cuda-{}{}=={}.*", name, suffix, release.release());
}

// A wheel's headers override all variables; without a wheel, installing a package that contains them is
// enough.
std::vector<Fix> fixes_of(const Pick& pick, const Version& nvrtc) {
    const bool of_a_wheel = pick.path.find("/site-packages/nvidia/") != std::string::npos;
    if (of_a_wheel && nvrtc.major() != pick.version->major()) {
        const std::string major = std::to_string(nvrtc.major());
        return {by_hand(
            SAY("install {} in an environment whose packages are for CUDA {}, or its build for CUDA {}",
                pick.consumer, major, pick.version->major()))};
    }
    // A framework may pin the installed one, so both directions are given.
    std::vector<Fix> fixes{{FixKind::command, SAY("pip install \"{}\"", pinned("runtime", nvrtc))}};
    if (of_a_wheel)
        fixes.push_back({FixKind::command, SAY("pip install \"{}\"", pinned("nvrtc", *pick.version))});
    return fixes;
}

Evidence evidence_of_nvrtc(const LoadedFile& nvrtc) {
    return {"NVRTC", nvrtc.version->text, nvrtc.version.origin.shown_as(*nvrtc.taken)};
}

void judge_clash(const Pick& pick, const LoadedFile& nvrtc, const HeaderClash& clash, Findings& findings) {
    add(findings, "CC115", clash.level, pick.consumer,
        SAY("{} compiles CUDA headers {} with NVRTC {}, which does not accept them", pick.consumer,
            pick.version->text, nvrtc.version->text))
        .of_package(pick.search->package)
        .found(evidence_of(pick, k_cuda_headers))
        .found(evidence_of_nvrtc(nvrtc))
        .expected(k_cuda_headers, nvrtc.version->release(), pick.search->table)
        .because(clash.effect)
        .fix(fixes_of(pick, *nvrtc.version));
}

// Only what is to run on a GPU compiles kernels.
void judge_missing(const Scenario& scenario, const Pick& pick, const LoadedFile& nvrtc, Findings& findings) {
    // nvcc on PATH names a toolkit too.
    const bool open = !is_complete(scenario, pick);
    const Level found = is_meant_for_gpu(scenario) ? Level::error : Level::warning;
    Composed finding =
        add(findings, "CC115", open ? Level::unknown : found, pick.consumer,
            open ? SAY("whether {} finds CUDA headers for NVRTC {} is not known", pick.consumer,
                       nvrtc.version->text)
                 : SAY("{} finds no CUDA headers for NVRTC {}", pick.consumer, nvrtc.version->text));
    finding.of_package(pick.search->package)
        .expected(k_cuda_headers, nvrtc.version->release(), pick.search->table)
        .because(pick.search->effect)
        .required(open && names_a_gpu(scenario))
        .fix(Fix{FixKind::command, SAY("pip install \"{}\"", pinned("runtime", *nvrtc.version))})
        .by_hand(SAY("install the toolkit of CUDA {} with its headers, and set {} to its folder",
                     nvrtc.version->release(), pick.search->setting));
    for (const Pick::Loser& place : pick.losers)
        finding.found("no headers", place.by, Origin::from_file(place.path));
    finding.found(evidence_of_nvrtc(nvrtc));
    if (open) finding.decide("the PATH of the program, whose nvcc names a toolkit: --env PATH=...");
}

// Packages that have, or bring, the headers of CUDA's runtime: nvidia-cuda-runtime-cu12, torch, which
// requires it, cuda-cudart-dev-12-4, conda's.
bool may_bring_headers(const RecipeFacts& recipe) {
    const auto is_of_cuda = [](const std::string& package) {
        for (const char* start : {"nvidia-", "cuda", "torch", "jax", "tensorflow"})
            if (starts_with(package, start)) return true;
        return false;
    };
    return any_of(recipe.pins,
                  [&](const RecipePin& pin) {
                      return pin.open || pin.by == "conda" || contains(pin.extras, "ctk") ||
                             is_of_cuda(pin.package);
                  }) ||
           any_of(recipe.installed, [&](const Installed& one) { return is_of_cuda(one.package); });
}

// Whether its programs find the NVRTC of nvidia/cuda's runtime image, and no headers.
bool has_nvrtc_alone(const Scenario& scenario) {
    const RecipeFacts& recipe = scenario.recipe;
    const RecipeImage& image = recipe.image;
    return is_recipe(scenario) && image.name == "nvidia/cuda" && image.flavour == ImageFlavour::runtime &&
           image.cuda && recipe.no_nvcc && scenario.toolkits.empty() && !recipe.builds_others &&
           !may_bring_headers(recipe);
}

// cupy-cuda12x==13.6.0 in nvidia/cuda:12.4.1-runtime-ubuntu22.04, which has NVRTC and no headers.
void judge_image(const Scenario& scenario, const Facts& facts, Findings& findings) {
    const RecipeFacts& recipe = scenario.recipe;
    const RecipeImage& image = recipe.image;
    if (!has_nvrtc_alone(scenario)) return;
    for (const Installed& one : recipe.installed) {
        const ToolSearch* row = first_where(facts.tool_searches(), [&](const ToolSearch& search) {
            return search.package == one.package && search.tool == k_cuda_headers && search.needed_from &&
                   search.is_for(*one.version);
        });
        if (!row || *image.cuda < *row->needed_from || image.cuda->major() != row->needed_from->major())
            continue;
        const std::string named = SAY("{} {}", one.package, one.version->text);
        add(findings, "CC115", one.newest ? Level::warning : Level::error, one.package,
            SAY("{} finds no CUDA headers for NVRTC {} in {}", named, image.cuda->release(), name_of(image)))
            .of_package(one.package)
            .found("package", named, one.asked)
            .found(evidence_of(image))
            .expected(k_cuda_headers, image.cuda->release(), row->origin)
            .because(row->effect)
            .fix(Fix{FixKind::command, SAY("pip install \"{}\"", pinned("runtime", *image.cuda))})
            .by_hand("start from the devel flavour of the image");
    }
}

}  // namespace

PTXGUARD_RULE(CC115) {
    judge_image(scenario, facts, findings);
    for (const Pick& pick : scenario.picks) {
        if (pick.tool != k_cuda_headers || !pick.search || !pick.search->release) continue;
        const LoadedFile* nvrtc = nvrtc_of(scenario, pick);
        const ToolSearch* row = nvrtc ? row_of(facts, pick) : nullptr;
        if (!row) continue;
        const HeaderClash* clash = pick.version ? clash_of(*row, pick, *nvrtc->version) : nullptr;
        const AllAbout about(findings, {id_of(scenario, pick)});
        const AllAbout users(findings, users_of(scenario, facts, pick));
        if (clash) judge_clash(pick, *nvrtc, *clash, findings);
        const bool needs = row->needed_from && *nvrtc->version >= *row->needed_from;
        if (needs && pick.path.empty()) judge_missing(scenario, pick, *nvrtc, findings);
    }
}

}  // namespace ptxguard
