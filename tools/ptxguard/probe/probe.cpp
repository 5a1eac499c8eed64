// The order of work: which toolkits are measured and which predicted; then each driver compiles their PTX.
// SPDX-License-Identifier: Apache-2.0
#include "probe/probe.hpp"

#include <algorithm>

#include "ask/questions.hpp"
#include "probe/diagnose.hpp"
#include "probe/jit.hpp"
#include "probe/measure.hpp"
#include "probe/predict.hpp"
#include "probe/ptx_source.hpp"

namespace ptxguard {

namespace {

// The build's toolkit first: its results complete the project's architectures.
std::vector<Toolkit*> toolkits_to_probe(const ProbeOptions& options, Scenario& scenario) {
    std::vector<Toolkit*> chosen;
    for (Toolkit& toolkit : scenario.toolkits) {
        if (toolkit.id == scenario.project.toolkit && scenario.project.wanted)
            chosen.insert(chosen.begin(), &toolkit);
        else if (options.mode == ProbeMode::full)
            chosen.push_back(&toolkit);
    }
    return chosen;
}

void append(std::vector<ProbeResult>& all, const std::vector<ProbeResult>& more) {
    all.insert(all.end(), more.begin(), more.end());
}

void predict_into(const Facts& facts, Scenario& scenario, const Toolkit& toolkit) {
    if (toolkit.id == scenario.project.toolkit) {
        const Part* nvcc = toolkit.part(PartKind::nvcc);
        const CudaRelease* row = nvcc && nvcc->version ? facts.cuda(*nvcc->version) : nullptr;
        std::vector<Arch> gpus;
        for (const Gpu& gpu : scenario.gpus) {
            if (gpu.arch) gpus.push_back(*gpu.arch);
        }
        if (row) resolve_words(scenario.project.archs, row->ptxas_archs, gpus);
    }
    append(scenario.probes, predict_toolkit(facts, scenario, toolkit));
}

// PTX that toolkits write or would write, by measurements and tables.
std::vector<ProbeResult> ptx_made(const Scenario& scenario) {
    std::vector<ProbeResult> made;
    for (const ProbeResult& result : scenario.probes) {
        if (result.kind == ProbeKind::ptx && result.outcome == Outcome::accepted && result.ptx)
            made.push_back(result);
    }
    return made;
}

// Real PTX if there is any. Otherwise the smallest one of each version that the tables predict; without even
// that, only the newest version that the driver accepts is measured.
std::vector<PtxSample> samples_for_drivers(const Scenario& scenario, std::vector<PtxSample> measured) {
    for (const ProbeResult& made : ptx_made(scenario)) {
        if (made.basis != Certainty::predicted) continue;
        const Arch arch = made.target.value_or(Arch{75, 0});
        PtxSample sample;
        sample.text = minimal_ptx(*made.ptx, arch);
        sample.toolkit = made.toolkit;
        sample.target = made.target;
        sample.version = made.ptx;
        sample.archs = archs_to_compile_for(arch, scenario.gpus);
        measured.push_back(sample);
    }
    if (measured.empty()) measured.emplace_back();
    return measured;
}

// One library's result for one sample.
struct JitTask {
    const Driver* driver = nullptr;
    const JitLibrary* library = nullptr;
    const PtxSample* sample = nullptr;
    std::vector<ProbeResult> results;
};

std::vector<const JitLibrary*> distinct_libraries(const Driver& driver) {
    std::vector<const JitLibrary*> libraries;
    for (const JitLibrary& library : driver.jit) {
        bool seen = std::any_of(libraries.begin(), libraries.end(), [&](const JitLibrary* other) {
            return other->path == library.path ||
                   (!library.real_path.empty() && other->real_path == library.real_path);
        });
        if (!seen) libraries.push_back(&library);
    }
    return libraries;
}

std::vector<JitTask> ask_drivers(const Asker& ask, const Scenario& scenario,
                                 const std::vector<PtxSample>& samples, const ProbeOptions& options) {
    // Compiling the sample takes about 50 ms.
    const auto limit = std::min(options.time_limit, std::chrono::milliseconds(20000));
    std::vector<JitTask> tasks;
    for (const Driver& driver : scenario.drivers)
        for (const JitLibrary* library : distinct_libraries(driver))
            for (const PtxSample& sample : samples) tasks.push_back({&driver, library, &sample, {}});
    Questions questions(ask);
    for (JitTask& task : tasks)
        questions.add(jit_question(*task.library, *task.sample, limit), [&task](const Answer& answer) {
            task.results = jit_results(*task.driver, *task.library, *task.sample, answer);
            return std::all_of(task.results.begin(), task.results.end(), worth_keeping);
        });
    questions.run();
    return tasks;
}

// Two targets that a driver does not support give the same result for the version.
bool said_before(const std::vector<ProbeResult>& results, const ProbeResult& next) {
    return !next.target && next.ptx &&
           std::any_of(results.begin(), results.end(), [&](const ProbeResult& one) {
               return one.kind == next.kind && !one.target && one.driver == next.driver &&
                      one.tool == next.tool && one.ptx == next.ptx && one.toolkit == next.toolkit;
           });
}

// Measured with a JIT library that works, otherwise predicted from the table.
void probe_drivers(const Asker& ask, const Facts& facts, const ProbeOptions& options, bool may_run,
                   const std::vector<PtxSample>& measured, Scenario& scenario) {
    const std::vector<ProbeResult> made = ptx_made(scenario);
    const std::vector<PtxSample> samples = samples_for_drivers(scenario, measured);
    std::vector<JitTask> tasks;
    if (may_run) tasks = ask_drivers(ask, scenario, samples, options);
    for (const Driver& driver : scenario.drivers) {
        if (driver.stub && driver.jit.empty()) continue;  // not a driver; another rule reports it
        bool answered = false;
        for (const JitTask& task : tasks) {
            if (task.driver != &driver) continue;
            for (const ProbeResult& result : task.results) {
                if (!said_before(scenario.probes, result)) scenario.probes.push_back(result);
                answered = answered || result.accepts_up_to;
            }
        }
        if (!answered) append(scenario.probes, predict_driver(facts, driver, made));
    }
}

}  // namespace

void probe(const Asker& ask, const Facts& facts, const ProbeOptions& options, Scenario& scenario) {
    const bool may_run = options.mode != ProbeMode::off && !scenario.foreign && !ask.host().foreign();
    scenario.probe_mode = options.mode;
    std::vector<PtxSample> samples;
    for (Toolkit* toolkit : toolkits_to_probe(options, scenario)) {
        if (!may_run || !toolkit->part(PartKind::nvcc)) {
            std::vector<ProbeResult> asked;
            if (may_run) asked = measure_assembler(ask, options, scenario, *toolkit);
            append(scenario.probes, asked);
            if (asked.empty()) predict_into(facts, scenario, *toolkit);
            continue;
        }
        if (options.architectures_only) {
            append(scenario.probes, measure_architectures(ask, options, scenario, *toolkit));
            continue;
        }
        Measured measured = measure_toolkit(ask, options, scenario, *toolkit);
        append(scenario.probes, measured.results);
        samples.insert(samples.end(), measured.samples.begin(), measured.samples.end());
    }
    probe_drivers(ask, facts, options, may_run, samples, scenario);
}

}  // namespace ptxguard
