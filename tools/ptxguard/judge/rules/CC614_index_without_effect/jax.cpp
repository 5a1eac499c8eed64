// Builds of jaxlib for CUDA, which one page has.
// SPDX-License-Identifier: Apache-2.0
#include "facts/pypi.hpp"
#include "judge/recipe_questions.hpp"
#include "judge/rules/CC614_index_without_effect/parts.hpp"
#include "model/ranges.hpp"

namespace ptxguard {
namespace {

bool asks_for_cuda(const RecipePin& pin) {
    return pin.package == "jaxlib" || any_of(pin.extras, [](const std::string& extra) {
               return extra == "cuda" || starts_with(extra, "cuda11") || extra == "cuda12-pip";
           });
}

bool is_cuda_jaxlib(const RecipePin& pin) {
    return pin.package == "jaxlib" && pin.version && starts_with(pin.version->local(), "cuda");
}

// `page`: the one that the command names, without CUDA's builds. `jaxlib`: the requirement with a local
// version. One of them is given.
void report_jax(const RecipeFacts& recipe, const RecipePin& pin, const RecipeIndex* page,
                const Requirement* jaxlib, Findings& findings) {
    const bool certain = jaxlib && (page || recipe.kind != "requirements file");
    const std::string named = text_of(pin);
    Composed finding =
        add(findings, "CC614", certain ? Level::error : Level::warning, pin,
            !jaxlib ? SAY("{} has no builds of jaxlib for CUDA, which {} asks for", page->url, named)
            : page  ? SAY("{} requires jaxlib{}, which {} does not have", named, jaxlib->specifier, page->url)
                    : SAY("{} requires jaxlib{}, which PyPI does not have", named, jaxlib->specifier))
            .expected("page", k_jax_page, {})
            .because(jaxlib ? "PyPI has no local versions ('+cuda11.cudnn86')"
                            : "the builds of jaxlib for CUDA are on another page; newer releases of jax take "
                              "packages from PyPI and need none")
            .edit(SAY("--find-links {}", k_jax_page));
    if (page) finding.found("page", page->url, page->origin);
}

// No other index than PyPI and jax's page for CPUs, `page`, which may be null.
bool only_pages_of_jax(const RecipeFacts& recipe, const RecipePin& pin, const RecipeIndex*& page) {
    for (const RecipeIndex* index : indexes_of(recipe, pin))
        if (index->url.find("jax_releases.html") != npos)
            page = index;
        else if (!index->is_pypi())
            return false;
    return true;
}

}  // namespace

// jax[cuda11_pip]==0.4.13 requires jaxlib==0.4.13+cuda11.cudnn86, which only one page has.
void judge_jax(const RecipeFacts& recipe, const Facts& facts, Findings& findings) {
    for (const RecipePin& pin : recipe.pins) {
        const bool by_extra = pin.package == "jax" && !pin.extras.empty() && !pin.no_deps;
        const RecipeIndex* page = nullptr;
        if (!pin.by_pip() || !(by_extra || is_cuda_jaxlib(pin)) || !only_pages_of_jax(recipe, pin, page))
            continue;
        const Requirement* jaxlib = nullptr;
        if (by_extra && pin.version)
            jaxlib = requirement_on(facts, "jax", *pin.version, "jaxlib", pin.extras);
        // Without a local version a plugin has the code.
        const bool local = jaxlib && jaxlib->specifier.find("+cuda") != npos;
        if (local || (page && !jaxlib && asks_for_cuda(pin))) report_jax(recipe, pin, page, jaxlib, findings);
    }
}

}  // namespace ptxguard
