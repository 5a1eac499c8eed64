// SPDX-License-Identifier: Apache-2.0
#include "probe/limit.hpp"

#include "ask/questions.hpp"
#include "probe/compile.hpp"
#include "probe/diagnose.hpp"
#include "probe/key.hpp"
#include "probe/ptx_source.hpp"

namespace ptxguard {

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
