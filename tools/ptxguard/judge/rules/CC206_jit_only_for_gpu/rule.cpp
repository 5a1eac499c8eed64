// A GPU runs this binary only after the driver has compiled its PTX: the first start is slow, and the driver
// must accept that PTX.
// SPDX-License-Identifier: Apache-2.0

#include <map>

#include "judge/fitting_builds.hpp"
#include "judge/loading_questions.hpp"
#include "judge/rule.hpp"

namespace ptxguard {

PTXGUARD_RULE(CC206) {
    for (const auto& file : binaries_concerned(scenario)) {
        if (file->format == FileFormat::ptx) continue;  // meant to be compiled
        std::map<std::string, std::size_t> said;
        for (const RunPair& pair : pairs_concerned(scenario)) {
            RunAnswer answer = ask_run(*file, *pair.gpu, pair.driver, scenario, facts);
            if (answer.said.verdict != RunVerdict::jit) continue;
            const auto [known, is_new] = said.emplace(answer.said.gpu, findings.size());
            if (!is_new) {
                Composed(findings[known->second]).about(scenario, *pair.gpu);
                continue;
            }
            add(findings, "CC206", Level::note, SAY("{} on {}", file->path, answer.said.gpu),
                answer.cubins
                    ? SAY("{} has few cubins for {}: {}", file->path, answer.said.gpu, answer.said.why)
                    : SAY("{} has no cubin for {}: {}", file->path, answer.said.gpu, answer.said.why))
                .about(scenario, *file, *pair.gpu)
                .found(evidence_of(*file))
                .expected("device code", SAY("a cubin for {}", answer.said.arch.sm()), pair.gpu->arch.origin)
                .because(
                    "the first start compiles the code and keeps it in the compute cache, and a driver that "
                    "does not read the PTX cannot run it (CUDA error 222)")
                .fix(code_for_gpu_fix(*file, answer.said.arch, scenario, facts));
        }
    }
}

}  // namespace ptxguard
