// SPDX-License-Identifier: Apache-2.0
#include "recipes/resolution/requested_set.hpp"

#include "model/ranges.hpp"
#include "model/text.hpp"
#include "python/specifier.hpp"

namespace ptxguard::recipes {
namespace {

// Whether some release of it is in its own range and in `wanted`, which may be empty.
bool has_release(const RequestedSet& set, const RecipePin& pin, const std::string& wanted) {
    const std::string range = pin.specifier + (pin.specifier.empty() || wanted.empty() ? "" : ",") + wanted;
    return has_candidate(set.facts, set.recipe, set.likely, pin, range);
}

// An index of builds for one CUDA, which ends with a release; PyPI has a newer one tomorrow.
bool has_own_index(const RequestedSet& set, const RecipePin& pin) {
    const Served from = served(set.facts, set.recipe, pin, std::nullopt);
    return from.known && from.index && from.index->use == IndexUse::only && !from.build.empty();
}

bool is_excluded(const RequestedSet& set, const RecipePin& pin, const std::string& wanted) {
    if (pin.version || pin.open || !pin.unreadable.empty()) return false;
    if (pin.specifier.empty() && !has_own_index(set, pin)) return false;
    const auto [known, is_new] = set.excluded.emplace(pin.package + wanted, false);
    if (is_new) known->second = has_release(set, pin, "") && !has_release(set, pin, wanted);
    return known->second;
}

// Whether the package requires that of every build of it, on each system that the recipe may be for.
bool is_of_every_build(const RequestedSet& set, const std::string& name, const Needed& one) {
    const PypiRow* row = one.pin->version ? row_of(set.facts, *one.pin) : nullptr;
    if (!row || row->yanked || starts_with_any(name, {"nvidia-", "cuda-", "triton"}) ||
        one.specifier.find('+') != npos)
        return false;
    return any_of(row->required, [&](const Requirement& required) {
        return required.name == name && required.specifier == one.specifier &&
               applies(required, *one.pin, set.usual, Truth::yes);
    });
}

// No marker, file or repository decides what of the line is installed.
bool is_request_by_name(const RecipePin& pin) {
    return pin.marker.empty() && pin.wheel.empty() && !pin.source && !pin.open && !pin.pre;
}

}  // namespace

const Requirement* excluding(const RequestedSet& set, const PypiRow& row, const RecipePin& pin) {
    if (pin.no_deps) return nullptr;
    const auto is_other = [&](const Requirement& required) {
        const auto chosen = set.chosen.find(required.name);
        // What floats too may be taken in another release.
        if (chosen != set.chosen.end() && chosen->second.version && !chosen->second.newest)
            return !accepts(required.specifier, *chosen->second.version);
        return any_of(set.pins, [&](const RecipePin* other) {
            return other->package == required.name && is_excluded(set, *other, required.specifier);
        });
    };
    // Its marker last: that takes longest.
    return first_where(row.required, [&](const Requirement& required) {
        return is_other(required) && applies(required, pin, set.usual, Truth::yes);
    });
}

bool fits_needs(const Needs& needs, const PypiRow* row, const RecipePin& pin, const std::string& build,
                const MarkerEnvironment& usual) {
    if (!row || pin.no_deps) return true;
    const auto is_refused = [](const Requirement& required, const Clause& clause) {
        return is_exact(std::string(clause.op) + std::string(clause.version)) &&
               !accepts(required.specifier, clause.version);
    };
    return all_of(row->required, [&](const Requirement& required) {
        if (!applies(required, pin, usual) || differs_by_build(required, build)) return true;
        const std::string range = range_in(needs, required.name, false);
        const std::vector<Clause> clauses = clauses_of(range);
        return none_of(clauses, [&](const Clause& one) { return is_refused(required, one); });
    });
}

std::optional<RefusedPin> refused_range(const RequestedSet& set, const RecipePin& pin,
                                        const std::vector<Candidate>& all) {
    const Requirement* last = nullptr;
    const PypiRow* row = nullptr;
    if (pin.pre) return std::nullopt;  // the table has no pre-releases
    for (const Candidate& candidate : all) {
        last = candidate.row ? excluding(set, *candidate.row, pin) : nullptr;
        row = candidate.row;
        // Builds for another CUDA require builds of the same index, too.
        if (!last || starts_with(last->name, "nvidia-") || differs_by_build(*last, candidate.build) ||
            last->specifier.find('+') != npos)
            return std::nullopt;
    }
    if (!last) return std::nullopt;
    const auto* other =
        first_where(set.pins, [&](const RecipePin* each) { return each->package == last->name; });
    if (!other) return std::nullopt;
    RefusedPin one = refused(pin, Refusal::no_set);
    one.by = (*other)->package + (*other)->specifier;
    one.by_origin = (*other)->origin;
    one.origin.overridable = one.origin.overridable || (*other)->origin.overridable;
    one.wanted = last->name + last->specifier;
    one.wanted_origin = row->origin;
    return one;
}

std::optional<RefusedPin> excluded_by_pinned(const RequestedSet& set, const RecipePin& pin,
                                             const Needs& needs) {
    if (!is_request_by_name(pin) || set.recipe.takes_rocm(pin)) return std::nullopt;
    for (const auto& [name, one] : needs) {
        if (name != pin.package || one.specifier.empty() || !is_request_by_name(*one.pin) ||
            !is_of_every_build(set, name, one) || !is_excluded(set, pin, one.specifier) ||
            !has_candidate(set.facts, set.recipe, set.likely, pin, one.specifier))
            continue;
        RefusedPin refusal = refused(*one.pin, Refusal::no_set);
        refusal.by = pin.package + pin.specifier;
        refusal.by_origin = pin.origin;
        refusal.origin.overridable = refusal.origin.overridable || pin.origin.overridable;
        refusal.wanted = name + one.specifier;
        refusal.wanted_origin = one.origin;
        return refusal;
    }
    return std::nullopt;
}

}  // namespace ptxguard::recipes
