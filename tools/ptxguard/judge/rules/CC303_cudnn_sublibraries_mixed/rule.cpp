// CC303 cudnn_sublibraries_mixed: one process loads cuDNN libraries of different releases.
// SPDX-License-Identifier: Apache-2.0
#include "judge/library_words.hpp"
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
        Finding& finding =
            add(findings, "CC303", Level::note, pin.package,
                pin.package + " is installed beside cuDNN " + image.cudnn->text + " of " + name_of(image));
        finding.found = {evidence_of(pin), evidence_of(image)};
        finding.expected = {{"cuDNN", std::to_string(image.cudnn->major()), image.cudnn.origin}};
        finding.because =
            "a program takes the major that it was built with; two of them in one image are rarely meant";
        finding.fix = {
            {FixKind::manual, "remove " + pin.package + " unless a program needs cuDNN " + major->text}};
    }
}

void judge_open(const LibraryFault& fault, System system, Findings& findings) {
    const LoadedFile &library = fault.library(), &other = fault.others.front();
    Finding& finding =
        add(findings, "CC303", Level::unknown, other.name + " of " + fault.trace->path,
            "cannot determine whether " + titles_of(fault.others) + " in " + folder_of(*other.taken) +
                " and " + *library.taken + " are of one release of cuDNN");
    finding.found = {evidence_of(library)};
    for (const LoadedFile& one : fault.others) finding.found.push_back(evidence_of(one));
    finding.because = "a variable gives " + fault.trace->path +
                      " a part of cuDNN from another folder, and its files do not tell their release";
    finding.decide = {"a cuDNN whose libraries are all in one folder"};
    finding.fix = variable_fix(deciding_variable(other.rule).empty() ? library : other, system);
    finding.entry = entry_of(library, other);
}

}  // namespace

PTXGUARD_RULE(CC303) {
    judge_packages(scenario, findings);
    for (const LibraryFault& fault : faults.reported_by("CC303")) {
        if (fault.open) {
            judge_open(fault, scenario.system, findings);
            continue;
        }
        const LoadedFile &library = fault.library(), &other = fault.others.front();
        Finding& finding =
            add(findings, "CC303", Level::error, other.name + " of " + fault.trace->path,
                fault.trace->path + " loads " + titles_of(fault.others) + " with " + title_of(library));
        finding.found = {evidence_of(library)};
        for (const LoadedFile& one : fault.others) finding.found.push_back(evidence_of(one));
        finding.expected = {{other.name, library.version ? library.version->text : "of the same release",
                             library.version.origin}};
        finding.because =
            "the libraries of cuDNN check each other's version and work only within one release; the file "
            "name contains only the major, so the loader accepts either";
        finding.fix = same_release_fix(other, library, scenario.system);
        finding.entry = entry_of(library, other);
    }
}

}  // namespace ptxguard
