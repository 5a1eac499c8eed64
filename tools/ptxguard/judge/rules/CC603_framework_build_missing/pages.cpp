// SPDX-License-Identifier: Apache-2.0
#include "facts/recipe_tables.hpp"
#include "judge/framework_questions.hpp"
#include "judge/recipe_questions.hpp"
#include "judge/rules/CC603_framework_build_missing/parts.hpp"

namespace ptxguard {

void judge_missing_pages(const RecipeFacts& recipe, const Facts& facts, Findings& findings) {
    for (const RecipeIndex& index : recipe.indexes)
        for (const TorchPages& row : recipe_tables(facts).torch_pages) {
            if (index.use != IndexUse::links || index.url.find(row.start) == std::string::npos) continue;
            const auto torch = torch_of_page(index.url), cuda = cuda_of_tag(index.build);
            const bool newer = torch && *row.torch < *torch && !same_release(*row.torch, *torch);
            const bool newer_cuda = cuda && *row.cuda < *cuda;
            if (!newer && !newer_cuda) continue;
            const std::string last = newer ? "PyTorch " + row.torch->text : "CUDA " + row.cuda->text;
            Finding& finding =
                add(findings, "CC603", row.fails ? Level::error : Level::warning, index.url,
                    index.url + " does not exist: the wheels of " + row.package + " end with " + last);
            finding.found = {{"page", index.url, index.origin}};
            finding.expected = {{"page", "one up to " + last, row.origin}};
            finding.because = row.effect;
            finding.package = row.package;
            finding.fix = {{FixKind::manual, row.instead}};
        }
}

}  // namespace ptxguard
