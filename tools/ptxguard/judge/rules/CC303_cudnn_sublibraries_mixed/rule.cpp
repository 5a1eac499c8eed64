// CC303 cudnn_sublibraries_mixed: one process loads cuDNN libraries of different releases.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "judge/library_words.hpp"
#include "judge/log_questions.hpp"
#include "judge/recipe_questions.hpp"
#include "model/file_names.hpp"

namespace ptxguard {
namespace {

// libcudnn8 beside the cuDNN 9 of the image: each serves other programs, so only a note.
void judge_packages(const Scenario& scenario, Findings& findings) {
    const RecipeImage& image = scenario.recipe.image;
    if (!image.cudnn) return;
    for (const RecipePin& pin : scenario.recipe.pins) {
        const bool library = pin.package.rfind("libcudnn", 0) == 0 && pin.package.size() > 8;
        const auto major = library ? parse_version(pin.package.substr(8, 1)) : std::nullopt;
        if (pin.by != "apt" || !major || major->major() == image.cudnn->major()) continue;
        add(findings, "CC303", Level::note, pin.package,
            SAY("{} is installed beside cuDNN {} of {}", pin.package, image.cudnn->text, name_of(image)))
            .found(evidence_of(pin))
            .found(evidence_of(image))
            .expected("cuDNN", std::to_string(image.cudnn->major()), image.cudnn.origin)
            .because(
                "a program takes the major that it was built with; two of them in one image are rarely meant")
            .by_hand(SAY("remove {} unless a program needs cuDNN {}", pin.package, major->text));
    }
}

void judge_open(const LibraryFault& fault, System system, Findings& findings) {
    const LoadedFile &library = fault.library(), &other = fault.others.front();
    Composed finding = add(findings, "CC303", Level::unknown, SAY("{} of {}", other.name, fault.trace->path),
                           SAY("cannot determine whether {} in {} and {} are of one release of cuDNN",
                               titles_of(fault.others), folder_of(*other.taken), *library.taken));
    finding.found(evidence_of(library))
        .because(SAY("a variable gives {} a part of cuDNN from another folder, and its files do not tell "
                     "their release",
                     fault.trace->path))
        .decide("a cuDNN whose libraries are all in one folder")
        .fix(variable_fix(deciding_variable(other.rule).empty() ? library : other, system))
        .of_entry(entry_of(library, other));
    for (const LoadedFile& one : fault.others) finding.found(evidence_of(one));
}

// "9.1.0" of a file and "9.1.0.70" of its package.
bool same_patch(const Version& one, const Version& other) {
    return std::equal(one.numbers.begin(), one.numbers.begin() + 3, other.numbers.begin());
}

// cuDNN's own check failed, and the log lists copies of several releases.
void judge_copies_of_log(const Scenario& scenario, Findings& findings) {
    const auto failed = messages_with(scenario, {"cudnn_mixed"});
    if (failed.empty()) return;
    std::vector<const LogMessage*> copies;
    for (const LogMessage* file : messages_with(scenario, {"cudnn_file"}))
        if (none_of(copies, [&](const LogMessage* one) { return same_patch(*one->loaded, *file->loaded); }))
            copies.push_back(file);
    if (copies.size() < 2) return;
    std::vector<std::string> releases;
    for (const LogMessage* one : copies) releases.push_back(one->loaded->text);
    Composed finding = add(findings, "CC303", Level::error, "cuDNN",
                           SAY("one process loads libraries of cuDNN from several of these releases: {}",
                               joined(releases, " and ")));
    finding.found(evidence_of(*failed.front()))
        .expected("cuDNN", "all libraries of one release", failed.front()->origin)
        .because("the libraries of cuDNN check each other's version and work only within one release")
        .by_hand(SAY("remove all copies of cuDNN but one from {}", search_variable(scenario)));
    for (const LogMessage* one : copies) finding.found(evidence_of(*one));
}

}  // namespace

PTXGUARD_RULE(CC303) {
    if (scenario.source == SourceKind::log) return judge_copies_of_log(scenario, findings);
    judge_packages(scenario, findings);
    for (const LibraryFault& fault : faults.reported_by("CC303")) {
        const AllAbout about(findings, fault.about);
        if (fault.open) {
            judge_open(fault, scenario.system, findings);
            continue;
        }
        const LoadedFile &library = fault.library(), &other = fault.others.front();
        Composed finding =
            add(findings, "CC303", Level::error, SAY("{} of {}", other.name, fault.trace->path),
                SAY("{} loads {} with {}", fault.trace->path, titles_of(fault.others), title_of(library)));
        finding.found(evidence_of(library))
            .expected(other.name, library.version ? library.version->text : "of the same release",
                      library.version.origin)
            .because(
                "the libraries of cuDNN check each other's version and work only within one release; the "
                "file name contains only the major, so the loader accepts either")
            .fix(same_release_fix(other, library, scenario.system, facts))
            .of_entry(entry_of(library, other));
        for (const LoadedFile& one : fault.others) finding.found(evidence_of(one));
    }
}

}  // namespace ptxguard
