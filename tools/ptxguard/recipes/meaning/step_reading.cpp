// SPDX-License-Identifier: Apache-2.0
#include "recipes/meaning/step_reading.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "model/ranges.hpp"
#include "model/text.hpp"
#include "recipes/base/arguments.hpp"
#include "recipes/base/prefixes.hpp"
#include "recipes/builds/compile_commands.hpp"
#include "recipes/builds/link_requests.hpp"
#include "recipes/containers/images.hpp"
#include "recipes/meaning/arch_readers.hpp"
#include "recipes/meaning/build_options.hpp"
#include "recipes/meaning/built_requirements.hpp"
#include "recipes/meaning/copied_packages.hpp"
#include "recipes/meaning/downloads.hpp"
#include "recipes/meaning/variables.hpp"
#include "recipes/resolution/python_ranges.hpp"
#include "recipes/resolution/refusals.hpp"
#include "recipes/resolution/resolution.hpp"
#include "recipes/resolution/sources.hpp"
#include "recipes/shell/activation.hpp"

namespace ptxguard::recipes {
namespace {

// COPY --from=ghcr.io/astral-sh/uv /uv /uvx /bin/: no folder in which the loader searches for libraries.
bool copies_programs(const CopyFrom& step) {
    const std::vector<std::string> parts = split(step.destination.text, "/");
    const auto is_bin = [&](std::size_t from_end) {
        return parts.size() >= from_end && parts[parts.size() - from_end] == "bin";
    };
    const bool folder = ends_with(step.destination.text, "/");
    return step.destination.known && (is_bin(1) || (!folder && is_bin(2)));
}

// python -c "import torch; assert torch.cuda.is_available()": without CUDA it ends with an error.
const Written* test_for_cuda(const Command& step) {
    return first_where(step.words, [](const Written& word) {
        const std::size_t at = word.text.find("torch.cuda.is_available()");
        if (at == npos || at < 6) return false;
        const std::size_t last = word.text.find_last_not_of(" (", at - 1);
        return last != npos && last >= 5 && word.text.compare(last - 5, 6, "assert") == 0;
    });
}

}  // namespace

void StepReading::take(const SetVariable& step) {
    const bool archs = is_arch_variable(step.name);
    if (archs && (step.by_project || !runs_commands(scenario.recipe)))
        add_arch_variable(step, scenario.recipe);
    else if (archs && step.lasts)
        unread_lists.set(step.name, step.value);
    const std::string& file = step.value.file;  // CMake's own are for what it builds, whoever calls it
    const bool by_cmake = ends_with(file, "CMakeLists.txt") || ends_with(file, ".cmake");
    names_archs =
        names_archs || (archs && !by_cmake) || (step.name == "FORCE_CUDA" && step.value.text != "0");
    if (!archs) variables.push_back(step);
    host_compilers.take(step);
    images.take(step.value, facts, scenario.recipe);
    if (step.name == "NVIDIA_VISIBLE_DEVICES" && step.value.known && step.value &&
        step.value.text != "none" && step.value.text != "void")
        scenario.recipe.gpu = {step.name + "=" + step.value.text, origin_of(step.value)};
    if (step.name == "NVIDIA_REQUIRE_CUDA" && step.value.known)
        scenario.recipe.driver_gate = {step.value.text, origin_of(step.value)};
    if (step.name == "NVIDIA_DISABLE_REQUIRE") scenario.recipe.is_started = false;
    add_named(step, toolkits);
}

void StepReading::take(const PipInstall& written) {
    const PipInstall step = with_sources(written, facts);
    // `pip wheel .` builds with what is here.
    if (step.environment == k_collected && !step.projects.empty())
        add_read_lists(step, scenario.recipe.compiles.size(), scenario.recipe);
    if (is_apart(step)) return refuse_apart(step);
    MarkerEnvironment markers = here.markers;
    if (!step.python.empty()) markers.python = step.python;
    add_pins(step, ++group, markers, here.selects, scenario.recipe);
    if (step.unread && unread_from == 0) unread_from = group;
    refuse_projects(step, group, markers.python, here.origin, facts, scenario.recipe);
    refuse_pythons(step, group, facts, scenario.recipe);
    const std::size_t before = scenario.recipe.compiles.size();
    add_built_requirements(step, group, facts, scenario.recipe);
    for (std::size_t i = before; i < scenario.recipe.compiles.size(); ++i)
        scenario.recipe.compiles[i].after_others = others;
    add_read_lists(step, before, scenario.recipe);
    others = others || installs_others(step);
    add_unread_options(step, facts, scenario.recipe);
    last_projects = projects.size();
    if (step.build == ProjectBuild::plain) return;
    for (const Written& project : step.projects) {
        CompileStep build;
        build.what = step.tool + " install " + project.text;
        build.package = project.text;
        build.isolated = !step.no_build_isolation && step.build != ProjectBuild::native;
        build.origin = origin_of(project);
        projects.push_back(std::move(build));
    }
}

// Nothing of it is in this environment, but the command fails where it has no set.
void StepReading::refuse_apart(const PipInstall& step) {
    RecipeFacts own;
    own.kind = scenario.recipe.kind;
    own.platform = scenario.recipe.platform;
    own.python = scenario.recipe.python;
    MarkerEnvironment markers = here.markers;
    if (!step.python.empty()) markers.python = step.python.substr(0, step.python.find('.', 2));
    add_pins(step, ++group, markers, here.selects, own);
    resolve(facts, markers, {}, own);
    auto& refused = scenario.recipe.refused;
    append(refused, own.refused);
}

void StepReading::take(const CondaInstall& step) {
    host_compilers.take(step);
    add_pins(step, ++group, scenario.recipe);
    add_conda(step, toolkits);
}

void StepReading::take(const AptInstall& step) {
    host_compilers.take(step);
    requests.take(step);
    managers.take(step);
    system_pythons.take(step);
    const std::size_t before = scenario.recipe.pins.size();
    add_pins(step, ++group, scenario.recipe);
    for (std::size_t i = before; i < scenario.recipe.pins.size(); ++i)
        scenario.recipe.pins[i].open = requests.is_closed();
    listed = listed || any_of(step.packages, [](const AptPackage& package) {
                 return !package.whole.known && package.whole.text[0] == '$';
             });
    const std::size_t known = toolkits.size();
    add_apt(step, toolkits);
    if (const Known<Version> local = requests.of_local_repository())
        for (std::size_t i = known; i < toolkits.size(); ++i)
            if (toolkits[i].compiler && !toolkits[i].version && toolkits[i].layout == Layout::nvidia) {
                toolkits[i].version = local;
                toolkits[i].root = "/usr/local/cuda-" + local->release();
            }
}

void StepReading::take(const DeviceExtension& step) {
    auto& compiles = scenario.recipe.compiles;
    if (step.by_cmake) {
        CompileStep build;
        build.what = "cmake";
        build.needs_nvcc = build.may_be_alone = true;
        build.origin = origin_of(step.at);
        compiles.push_back(std::move(build));
        return;
    }
    extension = step.at.file;
    const auto first = projects.begin() + static_cast<std::ptrdiff_t>(last_projects);
    if (first == projects.end()) {
        CompileStep build;
        build.what = "python setup.py";
        build.imports_torch = build.by_torch = build.needs_nvcc = true;
        build.origin = origin_of(step.at);
        compiles.push_back(std::move(build));
    }
    for (auto project = first; project != projects.end(); ++project) {
        project->package.clear();  // known to be the recipe's own
        project->imports_torch = !project->isolated;
        project->brings_torch = project->isolated && step.torch == BuildTorch::newest;
        project->isolates = project->isolated && step.torch == BuildTorch::none;
        if (step.torch == BuildTorch::pinned) project->isolated = false;
        project->needs_nvcc = project->by_torch = true;
        compiles.push_back(std::move(*project));
    }
    projects.erase(first, projects.end());
}

void StepReading::take(const Command& step) {
    if (const Written* test = test_for_cuda(step); test && !scenario.recipe.gpu)
        scenario.recipe.gpu = {"its test for CUDA", origin_of(*test)};
    last_projects = projects.size();
    others = others || installs_others(step);
    // torch's builder adds no architectures to flags that name some.
    if (!step.words.empty() && step.words[0].file == extension && step.words[0].text == "nvcc")
        for (CompileStep& one : scenario.recipe.compiles)
            one.own_archs = one.own_archs || one.package.empty();
    const std::vector<SetVariable> of_command = new_variables(step);
    append(variables, of_command);
    add_command(step, scenario.recipe);
    add_read_lists(step, scenario.recipe);
    add_parts(step, scenario.recipe);
    sources.take(step, facts, scenario.recipe);
    named_archs.take(step);
    used_names.take(step);
    scenario.recipe.builds_others = scenario.recipe.builds_others || compiles_programs(step);
    add_unread_options(step, facts, scenario.recipe);
    host_compilers.take(step);
    system_pythons.take(step);
    // What rm names is not fetched.
    const bool removes = !step.words.empty() && program_name(step.words[0].text) == "rm";
    if (removes)
        requests.forget(step);
    else
        requests.take(step);
    images.take(step, facts, scenario.recipe);
    add_module(step, toolkits);
    add_runfile(step, runfiles, toolkits);
    add_windows_installer(step, toolkits);
    if (!removes) refuse_downloads(step, facts, scenario.recipe);
    add_deb(step, toolkits);
    add_named(step, toolkits);
    for (const SetVariable& variable : of_command) add_named(variable, toolkits);
}

std::vector<SetVariable> StepReading::new_variables(const Command& step) {
    std::vector<SetVariable> all = step.variables;
    SharedMap<Written> now = step.exports, own;
    for (const SetVariable& one : step.variables) {
        now.set(one.name, one.value);
        own.set(one.name, {});
    }
    now.each_change_since(exports, [&](const std::string& name, const Written& value) {
        if (!own.has(name)) all.push_back({name, value});
    });
    exports = std::move(now);
    return all;
}

// The other stage has built them, or failed.
void StepReading::take_copied(const Step& install) {
    if (!copied_steps.insert(&install).second) return;
    copied.push_back(++group);
    if (const auto* conda = std::get_if<CondaInstall>(&install)) {
        add_pins(*conda, group, scenario.recipe);
        add_conda(*conda, toolkits);
        return;
    }
    const auto* written = std::get_if<PipInstall>(&install);
    if (!written || is_apart(*written)) return;
    const PipInstall step = with_sources(*written, facts);
    add_pins(step, group, here.markers, here.selects, scenario.recipe);
    if (step.unread && unread_from == 0) unread_from = group;
    others = others || installs_others(step);
}

void StepReading::take(const CopyFrom& step) {
    const CopiedPackages packages = copied_packages(stages, step);
    for (const Step* install : packages.installs) take_copied(*install);
    copies = copies || (!packages.only && !copies_programs(step));
    // Tools of other images, such as uv, use no CUDA.
    const bool of_stage = step.stage.text.find_first_of("/:") == std::string::npos;
    scenario.recipe.builds_others = scenario.recipe.builds_others || (of_stage && !packages.only);
}

}  // namespace ptxguard::recipes
