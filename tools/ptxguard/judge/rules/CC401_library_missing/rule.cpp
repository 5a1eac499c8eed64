// CC401 library_missing: the loader finds no file for a required library. On Windows this is CC501. CC210
// reports driver libraries, CC405 NVRTC's builtins.
// SPDX-License-Identifier: Apache-2.0

#include "facts/framework_traits.hpp"
#include "facts/libraries.hpp"
#include "judge/entry_fit.hpp"
#include "judge/fixes.hpp"
#include "judge/framework_questions.hpp"
#include "judge/library_words.hpp"
#include "judge/package_builds.hpp"
#include "judge/ptx_questions.hpp"
#include "judge/rules/CC401_library_missing/parts.hpp"
#include "judge/severity.hpp"
#include "judge/toolkit_questions.hpp"
#include "model/file_names.hpp"
#include "model/named_cuda.hpp"
#include "model/ranges.hpp"

namespace ptxguard {
namespace {

constexpr const char* k_not_found =
    "the loader searches only these folders, and none of them contains a file of that name";
constexpr const char* k_damaged = "the loader takes the first file of that name, and this one is damaged: ";

void judge_extension(const LoadTrace& trace, Findings& findings) {
    const std::string& package = trace.missing_package;
    add(findings, "CC401", Level::unknown, trace.path,
        SAY("cannot determine whether {} loads: it is an extension of {}, which is not installed here",
            trace.path, package))
        .because(SAY("it links libraries of {} without an RPATH: it only loads after {} was imported, with "
                     "the CUDA libraries that the import loads",
                     package, package))
        .required()
        .decide(SAY("--python DIR of the Python with {}", package));
}

// Its libraries are on a machine that is not here; what its own folders have was searched.
void judge_other_machine(const LoadTrace& trace, Findings& findings) {
    const auto* open =
        first_where(trace.libraries, [](const LoadedFile& one) { return one.undecided && !one.optional; });
    if (!open) return;
    add(findings, "CC401", Level::unknown, trace.path,
        SAY("cannot determine whether {} loads: it is for {}, and this system has no loader for that",
            trace.path, trace.machine))
        .found(missing_evidence(*open))
        .because("the system for which it is built has its own libraries, and none of them is here")
        .required()
        .decide("a tree of such a system: --root DIR")
        .decide("run it on that machine");
}

// A project that links cuBLAS uses its toolkit's.
void judge_linked_cublas(const Scenario& scenario, Findings& findings) {
    const Toolkit* toolkit = scenario.requires_("cublas") ? toolkit_of_build(scenario) : nullptr;
    if (!toolkit || toolkit->part(PartKind::cublas)) return;
    const Known<Version> release = release_of(*toolkit);
    add(findings, "CC401", Level::error, "cuBLAS of this project",
        SAY("this project links cuBLAS, but {} has none", name_of(*toolkit)))
        .expected("cuBLAS", SAY("a library in {}", toolkit->root), Origin::from_file(toolkit->root))
        .because("find_package(CUDAToolkit) uses the libraries of the toolkit that compiles")
        .by_hand(SAY("install the cuBLAS of CUDA {} into that toolkit",
                     release ? release->release() : "its release"));
}

// Not NVIDIA's, nor needed by one of NVIDIA's.
bool is_foreign(const LoadTrace& trace, const LoadedFile& library) {
    return library.library.empty() && none_of(trace.libraries, [&](const LoadedFile& user) {
               return !user.library.empty() && user.taken == library.needed_by;
           });
}

// A module of a Python package, and another package that has the library.
void judge_module(const LibraryFault& fault, const LoadLoser& copy, Findings& findings) {
    const LoadedFile& library = fault.library();
    const LoadTrace& trace = *fault.trace;
    add(findings, "CC401", Level::unknown, SAY("{} of {}", library.name, trace.path),
        SAY("cannot determine whether {} loads: the loader does not find {}, and the environment has it",
            trace.path, library.name))
        .found(missing_evidence(library), evidence_of(copy))
        .expected(wanted_evidence(fault, library))
        .because("an import may load the library by its path before this file is loaded")
        .required()
        .decide("an import of the module in its Python");
}

// CUDA's major in the names of what it needs and opens, else that of what is here; 0 = nothing decides.
int cuda_of(const LoadTrace& trace, const Scenario& scenario, const Facts& facts) {
    for (const LoadedFile& library : trace.libraries)
        if (library.cuda_major != 0) return library.cuda_major;
    return cuda_that_fits(scenario, facts);
}

// A file of a package for a CUDA, beside that library of another CUDA: the package for that one.
std::vector<Fix> package_for_found_cuda(const LibraryFault& fault, const Facts& facts) {
    const LoadedFile& own = fault.trace->itself;
    for (const LoadLoser& loser : fault.library().losers) {
        const auto found = loser.lost == LoadLost::other_name
                               ? library_by_file_name(facts, file_of(loser.path))
                               : std::nullopt;
        const std::string package = found ? wheel_for_cuda(facts, own.package, found->cuda_major) : "";
        if (!package.empty())
            return {{FixKind::command,
                     SAY("{}{} && {}{}", k_pip_uninstall, own.package, k_pip_install, package)}};
    }
    return {};
}

// A file that the user named.
void judge_file(const LibraryFault& fault, const Scenario& scenario, const Facts& facts, Findings& findings) {
    const LoadedFile& library = fault.library();
    const LoadTrace& trace = *fault.trace;
    const bool starts = !is_needed_to_start(library);
    for (const LoadLoser& loser : library.losers)
        if (loser.lost == LoadLost::not_searched && loser.rule.empty())
            return judge_module(fault, loser, findings);
    // Another program may have loaded what its plugins need.
    const bool by_program = !starts && !trace.is_program && is_foreign(trace, library);
    const LoadLoser* damaged = damaged_file(fault);
    const std::string what = is_not_there({library});
    add(findings, "CC401",
        starts       ? Level::note
        : by_program ? Level::warning
                     : Level::error,
        SAY("{} of {}", library.name, trace.path),
        starts       ? SAY("{} starts without {}, which is opened later", trace.path, library.name)
        : by_program ? SAY("{} does not load by itself: {}", trace.path, what)
                     : SAY("{} does not load: {}", trace.path, what))
        .found(missing_evidence(library))
        .expected(wanted_evidence(fault, library))
        .because(damaged ? k_damaged + damaged->path
                 : by_program
                     ? SAY("{}; it loads only into a program that has loaded one before", k_not_found)
                     : k_not_found)
        .fix(damaged ? std::vector<Fix>() : package_for_found_cuda(fault, facts))
        .fix(damaged ? damaged_fix(fault)
                     : get_library_fix(library.name, facts, cuda_of(trace, scenario, facts)));
}

// When the missing libraries are needed.
enum class WhenAsked { at_start, by_plugin, at_use, later };

WhenAsked when_asked(const LibraryFault& fault, const Facts& facts) {
    if (needs_cuda_at_use(*fault.trace, fault.framework, facts)) return WhenAsked::at_use;
    if (!is_needed_to_start(fault.library())) return WhenAsked::later;
    return framework_traits(facts, fault.trace->framework()).cuda_is_plugin ? WhenAsked::by_plugin
                                                                            : WhenAsked::at_start;
}

// For a wheel that also serves CPUs (TensorFlow) a named GPU, the other packages that it pins, and CUDA
// libraries that a variable selects show that they are to be used.
bool are_meant(const LibraryFault& fault, const Scenario& scenario, bool selected) {
    const TracedFramework& traced = *fault.trace->traced_for;
    if (traced.packages_of_others) return false;
    const bool all_are_near =
        fault.kind == LibraryFaultKind::not_searched && fault.near.size() == fault.libraries.size();
    const bool some_packages = !traced.absent_packages.empty() && !traced.all_packages_absent;
    const bool had_them = !traced.half_removed.empty() || all_are_near || selected;
    return some_packages || had_them || names_a_gpu(scenario) || !fault.framework->build_package.empty();
}

// Of libraries that are opened when a GPU is used, `at_use` if its first call needs them.
Level level_at_use(const LibraryFault& fault, const Scenario& scenario, bool at_use, bool selected) {
    const bool gpu = is_meant_for_gpu(scenario);
    if (!fault.framework) return Level::note;
    if (fault.framework->required || (gpu && at_use)) return Level::error;
    if (gpu) return are_meant(fault, scenario, selected) ? Level::warning : Level::note;
    const bool some_taken = any_of(fault.trace->libraries, [](const LoadedFile& library) {
        return is_taken(library) && library.cuda_major != 0;
    });
    return selected || (at_use && some_taken) ? Level::warning : Level::note;
}

// An unpacked image never has a driver: there, onnxruntime-gpu beside the libraries of another CUDA is an
// error. On a machine without a driver it is not.
Level level_of_plugin(const LibraryFault& fault, const Scenario& scenario, const Facts& facts,
                      bool selected) {
    const std::string package = fault.framework ? fault.framework->package : "";
    if (is_meant_for_gpu(scenario)) return level_without_gpu(package, scenario, facts);
    if (scenario.foreign && fault.kind == LibraryFaultKind::other_name && is_named_for_gpus(package))
        return Level::error;
    return selected ? Level::warning : Level::note;
}

// Libraries that are opened when a GPU is used matter only if one is to be used: CuPy cannot do anything
// without them. A package only for CUDA (JAX's plugin) shows that. One that needs them to start fails on any
// machine; if it has none of its packages and nothing shows a GPU, it may have been unpacked for its headers.
Level level_of(const LibraryFault& fault, const Scenario& scenario, const Facts& facts, WhenAsked asked) {
    const bool gpu = is_meant_for_gpu(scenario), required = fault.framework && fault.framework->required;
    // A variable selects the libraries of another CUDA, so they are meant to be used.
    const bool selected = fault.kind == LibraryFaultKind::other_name && !fault.near.front().rule.empty();
    if (asked == WhenAsked::at_start)
        return fault.trace->traced_for->all_packages_absent && !gpu && !required ? Level::warning
                                                                                 : Level::error;
    if (asked == WhenAsked::by_plugin)
        return required ? Level::error : level_of_plugin(fault, scenario, facts, selected);
    return level_at_use(fault, scenario, asked == WhenAsked::at_use, selected);
}

std::string sentence(const LibraryFault& fault, WhenAsked asked, Level level) {
    constexpr std::size_t k_shown = 3;
    const std::string names = names_of(fault.libraries, k_shown);
    const std::string& framework = fault.trace->framework();
    if (asked == WhenAsked::later)
        return level == Level::note
                   ? SAY("{} starts without {}, which it opens to use a GPU", framework, names)
                   : SAY("{} does not use the GPU without {}, which it opens to use a GPU", framework, names);
    const std::string what = damaged_file(fault) ? is_not_there(fault.libraries)
                                                 : SAY("{} {} not found", names, are(fault.libraries.size()));
    if (asked == WhenAsked::at_start) return SAY("{} cannot be imported: {}", framework, what);
    if (asked == WhenAsked::by_plugin) return SAY("{} runs on the CPU: {}", framework, what);
    return SAY("{} can be imported but fails at first use: {}", framework, what);
}

std::string cuda_name(int major) { return SAY("CUDA {}", major); }

// Whether pip would install it here, and the GPUs would run it: its Pythons, its code.
bool suits(const FrameworkRelease& release, const Scenario& scenario, const Facts& facts) {
    if (!has_wheel_for(release, parse_version(scenario.python.version))) return false;
    for (const Gpu* gpu : gpus_judged(scenario)) {
        const ArchFacts* arch = facts.arch(Arch{gpu->arch->number, 0});
        const bool of_a_board = arch && arch->integrated;
        if (of_a_board || release.archs.empty()) return false;
        const CodeFit fit = code_fit(release.archs, *gpu->arch, scenario, facts);
        if (fit != CodeFit::cubin && fit != CodeFit::ptx) return false;
    }
    return true;
}

// The newest release that suits and whose Linux build is for that CUDA.
const FrameworkRelease* release_for(const Scenario& scenario, const Facts& facts, const std::string& package,
                                    int cuda_major) {
    const FrameworkRelease* newest = nullptr;
    for (const Version& version : facts.framework_releases(package)) {
        const FrameworkRelease* release = facts.framework_release(package, version);
        const bool fits = release && release->cuda && release->cuda->major() == cuda_major;
        if (fits && !version.is_prerelease() && suits(*release, scenario, facts)) newest = release;
    }
    return newest;
}

// Only the libraries of another CUDA are installed.
void add_other_cuda(const LibraryFault& fault, const Scenario& scenario, const Facts& facts,
                    const Composed& finding) {
    const LoadLoser& other = fault.near.front();
    const LoadedFile& wanted = fault.others.front();
    const auto known = library_by_file_name(facts, file_of(other.path));
    const int major = known ? known->cuda_major : 0;
    finding->message += SAY("; {} of {} is installed", file_of(other.path), cuda_name(major));
    finding.found(
        file_of(other.path), cuda_name(major),
        Origin::from_file(other.path)
            .shown_as(other.rule.empty() ? other.path : SAY("{}, by {}", other.path, other.rule.text)));
    finding.because(
        SAY("the number in the file name is the major version: {} belongs to {}, {} to {}; a link under the "
            "other name would have other functions",
            file_of(other.path), cuda_name(major), file_of(wanted.name), cuda_name(wanted.cuda_major)));
    const Expectation* framework = fault.framework;
    if (!framework) return;
    const std::string& package =
        framework->build_package.empty() ? framework->package : framework->build_package;
    const bool exact = framework->cuda && framework->cuda->numbers.size() > 1;
    if (const FrameworkRelease* release = release_for(scenario, facts, package, major)) {
        Fix fix = pip_fix(SAY("'{}=={}'", package, release->version.text));
        if (release->build_for(scenario.system, *release->cuda))
            fix.step = build_step(*framework, *release, *release->cuda, "");
        finding.fix(fix);
    }
    if (framework->how == Installation::wheel)
        finding.fix(get_libraries_fix(fault.libraries, wanted.cuda_major, facts).front());
    finding.by_hand(
        SAY("install the libraries of {}, with which {} is built, and add their folder to LD_LIBRARY_PATH",
            exact ? words_of_cuda(*framework->cuda) : cuda_name(wanted.cuda_major), name_of(*framework)));
    if (facts.framework_releases(package).empty()) {
        finding.by_hand(SAY("use a release of {} for {}", framework->framework, cuda_name(major)));
    }
}

void add_not_searched(const LibraryFault& fault, const Scenario& scenario, const Composed& finding) {
    const bool all = fault.near.size() == fault.libraries.size();
    finding->message += !all ? "; some are in folders that the loader does not search"
                        : fault.libraries.size() == 1
                            ? "; it is in folders that the loader does not search"
                            : "; they are in folders that the loader does not search";
    std::vector<std::string> folders;
    for (const LoadLoser& near : fault.near) add_once(folders, folder_of(near.path));
    for (const std::string& folder : folders)
        finding.found("not searched", folder, Origin::from_file(folder));
    Step step{StepKind::search_path};
    step.subject = "LD_LIBRARY_PATH";
    step.to = joined(folders, ":");
    for (const EnvironmentEntry& entry : scenario.entries)
        if (entry.variable == "LD_LIBRARY_PATH" && step.to == entry.nearest)
            finding.fix(misspelt_entry_fix(entry, scenario.system));
    finding
        .because(
            "the loader searches the RPATH of the file that opens them, LD_LIBRARY_PATH and the system's "
            "folders, and these folders are not among them")
        .fix({FixKind::command,
              SAY("export LD_LIBRARY_PATH=\"{}${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}\"", step.to), step});
}

void add_packages(const LoadTrace& trace, const Composed& finding) {
    const TracedFramework& traced = *trace.traced_for;
    finding
        .because(traced.all_packages_absent ? "none of the CUDA packages that it requires is installed"
                                            : "packages that it requires are not installed")
        .fix(pip_fix(SAY("'{}'", joined(traced.absent_packages, "' '"))));
}

// Installs its libraries: as packages of pip if it is a wheel.
std::vector<Fix> get_fix(const LibraryFault& fault, const Scenario& scenario, const Facts& facts) {
    const Expectation* framework = fault.framework;
    const int cuda = framework && framework->cuda ? static_cast<int>(framework->cuda->major())
                                                  : cuda_that_fits(scenario, facts);
    if (!framework || framework->how != Installation::wheel)
        return get_library_fix(fault.library().name, facts, cuda);
    return get_libraries_fix(fault.libraries, cuda, facts);
}

void judge_framework(const LibraryFault& fault, const Scenario& scenario, const Facts& facts,
                     Findings& findings) {
    const LoadTrace& trace = *fault.trace;
    const WhenAsked asked = when_asked(fault, facts);
    const Level usual = level_of(fault, scenario, facts, asked);
    // A package only for CUDA, and a named GPU.
    const bool for_cuda =
        asked == WhenAsked::by_plugin || (fault.framework && !fault.framework->build_package.empty());
    const Level unused = for_cuda && names_a_gpu(scenario) ? Level::error
                         : fault.framework ? level_of_unused_gpu({fault.framework->package}, scenario)
                                           : usual;
    const Level level = usual == Level::warning ? unused : usual;
    const Composed finding = add(findings, "CC401", level, SAY("{}, {}", trace.framework(), trace.path),
                                 sentence(fault, asked, level))
                                 .of_package(package_without_cuda(fault))
                                 .expected(wanted_evidence(fault, fault.library()))
                                 .because(k_not_found);
    for (const LoadedFile& library : fault.libraries) finding.found(missing_evidence(library));
    if (fault.kind == LibraryFaultKind::not_searched)
        add_not_searched(fault, scenario, finding);
    else if (!trace.traced_for->absent_packages.empty())
        add_packages(trace, finding);
    if (fault.kind == LibraryFaultKind::other_name) add_other_cuda(fault, scenario, facts, finding);
    if (const LoadLoser* damaged = damaged_file(fault)) {
        finding.because(k_damaged + damaged->path);
        finding->fix = damaged_fix(fault);
    } else if (!trace.traced_for->half_removed.empty()) {
        finding.because("packages are recorded as installed, but their files are missing")
            .fix(reinstall_fix(trace));
    } else if (finding->fix.empty()) {
        finding.fix(get_fix(fault, scenario, facts));
    }
}

}  // namespace

PTXGUARD_RULE(CC401) {
    judge_linked_cublas(scenario, findings);
    for (const LoadTrace& trace : scenario.traces)
        if (scenario.system == System::linux_ && !trace.traced_for && !trace.missing_package.empty())
            judge_extension(trace, findings);
    for (const LoadTrace& trace : scenario.traces)
        if (!trace.traced_for && trace.of_other_machine) judge_other_machine(trace, findings);
    for (const LibraryFault& fault : faults.reported_by("CC401")) {
        const AllAbout about(findings, fault.about);
        if (!fault.trace->traced_for)
            judge_file(fault, scenario, facts, findings);
        else
            judge_framework(fault, scenario, facts, findings);
    }
    judge_environment(scenario, facts, findings);
    judge_system_libraries(scenario, facts, findings);
    judge_image_without_cuda(scenario, facts, findings);
}

}  // namespace ptxguard
