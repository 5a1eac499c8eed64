// Turns the output of a run into its result.
// SPDX-License-Identifier: Apache-2.0
#include "probe/task.hpp"

#include "host/paths.hpp"
#include "probe/compile.hpp"
#include "probe/diagnose.hpp"

namespace ptxguard {

namespace {

void finish_list(Task& task) {
    task.result.archs = listed_archs(task.answer.out);
    take_run(task.result, task.answer,
             diagnose(task.answer, ProbeKind::list_archs, "nvcc", !task.result.archs.empty()));
}

void finish_ptx(Task& task) {
    ProbeResult& result = task.result;
    task.ptx = task.answer.text(task.stem + ".ptx");
    const PtxHead head = read_ptx_head(task.ptx);
    take_run(result, task.answer, diagnose(task.answer, task.kind, task.program, head.version.has_value()));
    if (result.outcome != Outcome::accepted) {
        task.ptx.clear();
        return;
    }
    result.ptx = head.version;
    if (head.target) result.target = head.target;
    result.words = trim(result.words + "\n" + head.words).substr(0, k_words_cap);
}

void finish(Task& task, const Answer& answer, System system) {
    task.done = true;
    task.answer = answer;
    if (const auto list = task.answer.made.find(task.stem + ".d"); list != task.answer.made.end()) {
        task.answer.headers = headers_of(list->second, system);
        task.answer.made.erase(list);
    }
    if (task.kind == ProbeKind::list_archs)
        finish_list(task);
    else if (task.kind == ProbeKind::ptx)
        finish_ptx(task);
    else
        take_run(task.result, answer,
                 diagnose(answer, task.kind, "nvcc", answer.made.count(task.question.makes.front()) != 0));
}

}  // namespace

void add_tasks(const std::vector<Task*>& tasks, Questions& questions) {
    for (Task* task : tasks) {
        Question question = task->question;
        if (task->lists_headers) {
            add_header_list(question.command, task->stem);
            question.makes.push_back(task->stem + ".d");
        }
        questions.add(std::move(question),
                      [task, system = questions.ask().host().system()](const Answer& answer) {
                          finish(*task, answer, system);
                          return false;  // keep_task()
                      });
    }
}

// "Failed to preprocess host compiler properties", among others.
void FullDisk::excuse(ProbeResult& result, const Answer& answer) {
    if (result.outcome == Outcome::accepted || result.cached || answer.no_folder) return;
    if (!m_room) m_room = has_room_to_work();
    if (*m_room) return;
    result.outcome = Outcome::unknown;
    result.culprit = Culprit::temporary_folder;
    result.first_error = "no room to compile in the temporary folder";
}

void excuse_full_disk(const std::vector<Task*>& tasks) {
    FullDisk disk;
    for (Task* task : tasks) disk.excuse(task->result, task->answer);
}

void run_tasks(const Asker& ask, const std::vector<Task*>& tasks) {
    Questions questions(ask);
    add_tasks(tasks, questions);
    questions.run(own::cores() + k_beyond_cores);
    excuse_full_disk(tasks);
}

bool take_kept_ptx(const Task& object, Task& ptx) {
    const std::string text = object.answer.text(k_kept_ptx);
    if (object.result.outcome != Outcome::accepted || !ptx.arch || read_ptx_head(text).target != ptx.arch)
        return false;
    ptx.answer = object.answer;
    ptx.answer.made = {{ptx.stem + ".ptx", text}};
    ptx.result.command = object.result.command;
    finish_ptx(ptx);
    return true;
}

void keep_task(const Asker& ask, const Task& task) {
    const bool compiled = task.kind == ProbeKind::ptx || task.kind == ProbeKind::object;
    if (task.done && worth_keeping(task.result) &&
        (!compiled || !task.reads_headers || !task.answer.headers.empty()))
        ask.keep(task.question, task.answer);
}

}  // namespace ptxguard
