// What packages of a Python environment open or find only under conditions, and their native modules.
// SPDX-License-Identifier: Apache-2.0

#include "facts/libraries.hpp"
#include "judge/cudnn_questions.hpp"
#include "judge/fixes.hpp"
#include "judge/framework_questions.hpp"
#include "judge/library_words.hpp"
#include "judge/module_questions.hpp"
#include "judge/rules/CC401_library_missing/parts.hpp"
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
        Finding& finding = add(findings, "CC401", Level::note, trace.framework() + ", " + call,
                               trace.framework() + " finds its CUDA libraries only after " + call);
        for (const LoadedFile& library : by_call) finding.found.push_back(evidence_of(library));
        finding.because =
            "they are in the environment's packages, which the loader does not search; without the call it "
            "runs on the CPU";
        finding.fix = {by_hand("call " + call + " before the first session"),
                       by_hand("import torch first, if it is of the same CUDA")};
    }
}

// Of TensorRT another major is there than a framework's plugin needs.
bool report_other_tensorrt(const BrokenPackage& broken, const Facts& facts, Findings& findings) {
    const LoadedFile& library = broken.first().missing.front();
    if (library.library != "nvinfer" || library.losers.empty()) return false;
    const auto major_of = [](const std::string& path) { return path.substr(path.rfind('.') + 1); };
    const std::string here = file_of(library.losers.front().path);
    Finding& finding =
        add_broken(broken, "CC401",
                   file_of(broken.first().path) + " of " + broken.name() + " does not load: " + library.name +
                       " is not found, " + here + " is installed",
                   facts, findings);
    finding.found.push_back(evidence_of(library.losers.front()));
    finding.because =
        "the plugin for TensorRT is built for one major of it; the rest of the package works without";
    finding.fix = {
        by_hand("install TensorRT " + major_of(library.name) + " instead of " + major_of(here)),
        by_hand("install a release of " + broken.first().package + " for TensorRT " + major_of(here))};
    return true;
}

// A package of which every module is for another processor; wheels "none-any" are installed on any.
void report_other_machine(const BrokenPackage& broken, const Facts& facts, Findings& findings) {
    const NativeModule& module = broken.first();
    const std::string& machine = module.missing.front().machine;
    Finding& finding = add_broken(broken, "CC401",
                                  "all libraries of " + broken.name() + " are for " + machine +
                                      ", which is not the machine of this environment",
                                  facts, findings);
    finding.found = {{"module", file_of(module.path) + ", " + machine, Origin::from_file(module.path)}};
    finding.because =
        "the loader takes no file for another machine, and reports 'cannot open shared object file' although "
        "it is there";
    finding.fix = {by_hand("install a release of " + module.package +
                           " that has a build for this machine, or build it here")};
}

// Shorter than the package's record says.
void report_damaged(const BrokenPackage& broken, const Facts& facts, Findings& findings) {
    const NativeModule& module = broken.first();
    const std::string& why = module.missing.front().because;
    Finding& finding = add_broken(broken, "CC401",
                                  file_of(module.path) + " of " + broken.name() + " cannot be loaded: " + why,
                                  facts, findings);
    finding.found = {{"module", file_of(module.path), Origin::from_file(module.path)}};
    finding.because =
        "it is shorter than the package's record says: the disk was full, or the installation was "
        "interrupted";
    finding.fix = {{FixKind::command, k_pip_install_again + module.package +
                                          (module.version ? "==" + module.version->text : std::string())}};
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
        Finding& finding = add_broken(
            broken, "CC401",
            by_name ? broken.name() + " opens " + names_of(missing) + " when it uses a GPU, and " + what
                    : broken.name() + " does not load: " + what,
            facts, findings);
        finding.because += ": nothing in the environment brings it";
    }
}

// A framework that runs without a GPU opens all of its CUDA libraries under names that need not be there;
// with none of them it computes nothing on the GPU that was named. A toolkit's folder may be built into it.
void judge_none_found(const Scenario& scenario, const Facts& facts, Findings& findings) {
    if (!names_a_gpu(scenario)) return;
    for (const LoadTrace& trace : scenario.traces) {
        const Expectation* framework = scenario.framework_of(trace);
        if (!trace.traced_for || !framework || !framework->may_use_cuda()) continue;
        std::vector<LoadedFile> missing;
        bool any = false;
        for (const LoadedFile& library : trace.libraries) {
            const auto name = library_by_file_name(facts, file_of(library.name));  // a preload has a path
            if (!name || name->driver || library.how == LoadHow::text) continue;
            any = any || library.taken || library.undecided || !library.optional;
            missing.push_back(library);
        }
        const auto has_one = [&](const Toolkit& toolkit) {
            return toolkit.part(PartKind::cublas) != nullptr;
        };
        if (any || missing.size() < 2 || any_of(scenario.toolkits, has_one)) continue;
        Finding& finding = add(findings, "CC401", Level::warning, trace.framework() + ", " + trace.path,
                               name_of(*framework) + " opens " + names_of(missing) +
                                   " when it uses a GPU, and finds none of them");
        finding.package = framework->package;
        for (const LoadedFile& library : missing) finding.found.push_back(missing_evidence(library));
        finding.because = missing.front().name + ": cannot open shared object file";
        const int major = framework->cuda ? framework->cuda->major() : 0;
        const std::string cuda = framework->cuda ? "CUDA " + framework->cuda->text : std::string("its CUDA");
        const std::string cudnn =
            framework->cudnn ? " and cuDNN " + std::to_string(framework->cudnn->major()) : std::string();
        finding.fix = {by_hand("install " + cuda + cudnn + ", with which " + name_of(*framework) +
                               " is built, and add their folders to LD_LIBRARY_PATH")};
        if (const auto wheels = get_wheels_fix(missing, major, facts)) finding.fix.push_back(*wheels);
    }
}

}  // namespace

void judge_environment(const Scenario& scenario, const Facts& facts, Findings& findings) {
    judge_found_by_call(scenario, findings);
    judge_none_found(scenario, facts, findings);
    judge_modules_without_library(scenario, facts, findings);
}

}  // namespace ptxguard
