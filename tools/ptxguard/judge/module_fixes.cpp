// How to get what a native module lacks: releases and packages that exist, or that none is known.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "facts/libraries.hpp"
#include "facts/pypi.hpp"
#include "facts/recipe_tables.hpp"
#include "judge/companion_fixes.hpp"
#include "judge/fixes.hpp"
#include "judge/framework_questions.hpp"
#include "judge/library_words.hpp"
#include "judge/module_questions.hpp"
#include "judge/package_builds.hpp"
#include "judge/package_conflicts.hpp"
#include "model/file_names.hpp"
#include "model/named_cuda.hpp"
#include "model/ranges.hpp"

namespace ptxguard {
namespace {

// The major of its framework's CUDA, of the CUDA in its name (ucxx-cu12) or of its modules, else of what is
// here; 0 = not known.
int cuda_of(const Scenario& scenario, const BrokenPackage& broken, const Facts& facts) {
    if (broken.framework && broken.framework->cuda) return broken.framework->cuda->major();
    const std::string& package = broken.first().package;
    if (!named_cuda(package))
        for (const NativeModule& one : scenario.modules)
            if (one.package == package && one.cuda) return one.cuda->major();
    return cuda_that_fits(scenario, facts, package);
}

// Of what is missing: the newest CUDA that fits what is here, or an older one where only its packages have
// it.
int cuda_of_missing(const Scenario& scenario, const BrokenPackage& broken, const Facts& facts) {
    const int newest = cuda_of(scenario, broken, facts);
    if (broken.framework && broken.framework->cuda) return newest;
    for (int cuda = newest; cuda > 0; --cuda)
        if (get_wheels_fix(broken.missing(), cuda, facts)) return cuda;
    return newest;
}

// The CUDA whose libraries it lacks; 0 = not known.
int cuda_lacked(const BrokenPackage& broken) {
    for (const LoadedFile& library : broken.first().missing)
        if (library.cuda_major != 0) return library.cuda_major;
    return 0;
}

// Its libraries are another package of the same release; else "pip install 'tensorrt-cu12==10.*'" for a
// libnvinfer.so.10.
std::vector<Fix> tensorrt_fix(const Scenario& scenario, const BrokenPackage& broken, const Facts& facts) {
    const NativeModule& module = broken.first();
    const std::string beside = recipe_tables(facts).libraries_beside(module.package);
    if (!beside.empty() && module.version) return {pip_fix(SAY("'{}=={}'", beside, module.version->text))};
    const LoadedFile& library = broken.first().missing.front();
    const std::size_t at = library.name.find(".so.");
    if (!starts_with(library.library, "nvinfer") || at == npos) return {};
    const auto major = parse_version(library.name.substr(at + 4));
    if (!major) return {};
    constexpr int k_first_for_cudas = 10;  // from there on there is a package for each CUDA
    const int cuda = major->major() < k_first_for_cudas ? 0 : cuda_of(scenario, broken, facts);
    const std::string package = cuda ? SAY("tensorrt-cu{}", cuda) : "tensorrt";
    return {pip_fix(SAY("'{}=={}.*'", package, major->major()))};
}

// The package for another CUDA: of those that have a module for each torch a release with that of this one.
Fix other_package_fix(const NativeModule& module, const std::string& other, const Expectation& framework,
                      const RecipeTables& tables) {
    const ModulePerTorch all = tables.module_of_torches(other);
    std::string words = other;
    if (framework.package == "torch" && framework.version && !all.torches.empty()) {
        const ModulePerTorch* fitting = tables.release_for_torch(other, *framework.version);
        std::vector<std::string> torches;
        for (const Version& torch : all.torches) torches.push_back(torch.text);
        if (!fitting)
            return by_hand(SAY("install {} instead of {}, with a torch that its {} is for: {}", other,
                               module.package, all.module, list(torches)));
        words = SAY("'{}=={}'", other, fitting->to->text);
    }
    return {FixKind::command, SAY("{}{} && {}{}", k_pip_uninstall, module.package, k_pip_install, words)};
}

// What PyPI has of it for that CUDA: a newer release, or another package. Both of a family have the same
// files.
std::vector<Fix> published_for(const NativeModule& module, const Expectation& framework, const Facts& facts) {
    const Version& cuda = *framework.cuda;
    std::vector<Fix> fixes;
    const RecipeTables& tables = recipe_tables(facts);
    const Version* first =
        module.version ? tables.first_with_library(module.package, *module.version, cuda) : nullptr;
    if (first) fixes.push_back(pip_fix(SAY("'{}>={}'", module.package, first->text)));
    std::string other = tables.package_for_cuda(module.package, cuda.major());
    if (other.empty()) other = wheel_for_cuda(facts, module.package, cuda.major());
    if (!other.empty()) fixes.push_back(other_package_fix(module, other, framework, tables));
    return fixes;
}

// Beside the same libraries of another CUDA: the package for that one.
std::vector<Fix> package_for_other_cuda(const NativeModule& module, const Facts& facts) {
    for (const LoadedFile& library : module.missing)
        for (const LoadLoser& loser : library.losers) {
            const auto found = library_by_file_name(facts, file_of(loser.path));
            if (loser.lost != LoadLost::other_name || !found) continue;
            const std::string package = wheel_for_cuda(facts, module.package, found->cuda_major);
            if (!package.empty())
                return {{FixKind::command,
                         SAY("{}{} && {}{}", k_pip_uninstall, module.package, k_pip_install, package)}};
        }
    return {};
}

std::vector<Fix> fixes_of_missing(const Scenario& scenario, const BrokenPackage& broken, const Facts& facts) {
    const NativeModule& module = broken.first();
    if (broken.keeps_cudnn)
        return {by_hand(
            SAY("install a release of {} for cuDNN {}, which {} has, or use another environment for it",
                module.package, broken.keeps_cudnn->cudnn->major(), broken.keeps_cudnn->name()))};
    if (std::vector<Fix> tensorrt = tensorrt_fix(scenario, broken, facts); !tensorrt.empty()) return tensorrt;
    std::vector<Fix> fixes;
    const int lacked = cuda_lacked(broken);
    if (broken.beside && lacked != 0 && lacked != broken.beside->cuda->major())
        fixes = published_for(module, *broken.beside, facts);
    if (fixes.empty()) fixes = package_for_other_cuda(module, facts);
    append(fixes, get_libraries_fix(broken.missing(), cuda_of_missing(scenario, broken, facts), facts));
    if (module.of_program) std::reverse(fixes.begin(), fixes.end());  // it may have no Python
    return fixes;
}

// A source distribution is compiled against the installed framework.
std::vector<Fix> build_again(const NativeModule& module, const Facts& facts) {
    const PypiRow* row = module.version ? pypi_row(facts, module.package, *module.version) : nullptr;
    if (!row || !row->sdist) return {};
    return {pip_again_fix(SAY("--no-build-isolation --no-binary {} '{}=={}'", module.package, module.package,
                              module.version->text))};
}

Fix not_listed_fix(const BrokenPackage& broken) {
    std::string build = SAY("install a build of {} for {}", broken.name(), broken.framework_name());
    if (broken.framework && broken.framework->cuda)
        build += SAY(" (CUDA {})", broken.framework->cuda->release());
    return by_hand(SAY("{}, if its publisher has one: none is listed here", build));
}

std::vector<Fix> fixes_of_build(const BrokenPackage& broken, const Facts& facts) {
    const NativeModule& module = broken.first();
    const Expectation* framework = broken.framework;
    std::vector<Fix> fixes;
    if (framework && framework->cuda && broken.fault == ModuleFault::other_cuda)
        fixes = published_for(module, *framework, facts);
    const bool listed = !fixes.empty();
    if (module.built_for && framework && framework->version && !module.package.empty())
        fixes.push_back(pip_fix(
            SAY("'{}=={}' {}", framework->package, framework->version->without_local(), module.package)));
    if (broken.fault == ModuleFault::other_release) append(fixes, build_again(module, facts));
    if (framework && framework->version && broken.fault == ModuleFault::other_cuda &&
        cuda_lacked(broken) != 0)
        append(fixes, other_build_fix(*framework, facts, cuda_lacked(broken)));
    if (!listed) fixes.push_back(not_listed_fix(broken));
    if (module.built_for)
        fixes.push_back(by_hand(SAY("install {} {}, for which it is built", module.framework,
                                    module.built_for->without_local())));
    return fixes;
}

}  // namespace

std::vector<Fix> fixes_of(const Scenario& scenario, const BrokenPackage& broken, const Facts& facts) {
    if (broken.fault == ModuleFault::library_missing) return fixes_of_missing(scenario, broken, facts);
    const Companion* row = companion_of(facts, broken.first().framework, broken.first().package);
    if (row && broken.framework && broken.framework->version)
        return companion_fixes(*row, broken.first().version, broken.first().built_for, *broken.framework,
                               facts);
    return fixes_of_build(broken, facts);
}

}  // namespace ptxguard
