// Turns the output of a run into its result.
// SPDX-License-Identifier: Apache-2.0
#include "probe/task.hpp"

#include <map>

#include "host/paths.hpp"
#include "probe/compile.hpp"
#include "probe/diagnose.hpp"

namespace ptxguard {

namespace {

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

// No work folder: nothing was run.
void not_tried(Task& task, const Trouble& trouble) {
    task.result().outcome = Outcome::unknown;
    task.result().first_error = "no folder to compile in: " + trouble.text();
    task.result().words = trouble.text();
    task.result().culprit = "temporary folder";
}

}  // namespace

void add_tasks(const Host& host, const ProbeCache& cache, const std::vector<Task*>& tasks, Batch& batch) {
    for (Task* task : tasks) {
        if (auto entry = cache.find(task->key)) {
            task->entry = *entry;
            task->result().toolkit = task->blank.toolkit;
            continue;
        }
        task->entry.results = {task->blank};
        const auto folder = task->work->path();
        if (!folder) {
            not_tried(*task, folder.trouble());
            continue;
        }
        task->command.directory = *folder;
        Command command = task->command;
        if (task->lists_headers) add_header_list(command, task->stem);
        batch.add(std::move(command), [task, place = *folder, system = host.system()](
                                          const ProcessResult& run) { finish(*task, run, place, system); });
    }
}

// "Failed to preprocess host compiler properties", among others.
void excuse_full_disk(const std::vector<Task*>& tasks) {
    std::map<WorkFolder*, bool> room;  // tested once per folder
    for (Task* task : tasks) {
        const ProbeResult& result = task->result();
        if (result.outcome == Outcome::accepted || result.cached) continue;
        if (room.count(task->work) == 0) room[task->work] = task->work->has_room();
        if (room[task->work]) continue;
        task->result().outcome = Outcome::unknown;
        task->result().culprit = "temporary folder";
        task->result().first_error = "no room to compile in the temporary folder";
    }
}

void run_tasks(const Host& host, const ProbeCache& cache, const std::vector<Task*>& tasks) {
    Batch batch;
    add_tasks(host, cache, tasks, batch);
    if (batch.size() == 0) return;
    batch.run(host, own::cores() + k_beyond_cores);
    excuse_full_disk(tasks);
}

void store_task(const ProbeCache& cache, const Task& task) {
    bool compiled = task.kind == ProbeKind::ptx || task.kind == ProbeKind::object;
    if (!task.result().cached && (!compiled || !task.entry.headers.empty()))
        cache.store(task.key, task.entry);
}

}  // namespace ptxguard
