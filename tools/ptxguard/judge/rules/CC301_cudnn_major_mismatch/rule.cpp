// CC301 cudnn_major_mismatch: a process needs one major of cuDNN and another one is installed, under its own
// name or through a link with the required name.
// SPDX-License-Identifier: Apache-2.0
#include "judge/cudnn_questions.hpp"
#include "judge/framework_questions.hpp"
#include "judge/library_words.hpp"
#include "judge/log_questions.hpp"
#include "judge/recipe_questions.hpp"
#include "model/file_names.hpp"

namespace ptxguard {
namespace {

Evidence evidence_of_copy(const CudnnCopy& copy) {
    Origin origin = copy.version.origin;
    origin.text = copy.source.empty() ? copy.folder : SAY("{}, of the {}", copy.folder, copy.source);
    if (origin.kind == OriginKind::none) origin = Origin::from_file(copy.folder);
    return {"installed cuDNN", copy.version ? copy.version->text : std::to_string(copy.major), origin};
}

Composed add_other_name(const LibraryFault& fault, const Scenario& scenario, const Facts& facts, int wanted,
                        Findings& findings) {
    const LoadTrace& trace = *fault.trace;
    const std::string name = process_name(trace, fault.framework);
    const bool windows = scenario.system == System::windows;
    Composed finding =
        add(findings, "CC301",
            windows ? level_of_dlls(fault, scenario, facts) : level_of_cudnn(fault, scenario, facts),
            windows ? SAY("{} of {}", fault.library().name, trace.path) : SAY("{}, {}", name, trace.path),
            windows ? SAY("{} needs cuDNN {} ({}), but only {} is installed", name, wanted,
                          fault.library().name, file_of(fault.near.front().path))
                    : SAY("{} needs cuDNN {} ({}), but only cuDNN {} is installed", name, wanted,
                          fault.library().name, fault.copy->major));
    finding.found(windows ? evidence_of(fault.near.front()) : evidence_of_copy(*fault.copy));
    return finding;
}

// A link or copy under the name of another major: libcudnn.so.8 -> libcudnn.so.9.1.0.
Composed add_renamed(const LibraryFault& fault, Findings& findings) {
    const LoadedFile& library = fault.library();
    Composed finding = add(findings, "CC301", Level::error, SAY("{} of {}", library.name, fault.trace->path),
                           SAY("{} of {} is really cuDNN {}", library.name,
                               process_name(*fault.trace, fault.framework), fault.major));
    finding.found(evidence_of(library))
        .by_hand(SAY("remove the link or copy {}", library.taken.value_or("")));
    finding->found.front().origin.text += SAY(", really {}", library.real_path);
    return finding;
}

// A framework of a recipe that opens the cuDNN of the image, or of PyTorch beside it.
void judge_recipe(const Scenario& scenario, const Facts& facts, Findings& findings) {
    for (const Expectation& one : scenario.expectations) {
        if (!loads_libraries_here(scenario, one) || !one.cudnn || never_released(one)) continue;
        const LibrariesHere here = libraries_for(scenario, facts, one);
        if (!here.cudnn || here.cudnn->major() == one.cudnn->major()) continue;
        if (torch_brings_cudnn(scenario, one, one.cudnn->major())) continue;
        const std::string wanted = std::to_string(one.cudnn->major());
        Composed finding =
            add(findings, "CC301",
                here.complete ? Level::error
                : here.pinned ? Level::warning
                              : Level::unknown,
                SAY("{}, cuDNN", name_of(one)),
                SAY("{} needs cuDNN {}, {} has cuDNN {}", name_of(one), wanted, here.of, here.cudnn->text));
        finding.found("cuDNN", here.cudnn)
            .found(one.package, name_of(one), one.version.origin)
            .expected("cuDNN", wanted, one.cudnn.origin)
            .because(SAY("the number in the file name is the major version of cuDNN (libcudnn.so.{}); the "
                         "loader does not take another",
                         wanted))
            .by_hand(SAY("use an image with cuDNN {}, or another release of {}", wanted, one.package));
        if (!here.complete && !here.pinned)
            finding.decide(SAY("whether another package or the machine brings cuDNN {}", wanted));
    }
}

// A framework compares both releases when it starts, and prints them.
void judge_majors_of_log(const Scenario& scenario, const Facts& facts, Findings& findings) {
    for (const LogMessage* message : messages_with(scenario, {"cudnn_versions"})) {
        const auto &loaded = message->loaded, &built = message->built;
        if (!loaded || !built || loaded->major() == built->major()) continue;
        add(findings, "CC301", Level::error, "cuDNN",
            SAY("{} was built with cuDNN {} but loads cuDNN {}", program_of_log(scenario), built->text,
                loaded->text))
            .found(evidence_of(*message))
            .expected("cuDNN", std::to_string(built->major()), message->origin)
            .because("a program built with one major of cuDNN cannot run with another")
            .fix(get_cudnn_fix(framework_of_log(scenario), *built, facts))
            .fix(leave_out_fix(scenario, "cuDNN", *loaded));
        return;
    }
}

}  // namespace

PTXGUARD_RULE(CC301) {
    if (scenario.source == SourceKind::log) return judge_majors_of_log(scenario, facts, findings);
    judge_recipe(scenario, facts, findings);
    for (const LibraryFault& fault : faults.reported_by("CC301")) {
        const AllAbout about(findings, fault.about);
        const LoadedFile& library = fault.library();
        const int wanted = fault.wanted->major();
        Evidence needed = wanted_evidence(fault, library);
        needed.value = SAY("cuDNN {}", wanted);
        const Composed finding = fault.kind == LibraryFaultKind::renamed
                                     ? add_renamed(fault, findings)
                                     : add_other_name(fault, scenario, facts, wanted, findings);
        finding.expected(needed)
            .because(
                "the number in the file name is the major version of cuDNN; a program built with one major "
                "cannot run with another")
            .fix(get_cudnn_fix(fault.framework, *fault.wanted, facts));
    }
}

}  // namespace ptxguard
