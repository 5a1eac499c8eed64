// SPDX-License-Identifier: Apache-2.0
#include "probe/reading.hpp"

#include "ask/questions.hpp"
#include "host/paths.hpp"
#include "model/ranges.hpp"
#include "probe/compiler_libraries.hpp"
#include "probe/diagnose.hpp"
#include "probe/key.hpp"
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
        default:
            return take_assembly(result, answer);
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

}  // namespace ptxguard
