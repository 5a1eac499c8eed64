// Indexes that pip or uv does not search, because of where they are written.
// SPDX-License-Identifier: Apache-2.0
#include <set>
#include <utility>

#include "judge/rules/CC614_index_without_effect/parts.hpp"
#include "model/ranges.hpp"

namespace ptxguard {

// torch --index-url URL in a requirements file: pip does not read options after a requirement.
void judge_ignored(const Scenario& scenario, const std::vector<int>& said, Findings& findings) {
    const RecipeFacts& recipe = scenario.recipe;
    std::set<std::pair<int, std::string>> seen;
    for (const RecipeIndex& index : recipe.ignored_indexes) {
        const bool known = contains(said, index.group);
        // The same index on a separate line is read.
        const bool read = any_of(recipe.indexes, [&](const RecipeIndex& one) {
            return one.group == index.group && one.url == index.url;
        });
        if (!index.package.empty() || index.build.empty() || known || read ||
            !seen.emplace(index.group, index.url).second)
            continue;
        add(findings, "CC614", Level::warning, index.url,
            SAY("pip ignores the index {} behind a requirement", index.url))
            .found("index", index.url, index.origin)
            .expected("index", "on a line of its own", {})
            .because("an index is an option of the whole file; the packages come from PyPI")
            .by_hand(SAY("write --extra-index-url {} on a line of its own, and pin versions that it has",
                         index.url));
    }
}

// [tool.uv.sources] torchvision = {index = "pytorch-cpu"}, and only other packages require torchvision.
void judge_ignored_source(const Scenario& scenario, Findings& findings) {
    const RecipeFacts& recipe = scenario.recipe;
    for (const RecipeIndex& index : recipe.ignored_indexes) {
        const Installed* brought = first_where(recipe.installed, [&](const Installed& one) {
            return one.package == index.package && one.group == index.group && !one.required_by.empty();
        });
        if (!brought || index.build.empty() || index.build == brought->build) continue;
        add(findings, "CC614", Level::warning, index.package,
            SAY("uv ignores the source of {}: only {} requires it", index.package, brought->required_by))
            .found("index", index.url, index.origin)
            .expected("requirement", SAY("{} in the project's dependencies", index.package), {})
            .because(SAY("a source is for what the project itself requires: {} comes from PyPI, not from {}",
                         index.package, index.url))
            .of_package(index.package)
            .command(SAY("uv add {}", index.package));
    }
}

}  // namespace ptxguard
