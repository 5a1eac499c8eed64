// A pin that its tool refuses to read.
// SPDX-License-Identifier: Apache-2.0
#include "judge/recipe_questions.hpp"

namespace ptxguard {

PTXGUARD_RULE(CC615) {
    for (const RecipePin& pin : scenario.recipe.pins) {
        if (pin.unreadable.empty()) continue;
        const Composed finding =
            add(findings, "CC615", Level::error, pin,
                pin.ignored ? SAY("{} ignores {}: {}", pin.by, text_of(pin), pin.unreadable)
                            : SAY("{} cannot read {}: {}", pin.by, text_of(pin), pin.unreadable));
        if (pin.by == "apt") {
            finding.because("apt finds no such package or version, and installs nothing")
                .by_hand(
                    "give the variable a value; an ARG before FROM has none in a stage unless ARG repeats "
                    "its name there");
            continue;
        }
        const bool conda = pin.by == "conda";
        finding.expected(pin.by, conda ? "NAME=VERSION" : "NAME==VERSION", {})
            .because(pin.ignored ? SAY("{} reports nothing, and installs everything else without {}", pin.by,
                                       pin.package)
                                 : SAY("{} fails at this line and installs nothing", pin.by))
            .by_hand(starts_with(pin.package, "--") ? "correct the option"
                     : pin.ignored                  ? SAY("write {} on a line of its own", text_of(pin))
                     : conda ? SAY("write {}=VERSION, one requirement per line", pin.package)
                             : SAY("write {}==VERSION, one requirement per line", pin.package));
    }
}

}  // namespace ptxguard
