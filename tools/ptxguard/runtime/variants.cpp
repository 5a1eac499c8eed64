// SPDX-License-Identifier: Apache-2.0
#include "runtime/variants.hpp"

#include "facts/libraries.hpp"
#include "host/paths.hpp"
#include "host/questions.hpp"
#include "packages/wheels.hpp"
#include "runtime/module_packages.hpp"

namespace ptxguard {
namespace {

// "131" of CUDA 13.1, as in the files' names; empty = not known.
std::string digits_of_cuda(const Scenario& scenario, const std::string& package) {
    for (const Expectation& framework : scenario.expectations)
        if (framework.package == package && framework.cuda && framework.may_use_cuda() &&
            framework.cuda->numbers.size() > 1)
            return std::to_string(framework.cuda->at(0)) + std::to_string(framework.cuda->at(1));
    return {};
}

std::string file_for(std::string pattern, const std::string& cuda) {
    const std::string mark = "{cuda}";
    return pattern.replace(pattern.find(mark), mark.size(), cuda);
}

void look_in(const Host& host, const CudaVariants& row, const std::string& site, Scenario& scenario) {
    const Known<Version> version = installed_version(host, site, {row.package});
    if (!version || !is_within(*version, row.from, row.below)) return;
    if (has_other_machine(scenario.modules, row.package)) return;
    const std::string set = row.variable.empty() ? "" : host.env(row.variable).value_or("");
    const std::string cuda = !set.empty()      ? set
                             : row.by_variable ? std::string()
                                               : digits_of_cuda(scenario, row.of);
    if (cuda.empty() || cuda.find_first_not_of("0123456789") != std::string::npos) return;
    const std::string file = join_path(site, file_for(row.file, cuda));
    // A package without any of them is damaged, or only its beginning is here.
    if (is_file(host, file) || paths_matching(host, join_path(site, file_for(row.file, "*"))).empty()) return;
    NativeModule module;
    module.path = join_path(site, row.opener);
    module.package = row.package;
    module.version = version;
    module.framework = row.of;
    module.use = ModuleUse::when_used;
    LoadedFile library;
    library.name = file_name(file);
    library.needed_by = module.path;
    library.how = LoadHow::dlopen;
    library.because = set.empty() ? "no such file" : row.variable + "=" + set + " selects it: no such file";
    module.missing = {std::move(library)};
    scenario.modules.push_back(std::move(module));
}

}  // namespace

void find_missing_variants(const Host& host, const Facts& facts, Scenario& scenario) {
    if (host.system() != System::linux_) return;
    for (const CudaVariants& row : cuda_variants(facts))
        for (const SitePlace& place : scenario.python.places) look_in(host, row, place.folder, scenario);
}

}  // namespace ptxguard
