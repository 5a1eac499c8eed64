// `ptxguard check`: look, ask, compile, judge, report.
// SPDX-License-Identifier: Apache-2.0
#include "commands/command.hpp"
#include "commands/framework_code.hpp"
#include "commands/framework_traces.hpp"
#include "commands/run.hpp"
#include "discover/discover.hpp"
#include "expect/expect.hpp"
#include "expect/tool_search.hpp"
#include "host/host.hpp"
#include "load/cudnn_copies.hpp"
#include "probe/probe.hpp"

namespace ptxguard {
namespace {

Scenario look(const Host& host, const Facts& facts, const Settings& settings) {
    Request request = request_for(host, settings);
    Scenario scenario;
    scenario.name = settings.has("root") ? settings.one("root") : "this machine";
    describe_host(host, scenario);
    scenario.probe_mode = request.probe_mode;
    scenario.require = request.require;
    scenario.search_path_known = !host.foreign() || given_environment(settings).count("PATH") != 0;
    discover_toolkits(host, facts, request, scenario);
    discover_drivers(host, facts, request, scenario);
    expect(host, facts, request, scenario);
    read_their_code(host, facts, scenario);
    const bool hosted = settings.has("host-exe");
    trace_frameworks(host, facts, hosted ? judged_path(host, settings.one("host-exe")) : "", scenario);
    inspect_their_libraries(host, facts, scenario);
    find_cudnn_copies(host, facts, scenario);
    search_tools(host, facts, request, scenario);

    ProbeOptions probes;
    probes.mode = request.probe_mode;
    probes.use_cache = !settings.has("no-cache");
    probe(host, facts, probes, scenario);
    return scenario;
}

}  // namespace

int run_check(const Settings& settings) {
    auto run = prepare_run(settings);
    if (!run) return usage_error("check", run.trouble());
    return finish_run("check", *run, settings, look(*run->host, run->facts, settings));
}

}  // namespace ptxguard
