// `native` means the GPUs of the build machine, as PyTorch's default does, and this one has none.
// SPDX-License-Identifier: Apache-2.0

#include "judge/build_questions.hpp"
#include "judge/fixes.hpp"
#include "judge/ptx_questions.hpp"

namespace ptxguard {
namespace {

// The named GPUs: they are not here, but the build is for them.
std::vector<Target> named_targets(const Scenario& scenario) {
    std::vector<Target> targets;
    for (const Gpu& gpu : scenario.gpus)
        if (gpu.declared && gpu.arch) targets.push_back({{gpu.arch->number, 0}, true, false});
    return targets;
}

// The architectures of the named GPUs, else to name some in `place`.
Fix list_fix(const Scenario& scenario, const std::string& place) {
    const std::vector<Target> named = named_targets(scenario);
    return named.empty() ? by_hand(SAY("name the architectures in {}", place))
                         : arch_list_fix(scenario, named);
}

template <class One>
bool any_here(const std::vector<One>& all) {
    return any_of(all, [](const One& one) { return !one.declared; });
}

// PyTorch's extension builder takes the last entry of a list of GPUs that is empty.
void judge_extension(const Scenario& scenario, Findings& findings) {
    if (!scenario.project.lacks_gpu || any_here(scenario.drivers)) return;
    const Origin& origin = scenario.project.built_by.origin;
    Composed finding = add(
        findings, "CC211", Level::warning, *scenario.project.built_by,
        SAY("{}, TORCH_CUDA_ARCH_LIST is not set, and this machine has no GPU", *scenario.project.built_by));
    finding.because(
        "PyTorch then compiles for the GPUs of the machine that builds, and ends with \"IndexError: list "
        "index out of range\" when it finds none");
    finding.at(origin);
    const char* const variable = "TORCH_CUDA_ARCH_LIST";
    finding.fix(named_targets(scenario).empty() ? set_variable(variable, "8.0;9.0+PTX", scenario.system)
                                                : list_fix(scenario, variable));
}

// A container is built without a GPU.
void judge_container(const Scenario& scenario, Findings& findings) {
    const RecipeFacts& recipe = scenario.recipe;
    if (scenario.source != SourceKind::recipe || recipe.kind != "Dockerfile" || !recipe.cmake ||
        recipe.compiles.empty())
        return;
    for (const RecipeArchs& list : recipe.arch_lists) {
        const std::vector<std::string>& words = list.archs.words;
        // Older ones take it for an architecture (CC624).
        if (list.by_installer || *recipe.cmake < *parse_version("3.24") || !contains(words, "native"))
            continue;
        add(findings, "CC211", Level::warning, list.name,
            SAY("{} is `native`, and a container is built without a GPU", list.name))
            .found("architectures", list.archs.text, list.origin)
            .expected("architectures", "a list", {})
            .because(
                "CMake before 3.31 then ends with 'no GPU was detected', and newer ones leave it to nvcc, "
                "which takes its default target")
            .by_hand(SAY("name the architectures in {}, for example 80;90", list.name));
        return;
    }
}

}  // namespace

PTXGUARD_RULE(CC211) {
    judge_container(scenario, findings);
    const Known<std::string>& asked = scenario.project.archs_text;
    const Toolkit* toolkit = toolkit_of_build(scenario);
    if (!scenario.foreign) judge_extension(scenario, findings);
    if (scenario.foreign || !asked || asked->find("native") == std::string::npos || !toolkit ||
        !toolkit->part(PartKind::nvcc))
        return;
    if (any_here(scenario.gpus)) return;
    const std::string where = asked.origin.variable.empty() ? "--arch" : asked.origin.variable;
    if (any_here(scenario.drivers)) {
        add(findings, "CC211", Level::unknown, where, "which GPUs `native` stands for is not known")
            .because("a driver is here, and it names no GPU")
            .decide("a machine on which nvidia-smi lists its GPUs");
        return;
    }
    // CMake itself has looked for GPUs.
    const bool cmake_stops = is_at_place(scenario) && asked.origin.certainty == Certainty::measured;
    Composed finding = add(findings, "CC211", cmake_stops ? Level::error : Level::warning, where,
                           SAY("{} is `native`, and this machine has no GPU", where));
    finding.found("architectures", *asked, asked.origin)
        .expected("architectures", "a list, on a machine without a GPU", {})
        .because(
            cmake_stops
                ? std::string(
                      "CMake compiles for the GPUs of the machine that builds, and fails when it finds none")
                : SAY("{} then compiles for its default target, whatever GPU will run it; CMake 3.25 fails "
                      "when it generates",
                      name_of(*toolkit)));
    locate_at_place(scenario, finding);
    finding->fix = {list_fix(scenario, SAY("{}, for example 80;90", where))};
}

}  // namespace ptxguard
