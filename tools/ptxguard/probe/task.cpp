// Turns the output of a run into its result.
// SPDX-License-Identifier: Apache-2.0
#include "probe/task.hpp"

#include "ask/questions.hpp"
#include "host/paths.hpp"
#include "probe/compile.hpp"
#include "probe/diagnose.hpp"
#include "probe/ptx_source.hpp"

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

// Files and variables that can change a result.

namespace {

constexpr PartKind k_programs[] = {PartKind::nvcc, PartKind::cicc, PartKind::ptxas, PartKind::cudafe,
                                   PartKind::fatbinary};

}  // namespace

Question toolkit_question(const Host& host, const Scenario& scenario, const Toolkit& toolkit,
                          const Compiler& compiler) {
    Question question;
    std::vector<std::string>& files = question.decided_by;
    const HostCompiler& host_compiler = scenario.project.host_compiler;
    bool path_decides = host_compiler.path.empty() || !host_compiler.trouble.empty();
    files = {compiler.nvcc};
    for (PartKind kind : k_programs) {
        const Part* part = toolkit.part(kind);
        if (part)
            files.push_back(part->path);
        else
            path_decides = true;  // nvcc searches PATH
    }
    if (const Part* nvcc = toolkit.part(PartKind::nvcc)) {
        files.push_back(join_path(parent_path(nvcc->path), "nvcc.profile"));
        if (!nvcc->real_path.empty() && nvcc->real_path != nvcc->path) {
            files.push_back(nvcc->real_path);
            files.push_back(join_path(parent_path(nvcc->real_path), "nvcc.profile"));
        }
    }
    for (const std::string& wrapper : toolkit.wrappers) files.push_back(wrapper);
    if (const Part* libdevice = toolkit.part(PartKind::libdevice)) files.push_back(libdevice->path);
    if (!host_compiler.path.empty()) files.push_back(host_compiler.path);
    if (path_decides) question.asked = host.env("PATH").value_or("") + "\n";
    return question;
}

Question file_question(const std::string& path, Command command, const std::string& asked) {
    Question question;
    question.command = std::move(command);
    question.decided_by = {path};
    question.asked = asked;
    return question;
}

namespace {

// An unsupported -arch is refused before the version; each ptxas since CUDA 9 supports one of these.
constexpr int k_candidates[] = {75, 52, 100};
constexpr const char* k_input = "limit.ptx";

// If it ran and refused the version, that is the result. After any failure except a hang or a failed start it
// may still be usable.
bool take_limit(ProbeResult& result, const Answer& answer) {
    take_run(result, answer, diagnose(answer, ProbeKind::assemble, "ptxas", false));
    if (result.accepts_up_to) result.outcome = Outcome::accepted;
    return worth_keeping(result);
}

}  // namespace

std::vector<ProbeResult> ptxas_limits(const Asker& ask, const std::vector<std::string>& programs,
                                      std::chrono::milliseconds limit) {
    std::vector<ProbeResult> results(programs.size());
    for (int number : k_candidates) {
        const Arch arch{number, 0};
        Questions questions(ask);
        for (std::size_t i = 0; i < programs.size(); ++i) {
            ProbeResult& result = results[i];
            if (number != k_candidates[0] && !is_unknown_gpu_name(result.words)) continue;
            result.tool = programs[i];
            Question question =
                file_question(programs[i], ptxas_command(programs[i], arch, k_input, "limit.cubin", limit),
                              "ptxas limit " + arch.sm());
            question.reads = {{k_input, minimal_ptx(k_absurd_ptx_version, arch)}};
            questions.add(std::move(question),
                          [&result](const Answer& answer) { return take_limit(result, answer); });
        }
        questions.run();
    }
    return results;
}

}  // namespace ptxguard
