// What packages of a Python environment open or find only under conditions, and their native modules.
// SPDX-License-Identifier: Apache-2.0

#include "facts/libraries.hpp"
#include "judge/fixes.hpp"
#include "judge/framework_questions.hpp"
#include "judge/library_words.hpp"
#include "judge/module_questions.hpp"
#include "judge/rules/CC401_library_missing/parts.hpp"
#include "judge/severity.hpp"
#include "judge/toolkit_questions.hpp"
#include "model/file_names.hpp"
#include "model/ranges.hpp"

namespace ptxguard {
namespace {

// ONNX Runtime: its libraries are in the environment, and the loader searches them only after a call that the
// program has to make. Whether it does is not known.
void judge_found_by_call(const Scenario& scenario, Findings& findings) {
    for (const LoadTrace& trace : scenario.traces) {
        std::vector<LoadedFile> by_call;
        for (const LoadedFile& library : trace.libraries)
            if (library.taken && library.rule.step == LoadStep::call) by_call.push_back(library);
        if (!trace.traced_for || by_call.empty()) continue;
        const std::string call = by_call.front().rule.text.substr(std::string_view("call of ").size());
        Composed finding = add(findings, "CC401", Level::note, SAY("{}, {}", trace.framework(), call),
                               SAY("{} finds its CUDA libraries only after {}", trace.framework(), call))
                               .because(
                                   "they are in the environment's packages, which the loader does not "
                                   "search; without the call it runs on the CPU")
                               .by_hand(SAY("call {} before the first session", call))
                               .by_hand("import torch first, if it is of the same CUDA");
        for (const LoadedFile& library : by_call) finding.found(evidence_of(library));
    }
}

// A plugin for TensorRT, which is not installed at all: programs ask for it by their own choice.
void judge_no_tensorrt(const Scenario& scenario, Findings& findings) {
    for (const NativeModule& module : scenario.modules) {
        if (module.use != ModuleUse::opened || module.missing.empty() || !module.framework.empty()) continue;
        const LoadedFile& library = module.missing.front();
        if (library.library != "nvinfer" || !library.losers.empty()) continue;
        add(findings, "CC401", Level::note, module.path,
            SAY("{} of {} does not load: {} is not found", file_of(module.path), name_of_package(module),
                library.name))
            .of_package(module.package)
            .found(missing_evidence(library))
            .because("no TensorRT is installed; the rest of the package works without")
            .by_hand(SAY("install TensorRT {} if a program asks for it",
                         library.name.substr(library.name.rfind('.') + 1)));
    }
}

// Of TensorRT another major is there than a framework's plugin needs.
bool report_other_tensorrt(const BrokenPackage& broken, const Facts& facts, Findings& findings) {
    const LoadedFile& library = broken.first().missing.front();
    if (library.library != "nvinfer" || library.losers.empty()) return false;
    const auto major_of = [](const std::string& path) { return path.substr(path.rfind('.') + 1); };
    const std::string here = file_of(library.losers.front().path);
    add_broken(broken, "CC401",
               SAY("{} of {} does not load: {} is not found, {} is installed", file_of(broken.first().path),
                   broken.name(), library.name, here),
               facts, findings)
        .found(evidence_of(library.losers.front()))
        .because(
            "the plugin for TensorRT is built for one major of it; the rest of the package works without")
        .by_hand(SAY("install TensorRT {} instead of {}", major_of(library.name), major_of(here)))
        .by_hand(SAY("install a release of {} for TensorRT {}", broken.first().package, major_of(here)));
    return true;
}

// A package of which every module is for another processor; wheels "none-any" are installed on any.
void report_other_machine(const BrokenPackage& broken, const Facts& facts, Findings& findings) {
    const NativeModule& module = broken.first();
    const std::string& machine = module.missing.front().machine;
    add_bare(broken, "CC401",
             SAY("all libraries of {} are for {}, which is not the machine of this environment",
                 broken.name(), machine),
             facts, findings)
        .found("module", SAY("{}, {}", file_of(module.path), machine), Origin::from_file(module.path))
        .because(
            "the loader takes no file for another machine, and reports 'cannot open shared object file' "
            "although it is there")
        .by_hand(SAY("install a release of {} that has a build for this machine, or build it here",
                     module.package));
}

// Shorter than the package's record says.
void report_damaged(const BrokenPackage& broken, const Facts& facts, Findings& findings) {
    const NativeModule& module = broken.first();
    const std::string& why = module.missing.front().because;
    add_bare(broken, "CC401", SAY("{} of {} cannot be loaded: {}", file_of(module.path), broken.name(), why),
             facts, findings)
        .found("module", file_of(module.path), Origin::from_file(module.path))
        .because(
            "it is shorter than the package's record says: the disk was full, or the installation was "
            "interrupted")
        .fix(pip_again_fix(module.version ? SAY("{}=={}", module.package, module.version->text)
                                          : module.package));
}

// Modules of the Python environment, in any package.
void judge_modules_without_library(const Scenario& scenario, const Facts& facts, Findings& findings) {
    for (const BrokenPackage& broken : broken_packages(scenario, facts)) {
        if (broken.fault == ModuleFault::other_machine) report_other_machine(broken, facts, findings);
        if (broken.fault == ModuleFault::damaged) report_damaged(broken, facts, findings);
        if (broken.fault != ModuleFault::library_missing || scenario.system == System::windows) continue;
        if (report_other_tensorrt(broken, facts, findings)) continue;
        const std::vector<LoadedFile> missing = broken.missing();
        const bool by_name = missing.front().how != LoadHow::needed;
        const std::string what = is_not_there(missing);
        Composed finding = add_broken(broken, "CC401",
                                      by_name ? SAY("{} opens {} when it uses a GPU, and {}", broken.name(),
                                                    names_of(missing), what)
                                              : SAY("{} does not load: {}", broken.name(), what),
                                      facts, findings)
                               .fix(fixes_of(scenario, broken, facts));
        finding->because += ": nothing in the environment brings it";
        if (finding->level == Level::unknown)
            finding.decide(SAY("whether a program compiles with {} while it runs", broken.name()));
    }
}

// The CUDA libraries that it opens; nothing if one of them is there or is needed to start.
std::vector<LoadedFile> missing_altogether(const LoadTrace& trace, const Facts& facts) {
    std::vector<LoadedFile> missing;
    for (const LoadedFile& library : trace.libraries) {
        const auto name = library_by_file_name(facts, file_of(library.name));  // a preload has a path
        if (!name || name->driver || library.how == LoadHow::text) continue;
        if (library.taken || library.undecided || !library.optional) return {};
        missing.push_back(library);
    }
    return missing;
}

std::string libraries_of_build(const Expectation& framework) {
    const std::string cuda = framework.cuda ? SAY("CUDA {}", framework.cuda->text) : "its CUDA";
    return framework.cudnn ? SAY("{} and cuDNN {}", cuda, framework.cudnn->major()) : cuda;
}

// A framework that runs without a GPU opens all of its CUDA libraries under names that need not be there;
// with none of them it computes nothing on the GPU that was named. A toolkit's folder may be built into it.
void judge_none_found(const Scenario& scenario, const Facts& facts, Findings& findings) {
    const bool toolkit =
        any_of(scenario.toolkits, [](const Toolkit& one) { return one.part(PartKind::cublas) != nullptr; });
    if (!names_a_gpu(scenario) || toolkit) return;
    for (const LoadTrace& trace : scenario.traces) {
        const Expectation* framework = scenario.framework_of(trace);
        if (!trace.traced_for || !framework || !framework->may_use_cuda()) continue;
        const std::vector<LoadedFile> missing = missing_altogether(trace, facts);
        if (missing.size() < 2) continue;
        const Composed finding =
            add(findings, "CC401", level_of_unused_gpu({framework->package}, scenario),
                SAY("{}, {}", trace.framework(), trace.path),
                SAY("{} opens {} when it uses a GPU, and finds none of them", name_of(*framework),
                    names_of(missing)))
                .of_package(framework->package)
                .because(SAY("{}: cannot open shared object file", missing.front().name))
                .by_hand(SAY("install {}, with which {} is built, and add their folders to LD_LIBRARY_PATH",
                             libraries_of_build(*framework), name_of(*framework)));
        for (const LoadedFile& library : missing) finding.found(missing_evidence(library));
        const int major = framework->cuda ? framework->cuda->major() : 0;
        if (const auto wheels = get_wheels_fix(missing, major, facts)) finding.fix(*wheels);
    }
}

// A library of the process computes a part by another one that it opens under a name that it puts together.
void judge_part(const LoadTrace& trace, const LoadedFile& library, const Scenario& scenario,
                const Facts& facts, Findings& findings) {
    const Expectation* framework = scenario.framework_of(trace);
    const std::string name = process_name(trace, framework);
    // Where the environment has one, another part of the process may have loaded it before.
    const auto* near = first_where(
        library.losers, [](const LoadLoser& loser) { return loser.lost == LoadLost::not_searched; });
    const LoadedFile* other = trace.library(library.library);
    const bool nowhere = !near && !(other && other->taken);
    const bool harms = framework && nowhere && is_meant_for_gpu(scenario);
    const Composed finding =
        add(findings, "CC401", harms ? Level::warning : Level::note,
            SAY("{} of {}", library.name, trace.path),
            near ? SAY("{} of {} does not find {}, which is in {}", file_of(library.needed_by), name,
                       library.name, folder_of(near->path))
                 : SAY("{} has no {} for {}", name, library.name, file_of(library.needed_by)))
            .found(missing_evidence(library))
            .expected(library.name, "a file of that name", Origin::from_file(library.needed_by))
            .because(SAY("{} opens it by this name, the one of its CUDA; without it {}",
                         file_of(library.needed_by), library.without));
    if (framework) finding.of_package(framework->package);
    for (const LoadLoser& loser : library.losers) finding.found(evidence_of(loser));
    if (near)
        finding.fix(prepend_list_entry("LD_LIBRARY_PATH", folder_of(near->path), scenario.system));
    else if (const auto wheels = get_wheels_fix({library}, 0, facts))
        finding.fix(*wheels);
}

void judge_parts(const Scenario& scenario, const Facts& facts, Findings& findings) {
    if (scenario.system == System::windows) return;
    for (const LoadTrace& trace : scenario.traces)
        for (const LoadedFile& library : trace.libraries)
            if (!library.taken && !library.undecided && !library.without.empty())
                judge_part(trace, library, scenario, facts, findings);
}

}  // namespace

void judge_environment(const Scenario& scenario, const Facts& facts, Findings& findings) {
    judge_found_by_call(scenario, findings);
    judge_none_found(scenario, facts, findings);
    judge_no_tensorrt(scenario, findings);
    judge_parts(scenario, facts, findings);
    judge_modules_without_library(scenario, facts, findings);
}

}  // namespace ptxguard
