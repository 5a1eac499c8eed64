// Explicit targets win; variables are read only without them: CMake reads CUDAARCHS, PyTorch
// TORCH_CUDA_ARCH_LIST.
// SPDX-License-Identifier: Apache-2.0
#include "discover/targets.hpp"

#include <algorithm>

#include "discover/discover.hpp"
#include "facts/framework_traits.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"

namespace ptxguard {

namespace {

struct Asked {
    std::string text;
    ArchDialect dialect = ArchDialect::cmake;
    Origin origin;
    bool by_user = true;
};

Asked asked_for(const Host& host, const Request& request) {
    if (!trim(request.archs).empty()) {
        const std::string name = request.archs_origin.empty() ? "--arch" : request.archs_origin;
        const bool cmake =
            name.find("CMAKE") != std::string::npos || name.find("CudaConsistent") != std::string::npos;
        Origin origin = Origin::from_option(name);
        origin.text = name + " " + request.archs;
        if (cmake && is_cmake_off(request.archs)) return {};
        const ArchDialect guessed = guess_dialect(request.archs);
        return {request.archs, cmake && guessed != ArchDialect::nvcc ? ArchDialect::cmake : guessed, origin,
                true};
    }
    const auto from = [&](const char* name, ArchDialect dialect) -> Asked {
        const std::string value = host.env(name).value_or("");
        if (trim(value).empty()) return {};
        return {value, dialect, Origin::from_variable(name, std::string(name) + "=" + value), false};
    };
    if (request.from_cmake) return from("CUDAARCHS", ArchDialect::cmake);
    Asked torch = from("TORCH_CUDA_ARCH_LIST", ArchDialect::torch);
    return torch.text.empty() ? from("CUDAARCHS", ArchDialect::cmake) : torch;
}

}  // namespace

void read_project(const Host& host, const Request& request, Scenario& scenario) {
    Project& project = scenario.project;
    if (request.cxx_abi) project.cxx_abi = {*request.cxx_abi, Origin::from_option("--cxx-abi")};
    if (request.cxx_standard)
        project.cxx_standard = {*request.cxx_standard, Origin::from_option("--cxx-standard")};
    const Asked asked = asked_for(host, request);
    if (asked.text.empty()) return;
    project.archs_text = {asked.text, asked.origin};
    auto list = parse_arch_list(asked.text, asked.dialect);
    if (list) {
        project.archs = *list;
        return;
    }
    scenario.unreadable.push_back(
        {asked.origin.variable, "cannot be read: " + list.trouble().text(), asked.by_user, asked.origin});
}

void resolve_project_words(const Facts& facts, Scenario& scenario) {
    if (scenario.project.archs.words.empty()) return;
    std::vector<Arch> known, gpus;
    const Toolkit* toolkit = scenario.build_toolkit();
    const Version* version = toolkit ? toolkit->version() : nullptr;
    // If nvcc may be run, the probe reads its list instead.
    const bool table = scenario.foreign || scenario.probe_mode == ProbeMode::off;
    if (const CudaRelease* release = version && table ? facts.cuda(*version) : nullptr)
        for (const Arch arch : release->ptxas_archs)
            if (!arch.suffix) known.push_back(arch);
    // `native` means the GPUs of this machine; without any, the declared ones.
    const auto is_here = [](const Gpu& gpu) { return !gpu.declared; };
    const bool any_here = any_of(scenario.gpus, is_here);
    for (const Gpu& gpu : scenario.gpus)
        if (gpu.arch && gpu.declared != any_here && !contains(gpus, *gpu.arch)) gpus.push_back(*gpu.arch);
    resolve_words(scenario.project.archs, known, gpus);
}

// An option requests a build, or a variable that an installed program reads. If there is only a toolkit, it
// is checked.

namespace {

bool asked_by_option(const Request& request) {
    const auto about_a_build = [](const std::string& what) {
        return what == "toolkit" || what == "cudnn" || what == "cublas";
    };
    return request.build || !request.archs.empty() || !request.toolkits.empty() ||
           !request.cmake_nvcc.empty() || request.cxx_abi || request.cxx_standard ||
           any_of(request.require, about_a_build);
}

bool is_there_for_cuda(const Expectation& one) {
    return (one.version || !one.path.empty()) && one.may_use_cuda();
}

// CMake reads CUDACXX and CUDAARCHS, and a framework's extension builder its own variables. CUDA's Windows
// installer sets CUDA_PATH for all users.
bool asked_by_variable(const Host& host, const Facts& facts, const Scenario& scenario) {
    const auto is_set = [&](const std::string& name) {
        return !host.env(name).value_or("").empty() &&
               (name != "CUDA_PATH" || scenario.system != System::windows);
    };
    if (is_set("CUDACXX") || is_set("CUDAARCHS")) return true;
    return any_of(scenario.expectations, [&](const Expectation& one) {
        const auto& names = framework_traits(facts, one.framework).build_variables;
        return is_there_for_cuda(one) && any_of(names, is_set);
    });
}

// The project in the working folder. One that only links PyTorch needs no CUDA for a CPU build of it.
bool asked_by_project(const Request& request, const Scenario& scenario) {
    if (!request.project || (request.project->only_with && !request.build)) return false;
    return !request.project->only_if_cuda || any_of(scenario.expectations, [](const Expectation& one) {
        return one.package == "torch" && is_there_for_cuda(one);
    });
}

bool selects_any(const Project& project) {
    return project.archs_text || !project.archs.targets.empty() || !project.archs.words.empty();
}

// What the project's own files select replaces a variable's list, but not --arch.
void take_archs_of(const BuiltProject& built, const Request& request, Project& project) {
    const std::string& variable = built.archs_origin.variable;
    const bool same = project.archs_text && project.archs_text.origin.variable == variable;
    if (!trim(request.archs).empty() || same) return;
    project.archs_open = built.open;
    if (built.archs.targets.empty() && built.archs.words.empty()) {
        if (built.open) project.archs_text = {}, project.archs = {};
        return;
    }
    project.archs = built.archs;
    project.archs_text = {built.archs.text, built.archs_origin};
}

// Without a list, PyTorch's extension builder compiles for the GPUs that it finds, and PTX of the newest.
void list_gpus_for_torch(Project& project, const std::vector<Gpu>& gpus) {
    const bool any_named = any_of(gpus, [](const Gpu& gpu) { return gpu.declared; });
    std::vector<Target> targets;
    for (const Gpu& gpu : gpus) {
        if (!gpu.arch || gpu.declared != any_named) continue;
        const Target target{{gpu.arch->number, 0}, true, false};
        if (!contains(targets, target)) targets.push_back(target);
    }
    if (targets.empty()) {
        project.archs_open = {"the GPUs that PyTorch finds when it builds", {}};
        return;
    }
    std::sort(targets.begin(), targets.end(),
              [](const Target& a, const Target& b) { return a.arch.number < b.arch.number; });
    targets.back().ptx = true;
    std::string text;
    for (const Target& target : targets)
        text += (text.empty() ? "" : ";") + target.arch.cc() + (target.ptx ? "+PTX" : "");
    Origin origin;
    origin.certainty = Certainty::predicted;
    origin.text = "the GPUs, as PyTorch builds without TORCH_CUDA_ARCH_LIST";
    project.archs_text = {text, origin};
    project.archs = {targets, {}, text};
}

void take_project(const Facts& facts, const Request& request, Scenario& scenario) {
    Project& project = scenario.project;
    project.built_by = request.project->by;
    project.torch_builds = request.project->torch;
    take_archs_of(*request.project, request, project);
    if (project.torch_builds && !project.archs_open && !selects_any(project)) {
        list_gpus_for_torch(project, scenario.gpus);
        project.lacks_gpu = project.archs_open && request.project->always;
    }
    resolve_project_words(facts, scenario);
}

// A package with CUDA's libraries, or a program that uses them.
bool is_what_it_is_for(const NativeModule& one) {
    return one.of_program ? one.uses_cuda() : !one.package.empty() && !one.named;
}

bool has_nothing_for_cuda(const Scenario& scenario) {
    return none_of(scenario.expectations, is_there_for_cuda) && scenario.package_libraries.empty() &&
           none_of(scenario.modules, is_what_it_is_for);
}

}  // namespace

void decide_intent(const Host& host, const Facts& facts, const Request& request, Scenario& scenario) {
    Project& project = scenario.project;
    project.asked = request.build && !request.from_cmake;
    const bool by_project = asked_by_project(request, scenario);
    if (by_project) {
        take_project(facts, request, scenario);
    } else if (request.project && request.project->only_with && !selects_any(project)) {
        project.archs_open = request.project->only_with;
    }
    const bool by_option = asked_by_option(request), by_variable = asked_by_variable(host, facts, scenario);
    // CMake asks at every call; it compiles when it has chosen an nvcc.
    project.requested =
        by_project || by_variable || (by_option && !(request.from_cmake && request.cmake_nvcc.empty()));
    const bool requested = by_project || by_option || by_variable;
    const bool nothing_else = has_nothing_for_cuda(scenario);
    project.by_default = !requested && nothing_else && !request.from_cmake;
    project.wanted = requested || nothing_else;
}

}  // namespace ptxguard
