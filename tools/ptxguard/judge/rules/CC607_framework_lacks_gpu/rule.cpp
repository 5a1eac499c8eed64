// CC607 framework_lacks_gpu: a framework has neither a cubin nor PTX for a GPU, or only PTX that the driver
// does not accept; or the NVRTC that it compiles with makes none.
// SPDX-License-Identifier: Apache-2.0

#include "facts/framework_traits.hpp"
#include "facts/libraries.hpp"
#include "judge/entry_fit.hpp"
#include "judge/fitting_builds.hpp"
#include "judge/fixes.hpp"
#include "judge/framework_questions.hpp"
#include "judge/package_builds.hpp"
#include "judge/ptx_questions.hpp"
#include "judge/search_questions.hpp"
#include "judge/severity.hpp"
#include "model/file_names.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"

namespace ptxguard {
namespace {

// A framework, and a GPU that has to run it.
struct FrameworkOnGpu {
    const Scenario& scenario;
    const Facts& facts;
    const Expectation& framework;
    const Gpu& gpu;
    std::string name, on, sm;  // "PyTorch 2.5.1+cu121", "RTX 5090 (sm_120)", "sm_120"
    const ArchFacts* arch;     // null: no table lists its architecture

    FrameworkOnGpu(const Scenario& s, const Facts& f, const Expectation& expectation, const Gpu& g)
        : scenario(s),
          facts(f),
          framework(expectation),
          gpu(g),
          name(name_of(expectation)),
          on(name_of(g)),
          sm(g.arch->sm()),
          arch(f.arch(Arch{g.arch->number, 0})) {}

    const Known<std::vector<Target>>& code() const { return framework.archs; }
    // The first CUDA release whose compilers support the GPU; null = not known.
    const Version* first() const { return arch && arch->first_toolkit ? &*arch->first_toolkit : nullptr; }
    bool first_is_after(const Version& cuda) const {
        return first() && *parse_version(cuda.release()) < *first();
    }
    bool refuses_ptx() const {
        const auto from = framework_traits(facts, framework.framework).ptx_refused_from;
        return from && gpu.arch->number >= *from;
    }
    Composed add(Findings& findings, Level level, const std::string& message) const {
        return ptxguard::add(findings, "CC607", level, SAY("{} on {}", name, on), message)
            .about(scenario, framework, gpu);
    }
    Composed add_code(Findings& findings, Level level, const std::string& message) const {
        return add(findings, level, message)
            .of_package(framework.package)
            .found("device code", words_of(*code()), code().origin);
    }
    Composed add_none(Findings& findings, Level level, const std::string& why) const {
        return add_code(findings, level, SAY("{} has no code that runs on {}: {}", name, on, why))
            .brief(SAY("{}: {} has no code for it", on, name))
            .expected("device code", SAY("a cubin or PTX for {}", sm), gpu.arch.origin);
    }
};

// A build of the same release for an older CUDA of the same major: "cu126".
std::string older_builds(const Expectation& expectation, const Facts& facts) {
    std::vector<std::string> names;
    if (!expectation.cuda) return "";
    for (const std::string& variant : variants_for(expectation, facts, expectation.cuda->major()))
        if (const auto cuda = cuda_of_tag(variant); cuda && *cuda < *expectation.cuda)
            names.push_back(variant);
    return joined(names, " or ");
}

// If no build is known to fit: the CUDA release that supports the GPU.
std::string with_other_cuda(const FrameworkOnGpu& pair) {
    const Expectation& framework = pair.framework;
    const ArchFacts* arch = pair.arch;
    const bool too_new = (framework.cuda && pair.first_is_after(*framework.cuda)) ||
                         is_newer_than_all(*pair.code(), *pair.gpu.arch);
    if (too_new && pair.first() && (!framework.cuda || pair.first_is_after(*framework.cuda)))
        return SAY("install a build of {} with CUDA {} or newer, the first that supports {}",
                   framework.package, pair.first()->release(), pair.sm);
    if (too_new) return SAY("install a newer {} whose build contains {}", framework.package, pair.sm);
    if (arch && arch->last_toolkit && (!framework.cuda || *arch->last_toolkit < *framework.cuda))
        return SAY("install a build of {} with CUDA {} or older, the last that supports {}",
                   framework.package, arch->last_toolkit->release(), pair.sm);
    if (const std::string older = older_builds(framework, pair.facts); !older.empty())
        return SAY("install the {} build of {}: builds for an older CUDA contain older architectures", older,
                   release_name(framework));
    return SAY("install another build of {} that contains {}", framework.package, pair.sm);
}

std::vector<Fix> fixes_for_gpu(const FrameworkOnGpu& pair) {
    std::vector<Fix> fixes = fitting_build_fix(pair.framework, *pair.gpu.arch, pair.scenario, pair.facts);
    if (fixes.empty()) fixes.push_back(by_hand(with_other_cuda(pair)));
    fixes.push_back(by_hand(SAY("build {} for {}", pair.framework.package, pair.sm)));
    return fixes;
}

// Reported for several releases; no release is known to work.
void say_ptx_refused(const FrameworkOnGpu& pair, Findings& findings) {
    pair.add_code(findings, Level::error,
                  SAY("{} has only PTX for {}, and its operations end with CUDA_ERROR_INVALID_PTX or "
                      "CUDA_ERROR_INVALID_HANDLE there",
                      pair.name, pair.on))
        .brief(SAY("{}: {} has only PTX for it, which fails", pair.on, pair.name))
        .expected("device code", SAY("a cubin for {}", pair.sm), pair.gpu.arch.origin)
        .because(SAY("releases built with CUDA {}, which is older than {}, are reported to fail at the first "
                     "operation, also after the driver has compiled their PTX",
                     pair.framework.cuda->release(), pair.sm))
        .fix(fixes_for_gpu(pair))
        .by_hand(SAY("use a container of NVIDIA with {} for {}", pair.framework.framework, pair.sm));
}

// PTX that the driver compiles. If the CUDA of the build is older than the GPU, its libraries are too.
void say_ptx_only(const FrameworkOnGpu& pair, Findings& findings) {
    const Known<Version>& cuda = pair.framework.cuda;
    const bool older = cuda && pair.first_is_after(*cuda);
    if (older && pair.refuses_ptx()) return say_ptx_refused(pair, findings);
    Composed finding = pair.add_code(findings, older ? Level::warning : Level::note,
                                     SAY("{} has only PTX for {}, which the driver compiles at the first use",
                                         pair.name, pair.on))
                           .expected("device code", SAY("a cubin for {}", pair.sm), pair.gpu.arch.origin)
                           .because("compiling takes minutes, and up to half an hour for a large framework");
    if (older)
        finding
            .because(SAY("compiling takes minutes, and up to half an hour for a large framework; the "
                         "libraries of CUDA {} are older than {} too, and programs were reported to end with "
                         "CUDA_ERROR_INVALID_PTX or CUDA_ERROR_INVALID_HANDLE",
                         cuda->release(), pair.sm))
            .fix(fixes_for_gpu(pair));
}

// Packages of pip with that library, of the first CUDA release that supports the GPU.
std::vector<std::string> packages_of(const FrameworkOnGpu& pair, const std::string& library,
                                     const std::string& folder = "") {
    std::vector<std::string> packages;
    for (const LibrarySource& source : library_sources(pair.facts, library, pair.scenario.system))
        if (!source.package.empty() && source.cuda == std::to_string(pair.first()->major()) &&
            (folder.empty() || ends_with(folder, SAY("/{}", source.folder))))
            packages.push_back(source.package);
    return packages;
}

// Its own kernels may have code for the GPU; those that it compiles while it runs have none.
void judge_nvrtc(const FrameworkOnGpu& pair, Findings& findings) {
    const auto nvrtc = ask_its_nvrtc(pair.framework, *pair.gpu.arch, pair.scenario, pair.facts);
    if (!nvrtc || nvrtc->runs) return;
    const LoadedFile& library = *nvrtc->library;
    const Composed finding =
        pair.add(findings, Level::error,
                 SAY("{} compiles with NVRTC {}, which makes no code for {}", pair.name,
                     library.version->text, pair.on))
            .of_package(pair.framework.package)
            .found("NVRTC", library.version->text, library.version.origin.shown_as(*library.taken))
            .because(nvrtc->made ? SAY("NVRTC is asked for the newest GPU that it supports, and a cubin for "
                                       "{} does not run on {} (CUDA_ERROR_NO_BINARY_FOR_GPU)",
                                       nvrtc->made->sm(), pair.sm)
                                 : "NVRTC ends with 'invalid value for --gpu-architecture (-arch)'");
    if (!nvrtc->made || !pair.first()) {
        finding.by_hand(SAY("install an NVRTC that supports {}", pair.sm));
        return;
    }
    const std::string first = pair.first()->release();
    finding.expected("NVRTC", SAY(">= {}, the first that supports {}", first, pair.sm), pair.arch->origin);
    const auto packages = packages_of(pair, file_of(*library.taken), folder_of(*library.taken));
    for (const std::string& package : packages) finding.fix(pip_fix(SAY("'{}>={}'", package, first)));
    if (packages.empty())
        finding.by_hand(SAY("use an NVRTC of CUDA {} or newer in place of {}", first, *library.taken));
}

// It links what it compiles with an nvJitLink of before the GPU.
void judge_linker(const FrameworkOnGpu& pair, Findings& findings) {
    const auto* linker =
        first_where(pair.framework.tools, [](const BundledTool& tool) { return tool.tool == k_nvjitlink; });
    if (!linker || !linker->version || !pair.first_is_after(*linker->version)) return;
    const std::string first = pair.first()->release();
    const auto packages = packages_of(pair, SAY("libnvJitLink.so.{}", linker->version->major()));
    pair.add(findings, Level::error,
             SAY("{} links with nvJitLink {}, which makes no code for {}", pair.name, linker->version->text,
                 pair.on))
        .of_package(pair.framework.package)
        .found("nvJitLink", linker->version->text, linker->version.origin)
        .expected("nvJitLink", SAY(">= {}, the first that supports {}", first, pair.sm), pair.arch->origin)
        .because(
            "each kernel is linked for the GPU at hand, and nvJitLink refuses an architecture that it does "
            "not know")
        .fix(packages.empty() ? by_hand(SAY("install the libraries of CUDA {} or newer for {}", first,
                                            pair.framework.package))
                              : pip_fix(SAY("'{}>={}'", packages.front(), first)));
}

void judge_code(const FrameworkOnGpu& pair, Findings& findings) {
    const CodeFit fit = code_fit(*pair.code(), *pair.gpu.arch, pair.scenario, pair.facts);
    if (fit == CodeFit::none) {
        pair.add_none(findings, level_of(pair.framework), SAY("it has {}", words_of(*pair.code())))
            .because(
                "a cubin runs on its own major version with the same or a newer minor, and PTX is compiled "
                "for its target and newer architectures (CUDA error 209, 'no kernel image is available')")
            .fix(fixes_for_gpu(pair));
        return;
    }
    judge_nvrtc(pair, findings);
    if (fit != CodeFit::ptx) return;
    const auto ptx = ptx_of(pair.framework, pair.facts);
    const Driver* driver = ptx ? driver_that_refuses(pair.scenario, pair.facts, *ptx) : nullptr;
    if (!driver) return say_ptx_only(pair, findings);
    const Composed finding =
        pair.add_none(findings, level_of(pair.framework),
                      SAY("it has PTX {} only for it, which {} does not read", ptx->text(), name_of(*driver)))
            .because(
                "no cubin fits, and a driver compiles PTX of its own CUDA release and of older ones (CUDA "
                "error 222)");
    if (driver->version) finding.found("driver", driver->version->text, driver->version.origin);
    if (const auto first = pair.facts.first_driver_for_ptx(*ptx, pair.scenario.system))
        finding.fix(driver_fix(*first));
}

std::string no_compiler(const FrameworkOnGpu& pair, const std::string& cuda) {
    return SAY("{} has no code that runs on {}: no compiler of CUDA {} makes code for it", pair.name, pair.on,
               cuda);
}

// For any content: no compiler of its CUDA, including NVRTC and XLA's ptxas, supports that GPU any more.
bool judge_dropped(const FrameworkOnGpu& pair, Findings& findings) {
    const Known<Version>& cuda = pair.framework.cuda;
    if (!cuda || !pair.arch || !pair.arch->last_toolkit ||
        pair.arch->last_toolkit->major() >= cuda->major() ||
        !framework_traits(pair.facts, pair.framework.framework).cuda_runtime)
        return false;
    const std::string last = pair.arch->last_toolkit->release();
    const auto extra = extra_for_cuda(pair.scenario, pair.facts, pair.framework,
                                      static_cast<int>(pair.arch->last_toolkit->major()));
    pair.add(findings, level_of(pair.framework), no_compiler(pair, std::to_string(cuda->major())))
        .found("CUDA", cuda->text, cuda.origin)
        .expected("CUDA", SAY("<= {}, the last that supports {}", last, pair.sm), pair.arch->origin)
        .because("neither the framework's build nor what it compiles while it runs can be for this GPU")
        .fix(extra
                 ? *extra
                 : by_hand(SAY("install a build of {} with CUDA {} or older", pair.framework.package, last)));
    return true;
}

// The release's table row; for a nightly build, the row of the release that followed it.
const FrameworkRelease* listed_release(const Expectation& expectation, const Facts& facts) {
    if (!expectation.version) return nullptr;
    if (const auto* release = facts.framework_release(expectation.package, *expectation.version))
        return release;
    std::vector<std::string> numbers;
    for (const int number : expectation.version->numbers) numbers.push_back(std::to_string(number));
    const auto plain = parse_version(joined(numbers, "."));
    return plain ? facts.framework_release(expectation.package, *plain) : nullptr;
}

// A build with unknown content: no compiler of its CUDA supports the GPU yet, and another build of the same
// release contains only cubins, no PTX that a driver could compile.
bool judge_too_new(const FrameworkOnGpu& pair, Findings& findings) {
    const Known<Version>& cuda = pair.framework.cuda;
    if (!cuda || cuda->numbers.size() < 2 || !pair.first_is_after(*cuda)) return false;
    const FrameworkRelease* other = listed_release(pair.framework, pair.facts);
    const auto holds_ptx_or_newer = [&](const Target& target) {
        return target.ptx || target.arch.number / 10 >= pair.gpu.arch->number / 10;
    };
    if (!other || other->archs.empty() || any_of(other->archs, holds_ptx_or_newer)) return false;
    const std::string first = pair.first()->release();
    pair.add(findings, level_of(pair.framework), no_compiler(pair, cuda->release()))
        .found("CUDA", cuda->text, cuda.origin)
        .found("another build of it", words_of(other->archs), other->origin)
        .expected("CUDA", SAY(">= {}, the first that supports {}", first, pair.sm), pair.arch->origin)
        .because(
            "builds of this release contain only cubins, and those of an older major do not run (CUDA error "
            "209, 'no kernel image is available')")
        .by_hand(SAY("install a build of {} with CUDA {} or newer", pair.framework.package, first));
    return true;
}

void say_unknown(const FrameworkOnGpu& pair, Findings& findings) {
    const Arch gpu = *pair.gpu.arch;
    const bool listed = pair.code() && is_of_other_machines(pair.framework, gpu, pair.facts);
    const bool compiles = framework_traits(pair.facts, pair.framework.framework).compiles;
    pair.add(findings, Level::unknown,
             compiles ? SAY("whether {} compiles for {} is not known", pair.name, pair.on)
             : listed ? SAY("which architectures {} has for {} is not known", pair.name, pair.on)
                      : SAY("which architectures {} has is not known", pair.name))
        .because(listed ? "the tables list builds for x86-64, and an integrated GPU needs one for its board"
                        : ask_its_compilers(pair.framework, gpu, pair.scenario, pair.facts).words)
        .required(pair.gpu.declared)
        .decide(pair.framework.path.empty()
                    ? "the installed package: --python DIR"
                    : SAY("ptxguard inspect on its libraries with --gpu {}", gpu.cc()));
}

// Somebody asks for it, and nothing shows whether it runs.
bool is_asked_for(const FrameworkOnGpu& pair) {
    const Expectation& framework = pair.framework;
    const Arch gpu = *pair.gpu.arch;
    return ((pair.gpu.declared && pair.scenario.source == SourceKind::machine) ||
            (framework.required && framework.cuda)) &&
           needs_cuda_runtime(framework, pair.facts) &&
           !ask_its_nvrtc(framework, gpu, pair.scenario, pair.facts) &&
           !ask_its_compilers(framework, gpu, pair.scenario, pair.facts).supports;
}

// It refuses older GPUs than those that its compilers know.
bool judge_compiles_from(const FrameworkOnGpu& pair, Findings& findings) {
    const auto first = compiles_only_from(pair.framework, *pair.gpu.arch, pair.facts);
    if (!first) return false;
    const std::string from = first->sm();
    // Beside another framework it may never be asked, unless a package has kernels for it.
    const bool needed = level_of_unused_gpu({pair.framework.package}, pair.scenario) == Level::error ||
                        (pair.gpu.declared && any_of(pair.scenario.picks, [&](const Pick& pick) {
                             return pick.search && pick.tool == "ptxas" &&
                                    pick.search->companion_of.empty() &&
                                    is_of(pick, pair.framework, pair.facts);
                         }));
    pair.add(findings, needed ? Level::error : Level::note,
             SAY("{} does not compile for {}: it compiles for {} and newer", pair.name, pair.on, from))
        .of_package(pair.framework.package)
        .expected("GPU", SAY("{} or newer", from),
                  framework_traits(pair.facts, pair.framework.framework).origin)
        .because(SAY("what asks {} for kernels (torch.compile) ends with an error", pair.framework.framework))
        .by_hand(SAY("run what does not compile with {} on this GPU: torch.compile with backend='eager'",
                     pair.framework.framework));
    return true;
}

// Its device code is not known.
void judge_unlisted(const std::vector<FrameworkOnGpu>& pairs, Findings& findings) {
    bool never = false;
    for (const FrameworkOnGpu& pair : pairs)
        never = judge_compiles_from(pair, findings) || judge_dropped(pair, findings) ||
                judge_too_new(pair, findings) || never;
    if (never) return;
    for (const FrameworkOnGpu& pair : pairs) {
        judge_nvrtc(pair, findings);
        judge_linker(pair, findings);
        if (is_asked_for(pair)) say_unknown(pair, findings);
    }
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
    // Whether it has code for a GPU that runs code for this target.
    const auto shares_a_gpu = [&](const Target& target) {
        return (target.ptx && !is_newer_than_all(*expectation.archs, target.arch)) ||
               code_fit(*expectation.archs, target.arch, scenario, facts) != CodeFit::none;
    };
    const auto& targets = list->archs.targets;
    if (any_of(targets, shares_a_gpu)) return;
    Gpu gpu;
    gpu.arch = {targets.front().arch, list->origin};
    const FrameworkOnGpu pair(scenario, facts, expectation, gpu);
    pair.add_none(findings, Level::warning, SAY("it has {}", words_of(*pair.code())))
        .found(list->name, words_of(targets), list->origin)
        .because(SAY("extensions for these GPUs run only where {} itself does", expectation.framework))
        .fix(fixes_for_gpu(pair));
}

// False: its device code is not known, or it is not there.
bool judge_framework(const Scenario& scenario, const Facts& facts, const Expectation& expectation,
                     Findings& findings) {
    if (!is_there(expectation) || !expectation.may_use_cuda() || never_released(expectation)) return false;
    std::vector<FrameworkOnGpu> pairs;
    for (const Gpu* gpu : gpus_judged(scenario)) pairs.emplace_back(scenario, facts, expectation, *gpu);
    if (!expectation.archs || expectation.archs->empty()) {
        judge_unlisted(pairs, findings);
        return false;
    }
    for (const FrameworkOnGpu& pair : pairs)
        if (is_of_other_machines(expectation, *pair.gpu.arch, facts))
            say_unknown(pair, findings);
        else
            judge_code(pair, findings);
    return true;
}

}  // namespace

PTXGUARD_RULE(CC607) {
    for (const Expectation& expectation : scenario.expectations) {
        if (!judge_framework(scenario, facts, expectation, findings)) continue;
        judge_lists(scenario, facts, expectation, findings);
    }
    for (const Expectation& expectation : scenario.newest)
        judge_framework(scenario, facts, expectation, findings);
}

}  // namespace ptxguard
