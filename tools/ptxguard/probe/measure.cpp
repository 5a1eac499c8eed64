// Runs nvcc and ptxas: the architecture list, object and PTX compiles in parallel, the assemblies after them.
// SPDX-License-Identifier: Apache-2.0
#include "probe/measure.hpp"

#include <deque>

#include "model/ranges.hpp"
#include "model/text.hpp"
#include "probe/bench.hpp"
#include "probe/diagnose.hpp"
#include "probe/ptx_source.hpp"
#include "probe/reading.hpp"
#include "probe/task.hpp"

namespace ptxguard {
namespace {

// nvcc's default, by its dry run. CMake names that architecture from the second configure on: the question is
// the same then.
std::optional<Target> default_target(Bench& bench) {
    for (const char* name : {"NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS"})
        if (!arch_flags_of(bench.host.env(name).value_or("")).empty()) return std::nullopt;
    Task task = make_task(bench, ProbeKind::list_archs, std::nullopt, dry_command(bench.compiler));
    run_tasks(bench.ask, {&task});
    const std::optional<Arch> arch = dry_arch(task.answer.err);
    if (!arch) return std::nullopt;
    bench.ask.keep(task.question, task.answer);
    return Target{*arch, true, true};
}

std::vector<std::optional<Arch>> archs_to_try(const Project& project, std::optional<Target> otherwise) {
    std::vector<std::optional<Arch>> archs;
    for (const Target& target : project.archs.targets) archs.push_back(target.arch);
    if (archs.empty() && otherwise) archs.push_back(otherwise->arch);
    if (archs.empty()) archs.push_back(std::nullopt);
    return archs;
}

// One object shows that the programs work together: that of the first target with real code.
std::optional<Target> object_target(const Project& project, std::optional<Target> otherwise) {
    for (const Target& target : project.archs.targets) {
        if (target.real) return target;
    }
    if (project.archs.targets.empty()) return otherwise;
    return project.archs.targets.front();
}

Task object_task(Bench& bench, std::optional<Target> target) {
    std::optional<Arch> arch;
    if (target) arch = target->arch;
    return make_task(bench, ProbeKind::object, arch, object_command(bench.compiler, target));
}

// This nvcc supports another target than the first: compile the object for that.
void retry_object(Bench& bench, Task& object, std::vector<Task>& ptx) {
    if (object.result.failure != Failure::architecture) return;
    for (Task& task : ptx) {
        if (task.result.outcome != Outcome::accepted || !task.arch) continue;
        Target target;
        target.arch = *task.arch;
        object = object_task(bench, target);
        run_tasks(bench.ask, {&object});
        return;
    }
}

// The object compile also writes the PTX of its target. Only if it fails, a separate run makes that PTX,
// which shows whether cicc or a later program failed.
void compile(Bench& bench, const std::vector<Arch>& known, Task& object, std::vector<Task>& ptx,
             std::vector<Task>& links) {
    const bool works = object.arch && contains(known, *object.arch);
    object.lists_headers = works && bench.compiler.lists_headers;
    std::vector<Task*> first = {&object}, later;  // the longest one starts first
    for (Task& task : ptx) {
        const bool same = works && task.arch == object.arch;
        (same ? later : first).push_back(&task);
        if (object.lists_headers) task.lists_headers = same;
    }
    for (Task& task : links) first.push_back(&task);
    run_tasks(bench.ask, first);
    std::vector<Task*> open;
    for (Task* task : later)
        if (!take_kept_ptx(object, *task)) open.push_back(task);
    run_tasks(bench.ask, open);
    retry_object(bench, object, ptx);
    share_headers(ptx, &object);
}

void run_all(const Asker& ask, std::vector<Task>& tasks) {
    std::vector<Task*> pointers;
    for (Task& task : tasks) pointers.push_back(&task);
    run_tasks(ask, pointers);
}

// An ordinary prompt of Windows has no cl.exe, and nvcc compiles nothing without. cicc and ptxas still show
// which PTX this toolkit writes and reads: for the requested targets, else the GPUs here, else the oldest
// one.
void compile_without_host(Bench& bench, const std::vector<Arch>& known, const Task& object,
                          std::vector<Task>& ptx) {
    if (bench.compiler.system != System::windows || bench.compiler.cicc.empty() || known.empty()) return;
    if (object.result.outcome != Outcome::broken || object.result.culprit != Culprit::host_compiler) return;
    std::vector<Arch> archs = archs_of(bench.scenario.project.archs.targets);
    if (archs.empty()) archs = known_archs_of(bench.scenario.gpus);
    const auto is_new = [&](Arch arch) { return !contains(known, arch); };
    if (archs.empty() || all_of(archs, is_new)) archs = {known.front()};
    ptx = cicc_tasks(bench, archs);
    run_all(bench.ask, ptx);
}

// By the ptxas that this nvcc runs.
std::vector<ProbeResult> assemble(const Bench& bench, const std::vector<PtxSample>& samples) {
    Consumer ptxas;
    ptxas.path = bench.compiler.ptxas;
    if (const Part* part = bench.toolkit.part(PartKind::ptxas)) ptxas.version = part->version;
    std::vector<PtxSample> own = samples;
    Readings readings(bench.ask, bench.compiler.time_limit);
    std::vector<const Reading*> all;
    for (PtxSample& sample : own) {
        if (ptxas.path.empty() || !sample.target) continue;
        sample.archs = {*sample.target};  // not those of the GPUs, for which a driver compiles it
        all.push_back(readings.add(ptxas, sample));
    }
    readings.run();
    std::vector<ProbeResult> results;
    for (const Reading* reading : all) results.push_back(reading->result());
    return results;
}

void learn_cicc(Bench& bench, const ProbeResult& ptx) {
    std::optional<Version> version = read_ptx_head(ptx.words).compiler;
    if (!version) return;
    for (Part& part : bench.toolkit.parts) {
        if (part.kind == PartKind::cicc && !part.version)
            part.version = Known<Version>(*version, Origin::from_command(ptx.tool, ptx.command));
    }
}

// cudafe++ and cicc share a front end and its messages: an error that already stops the PTX compile is
// cicc's.
void blame_as_ptx_does(ProbeResult& object, std::vector<Task>& made) {
    for (Task& ptx : made) {
        if (!object.first_error.empty() && ptx.result.first_error == object.first_error)
            object.culprit = ptx.result.culprit;
    }
}

PtxSample sample_of(const Scenario& scenario, const Task& task) {
    const ProbeResult& result = task.result;
    PtxSample sample;
    sample.text = task.ptx;
    sample.toolkit = result.toolkit;
    sample.target = result.target;
    sample.version = result.ptx;
    if (result.target) sample.archs = archs_to_compile_for(*result.target, scenario.gpus);
    return sample;
}

void take_ptx(Bench& bench, std::vector<Task>& ptx, bool builds, Scenario& scenario, Measured& measured) {
    const bool nothing_asked = scenario.project.archs.targets.empty() && scenario.project.archs.words.empty();
    for (Task& task : ptx) {
        measured.results.push_back(task.result);
        if (task.result.outcome != Outcome::accepted) continue;
        learn_cicc(bench, task.result);
        measured.samples.push_back(sample_of(scenario, task));
        if (builds && nothing_asked && task.program == "nvcc" && task.result.target)
            scenario.project.archs.targets = {Target{*task.result.target, true, true}};
    }
}

}  // namespace

Measured measure_toolkit(const Asker& ask, const ProbeOptions& options, Scenario& scenario,
                         Toolkit& toolkit) {
    Bench bench(ask, options, scenario, toolkit);
    Measured measured;
    const bool builds = toolkit.id == scenario.project.toolkit;

    // Run a short command first: if it fails, longer ones are useless.
    measured.results.push_back(list_archs(bench, std::chrono::seconds(10)));
    const ProbeResult list = measured.results.front();
    if (list.outcome == Outcome::broken || list.outcome == Outcome::unknown) return measured;
    if (builds) resolve_words(scenario.project.archs, list.archs, known_archs_of(scenario.gpus));

    std::optional<Target> otherwise;
    if (scenario.project.archs.targets.empty()) otherwise = default_target(bench);
    Task object = object_task(bench, object_target(scenario.project, otherwise));
    std::vector<Task> ptx = ptx_tasks(bench, list.archs, archs_to_try(scenario.project, otherwise));
    std::vector<Task> links;
    if (builds && scenario.project.requested && options.links) links = link_tasks(bench);
    compile(bench, list.archs, object, ptx, links);
    compile_without_host(bench, list.archs, object, ptx);
    for (Task& task : ptx) {
        if (!object.result.target) object.result.target = task.result.target;  // nvcc's default
        keep_task(bench.ask, task);
    }
    keep_task(bench.ask, object);

    take_ptx(bench, ptx, builds, scenario, measured);
    for (ProbeResult& result : assemble(bench, measured.samples))
        measured.results.push_back(std::move(result));
    blame_as_ptx_does(object.result, ptx);
    measured.results.push_back(object.result);
    // What does not compile does not link, for the same reason.
    for (const Task& task : links) {
        if (object.result.outcome != Outcome::accepted) break;
        keep_task(bench.ask, task);
        measured.results.push_back(task.result);
    }
    return measured;
}

std::vector<ProbeResult> measure_architectures(const Asker& ask, const ProbeOptions& options,
                                               Scenario& scenario, Toolkit& toolkit) {
    Bench bench(ask, options, scenario, toolkit);
    std::vector<ProbeResult> results = {list_archs(bench, std::chrono::seconds(10))};
    if (results.front().outcome != Outcome::accepted) return results;
    const std::vector<Arch> listed = results.front().archs;
    resolve_words(scenario.project.archs, listed, known_archs_of(scenario.gpus));
    std::vector<std::optional<Arch>> others;
    for (const Target& target : scenario.project.archs.targets)
        if (!contains(listed, target.arch)) others.push_back(target.arch);
    std::vector<Task> tasks = ptx_tasks(bench, listed, others);
    run_all(ask, tasks);
    share_headers(tasks, nullptr);
    for (const Task& task : tasks) {
        keep_task(ask, task);
        results.push_back(task.result);
    }
    return results;
}

std::optional<ProbeResult> measure_flags(const Asker& ask, const ProbeOptions& options, Scenario& scenario,
                                         Toolkit& toolkit) {
    Bench bench(ask, options, scenario, toolkit);
    Task with =
        make_task(bench, ProbeKind::list_archs, std::nullopt, dry_command(bench.compiler, options.flags));
    Task without = make_task(bench, ProbeKind::list_archs, std::nullopt, dry_command(bench.compiler, ""));
    run_tasks(ask, {&with, &without});
    const auto ended_with = [](const Task& task, bool well) {
        return task.answer.state == ProcessResult::State::exited && (task.answer.exit_code == 0) == well;
    };
    if (!ended_with(with, false) || !ended_with(without, true)) return std::nullopt;
    Answer words = with.answer;
    words.err.clear();
    for (const std::string& line : split(with.answer.err, "\r\n"))
        if (!starts_with(line, "#$")) words.err += line + "\n";  // not the commands that it would run
    with.result.kind = ProbeKind::object;
    take_run(with.result, words, diagnose(words, ProbeKind::object, "nvcc", false));
    if (with.result.outcome == Outcome::unknown) return std::nullopt;
    return with.result;
}

// A ptxas without an nvcc: measures the newest version that it accepts, then each architecture of the
// build.

std::vector<ProbeResult> measure_assembler(const Asker& ask, const ProbeOptions& options,
                                           const Scenario& scenario, const Toolkit& toolkit) {
    const Part* ptxas = toolkit.part(PartKind::ptxas);
    const std::vector<Arch> archs = archs_of(scenario.project.archs.targets);
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
