// CC307 headers_newer_than_library: a build includes the headers of another cuDNN or NCCL than it links.
// SPDX-License-Identifier: Apache-2.0
#include "judge/ptx_questions.hpp"
#include "judge/toolkit_questions.hpp"

namespace ptxguard {
namespace {

void judge_pair(const Scenario& scenario, const HeadersAndLibrary& pair, Findings& findings) {
    const Part *headers = pair.headers, *library = pair.library;
    const std::string name = pair.name, wanted = headers->version->release();
    Finding& finding =
        add(findings, "CC307", scenario.requires_(pair.required) ? Level::error : Level::warning,
            name + " of this build",
            "this build includes the headers of " + name + " " + headers->version->text + " but links " +
                name + " " + library->version->text);
    finding.found = {evidence_of(*headers), evidence_of(*library)};
    finding.expected = {{to_string(library->kind), wanted + " or newer", headers->version.origin}};
    finding.because =
        "the library lacks functions that these headers declare, and programs that compare the two versions "
        "stop when they start";
    finding.fix = {by_hand("install " + name + " " + wanted + " or newer in place of " + library->path),
                   by_hand("install the headers of " + name + " " + library->version->release() +
                           " in place of " + headers->path)};
}

}  // namespace

PTXGUARD_RULE(CC307) {
    const Toolkit* toolkit = scenario.project.wanted ? toolkit_of_build(scenario) : nullptr;
    if (!toolkit) return;
    for (const HeadersAndLibrary& pair : headers_and_libraries(*toolkit))
        if (!pair.fit) judge_pair(scenario, pair, findings);
}

}  // namespace ptxguard
