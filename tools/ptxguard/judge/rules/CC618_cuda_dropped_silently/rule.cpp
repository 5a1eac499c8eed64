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
        add(findings, "CC618", certain ? Level::error : Level::warning, one.option,
            one.stops ? SAY("{} does not build with {}", one.built, one.option)
                      : SAY("{} is built without CUDA: it does not read {}", one.built, one.option))
            .found("option", one.option, one.origin)
            .expected("option", one.instead, one.row)
            .because(
                one.stops
                    ? "it was removed, and the build fails with an error that names what replaces it"
                    : "make and CMake ignore variables that nothing reads; the build succeeds, for CPUs only")
            .edit(one.instead);
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
        Composed finding =
            add(findings, "CC618", Level::warning, subject,
                has_target ? SAY("target {} is built without {}: the project does not enable CUDA",
                                 dropped.target, files)
                           : SAY("no target compiles {}: {} found no CUDA compiler", of_project + files,
                                 dropped.looked_by))
                .found(has_target ? "target" : "sources", files, dropped.origin)
                .expected("CUDA", has_target ? "enabled in the project" : "a compiler", {});
        if (has_target) {
            finding.because(
                "CMake compiles a file only if the language of its extension is enabled, and ignores it "
                "otherwise");
            finding.by_hand("add CUDA to the languages of project(), or call enable_language(CUDA)")
                .by_hand("if C++ is meant, set the LANGUAGE property of these sources to CXX");
        } else {
            finding.because("the project then configures without its CUDA part, and the build succeeds");
            finding.by_hand("set CMAKE_CUDA_COMPILER to an nvcc, and configure in an empty build folder");
        }
    }
}

}  // namespace ptxguard
