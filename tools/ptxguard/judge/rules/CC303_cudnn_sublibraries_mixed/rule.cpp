// CC303 cudnn_sublibraries_mixed: one process loads cuDNN libraries of different releases.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "judge/library_words.hpp"
#include "judge/log_questions.hpp"
#include "judge/recipe_questions.hpp"
#include "model/file_names.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"

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
        finding.fix = {by_hand("remove " + pin.package + " unless a program needs cuDNN " + major->text)};
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
    Finding& finding = add(
        findings, "CC303", Level::error, "cuDNN",
        "one process loads libraries of cuDNN from several of these releases: " + joined(releases, " and "));
    finding.found = {evidence_of(*failed.front())};
    for (const LogMessage* one : copies) finding.found.push_back(evidence_of(*one));
    finding.expected = {{"cuDNN", "all libraries of one release", failed.front()->origin}};
    finding.because = "the libraries of cuDNN check each other's version and work only within one release";
    finding.fix = {by_hand("remove all copies of cuDNN but one from " + search_variable(scenario))};
}

}  // namespace

PTXGUARD_RULE(CC303) {
    if (scenario.source == SourceKind::log) return judge_copies_of_log(scenario, findings);
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
