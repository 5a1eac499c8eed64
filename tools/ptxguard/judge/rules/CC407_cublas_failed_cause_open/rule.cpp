// CC407 cublas_failed_cause_open: a log says that cuBLAS failed and not why.
// SPDX-License-Identifier: Apache-2.0
#include "judge/rule.hpp"
#include "judge/log_questions.hpp"

namespace ptxguard {

PTXGUARD_RULE(CC407) {
    const auto failed = messages_with(scenario, {"cublas_failed"});
    if (failed.empty()) return;
    add(findings, "CC407", Level::unknown, "cuBLAS", "cuBLAS failed, and the log does not say why")
        .found(evidence_of(*failed.front()))
        .expected("cuBLAS", "a message that names the reason", {})
        .because(
            "the same messages appear if the GPU's memory is used up, if cuBLAS has no code for the GPU, and "
            "if cuBLAS and cuBLASLt are from different releases")
        .decide("nvidia-smi while it fails: is memory free?")
        .decide("ptxguard check on the machine where it fails")
        .by_hand("end other programs that use the GPU's memory, and try again")
        .required();
}

}  // namespace ptxguard
