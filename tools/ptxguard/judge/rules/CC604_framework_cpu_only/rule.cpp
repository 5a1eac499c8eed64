// The framework of this CUDA build cannot use CUDA: it is built for CPUs, or for another vendor's GPUs.
// SPDX-License-Identifier: Apache-2.0

#include "facts/pypi.hpp"
#include "facts/recipe_tables.hpp"
#include "judge/cudnn_questions.hpp"
#include "judge/fitting_builds.hpp"
#include "judge/framework_questions.hpp"
#include "judge/ptx_questions.hpp"
#include "judge/recipe_questions.hpp"
#include "judge/rules/CC604_framework_cpu_only/parts.hpp"
#include "model/ranges.hpp"
#include "python/marker.hpp"

namespace ptxguard {

std::string built_for(const Expectation& expectation) {
    if (expectation.is_of(Vendor::rocm)) return "ROCm";
    if (expectation.is_of(Vendor::xpu)) return "Intel GPUs";
    return "CPUs only";
}

const Origin& origin_of_vendor(const Expectation& expectation) {
    return expectation.vendor ? expectation.vendor.origin : expectation.cpu_only.origin;
}

namespace {

// What a recipe for ARM is for, if not for CPUs.
Evidence cuda_on_arm(const Scenario& scenario, const Facts& facts) {
    const RecipeImage& image = scenario.recipe.image;
    const Known<Version> fixed = fixed_cuda(scenario);
    if (fixed) return {"CUDA", fixed->release(), fixed.origin};
    // Those with a framework have another torch.
    const auto& images = recipe_tables(facts).jetson_images;
    const bool jetson = contains(images, image.name);
    return jetson ? evidence_of(image) : evidence_of_container(scenario.recipe);
}

void say_aarch64(const RecipePin& pin, const std::string& of, const std::string& because,
                 const Evidence& cuda, Findings& findings) {
    Finding& finding = add(findings, "CC604", Level::warning, text_of(pin),
                           text_of(pin) + " of " + of + " is built for CPUs only on aarch64");
    finding.found = {evidence_of(pin)};
    finding.expected = {cuda};
    finding.because = because;
    finding.fix = {
        {FixKind::manual,
         "install it from an index below https://download.pytorch.org/whl/ that has builds for aarch64"}};
}

// PyPI's older wheels for Linux on aarch64 contain no CUDA. PyTorch's index has those with CUDA, from one
// release and one CUDA on.
void judge_aarch64(const Scenario& scenario, const Facts& facts, const FirstRelease& first,
                   const FirstRelease& of_index, Findings& findings) {
    const RecipeFacts& recipe = scenario.recipe;
    const Evidence cuda = recipe.machine == "arm64" ? cuda_on_arm(scenario, facts) : Evidence{};
    if (cuda.value.empty()) return;
    for (const RecipePin& pin : recipe.pins) {
        if (!pin.by_pip() || pin.package != first.package || !pin.version || !pin.version->local().empty() ||
            *pin.version >= *first.from || !pin.wheel.empty() || pin.source)
            continue;
        const auto indexes = indexes_of(recipe, pin);
        const bool pypi = all_of(
            indexes, [](const RecipeIndex* index) { return index->build.empty() && index->is_pypi(); });
        if (pypi)
            say_aarch64(pin, "PyPI",
                        "on PyPI the wheels for aarch64 have CUDA since " + first.package + " " +
                            first.from->release(),
                        cuda, findings);
        for (const RecipeIndex* index : indexes) {
            const auto build = cuda_of_tag(index->build);
            if (!build || index->url.find("/nightly") != std::string::npos ||
                (!(*build < *of_index.cuda) && !(*pin.version < *of_index.from)))
                continue;
            say_aarch64(pin, index->url,
                        "PyTorch's index has builds with CUDA for aarch64 since " + first.package + " " +
                            of_index.from->release() + " and CUDA " + of_index.cuda->release(),
                        cuda, findings);
            break;
        }
    }
}

bool has_extra(const PypiRow& row, const std::string& extra) {
    return any_of(row.required, [&](const Requirement& required) {
        MarkerEnvironment with = usual({});
        with.extras = {extra};
        return holds(required.marker, with) != holds(required.marker, usual({}));
    });
}

// jax[cuda11_pip], tensorflow[and-cuda]==2.13.0: pip ignores an extra that the release does not have.
void judge_extras(const RecipeFacts& recipe, const CudaExtra& known, const Facts& facts, Findings& findings) {
    for (const RecipePin& pin : recipe.pins) {
        if (pin.package != known.package || !pin.by_pip()) continue;
        const Installed* newest = newest_of(recipe, pin.package);
        const Version* version = pin.version ? &*pin.version : newest ? &*newest->version : nullptr;
        const PypiRow* row = version ? pypi_row(facts, pin.package, *version) : nullptr;
        if (!row || !row->described || (!known.for_cpus && recipe.libraries_cuda)) continue;
        for (const std::string& extra : pin.extras) {
            if (extra.compare(0, known.start.size(), known.start) != 0 || has_extra(*row, extra)) continue;
            Finding& finding = add(findings, "CC604", Level::warning, text_of(pin),
                                   pin.package + " " + version->text + (pin.version ? "" : " (the newest)") +
                                       " has no extra '" + extra + "': pip installs it " +
                                       (known.for_cpus ? "for CPUs only" : "without CUDA's libraries"));
            finding.found = {evidence_of(pin)};
            finding.expected = {{"extra", "one of this release", row->origin}};
            finding.because = "pip prints 'does not provide the extra' and goes on without its packages";
            finding.fix = {{FixKind::manual, known.instead}};
        }
    }
}

// The CUDA builds of the same release; if there are none, the newest one for this system.
std::vector<Fix> cuda_builds(const Expectation& expectation, const Scenario& scenario, const Facts& facts) {
    std::vector<Fix> same, newest = published_builds(expectation, scenario.system, facts);
    if (newest.empty()) newest = published_builds(expectation, scenario.system, facts, false);
    const auto is_in = [&](const Fix& fix) {
        return any_of(same, [&](const Fix& one) { return one.text == fix.text; });
    };
    for (const Fix& fix : newest)
        if (expectation.version &&
            fix.step->version.without_local() == expectation.version->without_local() && !is_in(fix))
            same.push_back(fix);
    if (same.empty() && !newest.empty()) same.push_back(newest.front());
    return same;
}

void judge_tables_of_recipe(const Scenario& scenario, const Facts& facts, Findings& findings) {
    for (const FirstRelease& first : recipe_tables(facts).aarch64_wheels)
        for (const FirstRelease& of_index : recipe_tables(facts).aarch64_builds)
            if (of_index.package == first.package) judge_aarch64(scenario, facts, first, of_index, findings);
    for (const CudaExtra& known : recipe_tables(facts).cuda_extras)
        judge_extras(scenario.recipe, known, facts, findings);
}

// `toolkit`: the one that the project is built with; null = no build.
void report_for_cpus(const Expectation& expectation, const Toolkit* toolkit, Level level,
                     const Scenario& scenario, const Facts& facts, Findings& findings) {
    const Known<Version> version = toolkit ? release_of(*toolkit) : Known<Version>{};
    Finding& finding =
        add(findings, "CC604", level, name_of(expectation),
            name_of(expectation) + " is built for " + built_for(expectation) +
                (toolkit ? ", this build uses " + name_of(*toolkit) : " and will not use the GPU"));
    finding.found.push_back(
        {"build of " + expectation.package, built_for(expectation), origin_of_vendor(expectation)});
    if (version)
        finding.expected.push_back(
            {"build of " + expectation.package, "CUDA " + version->release(), version.origin});
    finding.because =
        toolkit ? "CUDA code that is compiled for it finds neither its CUDA headers nor its CUDA libraries"
                : "this build has no GPU code, and a GPU was named";
    if (version) finding.fix = other_build_fix(expectation, facts, version->major());
    if (!toolkit) finding.fix = cuda_builds(expectation, scenario, facts);
    if (!toolkit && scenario.system == System::windows && expectation.framework == "TensorFlow")
        finding.fix.push_back(
            {FixKind::manual, "run it in WSL2, or use tensorflow 2.10, the last with CUDA on Windows"});
    if (finding.fix.empty())
        finding.fix.push_back({FixKind::manual, "install a CUDA build of " + expectation.package +
                                                    (toolkit ? ", or build this project without CUDA" : "")});
}

}  // namespace

PTXGUARD_RULE(CC604) {
    if (is_recipe(scenario)) judge_tables_of_recipe(scenario, facts, findings);
    judge_recipe_for_cuda(scenario, facts, findings);
    judge_markers(scenario.recipe, findings);
    const Toolkit* toolkit = toolkit_of_build(scenario);
    const bool gpu = names_a_gpu(scenario);
    // A toolkit that is only installed beside it is no build for it; a named GPU is then what it is for.
    const bool builds = toolkit && toolkit->part(PartKind::nvcc) && !(gpu && scenario.project.by_default);
    if (!builds && !gpu) return;
    // --require framework requires one that this build can be for.
    bool none_else =
        scenario.requires_("framework") &&
        none_of(scenario.expectations, [](const Expectation& one) { return one.may_use_cuda(); });
    const bool another_has_cuda = any_of(
        scenario.expectations, [](const Expectation& one) { return is_there(one) && one.may_use_cuda(); });
    for (const Expectation& expectation : scenario.expectations) {
        const bool wanted = expectation.required || expectation.declared || none_else;
        // Installed, and not named: it may be meant for CPUs beside another one.
        const bool found = gpu && is_there(expectation) && scenario.source == SourceKind::machine;
        if ((!wanted && !found) || expectation.may_use_cuda() || never_released(expectation)) continue;
        const Level level = !wanted ? (builds || another_has_cuda ? Level::note : Level::warning)
                            : gpu   ? Level::error
                                    : Level::warning;
        report_for_cpus(expectation, builds ? toolkit : nullptr, level, scenario, facts, findings);
    }
}

}  // namespace ptxguard
