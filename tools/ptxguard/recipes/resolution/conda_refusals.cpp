// What conda finds no set of packages for: a Python for which the release has no build.
// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "facts/pypi.hpp"
#include "recipes/resolution/companions.hpp"
#include "recipes/resolution/conda_builds.hpp"
#include "recipes/resolution/refusals.hpp"

namespace ptxguard::recipes {
namespace {

const std::string& lowest_python(const MarkerEnvironment& markers) {
    return markers.python.empty() ? markers.python_from : markers.python;
}

// That of conda's environment.
const RecipePin* pinned_python(const RecipeFacts& recipe) {
    const RecipePin* pin = last_pin(recipe, "python", true);
    const bool pinned = pin && pin->by == "conda" && pin->version && pin->version->numbers.size() > 1;
    return pinned ? pin : nullptr;
}

}  // namespace

// conda install pytorch=2.0.1 into the base environment of the newest Miniconda, whose Python conda keeps.
void Refusals::refuse_in_base(const RecipePin& pin) {
    const auto lowest = m_markers.python.empty() ? parse_version(m_markers.python_from) : std::nullopt;
    const PypiRow* row = pin.package == "pytorch" ? pypi_row(m_facts, "torch", *pin.version) : nullptr;
    if (!lowest || !row || !row->python_to || !(*row->python_to < *lowest) ||
        last_pin(m_recipe, "python", true))
        return;
    RefusedPin one = refused(pin, Refusal::conda_base);
    one.pinned = pin.package + "=" + pin.version->text;
    one.by = lowest->text;
    one.by_origin = m_recipe.python.origin;
    one.wanted = pythons_of(*row);
    one.wanted_origin = row->origin;
    m_recipe.refused.push_back(std::move(one));
}

// pytorch with cudatoolkit=9.2, for a newer Python than that of the last release with such a build. For these
// Pythons other channels have no build for so old a CUDA either.
void Refusals::add(const RecipePin& pin) {
    if (pin.version) return refuse_in_base(pin);
    static const Version k_oldest_elsewhere = *parse_version("11.2"),
                         k_first_without = *parse_version("3.11");
    const RecipePin* selector = last_pin(m_recipe, "cudatoolkit", true);
    const auto builds = builds_of_channel(m_facts, m_recipe, pin);
    const RecipePin* own = pinned_python(m_recipe);
    const auto python = parse_version(own ? own->version->release() : lowest_python(m_markers));
    const bool selects = selector && selector->group == pin.group && selector->version;
    if (builds.empty() || !python || *python < k_first_without || !selects ||
        !(*selector->version < k_oldest_elsewhere))
        return;
    const PypiRow* row = pypi_row(m_facts, "torch", builds.back());
    if (!row || !row->python_to || !(*row->python_to < *python)) return;
    RefusedPin one = refused(pin, Refusal::no_python);
    one.pinned = "pytorch=" + builds.back().text;
    one.required_by = "cudatoolkit=" + selector->version->text;
    one.by = own ? python->text : python_named(m_markers);
    one.by_origin = own ? own->origin : m_recipe.python.origin;
    one.wanted = pythons_of(*row);
    one.wanted_origin = row->origin;
    m_recipe.refused.push_back(std::move(one));
}

}  // namespace ptxguard::recipes
