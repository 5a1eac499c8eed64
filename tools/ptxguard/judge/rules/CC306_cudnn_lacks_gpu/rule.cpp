// CC306 cudnn_lacks_gpu: the cuDNN that a process gets holds no code for a GPU that is named or here.
// SPDX-License-Identifier: Apache-2.0
#include "facts/cudnn.hpp"
#include "judge/code_fit.hpp"
#include "judge/cudnn_questions.hpp"
#include "judge/library_questions.hpp"
#include "judge/ptx_questions.hpp"

namespace ptxguard {
namespace {

// What a table says of one release on one architecture.
struct Answer {
    enum class State { runs, lacks, open } state = State::runs;
    const CudnnCode* code = nullptr;  // that says so
};

// Between two measured releases only what both say is said.
Answer ask(const CudnnCodeNear& near, Arch gpu, const Scenario& scenario, const Facts& facts) {
    Answer answer;
    int lacking = 0;
    for (const auto* code : {&near.before, &near.after}) {
        if (!*code) continue;
        const CodeFit fit = code_fit((*code)->code, gpu, scenario, facts);
        if (fit != CodeFit::none) return answer;
        answer.code = &**code;
        ++lacking;
    }
    answer.state = lacking == 2 ? Answer::State::lacks : lacking ? Answer::State::open : Answer::State::runs;
    return answer;
}

struct Wanted {
    Arch arch;
    std::string name;  // "Tesla V100 (sm_70)", "sm_70"
    Origin origin;
    bool is_gpu = false;
    bool named = false;
};

// GPUs; without any, the real targets that the user asked for by number: for these GPUs the build is made.
std::vector<Wanted> wanted_archs(const Scenario& scenario) {
    std::vector<Wanted> wanted;
    for (const Gpu* gpu : gpus_judged(scenario))
        wanted.push_back({*gpu->arch, name_of(*gpu), gpu->arch.origin, true, gpu->declared});
    if (!wanted.empty() || !scenario.project.archs_text || !scenario.project.archs.words.empty())
        return wanted;
    for (const Target& target : scenario.project.archs.targets)
        if (target.real)
            wanted.push_back(
                {target.arch, target.arch.sm(), scenario.project.archs_text.origin, false, false});
    return wanted;
}

void say(const CudnnInUse& cudnn, const Wanted& wanted, const Answer& answer, Findings& findings) {
    const bool open = answer.state == Answer::State::open;
    const Level level = open ? Level::unknown : wanted.is_gpu ? Level::error : Level::warning;
    const std::string release = cudnn.version->text + " for CUDA " + std::to_string(cudnn.cuda->major());
    const LoadedFile& library = cudnn.speaker ? *cudnn.speaker : *cudnn.asked;
    Finding& finding = add(
        findings, "CC306", level, name_of(cudnn) + ", cuDNN on " + wanted.name,
        open ? "whether cuDNN " + release + ", which " + name_of(cudnn) + " gets, has code for " +
                   wanted.name + " is not known"
             : "cuDNN " + release + ", which " + name_of(cudnn) + " gets, has no code for " + wanted.name);
    finding.found = {evidence_of(library),
                     {"its device code", words_of(answer.code->code), answer.code->origin}};
    finding.expected = {{"device code", "a cubin or PTX that " + wanted.arch.sm() + " runs", wanted.origin}};
    finding.because =
        open ? "the nearest release that was measured, " + answer.code->version.text + ", has none"
             : "cuDNN drops old GPUs while its version and its file names go on: calls end with "
               "CUDNN_STATUS_ARCH_MISMATCH or CUDNN_STATUS_EXECUTION_FAILED";
    if (open)
        finding.decide = {"ptxguard inspect on its libcudnn_ops with --gpu " + wanted.arch.cc()};
    else if (cudnn.cuda->major() == 12 && wanted.arch.number < 75)
        finding.fix.push_back(
            {FixKind::manual, "cuDNN 9.10.2 for CUDA 12, the last with code for " + wanted.arch.sm()});
    else
        finding.fix.push_back({FixKind::manual, wanted.arch.number < 75
                                                    ? "a framework for CUDA 12 with cuDNN 9.10.2 or older"
                                                    : "a newer cuDNN"});
    finding.required = open && wanted.named;
}

}  // namespace

PTXGUARD_RULE(CC306) {
    const auto wanted = wanted_archs(scenario);
    for (const CudnnInUse& cudnn : cudnns_in_use(scenario)) {
        if (!is_taken(*cudnn.asked) || !cudnn.version || !cudnn.cuda || wanted.empty()) continue;
        const CudnnCodeNear near = cudnn_code(facts, *cudnn.version, cudnn.cuda->major());
        for (const Wanted& one : wanted) {
            const Answer answer = ask(near, one.arch, scenario, facts);
            if (answer.state != Answer::State::runs) say(cudnn, one, answer, findings);
        }
    }
}

}  // namespace ptxguard
