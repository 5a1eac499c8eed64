// CC307 headers_newer_than_library: a build includes the headers of another cuDNN or NCCL than it links.
// SPDX-License-Identifier: Apache-2.0
#include "judge/ptx_questions.hpp"
#include "judge/toolkit_questions.hpp"

namespace ptxguard {
namespace {

void judge_pair(const Scenario& scenario, const HeadersAndLibrary& pair, Findings& findings) {
    const Part *headers = pair.headers, *library = pair.library;
    const std::string name = pair.name, wanted = headers->version->release();
    add(findings, "CC307", scenario.requires_(pair.required) ? Level::error : Level::warning,
        SAY("{} of this build", name),
        SAY("this build includes the headers of {} {} but links {} {}", name, headers->version->text, name,
            library->version->text))
        .about(scenario, *headers, *library)
        .found(evidence_of(*headers))
        .found(evidence_of(*library))
        .expected(to_string(library->kind), SAY("{} or newer", wanted), headers->version.origin)
        .because(
            "the library lacks functions that these headers declare, and programs that compare the two "
            "versions stop when they start")
        .by_hand(SAY("install {} {} or newer in place of {}", name, wanted, library->path))
        .by_hand(SAY("install the headers of {} {} in place of {}", name, library->version->release(),
                     headers->path));
}

}  // namespace

PTXGUARD_RULE(CC307) {
    const Toolkit* toolkit = scenario.project.wanted ? toolkit_of_build(scenario) : nullptr;
    if (!toolkit) return;
    for (const HeadersAndLibrary& pair : headers_and_libraries(*toolkit))
        if (!pair.fit) judge_pair(scenario, pair, findings);
}

}  // namespace ptxguard
