// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "facts/recipe_tables.hpp"
#include "judge/recipe_questions.hpp"
#include "judge/rules/CC612_companions_mismatch/parts.hpp"
#include "python/specifier.hpp"

namespace ptxguard {
namespace {

// Whether the range has releases of NumPy 2 only.
bool asks_for_numpy2(const RecipePin& pin) {
    if (pin.package != "numpy" || !pin.by_pip() || pin.specifier.empty() || pin.origin.overridable)
        return false;
    const auto has = [&](const char* release) { return accepts(pin.specifier, std::string_view(release)); };
    const bool pinned = pin.version && pin.version->major() > 1;
    return pinned || (has("2.2.6") && !has("1.26.4") && !has("1.24.4") && !has("1.21.6") && !has("1.19.5"));
}

}  // namespace

void judge_numpy(const RecipeFacts& recipe, const Facts& facts, Findings& findings) {
    const auto pin = std::find_if(recipe.pins.rbegin(), recipe.pins.rend(),
                                  [](const RecipePin& one) { return one.package == "numpy"; });
    if (pin == recipe.pins.rend() || !asks_for_numpy2(*pin)) return;
    for (const Installed& one : recipe.installed)
        for (const FirstRelease& row : recipe_tables(facts).built_with_numpy2) {
            if (row.package != one.package || one.newest || !(*one.version < *row.from)) continue;
            const std::string of = SAY("{} {}", one.package, one.version->without_local());
            add(findings, "CC612", Level::warning, *pin,
                SAY("{} is built with NumPy 1, and {} is installed", of, text_of(*pin)))
                .found("package", of, one.asked)
                .expected("numpy", "<2", row.origin)
                .because(
                    "its modules do not load with NumPy 2: 'A module that was compiled using NumPy 1.x "
                    "cannot be run in NumPy 2', 'Numpy is not available'")
                .of_package("numpy")
                .edit("numpy<2");
        }
}

}  // namespace ptxguard
