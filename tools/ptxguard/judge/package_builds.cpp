// What decides, the strongest first: whether the driver runs it, whether its CUDA knows the GPU, the CUDA of
// what is installed beside it.
// SPDX-License-Identifier: Apache-2.0
#include "judge/package_builds.hpp"

#include <algorithm>

#include "facts/libraries.hpp"
#include "facts/pypi.hpp"
#include "facts/recipe_tables.hpp"
#include "judge/driver_questions.hpp"
#include "judge/entry_fit.hpp"
#include "judge/fitting_builds.hpp"
#include "judge/fixes.hpp"
#include "judge/framework_questions.hpp"
#include "judge/library_words.hpp"
#include "judge/ptx_questions.hpp"
#include "model/named_cuda.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"

namespace ptxguard {
namespace {

struct Build {
    std::string package;
    Known<Version> version;
    std::optional<Version> cuda;
};

Build build_of(const std::string& package, const Known<Version>& version, const Facts& facts) {
    Build build{package, version, named_cuda(package)};
    const FrameworkRelease* row =
        version && !build.cuda ? facts.framework_release(package, *version) : nullptr;
    if (row && row->cuda) build.cuda = *row->cuda;
    return build;
}

// "driver 535.183.06 is too old for CUDA 13", "CUDA 13 no longer supports V100"; empty = nothing known.
std::string refusal_of_machine(const Version& cuda, const Scenario& scenario, const Facts& facts) {
    for (const Driver* driver : drivers_concerned(scenario))
        if (runtime_starts(scenario, facts, *driver, cuda) == std::optional<bool>(false))
            return SAY("driver {} is too old for {}",
                       version_of(*driver) ? version_of(*driver)->text : "here", words_of_cuda(cuda));
    for (const Gpu* gpu : gpus_judged(scenario)) {
        if (!gpu->arch) continue;
        const std::vector<Version> releases = facts.cuda_releases_with(*gpu->arch);
        const bool known = !releases.empty() && !facts.cuda_releases().empty();
        if (known && none_of(releases, [&](const Version& one) { return one.major() == cuda.major(); }))
            return SAY("{} has no compiler for {}", words_of_cuda(cuda), gpu->arch->sm());
    }
    return "";
}

// "nvidia-cublas-cu12 is installed, for CUDA 12": of another CUDA only; empty = of this one, or none.
std::string other_libraries(int major, const Scenario& scenario, const Facts& facts) {
    std::string other;
    for (const int one : majors_with_packages(facts)) {
        const auto files = library_files(facts, one, scenario.system);
        const auto cublas = files.find("cublas");
        if (cublas == files.end()) continue;
        for (const LibrarySource& source : library_sources(facts, cublas->second, scenario.system))
            for (const SitePlace& place : scenario.python.places) {
                if (source.package.empty() || !contains(place.records, source.package)) continue;
                if (one == major) return "";
                other = SAY("{} is installed, for CUDA {}", source.package, one);
            }
    }
    return other;
}

// "torch 2.8.0 is built for CUDA 12"; empty = what is beside it agrees, or nothing is.
std::string refusal_of_others(const Build& build, const SharedFile& shared, const Scenario& scenario,
                              const Facts& facts) {
    for (const Expectation& one : scenario.expectations) {
        const bool is_itself = one.package == shared.package || one.package == shared.other;
        if (is_itself || !runs_with_cuda(one) || !one.cuda || one.cuda->major() == build.cuda->major())
            continue;
        return SAY("{} is built for CUDA {}", release_name(one), one.cuda->major());
    }
    if (const std::string other = other_libraries(build.cuda->major(), scenario, facts); !other.empty())
        return other;
    const Toolkit* other = nullptr;
    for (const Toolkit& one : scenario.toolkits) {
        if (!one.version()) continue;
        if (one.version()->major() == build.cuda->major()) return "";
        other = &one;
    }
    return other ? SAY("the toolkit here is of CUDA {}", other->version()->major()) : "";
}

bool lacks_libraries(const Scenario& scenario, const std::string& package) {
    return any_of(scenario.traces, [&](const LoadTrace& trace) {
        const Expectation* framework = scenario.framework_of(trace);
        return framework && framework->package == package &&
               any_of(trace.libraries,
                      [](const LoadedFile& one) { return !one.taken && one.cuda_major != 0; });
    });
}

struct Refusals {
    std::string machine, others;
};

Refusals refusals_of(const Build& build, const SharedFile& shared, const Scenario& scenario,
                     const Facts& facts) {
    if (!build.cuda) return {};
    return {refusal_of_machine(*build.cuda, scenario, facts),
            refusal_of_others(build, shared, scenario, facts)};
}

// The one major of all that have one; 0 = none, or several.
template <typename All, typename MajorOf>
int common_major(const All& all, MajorOf major_of) {
    int common = 0;
    for (const auto& one : all) {
        const int major = major_of(one);
        if (major == 0 || major == common) continue;
        if (common != 0) return 0;
        common = major;
    }
    return common;
}

}  // namespace

int cuda_that_fits(const Scenario& scenario, const Facts& facts, const std::string& package) {
    if (const auto named = named_cuda(package)) return named->major();
    const int of_frameworks = common_major(scenario.expectations, [](const Expectation& one) {
        return one.cuda && one.may_use_cuda() ? static_cast<int>(one.cuda->major()) : 0;
    });
    if (of_frameworks != 0) return of_frameworks;
    const int of_toolkits = common_major(scenario.toolkits, [](const Toolkit& one) {
        return one.version() ? static_cast<int>(one.version()->major()) : 0;
    });
    const auto fits = [&](int major) {
        return refusal_of_machine(version_of_major(major), scenario, facts).empty();
    };
    if (of_toolkits != 0 && fits(of_toolkits)) return of_toolkits;
    if (drivers_concerned(scenario).empty() && gpus_judged(scenario).empty()) return of_toolkits;
    const std::vector<int> majors = majors_with_packages(facts);
    const auto newest = std::find_if(majors.rbegin(), majors.rend(), fits);
    return newest == majors.rend() ? 0 : *newest;
}

KeptBuild build_to_keep(const Scenario& scenario, const Facts& facts, const SharedFile& shared) {
    const Build first = build_of(shared.package, shared.version, facts),
                second = build_of(shared.other, shared.other_version, facts);
    if (!shared.mixed) return {first.package, first.version, SAY("{} has no CUDA", second.package), false};
    const bool second_is_there = shared.owner == shared.other;
    const Build &last = second_is_there ? second : first, &before = second_is_there ? first : second;
    const Refusals of_last = refusals_of(last, shared, scenario, facts),
                   of_before = refusals_of(before, shared, scenario, facts);
    const bool by_machine = of_last.machine.empty() != of_before.machine.empty();
    const std::string &against_last = by_machine ? of_last.machine : of_last.others,
                      &against_before = by_machine ? of_before.machine : of_before.others;
    if (!against_last.empty() && against_before.empty())
        return {before.package, before.version, against_last,
                !shared.owner.empty() && (by_machine || lacks_libraries(scenario, shared.owner))};
    return {last.package, last.version, against_last.empty() ? against_before : "", false};
}

Fix kept_build_fix(const KeptBuild& kept, const SharedFile& shared, const Facts& facts) {
    Step step{StepKind::framework};
    step.subject = step.package = kept.package;
    if (kept.version) step.version = *kept.version;
    const std::string words = kept.version ? pip_words(step, facts) : kept.package;
    return {FixKind::command,
            SAY("{}{} {} && {}{}", k_pip_uninstall, shared.package, shared.other, k_pip_install, words)};
}

namespace {

// pip's command for the newest of these releases: of the package itself, or of its sister for an older CUDA.
std::string install_words(const PackageCode& row, const std::string& package) {
    const auto named = named_cuda(package);
    const bool sister = named && !row.is_for_cuda(static_cast<int>(named->major()));
    const std::string name =
        sister ? SAY("{}-cu{}", package.substr(0, package.rfind("-cu")), row.cudas.back().text) : package;
    const bool months = row.to && row.to->numbers.size() == 2;  // 23.12.0, 23.12.1
    const std::string words = row.to ? SAY("'{}=={}{}'", name, row.to->text, months ? ".*" : "") : name;
    return (sister ? SAY("{}{} && ", k_pip_uninstall, package) : std::string()) + k_pip_install + words +
           (row.index.empty() ? "" : SAY(" --extra-index-url {}", row.index));
}

}  // namespace

Fix code_of_package_fix(const Scenario& scenario, const Facts& facts, const NativeModule& module, Arch gpu) {
    if (module.package.empty())
        return by_hand(SAY("install a build of {} with code for {}", module.path, gpu.sm()));
    bool listed = false;
    const bool is_newer = module.archs && is_newer_than_all(*module.archs, gpu);
    const PackageCode* row =
        is_newer ? nullptr : recipe_tables(facts).code_for(module.package, gpu.number, listed);
    if (!row)
        return by_hand(
            listed ? SAY("no listed release of {} has code for {}: use a newer GPU, or build it for {}",
                         module.package, gpu.sm(), gpu.sm())
                   : SAY("install a release of {} with code for {}, if there is one: none is listed here",
                         module.package, gpu.sm()));
    const std::string words = install_words(*row, module.package);
    const auto python = parse_version(scenario.python.version);
    if (row->python_to && python && *row->python_to < *python && !same_release(*row->python_to, *python))
        return by_hand(SAY("in an environment of Python {}, for which {} {} has files: {}",
                           row->python_to->text, module.package, row->to ? row->to->text : "", words));
    return {FixKind::command, words};
}

namespace {

// NVIDIA's packages for that CUDA that are installed: what compiles searches these first.
std::string packages_for_cuda(const Scenario& scenario, const Facts& facts, int major) {
    std::vector<std::string> packages;
    for (const auto& [library, file] : library_files(facts, major, scenario.system))
        for (const LibrarySource& source : library_sources(facts, file, scenario.system))
            for (const SitePlace& place : scenario.python.places)
                if (source.cuda == std::to_string(major) && contains(place.records, source.package))
                    add_once(packages, source.package);
    return joined(packages, " ");
}

}  // namespace

std::optional<Fix> extra_for_cuda(const Scenario& scenario, const Facts& facts, const Expectation& framework,
                                  int major) {
    const PypiRow* row = framework.version ? pypi_row(facts, framework.package, *framework.version) : nullptr;
    if (!row || framework.how != Installation::wheel) return std::nullopt;
    const std::string extra = SAY("cu{}", major);
    if (!has_extra(*row, extra)) return std::nullopt;
    const std::string others =
        framework.cuda ? packages_for_cuda(scenario, facts, static_cast<int>(framework.cuda->major())) : "";
    const std::string remove = others.empty() ? "" : SAY("{}{} && ", k_pip_uninstall, others);
    return Fix{FixKind::command, SAY("{}{}'{}[{}]=={}'", remove, k_pip_install, framework.package, extra,
                                     framework.version->without_local())};
}

}  // namespace ptxguard
