// Tasks that run in parallel write to different members.
// SPDX-License-Identifier: Apache-2.0
#include "runtime/machine.hpp"

#include "discover/discover.hpp"
#include "discover/installers.hpp"
#include "discover/toolkits.hpp"
#include "expect/compared.hpp"
#include "expect/expect.hpp"
#include "expect/requirements.hpp"
#include "expect/tool_search.hpp"
#include "host/together.hpp"
#include "load/cudnn_copies.hpp"
#include "packages/python.hpp"
#include "probe/probe.hpp"
#include "runtime/code.hpp"
#include "runtime/modules.hpp"
#include "runtime/traces.hpp"
#include "runtime/variants.hpp"

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
                          check_modules(host, facts, files, options.modules, scenario);
                          find_missing_variants(host, facts, scenario);
                          find_compared_packages(host, facts, scenario);
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

}  // namespace ptxguard
