// CUDA sources that CMake silently leaves out of the build, and options that turn CUDA on in other releases
// of what is built.
// SPDX-License-Identifier: Apache-2.0
#include "judge/rule.hpp"
#include "model/text.hpp"

namespace ptxguard {
namespace {

void judge_options(const RecipeFacts& recipe, Findings& findings) {
    for (const UnreadOption& one : recipe.unread_options) {
        const bool certain = one.stops && one.pinned;
        Finding& finding =
            add(findings, "CC618", certain ? Level::error : Level::warning, one.option,
                one.built + (one.stops ? " does not build with " + one.option
                                       : " is built without CUDA: it does not read " + one.option));
        finding.found = {{"option", one.option, one.origin}};
        finding.expected = {{"option", one.instead, one.row}};
        finding.because =
            one.stops
                ? "it was removed, and the build fails with an error that names what replaces it"
                : "make and CMake ignore variables that nothing reads; the build succeeds, for CPUs only";
        finding.fix = {{FixKind::edit, one.instead}};
    }
}

}  // namespace

PTXGUARD_RULE(CC618) {
    judge_options(scenario.recipe, findings);
    for (const DroppedSources& dropped : scenario.project.dropped) {
        const bool has_target = !dropped.target.empty();
        const std::string subject = has_target ? dropped.target : "CUDA sources";
        const std::string files = some_of(dropped.files, 3);
        const char* of_project = dropped.files.size() == 1 ? "the CUDA source " : "the CUDA sources ";
        Finding& finding = add(findings, "CC618", Level::warning, subject,
                               has_target ? "target " + dropped.target + " is built without " + files +
                                                ": the project does not enable CUDA"
                                          : "no target compiles " + (of_project + files) + ": " +
                                                dropped.looked_by + " found no CUDA compiler");
        finding.found = {{has_target ? "target" : "sources", files, dropped.origin}};
        finding.expected = {{"CUDA", has_target ? "enabled in the project" : "a compiler", {}}};
        if (has_target) {
            finding.because =
                "CMake compiles a file only if the language of its extension is enabled, and ignores it "
                "otherwise";
            finding.fix = {
                {FixKind::manual, "add CUDA to the languages of project(), or call enable_language(CUDA)"},
                {FixKind::manual, "if C++ is meant, set the LANGUAGE property of these sources to CXX"}};
        } else {
            finding.because = "the project then configures without its CUDA part, and the build succeeds";
            finding.fix = {{FixKind::manual,
                            "set CMAKE_CUDA_COMPILER to an nvcc, and configure in an empty build folder"}};
        }
    }
}

}  // namespace ptxguard
