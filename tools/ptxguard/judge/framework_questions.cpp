// Answers about frameworks from their readers' results and the table of their releases.
// SPDX-License-Identifier: Apache-2.0
#include "judge/framework_questions.hpp"

#include <algorithm>

#include "facts/framework_traits.hpp"
#include "judge/build_questions.hpp"
#include "judge/fixes.hpp"
#include "judge/search_questions.hpp"
#include "judge/severity.hpp"
#include "model/ranges.hpp"
#include "python/specifier.hpp"

namespace ptxguard {

std::string name_of(const Expectation& expectation) {
    return expectation.newest ? SAY("{} (the newest)", expectation.name()) : expectation.name();
}

Level level_of(const Expectation& expectation) { return expectation.newest ? Level::warning : Level::error; }

bool is_there(const Expectation& expectation) { return expectation.version || !expectation.path.empty(); }

bool is_over_one_for_gpus(const Expectation& expectation) {
    return any_of(expectation.shared_files, [&](const SharedFile& shared) {
        return !shared.mixed && shared.owner == shared.other && shared.owner == expectation.package;
    });
}

bool is_of_other_machines(const Expectation& expectation, Arch gpu, const Facts& facts) {
    const ArchFacts* arch = facts.arch(Arch{gpu.number, 0});
    // No build of an older CUDA has code for it, whoever made it.
    const bool too_new = arch && arch->first_toolkit && expectation.cuda &&
                         *expectation.cuda < *arch->first_toolkit &&
                         !same_release(*expectation.cuda, *arch->first_toolkit);
    return arch && arch->integrated && !too_new && expectation.archs &&
           expectation.archs.origin.certainty == Certainty::predicted;
}

bool never_released(const Expectation& expectation) {
    return expectation.published && !*expectation.published;
}

bool runs_with_cuda(const Expectation& expectation) {
    return is_there(expectation) && expectation.may_use_cuda() && !never_released(expectation);
}

std::optional<PythonFit> fit_for_python(const Expectation& expectation, const Scenario& scenario,
                                        const Facts& facts) {
    const auto named = parse_version(scenario.python.version);
    if (!scenario.python.named || !named || scenario.system != System::linux_) return std::nullopt;
    const bool other = !expectation.build_package.empty();
    const Known<Version>& version = other ? expectation.build_version : expectation.version;
    if (!expectation.declared || !version || never_released(expectation) || !expectation.may_use_cuda())
        return std::nullopt;
    const FrameworkRelease* release =
        facts.framework_release(other ? expectation.build_package : expectation.package, *version);
    if (!release || !release->python_from || !release->python_to) return std::nullopt;
    return PythonFit{*parse_version(named->release()), release, has_wheel_for(*release, named)};
}

bool is_standard_enough(int standard, int needed) {
    const auto age = [](int one) { return one >= 90 ? one - 100 : one; };
    return age(standard) >= age(needed);
}

bool has_wheel_for(const FrameworkRelease& release, const std::optional<Version>& python) {
    if (!python || !release.python_from || !release.python_to) return true;
    const Version minor = *parse_version(python->release());
    return *release.python_from <= minor && minor <= *release.python_to;
}

bool has_cxx_interface(const Expectation& expectation, const Facts& facts) {
    return framework_traits(facts, expectation.framework).cxx_interface;
}

bool is_compiled_against(const Expectation& expectation, const Scenario& scenario, const Facts& facts) {
    if (expectation.required || expectation.declared) return true;
    const bool linked = !scenario.project.built_by || scenario.project.torch_builds;
    return linked && has_cxx_interface(expectation, facts);
}

namespace {

struct Compiler {
    std::string words;
    Version version;
    std::optional<Arch> asked;  // what its package asks it for, if that is a form with a suffix
};
using Compilers = std::vector<Compiler>;

Compilers of_version(const std::string& tool, const Known<Version>& version,
                     std::optional<Arch> asked = std::nullopt) {
    if (!version) return {};
    return {{SAY("{} {}", tool, version->text), *version, asked}};
}

void append(Compilers& compilers, const Compilers& others) {
    compilers.insert(compilers.end(), others.begin(), others.end());
}

// Those that its own search finds and its process loads.
Compilers compilers_found(const Expectation& expectation, Arch gpu, const Scenario& scenario,
                          const Facts& facts) {
    Compilers found;
    for (const Pick& pick : scenario.picks)
        if (makes_code(pick) && !pick.path.empty() && pick.search && is_used(scenario, pick) &&
            is_of(pick, expectation, facts)) {
            const Arch asked = asked_for(pick, gpu);
            append(found, of_version(pick.tool, pick.version,
                                     asked.suffix ? std::optional<Arch>(asked) : std::nullopt));
        }
    for (const LoadTrace& trace : scenario.traces)
        if (scenario.framework_of(trace) == &expectation)
            for (const LoadedFile& library : trace.libraries)
                if (library.library == "nvrtc" && library.taken)
                    append(found, of_version("NVRTC", library.version));
    return found;
}

// Those that its own search finds and its process loads, else those in its package, else those of its CUDA.
Compilers compilers_of(const Expectation& expectation, Arch gpu, const Scenario& scenario,
                       const Facts& facts) {
    Compilers compilers = compilers_found(expectation, gpu, scenario, facts);
    if (!compilers.empty()) return compilers;
    for (const BundledTool& tool : expectation.tools) {
        if (starts_with(tool.tool, "ptxas")) append(compilers, of_version("ptxas", tool.version));
        // A linker makes code for the GPU at hand, and for no other.
        if (tool.tool == k_nvjitlink)
            append(compilers, of_version(tool.tool, tool.version, Arch{gpu.number, 0}));
    }
    const bool finds_none = any_of(scenario.picks, [&](const Pick& pick) {
        return makes_code(pick) && pick.path.empty() && is_needed(scenario, pick) &&
               is_of(pick, expectation, facts);
    });
    if (compilers.empty() && !finds_none) return of_version("the compilers of CUDA", expectation.cuda);
    return compilers;
}

// Whether this one supports the GPU; nothing = that is not known, or only as `words` says.
CompilerFit ask_one_compiler(const Compiler& compiler, Arch gpu, const Facts& facts) {
    const ArchFacts* arch = facts.arch(Arch{gpu.number, 0});
    const std::string& words = compiler.words;
    if (compiler.version.numbers.size() == 1) {
        // CuPy names the major only: its first release has the oldest compilers.
        const bool old = arch && arch->first_toolkit &&
                         *arch->first_toolkit <= *parse_version(SAY("{}.0", compiler.version.text));
        if (old) return {true, words};
        return {std::nullopt, SAY("{} may be older than {}", words, gpu.sm())};
    }
    const CudaRelease* release = facts.cuda(compiler.version);
    if (!release || release->ptxas_archs.empty()) return {};
    if (compiler.asked) {
        const bool knows = assembles(*release, *compiler.asked);
        return {knows, knows ? words : SAY("{}, which does not know {}", words, compiler.asked->sm())};
    }
    if (any_of(release->ptxas_archs, [&](Arch one) { return one.number == gpu.number && !one.suffix; }))
        return {true, words};
    // An older compiler makes PTX for the newest GPU that it supports, which drivers may compile.
    return {std::nullopt, SAY("{} is older than {}", words, gpu.sm())};
}

}  // namespace

std::optional<NvrtcFit> ask_its_nvrtc(const Expectation& expectation, Arch gpu, const Scenario& scenario,
                                      const Facts& facts) {
    if (!framework_traits(facts, expectation.framework).nvrtc_cubins) return std::nullopt;
    for (const LoadTrace& trace : scenario.traces) {
        const LoadedFile* nvrtc =
            scenario.framework_of(trace) == &expectation ? trace.library("nvrtc") : nullptr;
        if (!nvrtc || !nvrtc->taken || !nvrtc->version) continue;
        const CudaRelease* release = facts.cuda(*nvrtc->version);
        if (!release || release->ptxas_archs.empty()) continue;
        NvrtcFit fit{nvrtc, std::nullopt, false};
        Arch newest;
        for (const Arch arch : release->ptxas_archs) {
            if (arch.suffix) continue;
            if (arch.number > newest.number) newest = arch;
            if (arch.number == gpu.number) fit.made = arch;
        }
        if (gpu.number > newest.number) fit.made = newest;
        fit.runs = fit.made && cubin_runs_on(*fit.made, Arch{gpu.number, 0});
        return fit;
    }
    return std::nullopt;
}

std::optional<Arch> compiles_only_from(const Expectation& expectation, Arch gpu, const Facts& facts) {
    const auto from = framework_traits(facts, expectation.framework).compiles_from;
    return from && gpu.number < *from ? std::optional(Arch{*from, 0}) : std::nullopt;
}

CompilerFit ask_its_compilers(const Expectation& expectation, Arch gpu, const Scenario& scenario,
                              const Facts& facts) {
    CompilerFit fit{std::nullopt, "neither its files nor a table give the architectures of its code"};
    if (!framework_traits(facts, expectation.framework).compiles) return fit;
    if (const auto from = compiles_only_from(expectation, gpu, facts)) {
        fit.words = SAY("it compiles for {} and newer", from->sm());
        // Beside another framework it may never be asked.
        if (level_of_unused_gpu({expectation.package}, scenario) == Level::error) fit.supports = false;
        return fit;
    }
    if (const auto nvrtc = ask_its_nvrtc(expectation, gpu, scenario, facts))
        return {nvrtc->runs, SAY("NVRTC {}", nvrtc->library->version->text)};
    const ArchFacts* arch = facts.arch(Arch{gpu.number, 0});
    for (const Compiler& compiler : compilers_of(expectation, gpu, scenario, facts)) {
        if (arch && arch->last_toolkit && arch->last_toolkit->major() < compiler.version.major() &&
            needs_cuda_runtime(expectation, facts))
            return {false, compiler.words};
        const CompilerFit one = ask_one_compiler(compiler, gpu, facts);
        if (one.supports) return one;
        if (!one.words.empty()) fit = one;
    }
    return fit;
}

Composed add_unrecorded(const Expectation& expectation, const char* code, const std::string& what,
                        const std::string& unchecked, Findings& findings) {
    return add(findings, code, Level::unknown, name_of(expectation),
               SAY("{} does not record {}", name_of(expectation), what))
        .because(SAY("whether {} is not checked", unchecked))
        .decide(expectation.declared ? "the framework installed, and --python with the Python that has it"
                                     : SAY("a build of {} whose files name it", expectation.package));
}

bool needs_cuda_runtime(const Expectation& expectation, const Facts& facts) {
    return framework_traits(facts, expectation.framework).cuda_runtime;
}

std::vector<std::string> variants_of(const Expectation& expectation, const Facts& facts) {
    if (!expectation.published_variants.empty() || !expectation.version)
        return expectation.published_variants;
    const FrameworkRelease* release = facts.framework_release(expectation.package, *expectation.version);
    return release ? release->variants : std::vector<std::string>{};
}

std::vector<std::string> variants_for(const Expectation& expectation, const Facts& facts, int cuda_major) {
    std::vector<std::string> fitting;
    const FrameworkRelease* release =
        expectation.version ? facts.framework_release(expectation.package, *expectation.version) : nullptr;
    for (const std::string& variant : variants_of(expectation, facts)) {
        std::optional<Version> cuda = cuda_of_tag(variant);
        if (cuda && cuda->major() == cuda_major && (!release || release->offers(variant)))
            fitting.push_back(variant);
    }
    std::sort(fitting.begin(), fitting.end(),
              [](const std::string& a, const std::string& b) { return *cuda_of_tag(a) < *cuda_of_tag(b); });
    return fitting;
}

std::vector<std::string> cuda_tags(const FrameworkRelease& release) {
    std::vector<std::string> tags;
    for (const std::string& variant : release.variants)
        if (cuda_of_tag(variant)) tags.push_back(variant);
    return tags;
}

const FrameworkRelease* newest_with_builds(const Facts& facts, const std::string& package,
                                           const std::string& range) {
    const FrameworkRelease* newest = nullptr;
    for (const Version& version : facts.framework_releases(package)) {
        const FrameworkRelease* release = facts.framework_release(package, version);
        if (release && !release->variants.empty() && accepts(range, version)) newest = release;
    }
    return newest;
}

std::string release_name(const Expectation& expectation) {
    return expectation.version ? SAY("{} {}", expectation.package, expectation.version->without_local())
                               : expectation.package;
}

Step build_step(const Expectation& expectation, const FrameworkRelease& release, const Version& cuda,
                const std::string& variant) {
    Step step{StepKind::framework};
    step.subject = expectation.package;
    step.package = release.package;
    step.version = *parse_version(release.version.text + (variant.empty() ? "" : SAY("+{}", variant)));
    step.cuda = cuda;
    return step;
}

std::string pip_words(const Step& build, const Facts& facts) {
    const FrameworkRelease* release = facts.framework_release(build.package, build.version);
    const std::string name = release && !release->pip.empty() ? release->pip : build.subject;
    const std::string words = SAY("'{}=={}'", name, build.version.text), variant = build.version.local();
    return variant.empty() || !release ? words : SAY("{} --index-url {}{}", words, release->index, variant);
}

Fix build_fix(const Expectation& expectation, const FrameworkRelease& release, const std::string& variant,
              const Facts& facts) {
    const bool by_pip = expectation.how == Installation::wheel || expectation.declared;
    const std::optional<Version> cuda = variant.empty() ? release.cuda : cuda_of_tag(variant);
    Fix fix =
        by_hand(SAY("install the {} build of {} {}", variant, expectation.package, release.version.text));
    if (!cuda) return fix;
    fix.step = build_step(expectation, release, *cuda, variant);
    if (by_pip && (variant.empty() || !release.index.empty()))
        return {FixKind::command, k_pip_install + pip_words(*fix.step, facts), fix.step};
    return fix;
}

std::vector<Fix> other_build_fix(const Expectation& expectation, const Facts& facts, int cuda_major) {
    std::vector<std::string> fitting = variants_for(expectation, facts, cuda_major);
    if (fitting.empty()) return {};
    const FrameworkRelease* release = facts.framework_release(expectation.package, *expectation.version);
    if (release) return {build_fix(expectation, *release, fitting.back(), facts)};
    return {by_hand(SAY("install the {} build of {}", fitting.back(), release_name(expectation)))};
}

}  // namespace ptxguard
