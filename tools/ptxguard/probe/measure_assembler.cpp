// A ptxas without an nvcc: measures the newest version that it accepts, then each architecture of the build.
// SPDX-License-Identifier: Apache-2.0
#include <deque>

#include "probe/bench.hpp"
#include "probe/limit.hpp"
#include "probe/measure.hpp"
#include "probe/ptx_source.hpp"
#include "probe/reading.hpp"

namespace ptxguard {
namespace {

std::vector<Arch> archs_of(const Scenario& scenario) {
    std::vector<Arch> archs;
    for (const Target& target : scenario.project.archs.targets) archs.push_back(target.arch);
    return archs;
}

}  // namespace

std::vector<ProbeResult> measure_assembler(const Asker& ask, const ProbeOptions& options,
                                           const Scenario& scenario, const Toolkit& toolkit) {
    const Part* ptxas = toolkit.part(PartKind::ptxas);
    const std::vector<Arch> archs = archs_of(scenario);
    if (!ptxas || !ptxas->trouble.empty() || archs.empty()) return {};
    const std::string program = absolute_program(ask.host(), ptxas->path);
    const auto newest = ptxas_limits(ask, {program}, options.time_limit).front().accepts_up_to;
    if (!newest) return {};

    Consumer consumer;
    consumer.path = program;
    consumer.version = ptxas->version;
    std::deque<PtxSample> samples;
    std::vector<const Reading*> all;
    Readings readings(ask, options.time_limit);
    for (const Arch arch : archs) {
        samples.push_back({minimal_ptx(*newest, arch), toolkit.id, arch, newest, {arch}});
        all.push_back(readings.add(consumer, samples.back()));
    }
    readings.run();
    std::vector<ProbeResult> results;
    for (const Reading* reading : all) {
        results.push_back(reading->result());
        results.back().tool = ptxas->path;
        results.back().accepts_up_to = newest;
    }
    return results;
}

}  // namespace ptxguard
