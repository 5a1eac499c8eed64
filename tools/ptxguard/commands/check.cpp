// `ptxguard check`: discover, ask, compile, judge, report.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>

#include "commands/command.hpp"
#include "commands/places.hpp"
#include "commands/run.hpp"
#include "discover/discover.hpp"
#include "expect/expect.hpp"
#include "expect/tool_search.hpp"
#include "host/questions.hpp"
#include "host/remembering_host.hpp"
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

// Packages are read while programs answer --version, then libraries are traced while ptxas is searched for.
// Tasks that run in parallel write to different members.
void look_around(const Asker& ask, const Facts& facts, const Request& request, const std::string& host_folder,
                 const std::vector<std::string>& modules, Scenario& scenario) {
    const Host& host = ask.host();
    find_python(host, request, scenario);
    Scenario frameworks;
    frameworks.python = scenario.python;
    run_together({[&] {
                      discover_toolkits(ask, facts, request, scenario);
                      discover_drivers(ask, facts, request, scenario);
                  },
                  [&] {
                      expect(host, facts, request, frameworks);
                      read_their_code(host, facts, frameworks);
                  }});
    append(scenario.expectations, frameworks.expectations);
    append(scenario.unreadable, frameworks.unreadable);
    decide_intent(host, facts, request, scenario);
    run_together({[&] {
                      trace_frameworks(host, facts, host_folder, scenario);
                      find_cudnn_copies(host, facts, scenario);
                      check_modules(host, facts, modules, scenario);
                  },
                  [&] { search_tools(ask, facts, request, scenario); }});
    inspect_their_libraries(host, facts, scenario);
}

// The files of --module; one that is not there is reported.
std::vector<std::string> named_modules(const Host& host, const Settings& settings, Scenario& scenario) {
    std::vector<std::string> paths;
    for (const std::string& value : settings.all("module")) {
        const auto real = host.real_path(judged_path(host, value));
        if (real && is_file(host, *real))
            paths.push_back(*real);
        else
            scenario.unreadable.push_back(
                {"--module " + value, "is not a file", true, Origin::from_option("--module")});
    }
    return paths;
}

std::vector<Scenario> look(const Run& run, const Settings& settings) {
    const Host& machine = *run.host;
    const Facts& facts = run.facts;
    const RememberingHost host(machine);
    const Asker ask(host, cache_folder(settings));
    Request request = request_for(host, settings);
    Scenario scenario;
    scenario.name = settings.has("root") ? settings.one("root") : "this machine";
    describe_host(host, scenario);
    scenario.probe_mode = request.probe_mode;
    scenario.require = request.require;
    scenario.search_path_known = !host.foreign() || given_environment(settings).count("PATH") != 0;
    if (names_places(settings)) return look_at_places(ask, facts, settings, request, std::move(scenario));
    const bool hosted = settings.has("host-exe");
    run.progress->say("looking for toolkits, drivers and frameworks");
    const std::vector<std::string> modules = named_modules(host, settings, scenario);
    look_around(ask, facts, request, hosted ? judged_path(host, settings.one("host-exe")) : "", modules,
                scenario);

    run.progress->say("compiling test code");
    ProbeOptions probes;
    probes.mode = request.probe_mode;
    probe(ask, facts, probes, scenario);
    return {scenario};
}

}  // namespace

int run_check(const Settings& settings) {
    auto run = prepare_run(settings);
    if (!run) return usage_error("check", run.trouble());
    Report report;
    report.scenarios = look(*run, settings);
    return finish_run("check", *run, settings, std::move(report));
}

}  // namespace ptxguard
