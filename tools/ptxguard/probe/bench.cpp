// SPDX-License-Identifier: Apache-2.0
#include "probe/bench.hpp"

#include <algorithm>

#include "host/paths.hpp"
#include "host/questions.hpp"
#include "model/ranges.hpp"
#include "probe/ptx_source.hpp"

namespace ptxguard {

namespace {

// A tool that already failed on --version may hang again, or a tool that it calls: a test compile takes a
// second or two.
constexpr std::chrono::milliseconds k_limit_after_trouble{10000};

ProbeResult blank_result(const Bench& bench, const Task& task) {
    ProbeResult result;
    result.kind = task.kind;
    result.toolkit = bench.toolkit.id;
    result.tool = task.question.command.argv.front();
    result.target = task.arch;
    result.command = command_line(task.question.command);
    if (const Part* nvcc = bench.toolkit.part(PartKind::nvcc)) result.tool_version = nvcc->version.value;
    return result;
}

// Only one of the PTX compiles lists its headers: every target reads the same ones (measured with 12.4 and
// 13.0).
void choose_lister(const Bench& bench, const std::vector<Arch>& known, std::vector<Task>& ptx) {
    if (!bench.compiler.lists_headers || ptx.empty()) return;
    const auto works = [&](const Task& task) { return !task.arch || contains(known, *task.arch); };
    auto* lister = first_where(ptx, works);
    (lister ? *lister : ptx.front()).lists_headers = true;
}

// Where the linker of this nvcc may find the runtime: a file that comes or goes changes the time of its
// folder. nvcc links with the g++ of PATH, whichever gcc compiled.
void add_libraries(const Bench& bench, Question& question) {
    const bool windows = bench.host.system() == System::windows;
    std::vector<std::string> folders;
    for (const char* below : {"lib64", "lib", "lib/x64", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib",
                              "targets/aarch64-linux/lib", "lib/x86_64-linux-gnu", "lib/aarch64-linux-gnu"})
        folders.push_back(join_path(bench.toolkit.root, below));
    const std::string searched = bench.host.env(windows ? "LIB" : "LIBRARY_PATH").value_or("");
    question.asked += searched + "\n" + bench.host.env("PATH").value_or("") + "\n";
    for (const std::string& folder : split(searched, windows ? ";" : ":")) folders.push_back(folder);
    if (!windows)
        for (const char* folder : {"/usr/lib", "/usr/lib64", "/usr/lib/x86_64-linux-gnu",
                                   "/usr/lib/aarch64-linux-gnu", "/usr/local/lib", "/usr/local/lib64"})
            folders.push_back(folder);
    for (const std::string& folder : folders) {
        question.decided_by.push_back(folder);
        for (const char* file : {"libcudart.so", "libcudart_static.a", "libcudadevrt.a", "cudart.lib"})
            question.decided_by.push_back(join_path(folder, file));
    }
}

}  // namespace

Bench::Bench(const Asker& asker, const ProbeOptions& options, Scenario& all, Toolkit& one)
    : ask(asker),
      host(asker.host()),
      scenario(all),
      toolkit(one),
      compiler(compiler_of(asker.host(), all, one)) {
    compiler.time_limit = options.time_limit;
    for (const PartKind kind : {PartKind::nvcc, PartKind::ptxas}) {
        const Part* part = toolkit.part(kind);
        if (part && !part->trouble.empty())
            compiler.time_limit = std::min(compiler.time_limit, k_limit_after_trouble);
    }
    for (std::string* program : {&compiler.nvcc, &compiler.ptxas, &compiler.cicc, &compiler.libdevice})
        *program = absolute_program(host, *program);
    question = toolkit_question(host, scenario, toolkit, compiler);
    question.apart = toolkit.id;
    question.reads = {{k_source_file, k_probe_source}};
}

std::string absolute_program(const Host& host, const std::string& program) {
    if (program.empty() || is_absolute(program, host.system())) return program;
    return real_or_same(host, program);
}

Task make_task(Bench& bench, ProbeKind kind, std::optional<Arch> arch, Command command) {
    Task task;
    task.kind = kind;
    task.arch = arch;
    task.stem = stem_of(arch);
    task.question = bench.question;
    task.question.about = arch ? arch->sm() : "";
    task.question.asked +=
        std::string(to_string(kind)) + "\n" + command_line(command) + "\n" + digest(k_probe_source);
    if (kind == ProbeKind::ptx)
        task.question.makes = {task.stem + ".ptx"};
    else if (kind != ProbeKind::list_archs)
        task.question.makes = {command.argv.back()};
    if (kind == ProbeKind::object) task.question.makes.push_back(k_kept_ptx);
    task.question.command = std::move(command);
    task.result = blank_result(bench, task);
    return task;
}

ProbeResult list_archs(Bench& bench, std::chrono::milliseconds limit) {
    Task task = make_task(bench, ProbeKind::list_archs, std::nullopt, list_command(bench.compiler));
    task.question.command.time_limit = std::min(limit, task.question.command.time_limit);
    run_tasks(bench.ask, {&task});
    if (task.result.outcome == Outcome::refused) {
        Task help = make_task(bench, ProbeKind::list_archs, std::nullopt, help_command(bench.compiler));
        run_tasks(bench.ask, {&help});
        keep_task(bench.ask, help);
        if (help.result.outcome == Outcome::accepted) {
            help.result.words.clear();  // the complete help
            task = std::move(help);
        }
    }
    keep_task(bench.ask, task);
    return task.result;
}

std::vector<Task> ptx_tasks(Bench& bench, const std::vector<Arch>& known,
                            const std::vector<std::optional<Arch>>& archs) {
    std::vector<Task> ptx;
    for (std::optional<Arch> arch : archs)
        ptx.push_back(make_task(bench, ProbeKind::ptx, arch, ptx_command(bench.host, bench.compiler, arch)));
    choose_lister(bench, known, ptx);
    return ptx;
}

std::vector<Task> cicc_tasks(Bench& bench, const std::vector<Arch>& archs) {
    std::vector<Task> tasks;
    for (const Arch arch : archs) {
        Task task = make_task(bench, ProbeKind::ptx, arch, cicc_command(bench.compiler, arch));
        task.program = to_string(Culprit::cicc);
        task.reads_headers = false;
        task.question.reads = {{k_preprocessed_file, k_preprocessed_source}};
        task.question.asked += digest(k_preprocessed_source);
        tasks.push_back(std::move(task));
    }
    return tasks;
}

std::vector<Task> link_tasks(Bench& bench) {
    std::vector<Task> links;
    for (const bool shared : {false, true}) {
        Task task =
            make_task(bench, ProbeKind::link, std::nullopt, link_command(bench.host, bench.compiler, shared));
        task.question.reads = {{k_link_source_file, k_link_source}};
        add_libraries(bench, task.question);
        task.result.shared_runtime = shared;
        links.push_back(std::move(task));
    }
    return links;
}

void share_headers(std::vector<Task>& ptx, Task* other) {
    const auto lists = [](const Task& task) { return !task.answer.headers.empty(); };
    const auto* lister = first_where(ptx, lists);
    const bool other_lists = other && lists(*other);
    if (!lister && !other_lists) return;
    const std::vector<std::string> headers = other_lists ? other->answer.headers : lister->answer.headers;
    if (other && other->answer.headers.empty()) other->answer.headers = headers;
    for (Task& task : ptx)
        if (task.answer.headers.empty()) task.answer.headers = headers;
}

}  // namespace ptxguard
