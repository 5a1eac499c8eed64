// CC305 cudnn_missing: a framework needs cuDNN and the loader finds none, or an incomplete one. CC301 reports
// a cuDNN of another major; on Windows CC501 and CC505 report missing DLLs.
// SPDX-License-Identifier: Apache-2.0

#include "facts/libraries.hpp"
#include "judge/cudnn_questions.hpp"
#include "judge/fixes.hpp"
#include "judge/framework_questions.hpp"
#include "judge/library_words.hpp"
#include "judge/log_questions.hpp"
#include "judge/ptx_questions.hpp"
#include "judge/recipe_questions.hpp"
#include "judge/toolkit_questions.hpp"

namespace ptxguard {
namespace {

// The release of the framework's build, if it is of the needed major.
Version wanted_version(const LibraryFault& fault) {
    const Known<Version>* built = fault.framework ? &fault.framework->cudnn : nullptr;
    if (!fault.wanted) return built && *built ? **built : Version{};
    return built && *built && (*built)->major() == fault.wanted->major() ? **built : *fault.wanted;
}

std::vector<Fix> get_fixes(const LibraryFault& fault, const Facts& facts) {
    if (damaged_file(fault)) return damaged_fix(fault, "cudnn");
    std::vector<Fix> fixes = reinstall_fix(*fault.trace, "cudnn");
    if (!fixes.empty()) return fixes;
    for (const std::string& package : fault.trace->traced_for->absent_packages)
        if (nvidia_component(package) == "cudnn")
            fixes = {{FixKind::command, SAY("{}'{}'", k_pip_install, package)}};
    return fixes.empty() ? std::vector<Fix>{get_cudnn_fix(fault.framework, wanted_version(fault), facts)}
                         : fixes;
}

void judge_missing(const LibraryFault& fault, const Scenario& scenario, const Facts& facts,
                   Findings& findings) {
    const LoadedFile& library = fault.library();
    const std::string name = process_name(*fault.trace, fault.framework);
    Composed finding =
        add(findings, "CC305", level_of_cudnn(fault, scenario, facts), SAY("{}, {}", name, fault.trace->path),
            SAY("{} finds no cuDNN: {}", name, is_not_there({library})));
    finding.found(missing_evidence(library))
        .expected(wanted_evidence(fault, library))
        .because(
            starts_without(fault, facts)
                ? "the other CUDA libraries are found; without cuDNN the framework does not use the GPU"
                : "the loader searches only these folders; without cuDNN the framework cannot be imported");
    if (!fault.copy || damaged_file(fault)) {
        finding.fix(get_fixes(fault, facts));
        if (!damaged_file(fault) && !reinstall_fix(*fault.trace, "cudnn").empty())
            finding->because += "; the package is recorded as installed, but its files are missing";
        return;
    }
    const CudnnCopy& copy = *fault.copy;
    Origin place = Origin::from_file(copy.folder);
    place.text = SAY("{}, which is not searched", copy.folder);
    finding.found("installed cuDNN", copy.version ? copy.version->text : std::to_string(copy.major), place);
    finding.fix(prepend_list_entry("LD_LIBRARY_PATH", copy.folder, scenario.system));
}

void judge_incomplete(const LibraryFault& fault, const Scenario& scenario, Findings& findings) {
    const CudnnInUse cudnn = cudnn_of(scenario, *fault.trace);
    const std::string name = process_name(*fault.trace, fault.framework), &path = *cudnn.asked->taken;
    Composed finding = add(findings, "CC305", Level::error, SAY("{}, {}", name, path),
                           SAY("the cuDNN of {} is incomplete: {}", name, is_not_there(fault.libraries)));
    finding.found(evidence_of(*cudnn.asked));
    for (const LoadedFile& library : fault.libraries) finding.found(missing_evidence(library));
    const std::string release = cudnn.version ? cudnn.version->text : "of the same release";
    finding.expected("cuDNN", SAY("all libraries of {} in one folder", release), cudnn.version.origin);
    finding.because("cuDNN opens its libraries by name at the first call that needs them; that call fails");
    finding.fix(damaged_file(fault) ? damaged_fix(fault, "cudnn") : reinstall_fix(*fault.trace, "cudnn"));
    if (finding->fix.empty())
        finding->fix = {by_hand(cudnn.version
                                    ? SAY("install the complete cuDNN {} in the folder of {}", release, path)
                                    : SAY("install the complete cuDNN in the folder of {}", path))};
}

void judge_undecided(const LibraryFault& fault, Findings& findings) {
    const LoadedFile& library = fault.library();
    const std::string name = process_name(*fault.trace, fault.framework);
    add(findings, "CC305", Level::unknown, SAY("{}, {}", name, library.name),
        SAY("cannot determine whether {} finds cuDNN: {} may be in folders that are not in this tree", name,
            library.name))
        .found(library.name, "undecided", Origin::from_file(library.needed_by))
        .because(library.because.empty() ? "the system's library folders are not in this tree"
                                         : library.because)
        .decide("--root DIR with the tree of the complete system")
        .required(fault.framework && fault.framework->required);
}

// A framework that the user named and whose libraries could not be traced.
void judge_untraced(const Scenario& scenario, Findings& findings) {
    for (const Expectation& expectation : scenario.expectations) {
        if (!expectation.required || expectation.declared || expectation.path.empty() || !expectation.cudnn)
            continue;
        const bool traced = any_of(scenario.traces, [&](const LoadTrace& trace) {
            return scenario.framework_of(trace) == &expectation;
        });
        if (traced || !expectation.may_use_cuda()) continue;
        add(findings, "CC305", Level::unknown, SAY("{}, cuDNN", name_of(expectation)),
            SAY("cannot determine which cuDNN {} loads: its libraries could not be traced",
                name_of(expectation)))
            .about(scenario, expectation)
            .because("each of its library files is missing or incomplete")
            .decide("--python DIR with its installed files");
    }
}

// A project that links cuDNN finds it if a copy for the CUDA of its toolkit is installed.
void judge_project_without_cudnn(const Scenario& scenario, Findings& findings) {
    if (!scenario.requires_("cudnn") || !scenario.cudnns.empty()) return;
    const Toolkit* toolkit = toolkit_of_build(scenario);
    const Known<Version> release = toolkit ? release_of(*toolkit) : Known<Version>{};
    const std::string cuda = release ? SAY("for CUDA {}", release->major()) : "";
    add(findings, "CC305", Level::error, "cuDNN of this project",
        "this project links cuDNN, but none is installed")
        .expected("cuDNN", release ? cuda : "one", release.origin)
        .because(
            "there is none in the system's folders, in a toolkit, a wheel, conda's prefix or a search path")
        .by_hand(release ? SAY("install cuDNN {}", cuda) : "install cuDNN")
        .required();
}

// The cuDNN of the build, or of the newest release where no pin decides. Beside torch, which brings its own,
// it need not be what uses the GPU.
Known<Version> cudnn_in_recipe(const Scenario& scenario, const Facts& facts, const Expectation& framework,
                               const Installed* newest) {
    if (framework.cudnn || !newest || framework.version) return framework.cudnn;
    for (const Expectation& other : scenario.expectations)
        if (other.framework == "PyTorch") return {};
    const FrameworkRelease* row = facts.framework_release(newest->package, *newest->version);
    return row && row->cudnn ? Known<Version>{*row->cudnn, row->origin} : Known<Version>{};
}

// Another package requires NVIDIA's cuDNN; TensorFlow searches the folders of such packages too.
bool is_brought(const RecipeFacts& recipe, const Expectation& framework, int major) {
    return framework.framework == "TensorFlow" && any_of(recipe.installed, [&](const Installed& one) {
               return nvidia_component(one.package) == "cudnn" &&
                      (!one.version || one.version->major() == major);
           });
}

// A framework of a recipe that opens cuDNN, in an image without it.
void judge_image_without_cudnn(const Scenario& scenario, const Facts& facts, Findings& findings) {
    for (const Expectation& one : scenario.expectations) {
        const RecipeFacts& recipe = scenario.recipe;
        if (!loads_libraries_here(scenario, one) || never_released(one)) continue;
        if (!recipe.libraries_complete || recipe.libraries_cudnn) continue;
        // Without any CUDA, CC401 speaks.
        if (!recipe.image.cuda && recipe.image.flavour == ImageFlavour::unknown) continue;
        const Installed* newest =
            newest_of(recipe, one.named_package.empty() ? one.package : one.named_package);
        const Known<Version> cudnn = cudnn_in_recipe(scenario, facts, one, newest);
        if (!cudnn || torch_brings_cudnn(scenario, one, cudnn->major()) ||
            is_brought(recipe, one, cudnn->major()))
            continue;
        const std::string wanted = std::to_string(cudnn->major());
        const std::string name =
            one.cudnn ? name_of(one) : SAY("{} {}", newest->package, newest->version->text);
        add(findings, "CC305", one.cudnn ? Level::error : Level::warning, SAY("{}, cuDNN", name),
            one.cudnn
                ? SAY("{} needs cuDNN {}, and {} has none", name, wanted, name_of(recipe.image))
                : SAY("{} (the newest) needs cuDNN {}, and {} has none", name, wanted, name_of(recipe.image)))
            .found(evidence_of(recipe.image))
            .found(one.package, name, one.cudnn ? one.version.origin : newest->asked)
            .expected("cuDNN", wanted, cudnn.origin)
            .because(SAY("without libcudnn.so.{} it uses no GPU", wanted))
            .by_hand(SAY("use an image with cudnn{} in its tag", wanted));
    }
}

// The loader's message names the file, and the log the framework that was built with a release of that major.
void judge_log(const Scenario& scenario, const Facts& facts, Findings& findings) {
    const Expectation* framework = framework_of_log(scenario);
    if (!framework || !framework->cudnn) return;
    const std::string major = std::to_string(framework->cudnn->major());
    for (const LogMessage* message : messages_with(scenario, {"cudnn_missing"})) {
        const std::string& name = message->library;
        const bool is_wanted =
            name.find(".so." + major) != std::string::npos || name.find("64_" + major) != std::string::npos;
        if (!is_wanted) continue;
        add(findings, "CC305", Level::error, "cuDNN",
            SAY("{} finds no cuDNN {}: {} is missing", name_of(*framework), major, name))
            .found(evidence_of(*message))
            .expected("cuDNN", framework->cudnn->text, framework->cudnn.origin)
            .because("the framework was built with this cuDNN, and the loader finds no file of that name")
            .fix(get_cudnn_fix(framework, *framework->cudnn, facts));
        return;
    }
}

}  // namespace

PTXGUARD_RULE(CC305) {
    if (scenario.source == SourceKind::log) return judge_log(scenario, facts, findings);
    judge_image_without_cudnn(scenario, facts, findings);
    judge_project_without_cudnn(scenario, findings);
    if (scenario.system == System::linux_) judge_untraced(scenario, findings);
    for (const LibraryFault& fault : faults.reported_by("CC305")) {
        const AllAbout about(findings, fault.about);
        if (fault.kind == LibraryFaultKind::undecided)
            judge_undecided(fault, findings);
        else if (fault.kind == LibraryFaultKind::incomplete)
            judge_incomplete(fault, scenario, findings);
        else
            judge_missing(fault, scenario, facts, findings);
    }
}

}  // namespace ptxguard
