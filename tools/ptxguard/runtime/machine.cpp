// Packages are read while programs answer --version, then libraries are traced while ptxas is searched for.
// Tasks that run in parallel write to different members.
// SPDX-License-Identifier: Apache-2.0
#include "runtime/machine.hpp"

#include <iterator>

#include "discover/discover.hpp"
#include "expect/compared.hpp"
#include "expect/expect.hpp"
#include "expect/tool_search.hpp"
#include "host/together.hpp"
#include "load/cudnn_copies.hpp"
#include "packages/python.hpp"
#include "probe/probe.hpp"
#include "runtime/code.hpp"
#include "runtime/modules.hpp"
#include "runtime/traces.hpp"

namespace ptxguard {
namespace {

template <typename T>
void append(std::vector<T>& to, std::vector<T>& from) {
    std::move(from.begin(), from.end(), std::back_inserter(to));
}

void find_toolkits_and_frameworks(const Asker& ask, const Facts& facts, const Request& request,
                                  Scenario& scenario) {
    Scenario frameworks;
    frameworks.python = scenario.python;
    run_together({[&] {
                      discover_toolkits(ask, facts, request, scenario);
                      discover_drivers(ask, facts, request, scenario);
                  },
                  [&] {
                      expect(ask.host(), facts, request, frameworks);
                      read_their_code(ask.host(), facts, frameworks);
                  }});
    append(scenario.expectations, frameworks.expectations);
    append(scenario.unreadable, frameworks.unreadable);
}

}  // namespace

void look_at_machine(const Asker& ask, const Facts& facts, const Request& request,
                     const MachineOptions& options, Scenario& scenario) {
    const Host& host = ask.host();
    options.say("looking for toolkits, drivers and frameworks");
    find_python(host, request, scenario);
    find_toolkits_and_frameworks(ask, facts, request, scenario);
    decide_intent(host, facts, request, scenario);
    run_together({[&] {
                      trace_frameworks(host, facts, options.host_folder, scenario);
                      find_cudnn_copies(host, facts, scenario);
                      check_modules(host, facts, options.modules, scenario);
                      find_compared_packages(host, facts, scenario);
                  },
                  [&] { search_tools(ask, facts, request, scenario); }});
    inspect_their_libraries(host, facts, scenario);
    options.say("compiling test code");
    ProbeOptions probes;
    probes.mode = request.probe_mode;
    probe(ask, facts, probes, scenario);
}

}  // namespace ptxguard
