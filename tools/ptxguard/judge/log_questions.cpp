// SPDX-License-Identifier: Apache-2.0
#include "judge/log_questions.hpp"

#include "judge/framework_questions.hpp"

namespace ptxguard {
namespace {

std::string releases_with(const Facts& facts, PtxVersion ptx) {
    return joined(facts.cuda_releases_for_ptx(ptx), " or ");
}

}  // namespace

std::vector<const LogMessage*> messages_with(const Scenario& scenario,
                                             std::initializer_list<const char*> causes) {
    std::vector<const LogMessage*> messages;
    for (const LogMessage& message : scenario.messages)
        if (any_of(causes, [&](const char* cause) { return message.cause == cause; }))
            messages.push_back(&message);
    return messages;
}

Evidence evidence_of(const LogMessage& message) {
    return {SAY("line {}", message.origin.line), message.origin.text, message.origin};
}

const Expectation* framework_of_log(const Scenario& scenario) {
    return scenario.expectations.size() == 1 ? &scenario.expectations.front() : nullptr;
}

std::string program_of_log(const Scenario& scenario) {
    const Expectation* framework = framework_of_log(scenario);
    return framework ? name_of(*framework) : "the program";
}

std::string search_variable(const Scenario& scenario) {
    return scenario.system == System::windows ? "PATH" : "LD_LIBRARY_PATH";
}

Fix leave_out_fix(const Scenario& scenario, const std::string& library, const Version& release) {
    return by_hand(
        SAY("remove the folder of {} {} from {}", library, release.text, search_variable(scenario)));
}

const Part* nvcc_of_log(const Scenario& scenario) {
    for (const Toolkit& toolkit : scenario.toolkits)
        if (const Part* nvcc = toolkit.part(PartKind::nvcc); nvcc && nvcc->version) return nvcc;
    return nullptr;
}

std::string compiler_of(const Scenario& scenario, const Facts& facts, PtxVersion made) {
    const Part* nvcc = nvcc_of_log(scenario);
    const CudaRelease* release = nvcc ? facts.cuda(*nvcc->version) : nullptr;
    if (release && release->ptx_max && *release->ptx_max == made) return SAY("nvcc {}", nvcc->version->text);
    const std::string releases = releases_with(facts, made);
    return releases.empty() ? "" : SAY("nvcc {}", releases);
}

std::string assembler_of(const Facts& facts, PtxVersion read) {
    const std::string releases = releases_with(facts, read);
    return releases.empty() ? "ptxas" : SAY("ptxas {}", releases);
}

}  // namespace ptxguard
