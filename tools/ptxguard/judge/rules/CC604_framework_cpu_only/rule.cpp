// The framework of this CUDA build cannot use CUDA: it is built for CPUs, or for another vendor's GPUs.
// SPDX-License-Identifier: Apache-2.0

#include "facts/pypi.hpp"
#include "facts/recipe_tables.hpp"
#include "judge/fitting_builds.hpp"
#include "judge/framework_questions.hpp"
#include "judge/ptx_questions.hpp"
#include "judge/recipe_questions.hpp"
#include "judge/rules/CC604_framework_cpu_only/parts.hpp"
#include "judge/severity.hpp"
#include "model/file_names.hpp"
#include "model/ranges.hpp"

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
    add(findings, "CC604", Level::warning, pin,
        SAY("{} of {} is built for CPUs only on aarch64", text_of(pin), of))
        .expected(cuda)
        .because(because)
        .by_hand(
            "install it from an index below https://download.pytorch.org/whl/ that has builds for aarch64");
}

// A release of PyPI's that has no local version.
bool is_plain(const RecipePin& pin) {
    return pin.by_pip() && pin.version && pin.version->local().empty() && pin.wheel.empty() && !pin.source;
}

// PyTorch's index for a CUDA, or with a release, of before its builds for aarch64.
bool is_before_builds(const RecipeIndex& index, const RecipePin& pin, const FirstRelease& of_index) {
    const auto build = cuda_of_tag(index.build);
    return build && index.url.find("/nightly") == npos &&
           (*build < *of_index.cuda || *pin.version < *of_index.from);
}

// PyPI's older wheels for Linux on aarch64 contain no CUDA. PyTorch's index has those with CUDA, from one
// release and one CUDA on.
void judge_aarch64(const Scenario& scenario, const Facts& facts, const FirstRelease& first,
                   const FirstRelease& of_index, Findings& findings) {
    const RecipeFacts& recipe = scenario.recipe;
    const Evidence cuda = recipe.machine == "arm64" ? cuda_on_arm(scenario, facts) : Evidence{};
    if (cuda.value.empty()) return;
    for (const RecipePin& pin : recipe.pins) {
        if (pin.package != first.package || !is_plain(pin) || *pin.version >= *first.from) continue;
        const auto indexes = indexes_of(recipe, pin);
        if (all_of(indexes,
                   [](const RecipeIndex* index) { return index->build.empty() && index->is_pypi(); }))
            say_aarch64(pin, "PyPI",
                        SAY("on PyPI the wheels for aarch64 have CUDA since {} {}", first.package,
                            first.from->release()),
                        cuda, findings);
        const auto* early = first_where(
            indexes, [&](const RecipeIndex* index) { return is_before_builds(*index, pin, of_index); });
        if (early)
            say_aarch64(pin, (*early)->url,
                        SAY("PyTorch's index has builds with CUDA for aarch64 since {} {} and CUDA {}",
                            first.package, of_index.from->release(), of_index.cuda->release()),
                        cuda, findings);
    }
}

// "tensorflow 2.13.0", "jax 0.9.1 (the newest)", and what it requires; null = not known.
const PypiRow* described_row(const RecipeFacts& recipe, const RecipePin& pin, const Facts& facts,
                             std::string& release) {
    const Installed* newest = newest_of(recipe, pin.package);
    const Version* version = pin.version ? &*pin.version : newest ? &*newest->version : nullptr;
    if (!version) return nullptr;
    release = pin.version ? SAY("{} {}", pin.package, version->text)
                          : SAY("{} {} (the newest)", pin.package, version->text);
    const PypiRow* row = pypi_row(facts, pin.package, *version);
    return row && row->described ? row : nullptr;
}

// jax[cuda11_pip], tensorflow[and-cuda]==2.13.0: pip ignores an extra that the release does not have.
// A branch that asks for CUDA gets none, whoever takes it.
void judge_extras(const Scenario& scenario, const CudaExtra& known, const Facts& facts, Findings& findings) {
    const RecipeFacts& recipe = scenario.recipe;
    if (!known.for_cpus && recipe.libraries_cuda) return;
    for (const RecipePin& pin : recipe.pins) {
        std::string release;
        const bool of_it = pin.package == known.package && pin.by_pip();
        const PypiRow* row = of_it ? described_row(recipe, pin, facts, release) : nullptr;
        if (!row) continue;
        for (const std::string& extra : pin.extras)
            if (starts_with(extra, known.start) && !has_extra(*row, extra))
                add(findings, "CC604",
                    pin.origin.overridable && !recipe.by_switch ? Level::error : Level::warning, pin,
                    SAY("{} has no extra '{}': pip installs it {}", release, extra,
                        known.for_cpus ? "for CPUs only" : "without CUDA's libraries"))
                    .expected("extra", "one of this release", row->origin)
                    .because("pip prints 'does not provide the extra' and goes on without its packages")
                    .by_hand(known.instead);
    }
}

// Whether the tables, which are of x86-64, hold for its machine too: of PyPI's wheels for aarch64 few have
// CUDA.
bool is_for_its_machine(const Fix& fix, const Expectation& expectation, const Facts& facts) {
    if (expectation.machine.empty()) return true;
    const auto holds = [&](const FirstRelease& first) {
        return first.package == fix.step->package && *first.from <= fix.step->version &&
               (!first.cuda || (fix.step->cuda && *first.cuda <= *fix.step->cuda));
    };
    const RecipeTables& tables = recipe_tables(facts);
    return expectation.machine == "aarch64" &&
           (any_of(tables.aarch64_wheels, holds) || any_of(tables.aarch64_builds, holds));
}

// Where its publisher has no build for CUDA.
std::vector<Fix> instead_of_build(const Expectation& expectation, const Scenario& scenario,
                                  const Facts& facts) {
    const RecipeTables& tables = recipe_tables(facts);
    const bool windows = scenario.system == System::windows;
    if (!windows && expectation.machine != "aarch64") return {};
    for (const CpuPackage& row : windows ? tables.windows_instead : tables.aarch64_instead)
        if (row.package == expectation.package) return {by_hand(row.instead)};
    return {};
}

// The CUDA builds of the same release; if there are none, the newest one for this system.
std::vector<Fix> cuda_builds(const Expectation& expectation, const Scenario& scenario, const Facts& facts) {
    std::vector<Fix> same, newest = published_builds(expectation, scenario.system, facts);
    if (newest.empty()) newest = published_builds(expectation, scenario.system, facts, false);
    erase_if(newest, [&](const Fix& fix) { return !is_for_its_machine(fix, expectation, facts); });
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
        judge_extras(scenario, known, facts, findings);
}

// A build for CPUs, in a project that is compiled for CUDA ...
void report_in_build(const Expectation& expectation, const Toolkit& toolkit, Level level,
                     const Scenario& scenario, const Facts& facts, Findings& findings) {
    const Known<Version> version = release_of(toolkit);
    const std::string build = SAY("build of {}", expectation.package);
    const Composed finding =
        add(findings, "CC604", level, name_of(expectation),
            SAY("{} is built for {}, this build uses {}", name_of(expectation), built_for(expectation),
                name_of(toolkit)))
            .about(scenario, expectation, toolkit)
            .found(build, built_for(expectation), origin_of_vendor(expectation))
            .because(
                "CUDA code that is compiled for it finds neither its CUDA headers nor its CUDA libraries");
    if (version)
        finding.expected(build, SAY("CUDA {}", version->release()), version.origin)
            .fix(other_build_fix(expectation, facts, version->major()));
    if (finding->fix.empty())
        finding.by_hand(
            SAY("install a CUDA build of {}, or build this project without CUDA", expectation.package));
}

// ... and where a GPU is to be used.
void report_for_gpu(const Expectation& expectation, Level level, const Scenario& scenario, const Facts& facts,
                    Findings& findings) {
    const Composed finding =
        add(findings, "CC604", level, name_of(expectation),
            SAY("{} is built for {} and will not use the GPU", name_of(expectation), built_for(expectation)))
            .about(scenario, expectation)
            .found(SAY("build of {}", expectation.package), built_for(expectation),
                   origin_of_vendor(expectation))
            .because("this build has no GPU code, and a GPU was named");
    const std::vector<Fix> builds = cuda_builds(expectation, scenario, facts);
    finding.fix(builds);
    if (builds.empty() || scenario.system == System::windows)
        finding.fix(instead_of_build(expectation, scenario, facts));
    if (finding->fix.empty()) finding.by_hand(SAY("install a CUDA build of {}", expectation.package));
}

// What it is to be used for: a toolkit compiles for it, a GPU is named, another framework has CUDA.
struct UseOfCuda {
    const Toolkit* toolkit = nullptr;
    bool gpu = false, another = false, required = false;  // required: one of any name
};
UseOfCuda use_of_cuda(const Scenario& scenario) {
    const auto has_cuda = [](const Expectation& one) { return is_there(one) && one.may_use_cuda(); };
    const auto may_have = [](const Expectation& one) { return one.may_use_cuda(); };
    const Toolkit* toolkit = toolkit_of_build(scenario);
    UseOfCuda use{nullptr, names_a_gpu(scenario), any_of(scenario.expectations, has_cuda)};
    // A toolkit that is only installed beside it is no build for it; a named GPU is then what it is for.
    if (toolkit && toolkit->part(PartKind::nvcc) && !(use.gpu && scenario.project.by_default))
        use.toolkit = toolkit;
    // --require framework requires one that this build can be for.
    use.required = scenario.requires_("framework") && none_of(scenario.expectations, may_have);
    return use;
}

void judge_for_cpus(const Expectation& expectation, const UseOfCuda& use, const Scenario& scenario,
                    const Facts& facts, Findings& findings) {
    const bool wanted = expectation.required || expectation.declared || use.required;
    // Installed, and not named: it may be meant for CPUs beside another one.
    const bool found = use.gpu && is_there(expectation) && scenario.source == SourceKind::machine;
    if ((!wanted && !found) || expectation.may_use_cuda() || never_released(expectation) ||
        is_over_one_for_gpus(expectation))
        return;
    const Level level = !wanted && (use.toolkit || use.another) ? Level::note
                        : wanted && use.gpu                     ? Level::error
                                            : level_of_unused_gpu({expectation.package}, scenario);
    if (use.toolkit)
        report_in_build(expectation, *use.toolkit, level, scenario, facts, findings);
    else
        report_for_gpu(expectation, level, scenario, facts, findings);
}

// The framework that the package extends, with CUDA.
const Expectation* extended(const CpuBuild& build, const Scenario& scenario) {
    return first_where(scenario.expectations, [&](const Expectation& one) {
        return one.package == build.extends && is_there(one) && one.may_use_cuda();
    });
}

// A package that says itself that it is built for CPUs, where a GPU is named.
void judge_packages(const Scenario& scenario, Findings& findings) {
    for (const CpuBuild& build : scenario.python.cpu_builds) {
        const Expectation* framework = build.extends.empty() ? nullptr : extended(build, scenario);
        // Beside a framework for CPUs it is one, too.
        if (!build.extends.empty() && !framework) continue;
        const bool unused = level_of_unused_gpu({build.package}, scenario) == Level::error;
        const std::string name = with_release(build.package, build.version);
        Composed finding =
            add(findings, "CC604", framework || unused ? build.level : Level::note, name,
                framework ? SAY("{} is built for CPUs only, and {} for a GPU", name, name_of(*framework))
                          : SAY("{} is built for CPUs only and will not use the GPU", name));
        finding.of_package(build.package)
            .found(SAY("constant of {}", file_of(build.path)), build.text, Origin::from_file(build.path))
            .because(build.effect)
            .by_hand(build.instead);
        if (framework) finding.expected(framework->package, name_of(*framework), framework->version.origin);
    }
}

}  // namespace

PTXGUARD_RULE(CC604) {
    if (is_recipe(scenario)) judge_tables_of_recipe(scenario, facts, findings);
    judge_recipe_for_cuda(scenario, facts, findings);
    judge_markers(scenario.recipe, findings);
    const UseOfCuda use = use_of_cuda(scenario);
    if (!use.toolkit && !use.gpu) return;
    if (use.gpu) judge_packages(scenario, findings);
    for (const Expectation& expectation : scenario.expectations)
        judge_for_cpus(expectation, use, scenario, facts, findings);
}

}  // namespace ptxguard
