// CC407 cublas_failed_cause_open: a log says that cuBLAS failed and not why.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "judge/rule.hpp"

namespace ptxguard {
namespace {

const LogMessage* message_with(const Scenario& scenario, const char* cause) {
    const auto found = std::find_if(scenario.messages.begin(), scenario.messages.end(),
                                    [&](const LogMessage& one) { return one.cause == cause; });
    return found == scenario.messages.end() ? nullptr : &*found;
}

}  // namespace

PTXGUARD_RULE(CC407) {
    const LogMessage* failed = message_with(scenario, "cublas_failed");
    if (!failed) return;
    Finding& finding =
        add(findings, "CC407", Level::unknown, "cuBLAS", "cuBLAS failed, and the log does not say why");
    finding.found = {{"line " + std::to_string(failed->origin.line), failed->origin.text, failed->origin}};
    finding.expected = {{"cuBLAS", "a message that names the reason", {}}};
    finding.because =
        "the same messages appear if the GPU's memory is used up, if cuBLAS has no code for the GPU, and if "
        "cuBLAS and "
        "cuBLASLt are from different releases";
    finding.decide = {"nvidia-smi while it fails: is memory free?",
                      "ptxguard check on the machine where it fails"};
    finding.fix = {{FixKind::manual, "end other programs that use the GPU's memory, and try again"}};
    finding.required = true;
}

}  // namespace ptxguard
