// libcuda is here without the libraries of its driver that it opens to compile: CUDA error 221.
// SPDX-License-Identifier: Apache-2.0
#include "judge/rule.hpp"
#include "facts/framework_traits.hpp"
#include "facts/libraries.hpp"
#include "facts/tool_search.hpp"
#include "judge/build_questions.hpp"
#include "judge/entry_fit.hpp"
#include "judge/framework_questions.hpp"
#include "judge/module_questions.hpp"
#include "judge/ptx_questions.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"

namespace ptxguard {
namespace {

// What has nothing but PTX for a GPU here, or passes PTX to the driver while it runs.
struct PtxUsers {
    std::vector<std::string> names;  // "gpt4all 2.8.2 on RTX 3060 (sm_86)"
    std::vector<Entity> ids;         // theirs, and those of the GPUs
    bool certain = false;            // some of them do nothing without it

    void add(const std::string& name, const Entity& id, bool always) {
        add_once(names, name);
        ids.push_back(id);
        certain = certain || always;
    }
};

void add_code_for_gpus(const Scenario& scenario, const Facts& facts, PtxUsers& users) {
    const std::vector<const Gpu*> gpus = gpus_judged(scenario);
    const auto fit = [&](const std::vector<Target>& code, const Gpu& gpu) {
        return code_fit(code, *gpu.arch, scenario, facts);
    };
    const auto add_code = [&](const std::string& name, const Entity& id, const std::vector<Target>& code,
                              const Gpu& gpu, bool texts) {
        if (fit(code, gpu) != CodeFit::ptx && !texts) return;
        // Of the GPUs that were only found, another one may run it.
        const bool always = !texts && (gpu.declared || all_of(gpus, [&](const Gpu* other) {
                                           return fit(code, *other) == CodeFit::ptx;
                                       }));
        users.add(SAY("{} on {}", name, name_of(gpu)), id, always);
        users.ids.push_back(id_of(scenario, gpu));
    };
    for (const Gpu* gpu : gpus) {
        for (const Expectation& one : scenario.expectations)
            if (runs_with_cuda(one) && one.archs && !is_of_other_machines(one, *gpu->arch, facts))
                add_code(name_of(one), id_of(scenario, one), *one.archs, *gpu, false);
        for (const NativeModule& module : scenario.modules)
            if (module.archs && !has_variant_that_runs(scenario, facts, module, *gpu))
                add_code(name_of_package(module), id_of(scenario, module), *module.archs, *gpu,
                         module.texts.value.has_value());
    }
}

PtxUsers users_of_ptx(const Scenario& scenario, const Facts& facts, const Driver& driver) {
    PtxUsers users;
    if (!contains(drivers_concerned(scenario), &driver)) return users;
    add_code_for_gpus(scenario, facts, users);
    for (const RunTimePtx& made : run_time_ptx(scenario, facts))
        if (!made.linked) users.add(made.consumer, made.id, made.tool == k_libnvvm);
    const Toolkit* toolkit = toolkit_of_build(scenario);
    if (!toolkit || !toolkit->part(PartKind::nvcc)) return users;
    const PtxNeed need = need_of_ptx(scenario, facts, driver);
    if (need.needed) users.add(build_of(scenario), k_build, true);
    for (const Gpu* gpu : need.needed ? need.gpus : std::vector<const Gpu*>())
        users.ids.push_back(id_of(scenario, *gpu));
    return users;
}

std::string message_of(const Driver& driver, const PtxUsers& users) {
    const std::string lacks = SAY("{} is here without its {}", name_of(driver), driver.lacks);
    if (!lacks_ptx_compiler(driver)) return SAY("{}: LTO-IR and NVVM code cannot be compiled", lacks);
    if (users.names.empty()) return SAY("{}: PTX cannot be compiled", lacks);
    return SAY("{}: PTX cannot be compiled, and that is needed for {}", lacks, users.names);
}

// Without its PTX compiler all PTX fails; without the others only what is compiled from NVVM and LTO-IR.
void judge(const Scenario& scenario, const Facts& facts, const Driver& driver, Findings& findings) {
    const bool ptx = lacks_ptx_compiler(driver);
    const PtxUsers users = ptx ? users_of_ptx(scenario, facts, driver) : PtxUsers();
    Composed finding = add(findings, "CC217",
                           users.certain ? Level::error
                           : ptx         ? Level::warning
                                         : Level::note,
                           name_of(driver), message_of(driver, users));
    finding.about(users.ids)
        .about(scenario, driver)
        .found("libcuda", driver.libcuda, driver.origin)
        .because(
            "libcuda opens it when a program loads code that has to be compiled: CUDA error 221, 'PTX JIT "
            "compiler library not found'");
    for (const std::string& name : driver.lacks) finding.expected("library of this driver", name, {});
    if (!scenario.container.empty())
        finding.by_hand(
            "update the container toolkit, and make its list of files again: `nvidia-ctk cdi generate`");
    finding.by_hand("install the whole package of this driver's libraries");
}

// A framework that compiles C code when it runs, and links it with -lcuda.
const Expectation* linker_of(const Scenario& scenario, const Facts& facts) {
    for (const Expectation& one : scenario.expectations) {
        const auto& below = framework_traits(facts, one.framework).links_driver_below;
        if (is_there(one) && !one.declared && one.version && below && *one.version < *below) return &one;
    }
    return nullptr;
}

void judge_link(const Scenario& scenario, const Driver& driver, const Expectation& user, Findings& findings) {
    const std::string link = driver.libcuda.substr(0, driver.libcuda.rfind(".so") + 3);
    add(findings, "CC217", Level::warning, SAY("{}, libcuda.so", name_of(user)),
        SAY("{} links with libcuda.so, and only libcuda.so.1 is here", name_of(user)))
        .about(scenario, user, driver)
        .of_package(user.package)
        .found("libcuda", driver.libcuda, driver.origin)
        .expected("link for linkers", link, {})
        .because(
            "it compiles a launcher for each kernel with gcc -lcuda, which ends with 'cannot find -lcuda'")
        .fix(Fix{FixKind::command, SAY("sudo ln -s libcuda.so.1 {}", link)})
        .by_hand(SAY("install {} 3.6 or newer, which links libcuda.so.1", user.package));
}

// A container gets the libraries of the words that it was started with.
Fix capability_fix(const Scenario& scenario, const std::string& word) {
    const std::vector<std::string> named =
        scenario.capabilities ? split(*scenario.capabilities, ",") : std::vector<std::string>();
    const bool lacks_word = scenario.capabilities && !contains(named, word) && !contains(named, "all");
    if (lacks_word)
        return by_hand(
            SAY("start the container with NVIDIA_DRIVER_CAPABILITIES={},{}", *scenario.capabilities, word));
    if (!scenario.container.empty() && !scenario.capabilities)
        return by_hand(SAY("start the container with NVIDIA_DRIVER_CAPABILITIES=compute,utility,{}", word));
    return by_hand("install the whole package of this driver's libraries");
}

// A package's file that needs or opens libraries of the driver which are not here, beside its libcuda.
void judge_module(const Scenario& scenario, const Facts& facts, const NativeModule& module,
                  Findings& findings) {
    std::vector<std::string> names, words;
    bool needed = false;
    for (const LoadedFile& library : module.of_driver) {
        names.push_back(library.name);
        const auto known = library_by_file_name(facts, library.name);
        if (known && !known->capability.empty()) add_once(words, known->capability);
        needed |= library.how == LoadHow::needed;
    }
    const std::string list = joined(names, " and "), word = joined(words, ",");
    const Level level = needed && module.use == ModuleUse::at_import ? Level::error : Level::warning;
    Composed finding = add(findings, "CC217", level, SAY("{} of {}", list, module.path),
                           SAY("{} {} {}, which the driver here lacks", name_of_package(module),
                               needed ? "needs" : "opens", list));
    finding.of_package(module.package)
        .because(
            "these libraries belong to the driver, and a container gets only those of the words in "
            "NVIDIA_DRIVER_CAPABILITIES");
    for (const Driver& driver : scenario.drivers)
        if (!driver.libcuda.empty())
            finding.about(scenario, driver).found("libcuda", driver.libcuda, driver.origin);
    if (scenario.capabilities)
        finding.found("NVIDIA_DRIVER_CAPABILITIES", *scenario.capabilities, scenario.capabilities.origin);
    for (const std::string& name : names)
        finding.expected("library of this driver", name, Origin::from_file(module.path));
    finding.fix(capability_fix(scenario, word));
}

}  // namespace

PTXGUARD_RULE(CC217) {
    if (const Expectation* user = linker_of(scenario, facts))
        for (const Driver& driver : scenario.drivers)
            // CC218 reports the library that is found before the one of WSL, which has the link.
            if (driver.no_link && !driver.stub && !driver.compat && driver.wsl_libcuda.empty())
                judge_link(scenario, driver, *user, findings);
    for (const NativeModule& module : scenario.modules)
        if (!module.of_driver.empty()) judge_module(scenario, facts, module, findings);
    for (const Driver& driver : scenario.drivers)
        // CC218 reports the whole library as another driver's.
        if (!driver.lacks.empty() && !driver.stub && driver.wsl_libcuda.empty())
            judge(scenario, facts, driver, findings);
}

}  // namespace ptxguard
