// SPDX-License-Identifier: Apache-2.0

#include "facts/recipe_tables.hpp"
#include "judge/framework_questions.hpp"
#include "judge/recipe_questions.hpp"
#include "judge/rules/CC603_framework_build_missing/parts.hpp"
#include "model/ranges.hpp"

namespace ptxguard {

void judge_missing_pages(const RecipeFacts& recipe, const Facts& facts, Findings& findings) {
    for (const RecipeIndex& index : recipe.indexes)
        for (const TorchPages& row : recipe_tables(facts).torch_pages) {
            if (index.use != IndexUse::links || index.url.find(row.start) == npos) continue;
            const auto torch = torch_of_page(index.url), cuda = cuda_of_tag(index.build);
            const bool newer = torch && *row.torch < *torch && !same_release(*row.torch, *torch);
            const bool newer_cuda = cuda && *row.cuda < *cuda;
            if (!newer && !newer_cuda) continue;
            const std::string last =
                newer ? SAY("PyTorch {}", row.torch->text) : SAY("CUDA {}", row.cuda->text);
            add(findings, "CC603", row.fails ? Level::error : Level::warning, index.url,
                SAY("{} does not exist: the wheels of {} end with {}", index.url, row.package, last))
                .found("page", index.url, index.origin)
                .expected("page", SAY("one up to {}", last), row.origin)
                .because(row.effect)
                .of_package(row.package)
                .by_hand(row.instead);
        }
}

// torch==1.3.0+cu101: up to 1.7.1 the default build is torch==1.3.0, on PyTorch's page too.
void judge_labels(const RecipeFacts& recipe, const Facts& facts, Findings& findings) {
    for (const RecipePin& pin : recipe.pins) {
        const std::string local = pin.version ? pin.version->local() : "";
        const auto cuda = cuda_of_tag(local);
        if (!cuda || !pin.is_from_pypi() || !pin.wheel.empty() || pin.source) continue;
        const std::string release = pin.version->without_local();
        const FrameworkRelease* row = facts.framework_release(pin.package, *parse_version(release));
        const auto& labelled = recipe_tables(facts).labelled_from;
        const auto* first =
            first_where(labelled, [&](const FirstRelease& one) { return one.package == pin.package; });
        if (!first || !row || !row->cuda || !same_release(*row->cuda, *cuda) ||
            !(row->version < *first->from))
            continue;
        const auto indexes = indexes_of(recipe, pin);
        if (any_of(indexes, [](const RecipeIndex* one) {
                return !one->is_pypi() && one->url.find("download.pytorch.org") == npos;
            }))
            continue;
        const std::string named = SAY("{}=={}", pin.package, pin.version->text),
                          plain = SAY("{}=={}", pin.package, release);
        add(findings, "CC603", Level::error, named,
            SAY("{} was never released: the build for CUDA {} is {}", named, cuda->release(), plain))
            .found(evidence_of(pin))
            .expected("build", plain, first->origin)
            .because("the default builds of that time have no local version, and pip finds no such file")
            .of_package(pin.package)
            .edit(plain);
    }
}

}  // namespace ptxguard
