// SPDX-License-Identifier: Apache-2.0
#include "probe/reading.hpp"

#include "ask/questions.hpp"
#include "host/paths.hpp"
#include "model/ranges.hpp"
#include "probe/compiler_libraries.hpp"
#include "probe/diagnose.hpp"
#include "probe/engine.hpp"
#include "probe/ptx_source.hpp"
#include "probe/task.hpp"

namespace ptxguard {
namespace {

constexpr const char* k_probe_input = "probe.ptx";

ProbeResult blank_result(const Consumer& consumer, const PtxSample& sample) {
    ProbeResult result;
    const bool driver = consumer.kind == ConsumerKind::driver_jit || consumer.kind == ConsumerKind::gpu;
    result.kind = driver ? ProbeKind::driver_jit : ProbeKind::assemble;
    result.toolkit = sample.toolkit;
    result.tool = consumer.path;
    result.tool_version = consumer.version.value;
    result.target = sample.target;
    result.ptx = sample.version;
    return result;
}

void take_assembly(ProbeResult& result, const Answer& answer) {
    const std::optional<PtxVersion> fed = result.ptx;
    take_run(result, answer, diagnose(answer, ProbeKind::assemble, "ptxas", !answer.made.empty()));
    result.ptx = fed;
    if (answer.truncated && result.outcome != Outcome::accepted) {
        result.outcome = Outcome::broken;
        result.first_error = "printed more than 1 MiB, beginning with: " + result.first_error;
    }
}

NvJitLinkSample link_sample(const PtxSample& sample) {
    NvJitLinkSample link;
    link.ptx = sample.text;
    link.archs = sample.archs;
    return link;
}

// For nvJitLink and a GPU's driver.
void take_engine(ProbeResult& result, const EngineResult& engine) {
    EngineAnswer answer;
    if (!engine.answers.empty()) answer = engine.answers.front();
    ProbeResult read = probe_result(engine, answer, result.kind);
    read.toolkit = result.toolkit;
    read.target = result.target;
    read.ptx = result.ptx;
    if (read.outcome != Outcome::accepted && read.first_error.empty()) read.first_error = engine.trouble;
    result = std::move(read);
}

void take_answer(Reading& reading, const Answer& answer) {
    const Consumer& consumer = *reading.consumer;
    const PtxSample& sample = *reading.sample;
    ProbeResult& result = reading.results.front();
    switch (consumer.kind) {
        case ConsumerKind::driver_jit:
            reading.results = jit_results(consumer.driver, consumer.driver.jit.front(), sample, answer);
            return;
        case ConsumerKind::gpu:
            return take_engine(result, cuda_result(consumer.path, *consumer.gpu.arch, answer));
        case ConsumerKind::nvjitlink:
            return take_engine(result, nvjitlink_result(consumer.path, link_sample(sample), answer));
        default: return take_assembly(result, answer);
    }
}

}  // namespace

Reading* Readings::add(const Consumer& consumer, const PtxSample& sample) {
    Reading*& place = m_known[{&consumer, sample.toolkit, digest_of(sample), sample.archs}];
    if (!place) {
        m_all.push_back({&consumer, &sample, {blank_result(consumer, sample)}});
        place = &m_all.back();
    }
    return place;
}

const std::string& Readings::digest_of(const PtxSample& sample) {
    std::string& text = m_digests[&sample];
    if (text.empty()) text = digest(sample.text);
    return text;
}

Question Readings::tile_question(const Reading& reading, const std::string& output) {
    const std::string &program = reading.consumer->path, arch = reading.sample->archs.front().sm();
    std::string asked = "tileiras " + arch + " " + digest_of(*reading.sample);
    Command command = ptxas_command(program, reading.sample->archs.front(), k_probe_input, output, m_limit);
    command.argv[1] = "--gpu-name=" + arch;
    if (own_folder) command.environment[k_tileiras_variables[0]] = parent_path(parent_path(program));
    for (const char* name : k_tileiras_variables)
        asked += "\n" + (own_folder ? "" : m_ask.host().env(name).value_or(""));
    Question question = file_question(program, std::move(command), asked);
    question.decided_by.push_back(join_path(parent_path(program), "ptxas"));
    return question;
}

Question Readings::question_of(Reading& reading) {
    const Consumer& consumer = *reading.consumer;
    const PtxSample& sample = *reading.sample;
    if (consumer.kind == ConsumerKind::driver_jit)
        return jit_question(consumer.driver.jit.front(), sample, m_limit);
    const Arch arch = sample.archs.front();
    const std::string& path = consumer.path;
    if (consumer.kind == ConsumerKind::gpu)
        return file_question(path, cuda_command(path, *consumer.gpu.arch, sample.text, m_limit),
                             consumer.gpu.name + " " + arch.sm() + " " + digest_of(sample));
    if (consumer.kind == ConsumerKind::nvjitlink)
        return file_question(path, nvjitlink_command(path, link_sample(sample), m_limit), "");
    const std::string output = arch.sm() + ".cubin";
    Question question =
        consumer.kind == ConsumerKind::tileiras
            ? tile_question(reading, output)
            : file_question(path, ptxas_command(path, arch, k_probe_input, output, m_limit), "");
    // The input has the same name in all runs, so that equal output is equal text.
    question.reads = {{k_probe_input, sample.text}};
    question.apart = consumer.path;
    question.makes = {output};
    reading.results.front().command = command_line(question.command);
    return question;
}

int Readings::run() {
    int runs = 0;
    FullDisk disk;
    Questions questions(m_ask);
    for (Reading& reading : m_all)
        questions.add(question_of(reading), [&, place = &reading](const Answer& answer) {
            if (!answer.cached) ++runs;
            take_answer(*place, answer);
            for (ProbeResult& result : place->results) disk.excuse(result, answer);
            return all_of(place->results, worth_keeping);
        });
    questions.run();
    return runs;
}

// Parent process of the JIT probe: starts the child and turns its lines into results.

namespace {

// "current version is '9.0'", in any of the results.
std::optional<PtxVersion> newest_read(const ChildLines& lines) {
    std::optional<PtxVersion> newest;
    std::vector<Json> all{lines.limit};
    append(all, lines.compiles);
    append(all, lines.versions);
    for (const Json& line : all)
        if (const auto version = current_version_in(line["log"].as_string())) newest = version;
    return newest;
}

ProbeResult blank_result(const Driver& driver, const JitLibrary& library, const PtxSample& sample) {
    ProbeResult result;
    result.kind = ProbeKind::driver_jit;
    result.driver = driver.id;
    result.toolkit = sample.toolkit;
    result.tool = library.path;
    result.tool_version = library.driver_version ? library.driver_version.value : driver.version.value;
    result.target = sample.target;
    result.ptx = sample.version;
    return result;
}

void fill(ProbeResult& result, const Json& line) {
    result.command = "nvPTXCompilerCompile --gpu-name=" + line["arch"].as_string();
    result.exit_code = static_cast<int>(line["result"].as_int());
    result.words = trim(line["log"].as_string());
    if (result.exit_code == 0 && line["made"].as_bool()) {
        result.outcome = Outcome::accepted;
        return;
    }
    Diagnosis diagnosis = diagnose_text(result.words, ProbeKind::driver_jit);
    result.outcome = diagnosis.outcome;
    result.first_error = diagnosis.first_error;
    result.failure = diagnosis.failure;
    if (result.first_error.empty())
        result.first_error =
            "nvPTXCompilerCompile returned " + std::to_string(result.exit_code) + " without output";
}

// A library that compiles an absurd version, or not the oldest one, has another interface than the measured
// drivers: its results are ignored.
std::string why_not_trusted(const ChildLines& lines) {
    if (!lines.limit.is_object()) return "";
    if (!current_version_in(lines.limit["log"].as_string()))
        return "it does not refuse PTX " + k_absurd_ptx_version.text();
    if (lines.oldest.is_object() && (lines.oldest["result"].as_int() != 0 || !lines.oldest["made"].as_bool()))
        return "it does not compile PTX " + k_oldest_ptx_version.text() + " for " + k_oldest_ptx_target.sm();
    return "";
}

void distrust(ProbeResult& result, const std::string& why) {
    if (why.empty() || result.outcome == Outcome::broken) return;
    result.outcome = Outcome::unknown;
    result.failure = Failure::other;
    result.accepts_up_to.reset();
    result.first_error = "the answers of " + result.tool + " do not count: " + why;
}

ProbeResult unanswered(ProbeResult result, const ProcessResult& run, const ChildLines& lines) {
    // If we could not start ourselves, the library is not to blame.
    bool ours = run.state == ProcessResult::State::not_started;
    result.outcome = ours ? Outcome::unknown : Outcome::broken;
    result.first_error = end_of_child("the library", run, lines);
    result.words = trim(run.err).substr(0, 16384);
    result.exit_code = run.exit_code;
    result.timed_out = run.state == ProcessResult::State::timed_out;
    result.crashed = run.state == ProcessResult::State::crashed;
    return result;
}

ProbeResult limit_result(const ProbeResult& blank, const ChildLines& lines, const ProcessResult& run) {
    if (!why_not_trusted(lines).empty()) return blank;
    if (!newest_read(lines)) return unanswered(blank, run, lines);
    ProbeResult result = blank;
    fill(result, lines.limit);
    result.outcome = Outcome::accepted;  // the refusal of an absurd version is the expected answer
    result.first_error.clear();
    return result;
}

}  // namespace

Question jit_question(const JitLibrary& library, const PtxSample& sample, std::chrono::milliseconds limit) {
    Question question;
    question.decided_by = {library.path};
    if (!library.real_path.empty()) question.decided_by.push_back(library.real_path);
    Command& command = question.command;
    command.argv = {own::executable_path(), "--child", "jit", library.path};
    for (Arch arch : sample.archs) command.argv.push_back(arch.sm());
    command.input = sample.text;
    command.time_limit = limit;
    return question;
}

std::vector<ProbeResult> jit_results(const Driver& driver, const JitLibrary& library, const PtxSample& sample,
                                     const Answer& run) {
    const ChildLines lines = read_child_lines(run.out);
    const auto reads_up_to = newest_read(lines);
    const ProbeResult blank = blank_result(driver, library, sample);
    std::vector<ProbeResult> results;
    for (std::size_t i = 0; i < sample.archs.size(); ++i) {
        results.push_back(blank);
        if (i >= lines.compiles.size())
            results.back() = unanswered(blank, run, lines);
        else
            fill(results.back(), lines.compiles[i]);
    }
    if (!lines.versions.empty()) {
        results.push_back(blank);
        results.back().target.reset();
        fill(results.back(), lines.versions.front());
    }
    if (sample.archs.empty()) results.push_back(limit_result(blank, lines, run));
    const std::string why = why_not_trusted(lines);
    for (ProbeResult& result : results) {
        result.accepts_up_to = reads_up_to;
        distrust(result, why);
        result.milliseconds = run.milliseconds;
        result.cached = run.cached;
    }
    return results;
}

std::vector<Arch> archs_to_compile_for(Arch target, const std::vector<Gpu>& gpus) {
    std::vector<Arch> archs;
    for (const Gpu& gpu : gpus) {
        if (!gpu.arch || !ptx_compiles_for(target, *gpu.arch)) continue;
        // An `a` or `f` target only matches a GPU name of the same form.
        Arch arch = target.suffix ? Arch{gpu.arch->number, target.suffix} : Arch{gpu.arch->number, 0};
        bool listed = false;
        for (Arch other : archs) listed = listed || other == arch;
        if (!listed) archs.push_back(arch);
    }
    if (archs.empty()) archs.push_back(target);
    return archs;
}

}  // namespace ptxguard
