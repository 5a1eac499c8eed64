// Tasks that run in parallel write to different members.
// SPDX-License-Identifier: Apache-2.0
#include "runtime/machine.hpp"

#include "discover/discover.hpp"
#include "discover/picks.hpp"
#include "discover/toolkits.hpp"
#include "expect/compared.hpp"
#include "expect/expect.hpp"
#include "expect/requirements.hpp"
#include "expect/tool_search.hpp"
#include "facts/libraries.hpp"
#include "host/paths.hpp"
#include "host/questions.hpp"
#include "host/together.hpp"
#include "load/cudnn_copies.hpp"
#include "model/file_names.hpp"
#include "model/ranges.hpp"
#include "packages/python.hpp"
#include "packages/wheels.hpp"
#include "probe/probe.hpp"
#include "runtime/code.hpp"
#include "runtime/cpu_builds.hpp"
#include "runtime/module_files.hpp"
#include "runtime/module_variants.hpp"
#include "runtime/modules.hpp"
#include "runtime/overlaid.hpp"
#include "runtime/traces.hpp"

namespace ptxguard {

std::vector<Unreadable> find_machine(const Asker& ask, const Facts& facts, const Request& request,
                                     Scenario& scenario, const Meanwhile& meanwhile) {
    const Host& host = ask.host();
    find_python(host, request, scenario);
    find_installers(host, scenario);
    Questions questions(ask);
    ToolkitSearch toolkits(questions, request, scenario);
    Scenario frameworks;
    frameworks.python = scenario.python;
    const auto find_and_ask = [&] {
        toolkits.find();
        find_drivers(facts, request, questions, scenario);
        questions.run(k_short_questions);
    };
    const auto read_packages = [&] {
        if (!request.only_named) expect(host, facts, request, frameworks);
    };
    run_together({find_and_ask, read_packages, meanwhile.first});
    scenario.expectations = std::move(frameworks.expectations);

    // Programs that only the answers and the packages show.
    const auto ask_again_and_choose = [&] {
        toolkits.follow_wrappers();
        ToolSearches tools(host, facts, request, scenario);
        tools.ask(questions);
        questions.run(k_short_questions);
        complete_drivers(host, scenario);
        find_gpus_on_bus(host, facts, scenario);
        toolkits.choose(facts);
        tools.resolve();
    };
    run_together({meanwhile.then, ask_again_and_choose});
    return std::move(frameworks.unreadable);
}

void look_at_machine(const Asker& ask, const Facts& facts, const Request& request,
                     const MachineOptions& options, Scenario& scenario) {
    const Host& host = ask.host();
    options.say("looking for toolkits, drivers and frameworks");
    std::vector<PackageFiles> files;
    const auto read_records = [&] { files = module_files(host, scenario.python); };
    const auto read_libraries = [&] {
        run_together({[&] { read_frameworks(host, facts, options.host_folder, files, scenario); },
                      [&] {
                          check_modules(host, facts, files, options.modules, options.host_folder, scenario);
                          find_missing_variants(host, facts, scenario);
                          scenario.python.overlaid = overlaid_packages(host, files);
                          find_compared_packages(host, facts, scenario);
                          find_driver_bound_packages(host, facts, scenario);
                          find_cpu_builds(host, facts, files, scenario);
                          find_unmet_requirements(host, facts, scenario);
                      }});
    };
    for (Unreadable& one : find_machine(ask, facts, request, scenario, {read_records, read_libraries}))
        scenario.unreadable.push_back(std::move(one));
    decide_intent(host, facts, request, scenario);
    find_cudnn_copies(host, facts, scenario);
    inspect_their_libraries(host, facts, scenario);
    options.say("compiling test code");
    ProbeOptions probes;
    probes.mode = request.probe_mode;
    probes.links = !request.from_cmake;
    probe(ask, facts, probes, scenario);
}

namespace {

void look_in(const Host& host, const CudaVariants& row, const std::string& site, Scenario& scenario) {
    const Known<Version> version = installed_version(host, site, {row.package});
    if (!version || !is_within(*version, row.from, row.below)) return;
    if (has_other_machine(scenario.modules, row.package)) return;
    const std::string set = row.variable.empty() ? "" : host.env(row.variable).value_or("");
    const std::string cuda = !set.empty()      ? set
                             : row.by_variable ? std::string()
                                               : digits_of_cuda(scenario, row.of);
    if (cuda.empty() || cuda.find_first_not_of("0123456789") != std::string::npos) return;
    const std::string file = join_path(site, variant_for(row.file, cuda));
    // A package without any of them is damaged, or only its beginning is here.
    if (is_file(host, file) || paths_matching(host, join_path(site, variant_for(row.file, "*"))).empty())
        return;
    // It opens none of the others, whatever they lack.
    erase_if(scenario.modules, [&](const NativeModule& other) {
        return other.package == row.package && without_digits(other.path) == without_digits(file);
    });
    NativeModule module;
    module.path = join_path(site, row.opener);
    module.package = row.package;
    module.version = version;
    module.framework = row.of;
    module.use = ModuleUse::when_used;
    module.essential = true;
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
