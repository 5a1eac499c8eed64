// A pin that its tool refuses to read.
// SPDX-License-Identifier: Apache-2.0
#include "judge/recipe_questions.hpp"

namespace ptxguard {

PTXGUARD_RULE(CC615) {
    for (const RecipePin& pin : scenario.recipe.pins) {
        if (pin.unreadable.empty()) continue;
        Finding& finding = add(
            findings, "CC615", Level::error, text_of(pin),
            pin.by + (pin.ignored ? " ignores " : " cannot read ") + text_of(pin) + ": " + pin.unreadable);
        finding.found = {evidence_of(pin)};
        if (pin.by == "apt") {
            finding.because = "apt finds no such package or version, and installs nothing";
            finding.fix = {{FixKind::manual,
                            "give the variable a value; an ARG before FROM has none in a "
                            "stage unless ARG repeats its name there"}};
            continue;
        }
        finding.expected = {{pin.by, pin.by == "conda" ? "NAME=VERSION" : "NAME==VERSION", {}}};
        finding.because =
            pin.by + (pin.ignored ? " reports nothing, and installs everything else without " + pin.package
                                  : " fails at this line and installs nothing");
        if (pin.package.compare(0, 2, "--") == 0)
            finding.fix = {{FixKind::manual, "correct the option"}};
        else if (pin.ignored)
            finding.fix = {{FixKind::manual, "write " + text_of(pin) + " on a line of its own"}};
        else
            finding.fix = {{FixKind::manual, "write " + pin.package + (pin.by == "conda" ? "=" : "==") +
                                                 "VERSION, one requirement per line"}};
    }
}

}  // namespace ptxguard
