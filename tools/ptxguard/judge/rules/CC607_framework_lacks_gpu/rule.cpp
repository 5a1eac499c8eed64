// CC607 framework_lacks_gpu: a framework has neither a cubin nor PTX for a GPU, or only PTX that the driver
// does not accept; or the NVRTC that it compiles with makes none.
// SPDX-License-Identifier: Apache-2.0

#include "facts/framework_traits.hpp"
#include "facts/libraries.hpp"
#include "judge/entry_fit.hpp"
#include "judge/fitting_builds.hpp"
#include "judge/fixes.hpp"
#include "judge/framework_questions.hpp"
#include "judge/ptx_questions.hpp"
#include "model/file_names.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"

namespace ptxguard {
namespace {

Finding& say(const Expectation& expectation, const Gpu& gpu, const std::string& why, Findings& findings) {
    Finding& finding = add(findings, "CC607", Level::error, name_of(expectation) + " on " + name_of(gpu),
                           name_of(expectation) + " has no code that runs on " + name_of(gpu) + ": " + why);
    finding.brief = name_of(gpu) + ": " + name_of(expectation) + " has no code for it";
    finding.package = expectation.package;
    finding.found = {{"device code", words_of(*expectation.archs), expectation.archs.origin}};
    finding.expected = {{"device code", "a cubin or PTX for " + gpu.arch->sm(), gpu.arch.origin}};
    return finding;
}

// A build of the same release for an older CUDA of the same major: "cu126".
std::string older_builds(const Expectation& expectation, const Facts& facts) {
    std::string names;
    if (!expectation.cuda) return names;
    for (const std::string& variant : variants_for(expectation, facts, expectation.cuda->major()))
        if (const auto cuda = cuda_of_tag(variant); cuda && *cuda < *expectation.cuda)
            names += (names.empty() ? "" : " or ") + variant;
    return names;
}

// If no build is known to fit: the CUDA release that supports the GPU.
std::string with_other_cuda(const Expectation& expectation, const Gpu& gpu, const Facts& facts) {
    const ArchFacts* arch = facts.arch(Arch{gpu.arch->number, 0});
    const bool cuda_too_old = arch && arch->first_toolkit && expectation.cuda &&
                              *expectation.cuda < *arch->first_toolkit &&
                              !same_release(*expectation.cuda, *arch->first_toolkit);
    const bool too_new = cuda_too_old || is_newer_than_all(*expectation.archs, *gpu.arch);
    const std::string with_cuda = "install a build of " + expectation.package + " with CUDA ";
    if (too_new && arch && arch->first_toolkit)
        return with_cuda + arch->first_toolkit->release() + " or newer, the first that supports " +
               gpu.arch->sm();
    if (arch && arch->last_toolkit && (!expectation.cuda || *arch->last_toolkit < *expectation.cuda))
        return with_cuda + arch->last_toolkit->release() + " or older, the last that supports " +
               gpu.arch->sm();
    if (const std::string older = older_builds(expectation, facts); !too_new && !older.empty())
        return "install the " + older + " build of " + release_name(expectation) +
               ": builds for an older CUDA contain older architectures";
    return (too_new ? "install a newer " : "install another build of ") + expectation.package +
           (too_new ? " whose build contains " : " that contains ") + gpu.arch->sm();
}

void add_fixes(const Expectation& expectation, const Gpu& gpu, const Scenario& scenario, const Facts& facts,
               Finding& finding) {
    finding.fix = fitting_build_fix(expectation, *gpu.arch, scenario, facts);
    if (finding.fix.empty())
        finding.fix.push_back({FixKind::manual, with_other_cuda(expectation, gpu, facts)});
    finding.fix.push_back({FixKind::manual, "build " + expectation.package + " for " + gpu.arch->sm()});
}

// PTX that the driver compiles. If the CUDA of the build is older than the GPU, its libraries are too.
void say_ptx_only(const Expectation& expectation, const Gpu& gpu, const Scenario& scenario,
                  const Facts& facts, Findings& findings) {
    const ArchFacts* arch = facts.arch(Arch{gpu.arch->number, 0});
    const bool older = expectation.cuda && arch && arch->first_toolkit &&
                       *parse_version(expectation.cuda->release()) < *arch->first_toolkit;
    Finding& finding = add(findings, "CC607", older ? Level::warning : Level::note,
                           name_of(expectation) + " on " + name_of(gpu),
                           name_of(expectation) + " has only PTX for " + name_of(gpu) +
                               ", which the driver compiles at the first use");
    finding.package = expectation.package;
    finding.found = {{"device code", words_of(*expectation.archs), expectation.archs.origin}};
    finding.expected = {{"device code", "a cubin for " + gpu.arch->sm(), gpu.arch.origin}};
    finding.because = "compiling takes minutes, and up to half an hour for a large framework";
    if (!older) return;
    finding.because += "; the libraries of CUDA " + expectation.cuda->release() + " are older than " +
                       gpu.arch->sm() +
                       " too, and programs were reported to end with CUDA_ERROR_INVALID_PTX " +
                       "or CUDA_ERROR_INVALID_HANDLE";
    add_fixes(expectation, gpu, scenario, facts, finding);
}

// Its own kernels may have code for the GPU; those that it compiles while it runs have none.
void judge_nvrtc(const Scenario& scenario, const Facts& facts, const Expectation& expectation, const Gpu& gpu,
                 Findings& findings) {
    const auto nvrtc = ask_its_nvrtc(expectation, *gpu.arch, scenario, facts);
    if (!nvrtc || nvrtc->runs) return;
    const LoadedFile& library = *nvrtc->library;
    const std::string version = "NVRTC " + library.version->text, sm = gpu.arch->sm();
    Finding& finding =
        add(findings, "CC607", Level::error, name_of(expectation) + " on " + name_of(gpu),
            name_of(expectation) + " compiles with " + version + ", which makes no code for " + name_of(gpu));
    finding.package = expectation.package;
    finding.found = {{"NVRTC", library.version->text, library.version.origin}};
    finding.found.front().origin.text = *library.taken;
    const ArchFacts* arch = facts.arch(Arch{gpu.arch->number, 0});
    const bool newer = nvrtc->made && arch && arch->first_toolkit;
    finding.because = nvrtc->made ? "NVRTC is asked for the newest GPU that it supports, and a cubin for " +
                                        nvrtc->made->sm() + " does not run on " + sm +
                                        " (CUDA_ERROR_NO_BINARY_FOR_GPU)"
                                  : "NVRTC ends with 'invalid value for --gpu-architecture (-arch)'";
    if (!newer) return finding.fix.push_back({FixKind::manual, "install an NVRTC that supports " + sm});
    const std::string first = arch->first_toolkit->release();
    finding.expected = {{"NVRTC", ">= " + first + ", the first that supports " + sm, arch->origin}};
    for (const LibrarySource& source : library_sources(facts, file_of(*library.taken), scenario.system))
        if (ends_with(folder_of(*library.taken), "/" + source.folder) && !source.package.empty() &&
            source.cuda == std::to_string(arch->first_toolkit->major()))
            finding.fix = {{FixKind::command, k_pip_install + "'" + source.package + ">=" + first + "'"}};
    if (finding.fix.empty())
        finding.fix = {
            {FixKind::manual, "use an NVRTC of CUDA " + first + " or newer in place of " + *library.taken}};
}

// It links what it compiles with an nvJitLink of before the GPU.
void judge_linker(const Scenario& scenario, const Facts& facts, const Expectation& expectation,
                  const Gpu& gpu, Findings& findings) {
    const auto* linker =
        first_where(expectation.tools, [](const BundledTool& tool) { return tool.tool == k_nvjitlink; });
    const ArchFacts* arch = facts.arch(Arch{gpu.arch->number, 0});
    if (!linker || !linker->version || !arch || !arch->first_toolkit) return;
    if (*parse_version(linker->version->release()) >= *arch->first_toolkit) return;
    const std::string first = arch->first_toolkit->release(), sm = gpu.arch->sm();
    Finding& finding = add(findings, "CC607", Level::error, name_of(expectation) + " on " + name_of(gpu),
                           name_of(expectation) + " links with nvJitLink " + linker->version->text +
                               ", which makes no code for " + name_of(gpu));
    finding.package = expectation.package;
    finding.found = {{"nvJitLink", linker->version->text, linker->version.origin}};
    finding.expected = {{"nvJitLink", ">= " + first + ", the first that supports " + sm, arch->origin}};
    finding.because =
        "each kernel is linked for the GPU at hand, and nvJitLink refuses an architecture that it "
        "does not know";
    for (const LibrarySource& source : library_sources(
             facts, "libnvJitLink.so." + std::to_string(linker->version->major()), scenario.system))
        if (!source.package.empty() && finding.fix.empty() &&
            source.cuda == std::to_string(arch->first_toolkit->major()))
            finding.fix = {{FixKind::command, k_pip_install + "'" + source.package + ">=" + first + "'"}};
    if (finding.fix.empty())
        finding.fix = {{FixKind::manual,
                        "install the libraries of CUDA " + first + " or newer for " + expectation.package}};
}

void judge_pair(const Scenario& scenario, const Facts& facts, const Expectation& expectation, const Gpu& gpu,
                Findings& findings) {
    const CodeFit fit = code_fit(*expectation.archs, *gpu.arch, scenario, facts);
    if (fit == CodeFit::none) {
        Finding& finding = say(expectation, gpu, "it has " + words_of(*expectation.archs), findings);
        finding.because =
            "a cubin runs on its own major version with the same or a newer minor, and PTX is compiled for "
            "its target and newer architectures "
            "(CUDA error 209, 'no kernel image is available')";
        add_fixes(expectation, gpu, scenario, facts, finding);
    }
    if (fit != CodeFit::none) judge_nvrtc(scenario, facts, expectation, gpu, findings);
    const auto ptx = fit == CodeFit::ptx ? ptx_of(expectation, facts) : std::nullopt;
    const Driver* driver = ptx ? driver_that_refuses(scenario, facts, *ptx) : nullptr;
    if (fit == CodeFit::ptx && !driver) say_ptx_only(expectation, gpu, scenario, facts, findings);
    if (!driver) return;
    const std::string version = "PTX " + ptx->text();
    Finding& finding =
        say(expectation, gpu,
            "it has " + version + " only for it, which " + name_of(*driver) + " does not read", findings);
    if (driver->version) finding.found.push_back({"driver", driver->version->text, driver->version.origin});
    finding.because =
        "no cubin fits, and a driver compiles PTX of its own CUDA release and of older ones (CUDA "
        "error 222)";
    if (const auto first = facts.first_driver_for_ptx(*ptx, scenario.system))
        finding.fix.push_back(driver_fix(*first));
}

// For any content: no compiler of its CUDA, including NVRTC and XLA's ptxas, supports that GPU any more.
bool judge_dropped(const Expectation& expectation, const Gpu& gpu, const Facts& facts, Findings& findings) {
    const ArchFacts* arch = facts.arch(Arch{gpu.arch->number, 0});
    if (!expectation.cuda || !arch || !arch->last_toolkit ||
        !framework_traits(facts, expectation.framework).cuda_runtime)
        return false;
    if (arch->last_toolkit->major() >= expectation.cuda->major()) return false;
    const std::string cuda = "CUDA " + std::to_string(expectation.cuda->major());
    Finding& finding = add(findings, "CC607", Level::error, name_of(expectation) + " on " + name_of(gpu),
                           name_of(expectation) + " has no code that runs on " + name_of(gpu) +
                               ": no compiler of " + cuda + " makes code for it");
    finding.found = {{"CUDA", expectation.cuda->text, expectation.cuda.origin}};
    finding.expected = {{"CUDA",
                         "<= " + arch->last_toolkit->release() + ", the last that supports " + gpu.arch->sm(),
                         arch->origin}};
    finding.because = "neither the framework's build nor what it compiles while it runs can be for this GPU";
    finding.fix = {{FixKind::manual, "install a build of " + expectation.package + " with CUDA " +
                                         arch->last_toolkit->release() + " or older"}};
    return true;
}

// The release's table row; for a nightly build, the row of the release that followed it.
const FrameworkRelease* listed_release(const Expectation& expectation, const Facts& facts) {
    if (!expectation.version) return nullptr;
    if (const auto* release = facts.framework_release(expectation.package, *expectation.version))
        return release;
    std::string numbers;
    for (const int number : expectation.version->numbers)
        numbers += (numbers.empty() ? "" : ".") + std::to_string(number);
    const auto plain = parse_version(numbers);
    return plain ? facts.framework_release(expectation.package, *plain) : nullptr;
}

// A build with unknown content: no compiler of its CUDA supports the GPU yet, and another build of the same
// release contains only cubins, no PTX that a driver could compile.
bool judge_too_new(const Expectation& expectation, const Gpu& gpu, const Facts& facts, Findings& findings) {
    const ArchFacts* arch = facts.arch(Arch{gpu.arch->number, 0});
    if (!expectation.cuda || expectation.cuda->numbers.size() < 2 || !arch || !arch->first_toolkit)
        return false;
    if (*arch->first_toolkit <= *parse_version(expectation.cuda->release())) return false;
    const FrameworkRelease* other = listed_release(expectation, facts);
    const auto holds_ptx_or_newer = [&](const Target& target) {
        return target.ptx || target.arch.number / 10 >= gpu.arch->number / 10;
    };
    if (!other || other->archs.empty() || any_of(other->archs, holds_ptx_or_newer)) return false;
    const std::string cuda = "CUDA " + expectation.cuda->release(), first = arch->first_toolkit->release();
    Finding& finding = add(findings, "CC607", Level::error, name_of(expectation) + " on " + name_of(gpu),
                           name_of(expectation) + " has no code that runs on " + name_of(gpu) +
                               ": no compiler of " + cuda + " makes code for it");
    finding.found = {{"CUDA", expectation.cuda->text, expectation.cuda.origin},
                     {"another build of it", words_of(other->archs), other->origin}};
    finding.expected = {
        {"CUDA", ">= " + first + ", the first that supports " + gpu.arch->sm(), arch->origin}};
    finding.because =
        "builds of this release contain only cubins, and those of an older major do not run "
        "(CUDA error 209, 'no kernel image is available')";
    finding.fix = {
        {FixKind::manual, "install a build of " + expectation.package + " with CUDA " + first + " or newer"}};
    return true;
}

void say_unknown(const Scenario& scenario, const Expectation& expectation, const Gpu& gpu, const Facts& facts,
                 Findings& findings) {
    const bool listed = expectation.archs && is_of_other_machines(expectation, *gpu.arch, facts);
    const bool compiles = framework_traits(facts, expectation.framework).compiles;
    Finding& finding =
        add(findings, "CC607", Level::unknown, name_of(expectation) + " on " + name_of(gpu),
            compiles ? "whether " + name_of(expectation) + " compiles for " + name_of(gpu) + " is not known"
                     : "which architectures " + name_of(expectation) + " has " +
                           (listed ? "for " + name_of(gpu) + " " : "") + "is not known");
    finding.because = listed
                          ? "the tables list builds for x86-64, and an integrated GPU needs one for its board"
                          : ask_its_compilers(expectation, *gpu.arch, scenario, facts).words;
    finding.required = gpu.declared;
    finding.decide = {expectation.path.empty()
                          ? "the installed package: --python DIR"
                          : "ptxguard inspect on its libraries with --gpu " + gpu.arch->cc()};
}

// Whether the framework has code for a GPU that runs code for this target.
bool shares_a_gpu(const Target& target, const Expectation& expectation, const Scenario& scenario,
                  const Facts& facts) {
    if (target.ptx && !is_newer_than_all(*expectation.archs, target.arch)) return true;
    return code_fit(*expectation.archs, target.arch, scenario, facts) != CodeFit::none;
}

// A recipe that compiles extensions of PyTorch only for GPUs for which PyTorch itself has no code.
void judge_lists(const Scenario& scenario, const Facts& facts, const Expectation& expectation,
                 Findings& findings) {
    const RecipeArchs* list = nullptr;
    for (const RecipeArchs& one : scenario.recipe.arch_lists)
        if (one.name == "TORCH_CUDA_ARCH_LIST") list = &one;
    if (!list || expectation.framework != "PyTorch" || list->archs.targets.empty() ||
        !list->archs.words.empty())
        return;
    const auto& targets = list->archs.targets;
    if (any_of(targets,
               [&](const Target& target) { return shares_a_gpu(target, expectation, scenario, facts); }))
        return;
    Gpu gpu;
    gpu.arch = {targets.front().arch, list->origin};
    Finding& finding = say(expectation, gpu, "it has " + words_of(*expectation.archs), findings);
    finding.level = Level::warning;
    finding.found.push_back({list->name, words_of(targets), list->origin});
    finding.because = "extensions for these GPUs run only where " + expectation.framework + " itself does";
    add_fixes(expectation, gpu, scenario, facts, finding);
}

}  // namespace

PTXGUARD_RULE(CC607) {
    const auto gpus = gpus_judged(scenario);
    for (const Expectation& expectation : scenario.expectations) {
        if (!is_there(expectation) || !expectation.may_use_cuda() || never_released(expectation)) continue;
        const bool known = expectation.archs && !expectation.archs->empty();
        bool dropped = false;
        for (const Gpu* gpu : gpus)
            dropped = (!known && (judge_dropped(expectation, *gpu, facts, findings) ||
                                  judge_too_new(expectation, *gpu, facts, findings))) ||
                      dropped;
        for (const Gpu* gpu : gpus) {
            if (!known && !dropped) {
                judge_nvrtc(scenario, facts, expectation, *gpu, findings);
                judge_linker(scenario, facts, expectation, *gpu, findings);
            }
            const bool wanted = !ask_its_nvrtc(expectation, *gpu->arch, scenario, facts) &&
                                needs_cuda_runtime(expectation, facts) &&
                                ((gpu->declared && scenario.source == SourceKind::machine) ||
                                 (expectation.required && expectation.cuda));
            if (!known && !dropped && wanted &&
                !ask_its_compilers(expectation, *gpu->arch, scenario, facts).supports)
                say_unknown(scenario, expectation, *gpu, facts, findings);
        }
        if (!known) continue;
        for (const Gpu* gpu : gpus)
            if (is_of_other_machines(expectation, *gpu->arch, facts))
                say_unknown(scenario, expectation, *gpu, facts, findings);
            else
                judge_pair(scenario, facts, expectation, *gpu, findings);
        judge_lists(scenario, facts, expectation, findings);
    }
}

}  // namespace ptxguard
