// CC305 cudnn_missing: a framework needs cuDNN and the loader finds none, or an incomplete one. A cuDNN of
// another major is reported by CC301; on Windows missing DLLs are CC501's and CC505's.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "facts/framework_traits.hpp"
#include "facts/libraries.hpp"
#include "judge/cudnn_questions.hpp"
#include "judge/framework_questions.hpp"
#include "judge/library_questions.hpp"
#include "judge/ptx_questions.hpp"
#include "judge/toolkit_questions.hpp"
#include "model/text.hpp"

namespace ptxguard {
namespace {

// A copy of that major in a folder that is not searched.
const CudnnCopy* copy_of_major(const Scenario& scenario, int major) {
    for (const CudnnCopy& copy : scenario.cudnns)
        if (copy.major == major) return &copy;
    return nullptr;
}

bool any_copy_of_other_major(const Scenario& scenario, int major) {
    return std::any_of(scenario.cudnns.begin(), scenario.cudnns.end(),
                       [&](const CudnnCopy& copy) { return copy.major != major; });
}

Version wanted_version(const CudnnInUse& cudnn, int major) {
    if (cudnn.framework && cudnn.framework->cudnn && cudnn.framework->cudnn->major() == major)
        return *cudnn.framework->cudnn;
    Version version;
    version.numbers = {major};
    version.text = std::to_string(major);
    return version;
}

void add_get_fix(const CudnnInUse& cudnn, int major, Finding& finding) {
    finding.fix = reinstall_fix(*cudnn.trace, "cudnn");
    if (!finding.fix.empty()) {
        finding.because += "; the record of the package says that it is installed, its files are gone";
        return;
    }
    std::string command;
    for (const std::string& package : cudnn.trace->absent_packages)
        if (nvidia_component(package) == "cudnn") command = "python3 -m pip install '" + package + "'";
    const int cuda = cudnn.framework && cudnn.framework->cuda ? cudnn.framework->cuda->major() : 0;
    if (!command.empty())
        finding.fix.push_back({FixKind::command, command});
    else
        finding.fix.push_back(get_cudnn_fix(cudnn, wanted_version(cudnn, major), cuda));
}

void judge_missing(const Scenario& scenario, const Facts& facts, const CudnnInUse& cudnn,
                   Findings& findings) {
    const int major = major_asked(cudnn, facts);
    const CudnnCopy* copy = copy_of_major(scenario, major);
    if (!only_cudnn_is_missing(*cudnn.trace, facts)) return;        // CC401 names all that is missing
    if (!copy && any_copy_of_other_major(scenario, major)) return;  // CC301
    const bool harms = is_meant_for_gpu(scenario, facts, cudnn);
    Finding& finding =
        add(findings, "CC305", harms ? Level::error : Level::note, name_of(cudnn) + ", " + cudnn.trace->path,
            name_of(cudnn) + " finds no cuDNN: " + cudnn.asked->name + " is not there");
    Origin where;
    where.text = cudnn.asked->because;
    finding.found = {{cudnn.asked->name, "no such file", where}};
    if (copy) {
        Origin place = Origin::from_file(copy->folder);
        place.text = copy->folder + ", which is not searched";
        finding.found.push_back(
            {"cuDNN here", copy->version ? copy->version->text : std::to_string(major), place});
    }
    Origin asker = Origin::from_file(cudnn.asked->needed_by);
    asker.text = "asked for by " + cudnn.asked->needed_by;
    finding.expected = {{cudnn.asked->name, "one that is found", asker}};
    const bool starts =
        !is_needed_to_start(*cudnn.asked) || framework_traits(facts, cudnn.trace->framework).cuda_is_plugin;
    finding.because =
        starts ? "the other CUDA libraries are found; without cuDNN the framework leaves the GPU unused"
               : "the loader looks in these folders alone; without it the framework cannot be imported";
    if (copy) finding.fix.push_back(prepend_list_entry("LD_LIBRARY_PATH", copy->folder, scenario.system));
    if (copy) return;
    add_get_fix(cudnn, major, finding);
}

// Libraries that cuDNN opens at the first call that needs them. Even one that it can start without is
// searched for when a graph needs its engine.
void judge_incomplete(const CudnnInUse& cudnn, Findings& findings) {
    std::vector<const LoadedFile*> missing;
    for (const LoadedFile& library : cudnn.trace->libraries)
        if (is_cudnn(library) && is_absent(library)) missing.push_back(&library);
    if (missing.empty()) return;
    std::vector<std::string> names;
    for (const LoadedFile* library : missing) names.push_back(library->name);
    Finding& finding = add(findings, "CC305", Level::error, name_of(cudnn) + ", " + *cudnn.asked->taken,
                           "the cuDNN of " + name_of(cudnn) + " is incomplete: " + list(names) +
                               (names.size() == 1 ? " is not there" : " are not there"));
    finding.found = {evidence_of(*cudnn.asked)};
    for (const LoadedFile* library : missing) {
        Origin where;
        where.text = library->because;
        finding.found.push_back({library->name, "no such file", where});
    }
    const std::string release = cudnn.version ? cudnn.version->text : "of the same release";
    finding.expected = {{"cuDNN", "all parts of " + release + " in one folder", cudnn.version.origin}};
    finding.because =
        "cuDNN opens its parts by name at the first call that needs them, and the call then fails";
    finding.fix = reinstall_fix(*cudnn.trace, "cudnn");
    if (finding.fix.empty())
        finding.fix = {{FixKind::manual, "install the whole of cuDNN" +
                                             (cudnn.version ? " " + cudnn.version->text : std::string()) +
                                             " where " + *cudnn.asked->taken + " lies"}};
}

void judge_undecided(const CudnnInUse& cudnn, Findings& findings) {
    Finding& finding = add(findings, "CC305", Level::unknown, name_of(cudnn) + ", " + cudnn.asked->name,
                           "whether " + name_of(cudnn) + " finds cuDNN is not known: " + cudnn.asked->name +
                               " may lie in folders that are not here");
    finding.found = {{cudnn.asked->name, "undecided", Origin::from_file(cudnn.asked->needed_by)}};
    finding.because = cudnn.asked->because.empty() ? "the system's library folders are not in this tree"
                                                   : cudnn.asked->because;
    finding.decide = {"the tree of the whole system: --root DIR"};
    finding.required = cudnn.framework && cudnn.framework->required;
}

// A framework that the user named and whose libraries could not be traced.
void judge_untraced(const Scenario& scenario, Findings& findings) {
    for (const Expectation& expectation : scenario.expectations) {
        if (!expectation.required || expectation.declared || expectation.path.empty() || !expectation.cudnn)
            continue;
        const bool traced =
            std::any_of(scenario.traces.begin(), scenario.traces.end(),
                        [&](const LoadTrace& trace) { return scenario.framework_of(trace) == &expectation; });
        if (traced || !may_use_cuda(expectation)) continue;
        Finding& finding = add(findings, "CC305", Level::unknown, name_of(expectation) + ", cuDNN",
                               "which cuDNN " + name_of(expectation) +
                                   " gets is not known: its libraries could not be followed");
        finding.because = "none of its library files is here as a whole";
        finding.decide = {"its installed files: --python DIR"};
    }
}

// A project that links cuDNN finds it if a copy for the CUDA of its toolkit is installed.
void judge_project(const Scenario& scenario, Findings& findings) {
    if (!scenario.requires_("cudnn") || !scenario.cudnns.empty()) return;
    const Toolkit* toolkit = toolkit_of_build(scenario);
    const Known<Version> release = toolkit ? release_of(*toolkit) : Known<Version>{};
    Finding& finding = add(findings, "CC305", Level::error, "cuDNN of this project",
                           "this project links cuDNN, and none is here");
    finding.expected = {
        {"cuDNN", release ? "for CUDA " + std::to_string(release->major()) : "one", release.origin}};
    finding.because =
        "neither the system's folders nor a toolkit, a wheel, conda's prefix or a search path holds one";
    finding.fix = {
        {FixKind::manual,
         "install cuDNN" + (release ? " for CUDA " + std::to_string(release->major()) : std::string())}};
    finding.required = true;
}

}  // namespace

PTXGUARD_RULE(CC305) {
    judge_project(scenario, findings);
    if (scenario.system == System::windows) return;
    judge_untraced(scenario, findings);
    for (const CudnnInUse& cudnn : cudnns_in_use(scenario)) {
        if (cudnn.trace->framework.empty()) continue;
        if (cudnn.asked->undecided && !cudnn.asked->taken && !cudnn.asked->optional)
            judge_undecided(cudnn, findings);
        else if (is_taken(*cudnn.asked))
            judge_incomplete(cudnn, findings);
        else if (is_absent(*cudnn.asked))
            judge_missing(scenario, facts, cudnn, findings);
    }
}

}  // namespace ptxguard
