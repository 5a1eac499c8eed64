// Both forms have the same lists; their templates differ ("{{ x }}" is replaced before YAML is parsed, "${{ x
// }}" after).
// SPDX-License-Identifier: Apache-2.0
#include "recipes/installers/conda_recipe.hpp"

#include <map>

#include "model/text.hpp"
#include "recipes/base/template_text.hpp"
#include "recipes/base/tree_places.hpp"
#include "recipes/base/yaml_files.hpp"
#include "recipes/installers/conda_template.hpp"
#include "recipes/installers/match_spec.hpp"

namespace ptxguard::recipes {
namespace {

constexpr Limit k_deepest_condition{16, "conditions in conditions", "deeper ones"};

class CondaRecipe {
public:
    CondaRecipe(const Tree& root, Recipe& recipe, Budget& budget)
        : m_root(root), m_recipe(recipe), m_budget(budget) {
        for (const auto& [name, value] : root["context"].members)
            if (value.is_scalar()) m_context[name.text] = value_of(value).text;
    }

    void read() {
        add("", m_root);
        for (const Tree* output : m_root["outputs"].each()) {
            const Tree& name = (*output)["name"] ? (*output)["name"] : (*output)["package"]["name"];
            add(value_of(name).text, *output);
        }
    }

private:
    // An expression that cannot be computed has blanks, which end a version: it leaves a mark.
    Written value_of(const Tree& tree) const {
        Written result = marked(written(tree, m_recipe.file));
        if (m_budget.is_over_at(result)) return result;
        const auto variable = [&](std::string_view name) -> const std::string* {
            const auto found = m_context.find(name);
            return found == m_context.end() ? nullptr : &found->second;
        };
        const auto computed = [&](std::string_view expression) {
            const auto value = conda_value(expression, variable);
            return value && value->find("${{") == npos ? value : std::optional(std::string(k_unknown_value));
        };
        result.text = filled(tree.text, "${{", computed, Written(result), m_recipe.problems, result.known);
        m_budget.spend_bytes(result.text.size());
        return marked(result);
    }

    void add(const std::string& output, const Tree& of) {
        const Tree& lists = of["requirements"];
        const std::string prefix = output.empty() ? "" : "output " + output + " ";
        for (const bool run : {false, true}) {
            CondaInstall install;
            if (run) {
                specs(lists.is_list() ? lists : lists["run"], true, install, 0);
            } else {
                specs(lists["build"], true, install, 0);
                specs(lists["host"], true, install, 0);
            }
            if (install.specs.empty()) continue;
            install.whole = written(lists, m_recipe.file);
            Stage stage;
            stage.name = prefix + (run ? "run" : "build");
            stage.last = run;
            stage.steps.push_back(std::move(install));
            m_recipe.stages.push_back(std::move(stage));
        }
    }

    // Items, and rattler-build's {if: linux, then: [...], else: [...]}.
    void specs(const Tree& list, bool fixed, CondaInstall& install, std::size_t depth) {
        if (m_recipe.problems.exceeds(k_deepest_condition, depth,
                                      [&] { return written(list, m_recipe.file); }))
            return;
        for (const Tree* item : list.each()) {
            if (item->is_scalar()) {
                Written text = value_of(*item);
                text.fixed = text.fixed && fixed;
                install.specs.push_back(read_match_spec(text));
                continue;
            }
            const std::string condition((*item)["if"].text);
            const bool other = condition == "win" || condition == "osx" || condition == "not linux" ||
                               condition == "not unix";
            const bool here = condition == "linux" || condition == "unix" || condition == "not win" ||
                              condition == "not osx";
            if (!other) specs((*item)["then"], fixed && here, install, depth + 1);
            if (!here) specs((*item)["else"], fixed && other, install, depth + 1);
        }
    }

    const Tree& m_root;
    Recipe& m_recipe;
    Budget& m_budget;
    std::map<std::string, std::string, std::less<>> m_context;
};

}  // namespace

Recipe read_conda_recipe(const std::string& file, std::string_view text, const ReadFile& files) {
    Recipe recipe;
    recipe.kind = RecipeKind::conda_recipe;
    recipe.file = file;
    const bool rattler = text.find("${{") != text.npos;
    const std::string rendered = rattler ? std::string(text) : render_conda(text, file, recipe.problems);
    for (const Tree& root : yaml_of(rendered, recipe)) CondaRecipe(root, recipe, files.budget()).read();
    return recipe;
}

}  // namespace ptxguard::recipes
