// CC002 input_unreadable: a file or value that was to be judged could not be read. Error where the user named
// it, for then the answer would not be about what was asked; else what depends on it is unknown.
// SPDX-License-Identifier: Apache-2.0
#include "judge/rule.hpp"

namespace ptxguard {

PTXGUARD_RULE(CC002) {
    for (const Unreadable& input : scenario.unreadable) {
        Finding& finding = add(findings, "CC002", input.named_by_user ? Level::error : Level::unknown,
                               input.subject, input.subject + " could not be read: " + input.why);
        finding.found = {{input.subject, input.why, input.origin}};
        finding.expected = {{input.subject, "readable", {}}};
        if (!input.origin.path.empty())
            finding.location = Location{input.origin.path, input.origin.line, input.origin.column};
        if (input.named_by_user) {
            finding.because = "it was named as something to judge, and nothing can be said about it";
            finding.fix = {{FixKind::manual, "make " + input.subject + " readable, or name another one"}};
        } else {
            finding.because = "what it would have told is missing from this report";
            finding.decide = {"a readable " + input.subject};
        }
    }
}

}  // namespace ptxguard
