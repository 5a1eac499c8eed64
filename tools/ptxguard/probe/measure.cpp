// Runs nvcc and ptxas: the architecture list, object and PTX compiles at once, the assemblies after them.
// SPDX-License-Identifier: Apache-2.0
#include "probe/measure.hpp"

#include <algorithm>

#include "host/paths.hpp"
#include "probe/compile.hpp"
#include "probe/diagnose.hpp"
#include "probe/key.hpp"
#include "probe/work_folder.hpp"

namespace ptxguard {

namespace {

// nvcc is a chain of short programs that waits between them: one more than cores keeps the cores busy.
constexpr unsigned k_beyond_cores = 1;

struct Task {
    ProbeKind kind = ProbeKind::ptx;
    std::optional<Arch> arch;
    std::string stem;     // of the PTX file made or read
    std::string program;  // "nvcc", "ptxas"
    Command command;
    CacheKey key;
    bool lists_headers = false;
    CacheEntry entry;  // after run_tasks: one result
    ProbeResult& result() { return entry.results.front(); }
};

// Everything that the steps for one toolkit share.
struct Bench {
    const Host& host;
    const ProbeCache& cache;
    Scenario& scenario;
    Toolkit& toolkit;
    Compiler compiler;
    CacheKey key;
    WorkFolder work;
};

ProbeResult blank_result(const Bench& bench, const Task& task) {
    ProbeResult result;
    result.kind = task.kind;
    result.toolkit = bench.toolkit.id;
    result.tool = task.command.argv.front();
    result.target = task.arch;
    result.command = command_line(task.command);
    const Part* part =
        bench.toolkit.part(task.kind == ProbeKind::assemble ? PartKind::ptxas : PartKind::nvcc);
    if (part) result.tool_version = part->version.value;
    return result;
}

void finish_list(ProbeResult& result, const ProcessResult& run) {
    result.archs = listed_archs(run.out);
    take_run(result, run, diagnose(run, ProbeKind::list_archs, "nvcc", !result.archs.empty()));
}

void finish_ptx(Task& task, const ProcessResult& run, const std::string& folder, System system) {
    auto ptx = read_own_file(join_path(folder, task.stem + ".ptx"));
    PtxHead head = ptx ? read_ptx_head(*ptx) : PtxHead{};
    take_run(task.result(), run, diagnose(run, task.kind, task.program, head.version.has_value()));
    if (auto dependencies = read_own_file(join_path(folder, task.stem + ".d")))
        task.entry.headers = headers_of(*dependencies, system);
    if (task.result().outcome != Outcome::accepted) return;
    task.entry.ptx = *ptx;
    task.result().ptx = head.version;
    if (head.target) task.result().target = head.target;
    task.result().words = trim(task.result().words + "\n" + head.words).substr(0, k_words_cap);
}

void finish_other(Task& task, const ProcessResult& run, const std::string& folder) {
    auto made = read_own_file(join_path(folder, task.command.argv.back()));
    std::optional<PtxVersion> ptx = task.result().ptx;
    take_run(task.result(), run, diagnose(run, task.kind, task.program, made && !made->empty()));
    task.result().ptx = ptx;
}

void finish(Task& task, const ProcessResult& run, const std::string& folder, System system) {
    if (task.kind == ProbeKind::list_archs)
        finish_list(task.result(), run);
    else if (task.kind == ProbeKind::ptx)
        finish_ptx(task, run, folder, system);
    else
        finish_other(task, run, folder);
}

// No folder to work in: nothing was tried.
void not_tried(Task& task, const Trouble& trouble) {
    task.result().outcome = Outcome::unknown;
    task.result().first_error = "no folder to compile in: " + trouble.text();
    task.result().words = trouble.text();
    task.result().culprit = "temporary folder";
}

// A full disk makes nvcc say anything, "Failed to preprocess host compiler properties" among others.
void excuse_full_disk(Bench& bench, const std::vector<Task*>& tasks) {
    auto failed = [](const Task* task) { return task->entry.results.front().outcome != Outcome::accepted; };
    if (std::none_of(tasks.begin(), tasks.end(), failed) || bench.work.has_room()) return;
    for (Task* task : tasks) {
        if (!failed(task)) continue;
        task->result().outcome = Outcome::unknown;
        task->result().culprit = "temporary folder";
        task->result().first_error = "no room to compile in the temporary folder";
    }
}

// From the cache, else together in parallel.
void run_tasks(Bench& bench, const std::vector<Task*>& tasks) {
    std::vector<Task*> open;
    std::vector<Command> commands;
    for (Task* task : tasks) {
        auto entry = bench.cache.find(task->key);
        if (entry) {
            task->entry = *entry;
            task->result().toolkit = bench.toolkit.id;
            continue;
        }
        task->entry.results = {blank_result(bench, *task)};
        open.push_back(task);
    }
    if (open.empty()) return;
    auto folder = bench.work.path();
    for (Task* task : open) {
        if (!folder) not_tried(*task, folder.trouble());
        task->command.directory = folder ? *folder : "";
        commands.push_back(task->command);
        if (task->lists_headers) add_header_list(commands.back(), task->stem);
    }
    if (!folder) return;
    std::vector<ProcessResult> runs = bench.host.run_all(commands, own::cores() + k_beyond_cores);
    for (std::size_t i = 0; i < open.size() && i < runs.size(); ++i)
        finish(*open[i], runs[i], *folder, bench.scenario.system);
    excuse_full_disk(bench, open);
}

void store(const Bench& bench, const Task& task) {
    bool compiled = task.kind == ProbeKind::ptx || task.kind == ProbeKind::object;
    if (!task.entry.results.front().cached && (!compiled || !task.entry.headers.empty()))
        bench.cache.store(task.key, task.entry);
}

// One of the PTX compiles lists its headers for all: every target reads the same ones (measured with 12.4
// and 13.0). A compile is kept only with that list.
void choose_lister(const Bench& bench, const std::vector<Arch>& known, std::vector<Task>& ptx) {
    if (!bench.compiler.lists_headers) return;
    const auto works = [&](const Task& task) {
        return !task.arch || std::find(known.begin(), known.end(), *task.arch) != known.end();
    };
    auto lister = std::find_if(ptx.begin(), ptx.end(), works);
    (lister == ptx.end() ? ptx.front() : *lister).lists_headers = true;
}

void share_headers(std::vector<Task>& ptx, Task& object) {
    const auto lister =
        std::find_if(ptx.begin(), ptx.end(), [](const Task& task) { return !task.entry.headers.empty(); });
    if (lister == ptx.end()) return;
    const std::vector<std::string> headers = lister->entry.headers;
    if (object.entry.headers.empty()) object.entry.headers = headers;
    for (Task& task : ptx)
        if (task.entry.headers.empty()) task.entry.headers = headers;
}

Task make_task(const Bench& bench, ProbeKind kind, std::optional<Arch> arch, Command command) {
    Task task;
    task.kind = kind;
    task.arch = arch;
    task.stem = stem_of(arch);
    task.program = kind == ProbeKind::assemble ? "ptxas" : "nvcc";
    task.command = std::move(command);
    task.key = key_for(bench.key, kind, task.command);
    return task;
}

// --list-gpu-code; nvcc before 11.1 has none, its help names the values.
ProbeResult list_archs(Bench& bench, std::chrono::milliseconds limit) {
    Task task = make_task(bench, ProbeKind::list_archs, std::nullopt, list_command(bench.compiler));
    task.command.time_limit = std::min(limit, task.command.time_limit);
    run_tasks(bench, {&task});
    if (task.result().outcome == Outcome::refused) {
        Task help = make_task(bench, ProbeKind::list_archs, std::nullopt, help_command(bench.compiler));
        run_tasks(bench, {&help});
        if (help.result().outcome == Outcome::accepted) {
            help.result().words.clear();  // the whole help
            task = std::move(help);
        }
    }
    store(bench, task);
    return task.result();
}

std::vector<std::optional<Arch>> archs_to_try(const Project& project) {
    std::vector<std::optional<Arch>> archs;
    for (const Target& target : project.archs.targets) archs.push_back(target.arch);
    if (archs.empty()) archs.push_back(std::nullopt);  // nvcc's default
    return archs;
}

// One object is enough to see the programs work together: that of the first target with real code.
std::optional<Target> object_target(const Project& project) {
    for (const Target& target : project.archs.targets) {
        if (target.real) return target;
    }
    if (project.archs.targets.empty()) return std::nullopt;
    return project.archs.targets.front();
}

Task object_task(const Bench& bench, std::optional<Target> target) {
    std::optional<Arch> arch;
    if (target) arch = target->arch;
    return make_task(bench, ProbeKind::object, arch, object_command(bench.compiler, target));
}

// The first target is one that this nvcc does not know, another one works: the object is made for that.
void retry_object(Bench& bench, Task& object, std::vector<Task>& ptx) {
    if (object.result().first_error.find("nsupported gpu architecture") == std::string::npos) return;
    for (Task& task : ptx) {
        if (task.result().outcome != Outcome::accepted || !task.arch) continue;
        Target target;
        target.arch = *task.arch;
        object = object_task(bench, target);
        run_tasks(bench, {&object});
        return;
    }
}

std::vector<Task> assemble(Bench& bench, std::vector<Task>& made) {
    std::vector<Task> tasks;
    for (Task& ptx : made) {
        std::optional<Arch> arch = ptx.result().target;
        if (ptx.result().outcome != Outcome::accepted || !arch || bench.compiler.ptxas.empty()) continue;
        Task task =
            make_task(bench, ProbeKind::assemble, arch, assemble_command(bench.compiler, *arch, ptx.stem));
        task.key.others = {digest(ptx.entry.ptx)};
        if (ptx.result().cached && !bench.cache.find(task.key)) {  // ptxas wants the file
            if (auto folder = bench.work.path())
                (void)own::write_file(join_path(*folder, ptx.stem + ".ptx"), ptx.entry.ptx);
        }
        tasks.push_back(std::move(task));
    }
    std::vector<Task*> pointers;
    for (Task& task : tasks) pointers.push_back(&task);
    run_tasks(bench, pointers);
    for (Task& task : tasks) {
        for (Task& ptx : made) {
            if (ptx.result().target == task.arch && ptx.result().ptx) task.result().ptx = ptx.result().ptx;
        }
        store(bench, task);
    }
    return tasks;
}

void learn_cicc(Bench& bench, const ProbeResult& ptx) {
    std::optional<Version> version = read_ptx_head(ptx.words).compiler;
    if (!version) return;
    for (Part& part : bench.toolkit.parts) {
        if (part.kind == PartKind::cicc && !part.version)
            part.version = Known<Version>(*version, Origin::from_command(ptx.tool, ptx.command));
    }
}

// cudafe++ and cicc share a front end and its messages: what already stops the PTX compile is cicc's.
void blame_as_ptx_does(ProbeResult& object, std::vector<Task>& made) {
    for (Task& ptx : made) {
        if (!object.first_error.empty() && ptx.result().first_error == object.first_error)
            object.culprit = ptx.result().culprit;
    }
}

std::vector<Arch> known_gpu_archs(const Scenario& scenario) {
    std::vector<Arch> archs;
    for (const Gpu& gpu : scenario.gpus) {
        if (gpu.arch) archs.push_back(*gpu.arch);
    }
    return archs;
}

// The programs run in another folder than ours.
std::string absolute(const Host& host, const std::string& program) {
    if (program.empty() || is_absolute(program, host.system())) return program;
    auto real = host.real_path(program);
    return real ? *real : program;
}

PtxSample sample_of(const Scenario& scenario, const Task& task) {
    const ProbeResult& result = task.entry.results.front();
    PtxSample sample;
    sample.text = task.entry.ptx;
    sample.toolkit = result.toolkit;
    sample.target = result.target;
    sample.version = result.ptx;
    if (result.target) sample.archs = archs_to_compile_for(*result.target, scenario.gpus);
    return sample;
}

}  // namespace

Measured measure_toolkit(const Host& host, const ProbeCache& cache, const ProbeOptions& options,
                         Scenario& scenario, Toolkit& toolkit) {
    Compiler compiler = compiler_of(host, scenario, toolkit);
    compiler.time_limit = options.time_limit;
    for (std::string* program : {&compiler.nvcc, &compiler.ptxas}) *program = absolute(host, *program);
    Bench bench{host, cache, scenario, toolkit, compiler, toolkit_key(host, scenario, toolkit, compiler), {}};
    Measured measured;
    const bool builds = toolkit.id == scenario.project.toolkit;

    // A quick question first: where it is not answered, longer ones need not be asked.
    measured.results.push_back(list_archs(bench, std::chrono::seconds(10)));
    const ProbeResult list = measured.results.front();
    if (list.outcome == Outcome::broken || list.outcome == Outcome::unknown) return measured;
    if (builds) resolve_words(scenario.project.archs, list.archs, known_gpu_archs(scenario));

    Task object = object_task(bench, object_target(scenario.project));
    std::vector<Task> ptx;
    for (std::optional<Arch> arch : archs_to_try(scenario.project))
        ptx.push_back(make_task(bench, ProbeKind::ptx, arch, ptx_command(host, bench.compiler, arch)));
    choose_lister(bench, list.archs, ptx);
    std::vector<Task*> first = {&object};  // the longest one starts first
    for (Task& task : ptx) first.push_back(&task);
    run_tasks(bench, first);
    retry_object(bench, object, ptx);
    share_headers(ptx, object);
    for (Task& task : ptx) {
        if (!object.result().target) object.result().target = task.result().target;  // nvcc's default
        store(bench, task);
    }
    store(bench, object);
    std::vector<Task> assembled = assemble(bench, ptx);

    const bool nothing_asked = scenario.project.archs.targets.empty() && scenario.project.archs.words.empty();
    for (Task& task : ptx) {
        measured.results.push_back(task.result());
        if (task.result().outcome != Outcome::accepted) continue;
        learn_cicc(bench, task.result());
        measured.samples.push_back(sample_of(scenario, task));
        if (builds && nothing_asked && task.result().target)
            scenario.project.archs.targets = {Target{*task.result().target, true, true}};
    }
    for (Task& task : assembled) measured.results.push_back(task.result());
    blame_as_ptx_does(object.result(), ptx);
    measured.results.push_back(object.result());
    return measured;
}

}  // namespace ptxguard
