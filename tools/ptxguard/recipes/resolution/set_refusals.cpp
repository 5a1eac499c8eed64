// Requests of one command that exclude each other, or what its constraints allow.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <utility>

#include "facts/pypi.hpp"
#include "facts/variants.hpp"
#include "host/paths.hpp"
#include "model/text.hpp"
#include "python/specifier.hpp"
#include "recipes/containers/images.hpp"
#include "recipes/resolution/candidates.hpp"
#include "recipes/resolution/refusals.hpp"
#include "recipes/resolution/requiring_build.hpp"

namespace ptxguard::recipes {
namespace {

// `pin` requires another release than that of `beside`.
RefusedPin refused_beside(const RecipePin& pin, const Requirement& required, const Installed& beside,
                          const Origin& row) {
    RefusedPin one = refused(pin, Refusal::no_set);
    one.by = required.name + "==" + beside.version->text;
    one.by_origin = beside.asked;
    one.wanted = required.name + required.specifier;
    one.wanted_origin = row;
    return one;
}

// A Python that is not known is one that the release has wheels for.
MarkerEnvironment with_python_of(const PypiRow& row, MarkerEnvironment markers) {
    if (markers.python.empty() && markers.python_from.empty() && row.python_from && !row.sdist)
        markers.python_from = row.python_from->release();
    return markers;
}

// Whether the command of the pin has chosen it; packages with an index of their own are separate groups.
bool is_of_command(const RecipeFacts& recipe, const RecipePin& pin, const Installed& chosen) {
    return chosen.group == pin.group || any_of(recipe.pins, [&](const RecipePin& other) {
               return other.package == chosen.package && other.group == chosen.group &&
                      other.group_of_command() == pin.group_of_command();
           });
}

}  // namespace

// torch==2.1.0 and torch==2.2.0 in one command or file.
void Refusals::refuse_twice(const Pins& pins) {
    std::map<std::string, const RecipePin*> first;
    for (const RecipePin* pin : pins) {
        if (!pin->version || !pin->marker.empty() || !pin->by_pip() || pin->source || !pin->wheel.empty() ||
            pin->origin.overridable || !pin->unreadable.empty() || !pypi_package(m_facts, pin->package))
            continue;
        const auto [found, is_new] = first.emplace(pin->package, pin);
        const RecipePin& other = *found->second;
        if (is_new || accepts(other.specifier, *pin->version) || accepts(pin->specifier, *other.version))
            continue;
        RefusedPin one = refused(*pin, Refusal::no_set);
        one.by = other.package + other.specifier;
        one.by_origin = other.origin;
        m_recipe.refused.push_back(std::move(one));
    }
}

// What the pin requires of the constraint's package, in another release than it allows.
const Requirement* Refusals::excluded_by(const RecipePin& constraint, const RecipePin& pin,
                                         const PypiRow& row, const std::string& build) const {
    const auto found = std::find_if(row.required.rbegin(), row.required.rend(), [&](const Requirement& one) {
        return one.name == constraint.package && !starts_with(one.name, "nvidia-") &&
               !differs_by_build(one, build) && applies(one, pin, m_usual, Truth::yes) &&
               !accepts(one.specifier, *constraint.version);
    });
    return found == row.required.rend() ? nullptr : &*found;
}

// torch==2.5.1, or vllm==0.6.3 that requires torch==2.4.0, and another torch in the constraints.
void Refusals::refuse_constraint(const RecipePin& pin) {
    if (!pin.version || !asks_indexes(pin) || !pin.by_pip()) return;
    const PypiRow* row = pin.no_deps ? nullptr : pypi_row(m_facts, pin.package, *pin.version);
    const std::string build = served(m_facts, m_recipe, pin, pin.version.value).build;
    for (const RecipePin& constraint : m_recipe.constraints) {
        if (constraint.group != pin.group_of_command() || !constraint.version || !constraint.marker.empty())
            continue;
        const bool own = constraint.package == pin.package && !accepts(constraint.specifier, *pin.version);
        const Requirement* other = row ? excluded_by(constraint, pin, *row, build) : nullptr;
        if (!own && !other) continue;
        RefusedPin one = refused(pin, Refusal::no_set);
        one.by = "the constraint " + constraint.package + constraint.specifier;
        one.by_origin = constraint.origin;
        one.wanted = other ? other->name + other->specifier : pin.package + pin.specifier;
        one.wanted_origin = other ? row->origin : pin.origin;
        m_recipe.refused.push_back(std::move(one));
    }
}

// vllm==0.6.0 requires torch==2.4.0, which requires another release of a package that is pinned beside it.
// One is enough: torch pins a dozen of NVIDIA's.
void Refusals::add_brought(const RecipePin& pin, const Installed& brought, const InstalledPackages& chosen) {
    const PypiRow* row = pypi_row(m_facts, brought.package, *brought.version);
    if (!row || pin.open || !pin.by_pip() || !brought.build.empty() || brought.asked.overridable) return;
    for (const Requirement& required : row->required) {
        const auto other = chosen.find(required.name);
        if (other == chosen.end() || !other->second.version || other->second.newest ||
            other->second.group != pin.group || other->second.asked.overridable ||
            !applies(required, pin, m_usual, Truth::yes) || required.specifier.find('+') != npos ||
            accepts(required.specifier, *other->second.version))
            continue;
        RefusedPin one = refused_beside(pin, required, other->second, row->origin);
        one.pinned = brought.package + "==" + brought.version->text;
        one.required_by = brought.required_by;
        m_recipe.refused.push_back(std::move(one));
        return;
    }
}

// A package that is pinned beside it requires another release.
void Refusals::refuse_set(const RecipePin& pin, const InstalledPackages& chosen_packages) {
    const PypiRow* row = pypi_row(m_facts, pin.package, *pin.version);
    if (!row || row->yanked || pin.open || m_recipe.takes_rocm(pin)) return;
    // Of several lines for a package, the last one is installed: the others are for other Pythons.
    const auto taken = chosen_packages.find(pin.package);
    if (taken != chosen_packages.end() && taken->second.version && *taken->second.version != *pin.version)
        return;
    const RequiringBuild build(m_facts, pin, served(m_facts, m_recipe, pin, pin.version.value).build);
    const MarkerEnvironment markers = with_python_of(*row, m_usual);
    for (const Requirement& required : build.requirements(*row)) {
        const auto chosen = chosen_packages.find(required.name);
        if (chosen == chosen_packages.end() || !chosen->second.version || chosen->second.newest) continue;
        if (!is_of_command(m_recipe, pin, chosen->second) || !applies(required, pin, markers, Truth::yes))
            continue;
        const auto wanted = build.unmet_by(*chosen->second.version, required);
        if (wanted) m_recipe.refused.push_back(refused_beside(pin, *wanted, chosen->second, row->origin));
    }
}

namespace {

// `uv sync --all-extras`, where one extra is for CPUs and another one for CUDA. Of parts without a package
// that the tables have, another program says that.
void refuse_parts(const PipInstall& install, int group, const Facts& facts, RecipeFacts& recipe) {
    const bool concerns = any_of(install.requirements, [&](const WrittenRequirement& one) {
        return pypi_package(facts, one.name) != nullptr;
    });
    for (const ExcludedParts& parts : install.excluded) {
        if (!concerns) break;
        RefusedPin one;
        one.why = Refusal::parts;
        one.pinned = parts.second;
        one.by = parts.first;
        if (parts.by_default) one.wanted = "--no-group " + parts.first.substr(parts.first.rfind(' ') + 1);
        one.group = group;
        one.origin = origin_of(install.whole);
        one.by_origin = one.wanted_origin = origin_of(parts.conflict);
        recipe.refused.push_back(std::move(one));
    }
}

}  // namespace

void refuse_projects(const PipInstall& install, int group, const std::string& python, const Origin& origin,
                     const Facts& facts, RecipeFacts& recipe) {
    refuse_parts(install, group, facts, recipe);
    // poetry and pdm search for a Python that fits.
    if (install.tool != "pip" && install.tool != "uv") return;
    for (const Written& required : install.pythons) {
        if (allows_python(required.text, python)) continue;
        RefusedPin one;
        one.why = Refusal::no_project;
        one.package = one.pinned = required.file;
        one.by = python;
        one.by_origin = origin;
        one.wanted = required.text;
        one.group = group;
        one.origin = one.wanted_origin = origin_of(required);
        recipe.refused.push_back(std::move(one));
    }
}

}  // namespace ptxguard::recipes
