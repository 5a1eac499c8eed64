// CC401 library_missing: the loader finds no file for a required library. On Windows this is CC501. Driver
// libraries are CC210's, NVRTC's builtins CC405's.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "facts/framework_traits.hpp"
#include "judge/cudnn_questions.hpp"
#include "judge/library_questions.hpp"
#include "judge/missing_questions.hpp"
#include "judge/ptx_questions.hpp"

namespace ptxguard {
namespace {

std::vector<Fix> get_fix(const LoadedFile& library, const Facts& facts) {
    const auto name = library_by_file_name(facts, library.name);
    const std::string cuda = name && name->cuda_major ? " of CUDA " + std::to_string(name->cuda_major) : "";
    std::vector<Fix> fixes{{FixKind::manual, "install " + library.name + cuda + " where the loader looks"}};
    for (const LibrarySource& source : library_sources(facts, library.name, System::linux_)) {
        if (source.package.empty()) continue;
        fixes.push_back({FixKind::manual, "pip install " + source.package + ", with its " + source.folder +
                                              " in LD_LIBRARY_PATH"});
        break;
    }
    return fixes;
}

void judge_extension(const LoadTrace& trace, Findings& findings) {
    const std::string& package = trace.missing_package;
    Finding& finding = add(findings, "CC401", Level::unknown, trace.path,
                           "whether " + trace.path + " loads is not known: it is an extension of " + package +
                               ", which is not here");
    finding.because = "it needs libraries of " + package +
                      " and has no way to them: it comes into a process in which " + package +
                      " was imported, with the CUDA libraries that it loaded";
    finding.required = true;
    finding.decide = {"the Python that has " + package + ": --python DIR"};
}

// A project that links cuBLAS uses that of its toolkit.
void judge_project(const Scenario& scenario, Findings& findings) {
    const Toolkit* toolkit = scenario.requires_("cublas") ? toolkit_of_build(scenario) : nullptr;
    if (!toolkit || toolkit->part(PartKind::cublas)) return;
    Finding& finding = add(findings, "CC401", Level::error, "cuBLAS of this project",
                           "this project links cuBLAS, and " + name_of(*toolkit) + " has none");
    finding.expected = {{"cuBLAS", "a library in " + toolkit->root, Origin::from_file(toolkit->root)}};
    finding.because = "find_package(CUDAToolkit) takes the libraries of the toolkit that compiles";
    const Known<Version> release = release_of(*toolkit);
    finding.fix = {{FixKind::manual, "install the cuBLAS of CUDA " +
                                         (release ? release->release() : std::string("its release")) +
                                         " into that toolkit"}};
}

bool is_missing(const LoadedFile& library, const Facts& facts) {
    if (library.taken || library.undecided || library.optional || library.how == LoadHow::text) return false;
    return !is_of_driver(library, facts) && library.library != "nvrtc-builtins";
}

std::string names_of(const std::vector<const LoadedFile*>& libraries) {
    constexpr std::size_t k_shown = 3;
    std::vector<std::string> names;
    for (const LoadedFile* library : libraries) {
        if (names.size() == k_shown) {
            names.push_back(std::to_string(libraries.size() - k_shown) + " more");
            break;
        }
        names.push_back(library->name);
    }
    return list(names);
}

void add_package_fix(const LoadTrace& trace, Finding& finding) {
    std::string command = "python3 -m pip install";
    for (const std::string& package : trace.absent_packages) command += " '" + package + "'";
    finding.fix = {{FixKind::command, command}};
}

// When the missing libraries are needed.
enum class Asked { at_start, by_plugin, at_use, later };

// How much of CUDA is installed besides what is missing.
struct Signs {
    bool some_taken = false;  // some of the CUDA libraries are found
    bool led_to = false;      // a variable names those of another CUDA
    bool all_lie_here = false;
};

Signs signs_of(const LoadTrace& trace, const Elsewhere& elsewhere) {
    const auto serves = [](const LoadedFile& library) {
        return is_taken(library) && library.cuda_major != 0;
    };
    return {std::any_of(trace.libraries.begin(), trace.libraries.end(), serves), elsewhere.is_led_to(),
            elsewhere.all};
}

// Libraries that are opened when a GPU is used matter only if one is meant to be used: CuPy cannot do
// anything without them. A package for CUDA only (JAX's plugin) shows that; for a wheel that also serves CPUs
// (TensorFlow) the other packages that it pins do, and CUDA libraries that a variable names.
Level level_of_later(const LoadTrace& trace, const Expectation* framework, const Scenario& scenario,
                     Asked asked, const Signs& signs) {
    if (!framework) return Level::note;
    if (!is_meant_for_gpu(scenario))
        return signs.led_to || (asked == Asked::at_use && signs.some_taken) ? Level::warning : Level::note;
    if (framework->required || asked == Asked::at_use) return Level::error;
    if (trace.packages_of_others) return Level::note;
    const bool some_packages = !trace.absent_packages.empty() && !trace.all_packages_absent;
    const bool had_them = !trace.half_removed.empty() || signs.all_lie_here || signs.led_to;
    return some_packages || had_them || !framework->build_package.empty() ? Level::warning : Level::note;
}

Level level_of(const LoadTrace& trace, const Scenario& scenario, Asked asked, const Signs& signs) {
    const Expectation* framework = scenario.framework_of(trace);
    if (asked == Asked::later || asked == Asked::at_use)
        return level_of_later(trace, framework, scenario, asked, signs);
    if (asked == Asked::by_plugin) {
        if (framework && framework->required) return Level::error;
        return signs.led_to || is_meant_for_gpu(scenario) ? Level::warning : Level::note;
    }
    return trace.all_packages_absent ? Level::note : Level::error;
}

Asked when_asked(const LoadTrace& trace, const Scenario& scenario, const Facts& facts, bool to_start) {
    const FrameworkTraits& traits = framework_traits(facts, trace.framework);
    const Expectation* framework = scenario.framework_of(trace);
    if (traits.needs_at_use_from && framework && framework->version &&
        *framework->version >= *traits.needs_at_use_from)
        return Asked::at_use;
    if (!to_start) return Asked::later;
    return traits.cuda_is_plugin ? Asked::by_plugin : Asked::at_start;
}

std::string sentence(const LoadTrace& trace, Asked asked, Level level, const std::string& names, bool one) {
    const std::string are = one ? " is not there" : " are not there";
    switch (asked) {
        case Asked::at_start:
            return trace.framework + " cannot be imported: " + names + are;
        case Asked::by_plugin:
            return trace.framework + " runs on the CPU: " + names + are;
        case Asked::at_use:
            return trace.framework + " is imported and fails at first use: " + names + are;
        case Asked::later:
            break;
    }
    return trace.framework +
           (level == Level::note ? " starts without " : " leaves the GPU unused, without ") + names +
           ", opened when a GPU is used";
}

// Report a framework once. If none of its required packages is installed, it is not meant to run here: it was
// only unpacked, or only its headers are used.
void judge_framework(const LoadTrace& trace, const Scenario& scenario, const Facts& facts,
                     Findings& findings) {
    std::vector<const LoadedFile*> needed, later;
    for (const LoadedFile& library : trace.libraries)
        if (is_missing(library, facts)) (is_needed_to_start(library) ? needed : later).push_back(&library);
    const auto& missing = needed.empty() ? later : needed;
    if (missing.empty() || only_cudnn_is_missing(trace, facts))
        return;  // if only cuDNN is missing, CC301 and CC305 report it
    const Asked asked = when_asked(trace, scenario, facts, !needed.empty());
    const Elsewhere elsewhere = elsewhere_of(missing, facts);
    const Level level = level_of(trace, scenario, asked, signs_of(trace, elsewhere));
    Finding& finding =
        add(findings, "CC401", level, trace.framework + ", " + trace.path,
            sentence(trace, asked, level, names_of(missing), missing.size() == 1) + words_of(elsewhere));
    for (const LoadedFile* library : missing) {
        Origin where;
        where.text = library->because;
        finding.found.push_back({library->name, "no such file", where});
    }
    for (const Evidence& evidence : evidence_of(elsewhere)) finding.found.push_back(evidence);
    Origin asker = Origin::from_file(missing.front()->needed_by);
    asker.text = "needed by " + missing.front()->needed_by;
    finding.expected = {{missing.front()->name, "one that is found", asker}};
    const bool told = elsewhere.other || !elsewhere.folders.empty();
    finding.because =
        told ? reason_of(elsewhere)
        : trace.absent_packages.empty()
            ? "the loader looks in these folders alone, and none of them holds a file of that name"
            : (trace.all_packages_absent
                   ? "none of the packages that it requires for CUDA is installed beside it"
                   : "packages that it requires are not installed beside it");
    if (!trace.absent_packages.empty() && elsewhere.folders.empty()) add_package_fix(trace, finding);
    for (const Fix& fix : fixes_for(elsewhere, scenario.framework_of(trace), facts))
        finding.fix.push_back(fix);
    if (finding.fix.empty() && trace.half_removed.empty()) finding.fix = get_fix(*missing.front(), facts);
    if (trace.half_removed.empty()) return;
    finding.because = "the records of packages say that they are installed, and their files are gone";
    for (const Fix& fix : reinstall_fix(trace)) finding.fix.push_back(fix);
}

}  // namespace

PTXGUARD_RULE(CC401) {
    judge_project(scenario, findings);
    if (scenario.system == System::windows) return;
    for (const LoadTrace& trace : scenario.traces) {
        if (!trace.framework.empty()) {
            judge_framework(trace, scenario, facts, findings);
            continue;
        }
        if (!trace.missing_package.empty()) judge_extension(trace, findings);
        for (const LoadedFile& library : trace.libraries) {
            if (!is_missing(library, facts)) continue;
            const bool starts = !is_needed_to_start(library);
            Finding& finding =
                add(findings, "CC401", starts ? Level::note : Level::error, subject_of(trace, library),
                    starts ? trace.path + " starts without " + library.name + ", which is opened later"
                           : trace.path + " does not load: " + library.name + " is not there");
            Origin where;
            where.text = library.because;
            finding.found = {{library.name, "no such file", where}};
            Origin asker = Origin::from_file(library.needed_by);
            asker.text = (starts ? "opened by " : "needed by ") + library.needed_by;
            finding.expected = {{library.name, "one that is found", asker}};
            finding.because =
                "the loader looks in these folders alone, and none of them holds a file of that name";
            finding.fix = get_fix(library, facts);
        }
    }
}

}  // namespace ptxguard
